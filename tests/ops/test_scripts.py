"""What MindSpore's scripts do with ops, tensors and NumPy's names that once was done otherwise."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint, nn, ops
from minispore import numpy as mnp
from minispore.ops import composite as C

_MODES = [ms.PYNATIVE_MODE, ms.GRAPH_MODE]


@pytest.mark.parametrize("mode", _MODES)
def test_hypermap_gives_a_tuple_to_the_function_where_its_neighbour_is_a_tensor(mode) -> None:
    ms.set_context(mode=mode)
    choose = C.MultitypeFuncGraph("choose")
    choose.register("Tensor", "Tuple")(lambda x, pair: x + pair[0])
    choose.register("Tensor", "Tensor")(lambda x, y: x * y)

    class Net(nn.Cell):
        def __init__(self):
            super().__init__()
            self.map = C.HyperMap(choose)

        def construct(self, x, y, z):
            return self.map((x, y), (y, (z, x)))

    output = Net()(Tensor([1.0]), Tensor([2.0]), Tensor([3.0]))
    assert [t.asnumpy().tolist() for t in output] == [[2.0], [5.0]]


@pytest.mark.parametrize("mode", _MODES)
def test_extremes_with_a_first_value_along_an_axis_have_no_index(mode) -> None:
    ms.set_context(mode=mode)
    x = Tensor(np.array([[1, 5], [7, 2]], np.float32))
    mask = Tensor([[True, False], [False, True]])
    assert x.max(0, True, initial=None).asnumpy().tolist() == [[7, 5]]
    assert x.max(0, initial=6.0).asnumpy().tolist() == [7, 6]
    assert x.min(0, initial=4.0).asnumpy().tolist() == [1, 2]
    assert x.max(0, initial=0.0, where=mask).asnumpy().tolist() == [1, 2]
    assert x.max(0, return_indices=False).asnumpy().tolist() == [7, 5]
    assert x.max(0, keepdims=True).asnumpy().tolist() == [[7, 5]]
    assert x.min((0, 1)).asnumpy().tolist() == 1
    values, places = x.max(0, keepdim=True)
    assert (values.shape, places.asnumpy().tolist()) == ((1, 2), [[1, 0]])


def test_a_primitive_is_constructed_by_its_name() -> None:
    add = ops.Primitive("Add")
    assert (add.name, isinstance(add, ops.Primitive)) == ("Add", True)
    assert add(Tensor([1.0]), Tensor([2.0])).asnumpy().tolist() == [3.0]
    other = ops.Primitive("Adddd")
    assert (other.name, isinstance(other, ops.Primitive)) == ("Adddd", True)
    with pytest.raises(RuntimeError, match=r"got 'Adddd'\. Did you mean 'Add'"):
        other(Tensor([1.0]))
    with pytest.raises(TypeError, match="name must be a str, got 3"):
        ops.Primitive(3)


@pytest.mark.parametrize("mode", _MODES)
def test_divisors_and_multiples_of_floats_and_bools_are_numpys(mode) -> None:
    ms.set_context(mode=mode)
    x, y = np.arange(-12, 12), np.arange(24)
    for theirs, ours in ((np.gcd, ms.jit(mnp.gcd)), (np.lcm, ms.jit(mnp.lcm))):
        output = ours(Tensor(x, ms.float32), Tensor(y, ms.float32))
        assert output.dtype is ms.float32
        np.testing.assert_array_equal(output.asnumpy(), theirs(x, y))
        assert ours(Tensor(x, ms.int32), Tensor(y, ms.float16)).dtype is ms.float16
    assert mnp.gcd(2.5, 5).asnumpy() == 2.5
    assert mnp.lcm(Tensor([2.5]), Tensor([7.0])).asnumpy().tolist() == [35.0]
    a, b = Tensor([True, False, True, False]), Tensor([True, True, False, False])
    assert mnp.gcd(a, b).asnumpy().tolist() == [True, True, True, False]
    assert mnp.lcm(a, b).asnumpy().tolist() == [True, False, False, False]
    assert np.isnan(mnp.gcd(Tensor([np.nan], ms.float32), Tensor([4.0])).asnumpy()).all()


@pytest.mark.parametrize(
    ("code", "dtype"),
    [("f4", ms.float32), ("?", ms.bool_), ("u1", ms.uint8), ("i8", ms.int64), ("float", ms.float32),
     ("int", ms.int32), ("uint", ms.uint32), ("int_", ms.int64), ("<f8", ms.float64)],
)  # fmt: skip
def test_result_type_accepts_numpy_type_codes(code, dtype) -> None:
    assert mnp.result_type(code) is dtype


@pytest.mark.parametrize("value", [(0,), (5, 5), (2, 2, 3), (0.0, 0.0)])
def test_a_range_of_numpys_names_holds_a_number(value) -> None:
    with pytest.raises(ValueError, match="arange: a range must hold a number"):
        mnp.arange(*value)
    assert mnp.arange(5, 0, -2).asnumpy().tolist() == [5, 3, 1]


@pytest.mark.parametrize(
    ("value", "dtype"),
    [
        ((3,), ms.int32),
        ((0, 3.0), ms.float32),
        ((Tensor(3),), ms.float32),
        ((np.int32(3),), ms.float32),
        ((0, 3, Tensor(1)), ms.float32),
    ],
)
def test_a_range_of_numpys_names_is_whole_if_python_s_integers_say_it(value, dtype) -> None:
    output = mnp.arange(*value)
    assert output.dtype is dtype and output.asnumpy().tolist() == [0, 1, 2]
    assert mnp.arange(*value, dtype=ms.int16).dtype is ms.int16


@pytest.mark.parametrize("arange", [ops.arange, mint.arange, mnp.arange])
@pytest.mark.parametrize("value", [([3],), ((3,),), (0, [3]), (0, 3, [1]), (None,), ("3",)])
def test_the_numbers_of_a_range_are_no_sequences(arange, value) -> None:
    with pytest.raises(TypeError, match="must be a number"):
        arange(*value)


@pytest.mark.parametrize("mode", _MODES)
@pytest.mark.parametrize("index", [False, (False,), (0, False), (None, False)])
def test_false_is_no_index_to_read_by(mode, index) -> None:
    ms.set_context(mode=mode)
    with pytest.raises(IndexError, match="a bool in an index must be True"):
        ms.jit(lambda x: x[index])(Tensor([[1.0, 2.0]]))
    x = Tensor([[1.0, 2.0]])
    x[False] = 5.0  # which changes nothing
    assert x[True].asnumpy().tolist() == [[[1.0, 2.0]]]


def test_a_float_in_a_tuple_is_a_wrong_type() -> None:
    x = Tensor([[1.0, 2.0]])
    with pytest.raises(TypeError, match="an index must be an int, slice"):
        x[0, 1.5]
    with pytest.raises(IndexError, match="an index must be an int, slice"):
        x[1.5]


def test_eight_axes_are_too_many_to_be_nearly_equal() -> None:
    for rank, error in ((7, None), (8, RuntimeError)):
        x = Tensor(np.ones((1,) * rank, np.float32))
        if error is None:
            assert ops.approximate_equal(x, x).shape == x.shape
        else:
            with pytest.raises(error, match="the x's rank should be less than 8, got 8"):
                ops.approximate_equal(x, x)


@pytest.mark.parametrize("factor", [2, (2, 2), (2.0, 2)])
def test_pictures_grow_by_floats(factor) -> None:
    x = Tensor(np.ones((1, 1, 2, 2), np.float32))
    assert ops.interpolate(x, scale_factor=2.0, mode="nearest").shape == (1, 1, 4, 4)
    with pytest.raises(TypeError, match="scale_factor must be float"):
        ops.interpolate(x, scale_factor=factor, mode="nearest")


def test_the_distance_of_sequences_is_mindspores() -> None:
    def sparse(*rows):
        places = [(i, j) for i, row in enumerate(rows) for j in range(len(row))]
        values = [v for row in rows for v in row]
        return Tensor(places), Tensor(values), Tensor([len(rows), max(map(len, rows))])

    a, b = sparse([1, 2, 3], [4, 5], [6], []), sparse([1, 3], [4, 5], [], [7, 8])
    assert ops.EditDistance()(*a, *b).asnumpy().tolist() == [0.5, 0, np.inf, 1]
    np.testing.assert_allclose(ops.EditDistance()(*b, *a).asnumpy(), [1 / 3, 0, 1, np.inf])
    assert ops.EditDistance(False)(*b, *a).asnumpy().tolist() == [1, 0, 1, 2]
    beside = Tensor([[0, 0, 0], [1, 0, 1], [1, 1, 1]]), Tensor([1, 2, 3]), Tensor([1, 1, 2])
    places = Tensor([[0, 1, 0], [0, 0, 1], [1, 1, 0], [1, 0, 1]])
    shared = ops.EditDistance()(*beside, places, Tensor([1, 3, 2, 1]), Tensor([2, 2, 2]))
    assert shared.asnumpy().tolist() == [[1, 1], [1, 1]]  # places of either shape count
    with pytest.raises(TypeError, match="hypothesis_indices must be a Tensor of int64"):
        ops.EditDistance()(Tensor([[0, 0]], ms.int32), Tensor([1]), a[2], *b)
    with pytest.raises(ValueError, match="must have one length"):
        ops.EditDistance()(*a, Tensor([[0, 0, 0]]), Tensor([1]), Tensor([1, 1, 1]))


def test_blanks_after_the_labels_of_a_ctc_loss_are_ignored() -> None:
    x = Tensor(np.random.default_rng(0).standard_normal((5, 1, 4)).astype(np.float32))

    def loss(*labels):
        places = Tensor([[0, i] for i in range(len(labels))])
        return ops.CTCLoss()(x, places, Tensor(labels, ms.int32), Tensor([5], ms.int32))

    for output, expected in zip(loss(1, 3, 3), loss(1), strict=True):
        np.testing.assert_array_equal(output.asnumpy(), expected.asnumpy())
    np.testing.assert_allclose(loss(1, 3)[0].asnumpy(), [3.664568], rtol=1e-6)  # MindSpore 2.10's
    with pytest.raises(ValueError, match="no class behind a blank, 3, of one sequence, got 1"):
        loss(3, 1)


@pytest.mark.parametrize("ndim", [0, 1, 3])
def test_flatten_refuses_axes_that_the_tensor_lacks(ndim) -> None:
    x = Tensor(np.ones((2,) * ndim, np.float32))
    for call in (lambda d: ops.flatten(x, start_dim=d), x.flatten, lambda d: mint.flatten(x, d)):
        with pytest.raises(ValueError, match="start_dim must be"):
            call(3)
    assert ops.flatten(x).ndim == min(max(ndim, 1), 2)


@pytest.mark.parametrize("mode", _MODES)
def test_the_greater_of_whole_numbers_has_a_gradient_between_floats(mode: int) -> None:
    """A loss that counts its hard negatives, at least some of them; ties halve, and cut off."""
    x = Tensor([[1.0, -2.0, 3.0], [4.0, 5.0, -6.0]])
    bound = Tensor([2, 1], ms.int32)

    def loss(x: Tensor) -> Tensor:
        return (x.sum(1) * 1.5 * ops.maximum(x.astype(ms.int32).sum(1), bound)).sum()

    def least(x: Tensor) -> Tensor:
        return (x.sum(1) * ops.minimum(x.astype(ms.int32).sum(1), 2)).sum()

    ms.set_context(mode=mode)
    assert ms.grad(loss)(x).asnumpy().tolist() == [[4.0] * 3, [8.5] * 3]
    assert ms.grad(least)(x).asnumpy().tolist() == [[3.0] * 3, [2.0] * 3]
