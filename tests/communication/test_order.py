"""The order of communication, read from the files that the ranks of a cluster wrote."""

import pytest

from minispore.communication import execution_order

COLUMNS = (
    "index,group,comm_rank,primitive,src_rank,dest_rank,root_rank,input_shape,input_type,"
    "output_shape,output_type,input_size,output_size"
)
REDUCE, GATHER = "0 1,AllReduce,,,,[2],f,[2],f,8,8", "0 1,AllGather,,,,[2],f,[4],f,8,16"
SEND, RECEIVE = "0 1,Send,0,1,,[2],f,,,8,", "0 1,Receive,0,1,,,,[2],f,,8"


@pytest.fixture
def lines(monkeypatch):
    """What was written to the log: (severity, text)."""
    results = []
    for name in ("error", "warning"):
        monkeypatch.setattr(
            execution_order.log,
            name,
            lambda text, *args, name=name: results.append((name, text % args)),
        )
    return results


def written(folder, **ranks):
    for rank, rows in ranks.items():
        place = folder / rank / "execute_order"
        place.mkdir(parents=True)
        texts = [f"{i},w,{row}" for i, row in enumerate(rows, 1)]
        (place / "comm_execute_order.csv").write_text("\n".join([COLUMNS, *texts]) + "\n")
    return str(folder)


def test_ranks_that_reduce_and_gather_in_other_orders_wait_in_a_circle(tmp_path, lines):
    written(tmp_path, rank_0=[REDUCE, GATHER], rank_1=[GATHER, REDUCE])
    execution_order.runtime_execution_order_check(str(tmp_path))
    assert [kind for kind, _ in lines] == ["error"] * 3
    assert lines[0][1].endswith(
        "AllReduce_w_(0,1)_1th -> AllGather_w_(0,1)_1th -> AllReduce_w_(0,1)_1th"
    )
    assert lines[1:] == [
        ("error", "rank 0 AllReduce_w_(0,1)_1th -> AllGather_w_(0,1)_1th"),
        ("error", "rank 1 AllGather_w_(0,1)_1th -> AllReduce_w_(0,1)_1th"),
    ]


def test_order_check_passes_for_ranks_with_matching_calls(tmp_path, lines):
    written(tmp_path, rank_0=[REDUCE, SEND, REDUCE], rank_1=[REDUCE, RECEIVE, REDUCE])
    execution_order.runtime_execution_order_check(str(tmp_path))
    assert lines == [("warning", "No rank waits in a circle with others.")]


def test_a_call_that_one_rank_leaves_out_is_named(tmp_path, lines):
    written(tmp_path, rank_0=[REDUCE, REDUCE], rank_1=[REDUCE])
    execution_order.runtime_execution_order_check(str(tmp_path))
    assert lines[0] == ("error", "AllReduce_w_(0,1)_2th: rank 1 takes no part in it.")


def test_a_rank_without_a_folder_is_an_error_unless_all_rank_is_false(tmp_path, lines):
    written(tmp_path, rank_0=[REDUCE])
    execution_order.runtime_execution_order_check(str(tmp_path / "rank_0"))
    assert lines[0] == ("error", "AllReduce_w_(0,1)_1th: there is nothing of the ranks ['1'].")
    lines.clear()
    execution_order.runtime_execution_order_check(str(tmp_path / "rank_0"), all_rank=False)
    assert [kind for kind, _ in lines] == ["warning"]


