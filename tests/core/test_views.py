"""Views: what is written into a part is seen in the whole, and the other way round."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops


def matrix() -> Tensor:
    return Tensor(np.arange(6, dtype=np.float32).reshape(2, 3))


VIEWS = {
    "row": lambda m: m[0],
    "slices": lambda m: m[:, ::2],
    "newaxis": lambda m: m[None],
    "reshape": lambda m: m.reshape(3, 2),
    "transpose": lambda m: m.T,
    "expand": lambda m: m.expand_dims(0),
    "squeeze": lambda m: m.expand_dims(0).squeeze(0),
    "strided slice": lambda m: ops.strided_slice(m, (0, 0), (1, 2), (1, 1)),
    "slice": lambda m: ops.slice(m, (0, 0), (1, 2)),
    "row of rows": lambda m: m[:1][0][:2],
    "transposed twice": lambda m: m.T.T,
    "cast to its own type": lambda m: m.astype(ms.float32),
    "a part of equal ones": lambda m: ops.Split(1, 3)(m)[0],
    "a part of some length": lambda m: m.split([1, 2], 1)[0],
    "a chunk": lambda m: m.chunk(2)[0],
    "an unstacked row": lambda m: m.unbind(0)[0],
    "an unstacked column": lambda m: ops.unstack(m, -1)[0],
    "a tensor split": lambda m: m.tensor_split(2)[0],
    "the diagonal": lambda m: m.diagonal(),
    "contiguous": lambda m: m.contiguous(),
    "the first rows, contiguous": lambda m: m[:1].contiguous(),
}
COPIES = {
    "an index list": lambda m: m[[0, 1]],
    "reshaped transpose": lambda m: m.T.reshape(6),
    "reshaped columns": lambda m: m[:, 1:].reshape(4),
    "product": lambda m: m * 1,
    "copy": lambda m: m.copy(),
    "cast": lambda m: m.astype(ms.float64),
    "a transpose, contiguous": lambda m: m.T.contiguous(),
    "an array of it": ms.numpy.array,
}


class Writes(nn.Cell):
    """Writes into a part of what it makes, and gives both."""

    def __init__(self, take) -> None:
        super().__init__()
        self.take = take

    def construct(self, x: Tensor) -> tuple[Tensor, Tensor]:
        m = x * 1
        part = self.take(m)
        part[(0,) * part.ndim] = 100
        return m, part


class WritesWhole(nn.Cell):
    """Writes into the whole after a part of it was taken."""

    def __init__(self, take) -> None:
        super().__init__()
        self.take = take

    def construct(self, x: Tensor) -> Tensor:
        m = x * 1
        part = self.take(m)
        m[0, 0] = 100
        return part


@pytest.fixture(params=["GRAPH", "PYNATIVE"])
def mode(request):
    ms.set_context(mode=getattr(ms, f"{request.param}_MODE"))
    return request.param


@pytest.mark.parametrize("take", VIEWS.values(), ids=VIEWS)
def test_what_is_written_into_a_view_is_in_the_whole(take, mode) -> None:
    whole, part = Writes(take)(matrix())
    assert whole[0, 0] == 100
    assert part.asnumpy().ravel()[0] == 100
    assert np.count_nonzero(whole.asnumpy() == 100) == 1


@pytest.mark.parametrize("take", COPIES.values(), ids=COPIES)
def test_a_write_into_a_copy_leaves_the_source_unchanged(take, mode) -> None:
    whole, _ = Writes(take)(matrix())
    assert not (whole.asnumpy() == 100).any()


@pytest.mark.parametrize("take", VIEWS.values(), ids=VIEWS)
def test_a_view_sees_what_is_written_into_the_whole(take, mode) -> None:
    assert WritesWhole(take)(matrix()).asnumpy().ravel()[0] == 100


def test_a_chain_of_indices_writes_into_the_first_tensor(mode) -> None:
    m = matrix()
    m[0][1] = 5
    assert m.asnumpy().tolist() == [[0, 5, 2], [3, 4, 5]]


def test_two_views_of_one_part_see_each_other() -> None:
    m = matrix()
    a, b = m[0], m.reshape(6)
    a[1] = 9
    assert b.asnumpy().tolist() == [0, 9, 2, 3, 4, 5]


def test_a_view_of_a_parameter_writes_into_it() -> None:
    p = ms.Parameter(matrix(), name="p")
    p[0][1] = 50
    assert p.asnumpy().tolist() == [[0, 50, 2], [3, 4, 5]]


def test_the_gradient_follows_what_a_view_wrote(mode) -> None:
    def squares(x: Tensor) -> Tensor:
        y = x * 2
        y[0][1] = 5.0
        return (y * y).sum()

    assert ms.grad(squares)(matrix()).asnumpy().tolist() == [[0, 0, 16], [24, 32, 40]]


class WritesArgument(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        x[0][1] = 7
        return x.reshape(6)[1:]


def test_an_argument_that_is_a_view_passes_on_what_a_cell_writes(mode) -> None:
    m = matrix()
    WritesArgument()(m.reshape(3, 2))
    assert m.asnumpy().tolist() == [[0, 7, 2], [3, 4, 5]]


def test_a_result_that_shows_an_argument_still_does_after_the_call(mode) -> None:
    m = matrix()
    output = WritesArgument()(m)
    output[0] = 55
    assert m[0, 1] == 55


class Same(nn.Cell):
    def construct(self, x: Tensor) -> Tensor:
        return x


def test_an_argument_that_is_returned_is_itself(mode) -> None:
    m = matrix()
    assert Same()(m) is m


class WritesFirst(nn.Cell):
    def construct(self, a: Tensor, b: Tensor) -> Tensor:
        a[0] = 7
        return b.sum()


def test_an_argument_sees_what_is_written_into_another_that_it_shows() -> None:
    ms.set_context(mode=ms.GRAPH_MODE)
    m, net = matrix(), WritesFirst()
    assert net(m[0], matrix()[1]) == 12  # a graph of two tensors apart
    with pytest.warns(RuntimeWarning, match="written that another is a view of"):
        assert net(m, m.T) == 33


def test_dead_views_are_removed_from_the_registry() -> None:
    m = matrix()
    view = weakref.ref(m[0])
    gc.collect()
    assert view() is None
    for _ in range(100):
        m[0]
    assert len(m._views._refs) < 30


LAYOUTS = {  # of float32[2, 3, 4], as MindSpore 2.10 tells it
    "x": (lambda x: x, [12, 4, 1], 0, True),
    "T": (lambda x: x.T, [1, 4, 12], 0, False),
    "permute": (lambda x: x.permute(0, 2, 1), [12, 1, 4], 0, False),
    "twice": (lambda x: x.T.T, [12, 4, 1], 0, True),
    "rows": (lambda x: x[1:], [12, 4, 1], 12, True),
    "column": (lambda x: x[:, 1], [12, 1], 4, False),
    "steps": (lambda x: x[..., ::2], [12, 4, 2], 0, False),
    "one of two": (lambda x: x[::2], [24, 4, 1], 0, True),
    "element": (lambda x: x[0, 1, 2], [], 6, True),
    "transposed rows": (lambda x: x[1:].T, [1, 4, 12], 12, False),
    "new axis": (lambda x: x[:, None], [12, 12, 4, 1], 0, True),
    "new last axis": (lambda x: x.unsqueeze(-1), [12, 4, 1, 1], 0, True),
    "chunk": (lambda x: x.chunk(2, 2)[1], [12, 4, 1], 2, False),
    "unbind": (lambda x: x.unbind(1)[1], [12, 1], 4, False),
    "diagonal": (lambda x: x.diagonal(0, 1, 2), [12, 5], 0, False),
    "select": (lambda x: ms.mint.select(x, 1, 2), [12, 1], 8, False),
    "reshape": (lambda x: x.reshape(6, 4), [4, 1], 0, True),
    "copied": (lambda x: x.T.reshape(4, 6), [6, 1], 0, True),
    "computed": (lambda x: x.T + 1, [6, 2, 1], 0, True),
    "empty": (lambda x: x[1:1], [12, 4, 1], 0, True),
}


@pytest.mark.parametrize("take, stride, offset, contiguous", LAYOUTS.values(), ids=LAYOUTS)
def test_a_view_reports_its_strides_offset_and_contiguity(take, stride, offset, contiguous) -> None:
    view = take(Tensor(np.arange(24, dtype=np.float32).reshape(2, 3, 4)))
    assert view.stride() == stride and [view.stride(i) for i in range(view.ndim)] == stride
    assert view.storage_offset() == offset and view.is_contiguous() is contiguous
    dense = view.contiguous()
    assert (dense is view) is (contiguous and not offset)
    assert dense.is_contiguous() and dense.storage_offset() == 0
    np.testing.assert_array_equal(dense.asnumpy(), view.asnumpy())


@ms.jit
def _where(x: Tensor) -> tuple[Tensor, list[int], bool, int]:
    return x.T.contiguous(), x.T.stride(), x.T.is_contiguous(), x[1:].storage_offset()


def test_a_traced_tensor_reports_row_major_order() -> None:
    dense, *text = _where(matrix())
    np.testing.assert_array_equal(dense.asnumpy(), matrix().asnumpy().T)
    assert text == [[2, 1], True, 0]


def test_stride_of_a_missing_axis_raises_index_error() -> None:
    with pytest.raises(IndexError, match="stride: dim must be an axis of 2, got 2"):
        matrix().stride(2)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_the_gradient_follows_what_a_part_wrote(mode) -> None:
    def f(x: Tensor) -> Tensor:
        x = x * 1
        first, second = ops.split(x, 1)
        first[0] = second[0] * 3
        x.diagonal()[1] = x[0, 0] * 2
        return (x * x).sum()

    ms.set_context(mode=mode)
    # rows [3d, 3e, 3f], [d, 6d, f]: the sum of squares is 46 d d + 9 e e + 10 f f
    grad = ms.grad(f)(Tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]])).asnumpy()
    np.testing.assert_array_equal(grad, [[0, 0, 0], [92 * 4, 18 * 5, 20 * 6]])


def test_what_an_op_assigns_to_a_view_is_seen_in_what_it_is_a_view_of() -> None:
    x, p = Tensor([1.0, 2.0, 3.0]), ms.Parameter(Tensor([1.0, 2.0, 3.0]), name="p")
    ms.ops.assign(x[:2], Tensor([8.0, 9.0]))
    ms.ops.assign_add(p.reshape((3, 1)), Tensor([[1.0], [1.0], [1.0]]))
    assert x.tolist() == [8, 9, 3] and p.tolist() == [2, 3, 4]


def test_data_is_a_tensor_without_gradient_and_can_be_assigned() -> None:
    p = ms.Parameter(Tensor([1.0, 2.0]), name="p")
    assert type(p.data) is Tensor
    p.data[0] = 9.0
    ms.ops.assign_add(p.data, Tensor([1.0, 1.0]))
    assert p.tolist() == [10, 3]
    (slope,) = ms.grad(lambda x: (p.data * x + p).sum(), None, [p])(Tensor([3.0, 4.0]))
    assert slope.tolist() == [1, 1]
    p.data = p.data * 2
    assert isinstance(p, ms.Parameter) and p.tolist() == [20, 6] and p.name == "p"
    p.data = Tensor([1, 2, 3], ms.int32)
    assert (p.tolist(), p.dtype) == ([1, 2, 3], ms.int32)
    x = Tensor([1.0])
    x.data = Tensor([4.0, 5.0])
    assert x.tolist() == [4, 5]
    with pytest.raises(TypeError, match="data must be set to a Tensor"):
        p.data = 3.0


def test_an_optimizer_goes_on_with_assigned_data() -> None:
    net = ms.nn.Dense(2, 1, weight_init="ones", has_bias=False)
    optimizer = ms.nn.SGD(net.trainable_params(), 0.5)
    net.weight.data = Tensor([[2.0, 3.0]])
    optimizer((Tensor([[1.0, 1.0]]),))
    assert net.weight.tolist() == [[1.5, 2.5]]
