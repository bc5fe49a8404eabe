"""What scripts look for in the refusals of MindSpore 2.10's datasets stands in ours, too."""

import ast
import inspect
import textwrap

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset import text
from minispore.dataset.properties import reads_a_shard

INT64_MAX = 2**63 - 1


def rows(count=4):
    return ds.NumpySlicesDataset(list(range(count)), ["x"], shuffle=False)


WORDS = [
    (lambda: rows().map(3, ["x"]), "be callable"),
    (lambda: rows().map(abs, [1]), "Argument input_columns[0] with value 1 is not of type [<class"),
    (lambda: rows().map(abs, callbacks=0), "Argument callbacks with value 0 is not of type"),
    (lambda: rows().map(abs, callbacks=[0]), "Argument callbacks[0] with value 0 is not of type"),
    (
        lambda: rows().project(3),
        "Argument columns with value 3 is not of type [<class 'list'>, <cl",
    ),
    (lambda: rows().zip(3), "Argument datasets with value 3 is not of type [<class 'tuple'>, "),
    (lambda: rows().split(3), "Argument sizes with value 3 is not of type [<class 'list'>]"),
    (lambda: rows().split(["a"]), "sizes should be list of int or list of float"),
    (lambda: rows().split([0, 4]), "no negative or zero numbers"),
    (lambda: rows().split([0.5, 0.1]), "the percentages do not sum up to 1"),
    (lambda: rows().split([3, 3]), "Sum of split sizes 6 is not equal to dataset size 4"),
    (
        lambda: rows().take(-5),
        "count should be either -1 or within the required interval of (0, 21",
    ),
    (lambda: rows().padded_batch(2, pad_info=1), "Argument pad_info with value 1 is not of type"),
    (
        lambda: rows().bucket_batch_by_length(["x"], [2, 1], [1, 1, 1]),
        "bucket_boundaries should be strictly increasing",
    ),
    (
        lambda: rows().bucket_batch_by_length(["x"], [0], [1, 1]),
        "bucket_boundaries must only contain positive numbers",
    ),
    (
        lambda: rows().bucket_batch_by_length(["x"], ["1"], [1, 1]),
        "bucket_boundaries should be a list of int",
    ),
    (
        lambda: rows().bucket_batch_by_length(["x"], [1], [1]),
        "bucket_batch_sizes must contain one element more than bucket_boundaries",
    ),
    (
        lambda: rows().bucket_batch_by_length("x", [2], [1, 1]),
        "Argument column_names with value x is not of type [<class 'list'>]",
    ),
    (
        lambda: rows().bucket_batch_by_length(("x",), [2], [1, 1]),
        "Argument column_names with value ('x',) is not of type [<class 'list'>]",
    ),
    (
        lambda: rows().bucket_batch_by_length([1], (2,), [1, 1]),
        "Argument bucket_boundaries with value (2,) is not of type [<class 'list'>]",
    ),
    (
        lambda: rows().bucket_batch_by_length([1], [], 1, None, None, 1),
        "Argument bucket_batch_sizes with value 1 is not of type [<class 'list'>]",
    ),
    (
        lambda: rows().bucket_batch_by_length([1], ["2"], [0, 1], 1, 1, 1, 1),
        "Argument pad_to_bucket_boundary with value 1 is not of type [<class 'bool'>]",
    ),
    (
        lambda: rows().bucket_batch_by_length([1], ["2"], [0, 1], 1, 1, True, 1),
        "Argument drop_remainder with value 1 is not of type [<class 'bool'>]",
    ),
    (
        lambda: rows().bucket_batch_by_length([1], ["2"], [1]),
        "Argument column_names[0] with value 1 is not of type [<class 'str'>]",
    ),
    (lambda: rows().bucket_batch_by_length([], [], [1]), "column_names should not be empty."),
    (lambda: rows().bucket_batch_by_length([""], [], [1]), "column_names[0] should not be empty."),
    (
        lambda: rows().bucket_batch_by_length(["x", "x"], [2], [1]),
        "Every column name should not be same with others in column_names.",
    ),
    (
        lambda: rows().bucket_batch_by_length(["x", "q"], [], [1]),
        "If element_length_function is not specified, exactly one column name should be passed.",
    ),
    (lambda: rows().bucket_batch_by_length(["q"], [], ["1"]), "bucket_boundaries cannot be empty."),
    (
        lambda: rows().bucket_batch_by_length(["x"], [0, "1"], [1]),
        "bucket_boundaries should be a list of int.",
    ),
    (
        lambda: rows().bucket_batch_by_length(["x"], [2], ["1"]),
        "bucket_batch_sizes must contain one element more than bucket_boundaries",
    ),
    (
        lambda: rows().bucket_batch_by_length(["x"], [2], [1, 1], None, {1: 1}),
        "Argument key in pad_info with value 1 is not of type [<class 'str'>]",
    ),
    (lambda: text.Vocab.from_dataset(rows(), "x", ()), "freq_range needs to be a tuple of 2"),
    (lambda: text.Vocab.from_dataset(rows(), "x", (2, 1)), "0 <= a <= b (a,b are inclusive)"),
    (lambda: text.Vocab.from_dataset(rows(), top_k=0), "Input top_k must be greater than 0"),
    (lambda: text.Vocab.from_list(["a", "a"]), "word_list contains duplicate word: a"),
    (
        lambda: text.Vocab.from_dict({"a": -1}),
        "Input word_id is not within the required interval of",
    ),
    *(
        (lambda n=n: text.Ngram(n), "n needs to be a non-empty list of positive integers.")
        for n in ([], None, 1.0, "1", np.int32(1))
    ),
    *(
        (lambda p=p: text.Ngram(2, right_pad=p), "right_pad needs to be a tuple of (str, int)")
        for p in (None, "x1", ["x", 1], ("x",), (1, 1), ("x", 1.0), ("x", None))
    ),
    (
        lambda: text.JiebaTokenizer(None, "x"),
        "The dict of HMMSegment in cppjieba is not provided.",
    ),
    (lambda: text.JiebaTokenizer(1, "x"), "Wrong input type for hmm_path, should be string."),
    *(
        (lambda f=f: text.PythonTokenizer(f)(np.array("a b")), "error occurred in Pyfunc")
        for f in (str, len, iter, set, lambda x: None, lambda x: [[x]], lambda x: 1 // 0)
    ),
    (
        lambda: text.PythonTokenizer(str.split)(np.array(["a b", "c"])),
        "must return equally many words of each text of a row, got [2, 1]",
    ),
    (lambda: text.Ngram([0]), "Input gram_0 must be greater than 0"),
    (lambda: text.Ngram(2, ("a", -1)), "padding width need to be positive numbers"),
    (lambda: ds.config.set_seed(True), "seed isn't of type int"),
    (lambda: ds.config.set_sending_batches("a"), "batch_num must be an int dtype"),
    (lambda: ds.config.set_auto_num_workers(1), "enable must be of type bool"),
    (lambda: ds.config.set_fast_recovery(1), "fast_recovery must be a boolean dtype"),
    (lambda: ds.config.set_debug_mode(1), "debug_mode_flag isn't of type boolean"),
    (lambda: ds.RandomSampler(None), "replacement must be a boolean value but was: None"),
    (lambda: ds.SequentialSampler("a"), "start_index must be integer but was: a"),
    (lambda: ds.WeightedRandomSampler(["a"]), "type of weights element must be number"),
    (
        lambda: ds.NumpySlicesDataset([1], num_samples=-1),
        f"num_samples exceeds the boundary between 0 and {INT64_MAX}(INT64_MAX)",
    ),
    (
        lambda: ds.NumpySlicesDataset(None),
        "Argument data with value None is not of type [<class 'l",
    ),
    (
        lambda: ds.MnistDataset(1),
        "Argument dataset_dir with value 1 is not of type [<class 'str'>]",
    ),
    (lambda: ds.TextFileDataset("no"), "following patterns did not match any files: ['no']"),
    (lambda: ds.FakeImageDataset(1, (1, "a", 1)), "Argument image_size[1] with value a is not of"),
    (lambda: ds.ManifestDataset("no"), "does not exist or permission denied"),
    (lambda: ds.Schema(1), "path: 1 is not string"),
    (lambda: ds.Schema().parse_columns([{"type": "int8"}]), "Column's name is missing"),
    (
        lambda: ds.Schema().add_column(1, "int8"),
        "Argument name with value 1 is not of type [<class",
    ),
]


@pytest.mark.parametrize(("refused", "words"), WORDS, ids=[w[1][:40] for w in WORDS])
def test_a_refusal_says_what_scripts_look_for(refused, words):
    with pytest.raises((TypeError, ValueError, RuntimeError)) as caught:
        refused()
    assert words in str(caught.value)


@pytest.mark.parametrize(
    ("expected", "words"),
    [
        (
            lambda: ds.GeneratorDataset([(np.array(1), np.array(2))], ["x"]),
            "the size of column_names is:1 and number of returned NumPy array is:2",
        ),
        (
            lambda: rows().map(lambda x: (x, x), ["x"]),
            "the number of columns returned in 'map' operations should match the number of 'out",
        ),
        (
            lambda: rows().batch(2, per_batch_map=lambda x, info: (x[:1],), input_columns=["x"]),
            "column: x expects: 2 rows returned from 'per_batch_map', got: 1",
        ),
    ],
)
def test_a_failing_row_says_what_scripts_look_for(expected, words):
    with pytest.raises(RuntimeError) as caught:
        list(expected())
    assert words in str(caught.value)


def test_use_sampler_refuses_a_concat_with_a_batched_part():
    both = rows().batch(2) + rows()
    with pytest.raises(TypeError, match="BatchDataset"):
        both.use_sampler(ds.DistributedSampler(2, 0, shuffle=False))


def test_no_sampler_picks_from_parts_with_num_samples():
    both = ds.NumpySlicesDataset([1, 2, 3], ["x"], num_samples=2) + rows()
    with pytest.raises(ValueError, match="num_samples"):
        both.use_sampler(ds.DistributedSampler(2, 0, shuffle=False))


@pytest.mark.parametrize("kind", [ds.Shuffle.INFILE, ds.Shuffle.ADAPTIVE, ds.Shuffle.PARTIAL])
def test_kinds_of_mindrecord_files_shuffle_no_lines_of_text(kind, tmp_path):
    for name in "abcd":
        (tmp_path / name).write_text(f"{name}1\n{name}2\n")
    files = [str(tmp_path / name) for name in "abcd"]
    read = ds.TextFileDataset(files, None, 1, kind).create_tuple_iterator(
        num_epochs=1, output_numpy=True
    )
    assert [str(line) for (line,) in read] == [f"{name}{i}" for name in "abcd" for i in (1, 2)]


@pytest.mark.parametrize(
    ("source", "other"),
    [
        (ds.MnistDataset, "t10k-images-idx3-ubyte"),
        (ds.Cifar10Dataset, "test_batch.bin"),
        (ds.Cifar100Dataset, "test.bin"),
    ],
)
def test_a_folder_without_the_files_of_a_usage_has_no_rows_of_it_and_can_not_be_read(
    source, other, tmp_path
):
    absent = source(str(tmp_path), usage="train")
    with pytest.raises(RuntimeError, match=str(tmp_path)):  # there are none of any usage
        absent.get_dataset_size()
    (tmp_path / other).touch()
    assert absent.get_dataset_size() == 0
    with pytest.raises(RuntimeError, match="no data found"):
        list(absent)


def test_a_shard_is_not_split():
    shard = ds.NumpySlicesDataset([1, 2, 3], ["x"], num_shards=2, shard_id=0)
    with pytest.raises(RuntimeError, match="should not be sharded before split"):
        shard.split([1, 1])


def test_of_what_flat_map_makes_counts_whether_it_is_a_shard_or_shuffled():
    def tens(shuffle=False, **inner):
        def ten(x):
            return ds.NumpySlicesDataset([10 * x, 10 * x + 1], ["x"], shuffle=False, **inner)

        outer = {} if inner else {"num_shards": 2, "shard_id": 0}
        return ds.NumpySlicesDataset([1, 2, 3, 4], ["x"], shuffle=shuffle, **outer).flat_map(ten)

    first, second = tens().split([0.5, 0.5], randomize=False)
    assert [int(x) for part in (first, second) for (x,) in part] == [10, 11, 30, 31]
    assert not tens(shuffle=True).is_shuffled() and not tens().is_sharded()
    assert reads_a_shard(tens().batch(2).node)  # what evaluation on several ranks asks
    inner = tens(num_shards=2, shard_id=1)
    assert inner.is_sharded() and inner.get_dataset_size() == 4
    with pytest.raises(RuntimeError, match="should not be sharded before split"):
        inner.split([2, 2])


def test_a_manifest_leaves_out_what_does_not_begin_like_a_picture(tmp_path):
    lines = []
    for name, head in (("a", b"\xff\xd8\xff.."), ("b", b"text"), ("c", b"BM...")):
        (tmp_path / name).write_bytes(head)
        message = '{"source": "%s", "usage": "TRAIN", "annotation": [{"name": "x"}]}'
        lines.append(message % (tmp_path / name))
    (tmp_path / "m").write_text("\n".join(lines))
    assert len(ds.ManifestDataset(str(tmp_path / "m"))) == 2
    (tmp_path / "b").write_bytes(b"")
    with pytest.raises(RuntimeError, match="Invalid manifest file"):
        ds.ManifestDataset(str(tmp_path / "m"))


def _reads(function, name):
    tree = ast.parse(textwrap.dedent(inspect.getsource(function)))
    loads = (n for n in ast.walk(tree) if isinstance(n, ast.Name) and n.id == name)
    return any(isinstance(n.ctx, ast.Load) for n in loads)


def test_each_dataset_reads_its_cache_argument():
    classes = [getattr(ds, name) for name in dir(ds) if name.endswith("Dataset")]
    taking = [c for c in classes if "cache" in inspect.signature(c.__init__).parameters]
    assert len(taking) > 40
    assert [c.__name__ for c in taking if not _reads(c.__init__, "cache")] == []


def test_a_cache_must_be_one():
    with pytest.raises(TypeError, match="Argument cache with value f is not of type"):
        ds.RandomDataset(total_rows=2, cache="f")