@pytest.mark.parametrize(
    ("row", "name"),
    [
        (("1", "g", "0 1", "AllGather"), "AllGather_g_(0,1)_1th"),
        (("1", "g", "0", "Send", "0", "1", "", "s"), "Send_Receive_g_(0)->(1)_s_1th"),
        (("1", "g", "0", "DistCommIrecv", "0", "1", "", "", "s"), "Send_Receive_g_(0)->(0)_s_1th"),
        (
            ("1", "g", "0 1", "Broadcast", "", "", "0"),
            "Broadcast_g_commRank:(0,1)_rootRank:(0)_1th",
        ),
        (
            ("1", "g", "0 1", "Swap", "0", "1"),
            "Swap_g_commRank:(0,1)_srcRank:(0)_destRank:(1)_1th",
        ),
    ],
)
def test_an_operation_has_one_name_on_every_rank(row, name):
    assert execution_order.modify_execute_orders({"0": [execution_order.ExecuteOrder(*row)]}) == {
        "0": [name]
    }


@pytest.mark.parametrize(
    ("ranks", "circle"),
    [
        ({}, None),
        ({"0": ["A"]}, None),
        ({"0": ["A", "B", "C"], "1": ["A", "C"]}, None),
        ({"0": ["A", "A"]}, ["A", "A"]),
        ({"0": ["A", "B"], "1": ["B", "C"], "2": ["C", "B"]}, ["B", "C", "B"]),
        ({"0": ["A", "B"], "1": ["C", "D", "E", "C"]}, ["C", "D", "E", "C"]),
        ({str(i): [f"N{i}", f"N{(i + 1) % 3000}"] for i in range(3000)}, 3001),
    ],
)
def test_cycle_detection_returns_a_cycle_only_if_one_exists(ranks, circle):
    actual, steps = execution_order.detect_cycle_in_graph(ranks)
    if isinstance(circle, int):
        assert len(actual) == circle and len(steps) == circle - 1
    else:
        assert actual == circle
        assert (steps is None) if circle is None else len(steps) == len(circle) - 1


@pytest.mark.parametrize(
    ("folder", "rule"),
    [
        ("relative", "be an absolute path"),
        ("/no/such/folder", "Path does not exist"),
        (None, "No rank_x folders found"),
    ],
)
def test_a_folder_without_ranks_is_refused(tmp_path, folder, rule):
    with pytest.raises(ValueError, match=rule):
        execution_order.RankFolderParser(folder or str(tmp_path))


def test_two_folders_of_one_rank_are_refused(tmp_path):
    written(tmp_path / "a", rank_0=[REDUCE])
    written(tmp_path / "b", rank_0=[REDUCE])
    with pytest.raises(ValueError, match="rank_0 twice"):
        execution_order.RankFolderParser([str(tmp_path / "a"), str(tmp_path / "b")])


def test_a_file_of_other_columns_or_none_is_a_line_in_the_log(tmp_path, lines):
    place = tmp_path / "rank_0" / "execute_order"
    place.mkdir(parents=True)
    execution_order.runtime_execution_order_check(str(tmp_path))
    (place / "comm_execute_order.csv").write_text("index,group\n1,w\n")
    execution_order.runtime_execution_order_check(str(tmp_path))
    assert [kind for kind, _ in lines] == ["error"] * 4
    assert "the columns must be index, group" in lines[2][1]
    assert lines[3][1].startswith("There is no rank")


def test_no_folder_and_names_that_are_no_lists_are_lines_in_the_log(lines):
    execution_order.runtime_execution_order_check([])
    execution_order.parse_and_validate([])
    execution_order.parse_and_validate({"0": "AllReduce", "1": [1]})
    assert len(lines) == 4 and {kind for kind, _ in lines} == {"error"}


def test_an_order_check_that_starts_twice_or_ends_first_logs_an_error(lines):
    execution_order.comm_exec_order_check("end")
    execution_order.comm_exec_order_check("start")
    execution_order.comm_exec_order_check("start")
    execution_order.comm_exec_order_check("end")
    assert lines == [
        ("error", f"comm_exec_order_check: {word!r} comes out of turn.")
        for word in ("end", "start")
    ]
    with pytest.raises(ValueError, match="action must be one of"):
        execution_order.comm_exec_order_check("stop")
    with pytest.raises(TypeError, match="action must be"):
        execution_order.comm_exec_order_check(1)
