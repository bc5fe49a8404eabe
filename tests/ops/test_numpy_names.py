"""Functions by NumPy's names compute what NumPy computes, in both modes where a graph can."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor
from minispore import numpy as mnp

RNG = np.random.default_rng(0)
V, W = RNG.normal(size=7).astype(np.float32), RNG.normal(size=4).astype(np.float32)
M = RNG.normal(size=(3, 5)).astype(np.float32)
INTS = np.array([3, 1, 2, 3], np.int32)
HOLES = np.where(RNG.random((3, 5)) < 0.3, np.nan, M).astype(np.float32)
COSTS = np.array([[1, 5, 2], [0, 1, 1]], np.int32)

TRACED: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("cbrt", (M,), {}),
    ("fabs", (M,), {}),
    ("float_power", (np.abs(V), V), {}),
    ("bitwise_not", (INTS,), {}),
    ("divmod", (V, V[::-1].copy()), {}),
    ("signbit", (V,), {}),
    ("isneginf", (np.array([-np.inf, np.inf, 1], np.float32),), {}),
    ("isposinf", (np.array([-np.inf, np.inf, 1], np.float32),), {}),
    ("diff", (M,), {}),
    ("diff", (M,), {"n": 2, "axis": 0}),
    ("diff", (INTS,), {"prepend": 0, "append": np.array([7, 8], np.int32)}),
    ("diff", (INTS,), {"n": 0}),
    ("cross", (M[:, :3], M[:, 1:4]), {}),
    ("cov", (M,), {"ddof": 0}),
    ("cov", (M,), {"fweights": [1, 2, 1, 3, 2]}),
    ("cov", (M,), {"aweights": [1, 2, 1, 3, 2], "bias": True}),
    ("cov", (M,), {"fweights": [1, 2, 1, 3, 2], "aweights": [1, 2, 4, 3, 2]}),
    ("ediff1d", (V,), {"to_begin": np.float32([1]), "to_end": np.float32([2, 3])}),
    ("gradient", (M,), {}),
    ("gradient", (M, 2.0), {"axis": 1}),
    ("gradient", (M, 2.0, 3.0), {}),
    ("unwrap", (np.float32([0.5, 7, 13, 1, -4]),), {}),
    ("unwrap", (3 * M,), {"axis": 0}),
    *[("convolve", (V, W, mode), {}) for mode in ("full", "same", "valid")],
    *[("convolve", (W, V, mode), {}) for mode in ("full", "same", "valid")],
    ("convolve", (V, 2.5), {}),
    ("convolve", (2.5, V, "same"), {}),
    *[("correlate", (V, W, mode), {}) for mode in ("full", "same", "valid")],
    *[("correlate", (W, V, mode), {}) for mode in ("full", "same", "valid")],
    *[("correlate", (V[:3], W, mode), {}) for mode in ("full", "same", "valid")],
    ("kron", (M, W), {}),
    ("kron", (COSTS, COSTS), {}),
    ("interp", (V, np.float32([-1, 0, 2]), np.float32([3, 5, 4])), {}),
    ("interp", (V, np.float32([0, 0.5]), np.float32([3, 5])), {"left": 9.0, "right": 8.0}),
    ("polyadd", (V, W), {}),
    ("polysub", (W, V), {}),
    ("polymul", (V, W), {}),
    ("polyval", (W, V), {}),
    ("polyder", (V, 2), {}),
    ("polyint", (V, 2), {}),
    ("vander", (W, 3), {}),
    ("vander", (INTS,), {"increasing": True}),
    ("digitize", (V, np.float32([-1, 0, 1])), {}),
    ("digitize", (INTS, np.array([3, 2, 1], np.int32)), {"right": True}),
    ("digitize", (INTS, np.array([3, 2, 1], np.int32)), {}),
    ("isin", (M.round(), np.float32([0, 1])), {}),
    ("in1d", (INTS, np.array([1, 2], np.int32)), {"invert": True}),
    ("nanmax", (HOLES,), {"axis": 1}),
    ("nanmin", (HOLES,), {"keepdims": True}),
    ("nanvar", (HOLES,), {"axis": 1, "ddof": 1}),
    ("nanstd", (HOLES,), {}),
    ("nancumsum", (HOLES,), {"axis": 0}),
    ("choose", (COSTS % 2, (COSTS, -COSTS)), {}),
    ("select", ([M > 1, M > 0], [M, -M]), {"default": 3.0}),
    ("ravel_multi_index", ((INTS, INTS), (3, 2)), {"mode": "clip"}),
    ("ravel_multi_index", ((INTS, INTS), (3, 2)), {"mode": "wrap", "order": "F"}),
    ("array_equiv", (INTS, np.stack([INTS, INTS])), {}),
    ("roll", (M, (1, 2)), {}),
    ("roll", (M, (1, 2), 1), {}),
    ("roll", (M, (1, 2), (1, 1)), {}),
    ("roll", (M, -1, (0, 1)), {}),
    ("roll", (M, (3, -2), (0, -1)), {}),
    ("unravel_index", (INTS, (3, 2)), {"order": "F"}),
    ("unravel_index", (5, (2, 3, 4)), {"order": "F"}),
    ("unravel_index", (INTS, 6), {}),
    ("unravel_index", (INTS, 6), {"order": "F"}),
]
KNOWN: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    *[(name, (m,), {}) for name in ("bartlett", "blackman", "hamming", "hanning") for m in (1, 6)],
    ("geomspace", (1.0, 256.0, 5), {"endpoint": False}),
    ("indices", ((2, 3),), {"sparse": True}),
    ("diag_indices", (3, 3), {}),
    ("tril_indices_from", (np.ones((3, 4)), 1), {}),
    ("triu_indices_from", (np.ones((3, 4)), -1), {}),
    ("tril_indices", (2, 1), {}),
    ("triu_indices", (2, -1, 3), {}),
    ("ix_", (np.array([1, 2]), np.array([True, False, True])), {}),
    ("histogram", (V, 4), {}),
    ("histogram", (V, np.float32([-1, 0, 2])), {"density": True}),
    ("histogram", (V, 3), {"range": (-1.0, 1.0), "weights": np.abs(V)}),
    ("histogram_bin_edges", (V, 3), {}),
    ("histogram2d", (V, V[::-1].copy(), 2), {}),
    ("histogramdd", (M[:, :2].copy(), (2, 3)), {"density": True}),
    ("intersect1d", (INTS, np.array([2, 3, 9], np.int32)), {"return_indices": True}),
    ("setdiff1d", (INTS, np.array([2], np.int32)), {}),
]


def by_name(cases: Any) -> Any:
    return pytest.mark.parametrize(("name", "args", "how"), cases)


def tensors(tree: Any) -> Any:
    if isinstance(tree, np.ndarray):
        return Tensor(tree)
    if isinstance(tree, list | tuple):
        return type(tree)(tensors(x) for x in tree)
    return tree


def flat(tree: Any) -> list[np.ndarray]:
    if isinstance(tree, list | tuple):
        return [a for x in tree for a in flat(x)]
    return [tree.asnumpy() if isinstance(tree, Tensor) else np.asarray(tree)]


def agree(ours: Any, numpys: Any) -> None:
    output, expected = flat(ours), flat(numpys)
    assert len(output) == len(expected)
    for a, b in zip(output, expected, strict=True):
        assert a.shape == b.shape
        np.testing.assert_allclose(a, b, rtol=2e-4, atol=2e-5)


@by_name(TRACED + KNOWN)
def test_it_is_what_numpy_computes(name: str, args: Any, how: Any) -> None:
    function = getattr(np, {"in1d": "isin"}.get(name, name))
    expected = function(*args, **how)
    agree(getattr(mnp, name)(*tensors(args), **{k: tensors(v) for k, v in how.items()}), expected)


@by_name(TRACED)
def test_a_graph_computes_the_same(name: str, args: Any, how: Any) -> None:
    function, values_by_name = getattr(mnp, name), {k: tensors(v) for k, v in how.items()}

    def call(*args: Any) -> Any:
        return function(*args, **values_by_name)

    output = ms.jit(call)(*tensors(args))
    for a, b in zip(flat(output), flat(call(*tensors(args))), strict=True):
        assert a.dtype == b.dtype
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    "index", [slice(0, 3), slice(0, 5, 1.5), slice(0, 2, 3j), (slice(0, 2), slice(1, 4))]
)
def test_grids_are_those_of_numpy(index: Any) -> None:
    agree(mnp.mgrid[index], np.mgrid[index])
    agree(mnp.ogrid[index], np.ogrid[index])


def test_functions_are_applied_along_and_over_axes() -> None:
    for axis in (0, 1, -1):
        agree(mnp.apply_along_axis(lambda v: v.sum(), axis, M), M.sum(axis))
        expected = np.apply_along_axis(lambda v: np.outer(v, v), axis, M)
        agree(mnp.apply_along_axis(lambda v: mnp.outer(v, v), axis, M), expected)
    agree(mnp.apply_over_axes(mnp.sum, M, [0, 1]), np.apply_over_axes(np.sum, M, [0, 1]))
    with pytest.raises(ValueError, match="apply_over_axes: func must keep the axes"):
        mnp.apply_over_axes(lambda a, axis: a.sum(), M, [0])


def test_each_piece_has_its_function() -> None:
    pieces = [lambda x: x * 2, lambda x: -x, 7.0]
    agree(
        mnp.piecewise(Tensor(V), [Tensor(V > 1), Tensor(V < 0)], pieces),
        np.piecewise(V, [V > 1, V < 0], pieces),
    )


def test_common_types_are_those_of_mindspore() -> None:
    assert mnp.promote_types("int32", "float16") == ms.float16
    assert mnp.promote_types(ms.int8, ms.uint8) == ms.int16
    assert mnp.result_type(Tensor([1], ms.int32), ms.float16) == ms.float16


def test_pythons_types_are_those_of_32_bits() -> None:
    assert mnp.promote_types(int, bool) == ms.int32
    assert mnp.promote_types("int", float) == ms.float32
    for output in (
        mnp.ones(2, int),
        mnp.array([1.5], "int"),
        mnp.full(2, 1, int),
    ):
        assert output.dtype == ms.int32
    assert mnp.zeros(2, "float").dtype == mnp.linspace(0, 1, 3, dtype=float).dtype == ms.float32


def test_vectors_in_a_plane_have_no_third_element() -> None:
    u, v = M[:, :2], M[:, 2:]
    flat_u, flat_v = (np.concatenate([w, np.zeros((3, 1), np.float32)], 1) for w in (u, v[:, :2]))
    agree(mnp.cross(u, v[:, :2]), np.cross(flat_u, flat_v)[:, 2])
    agree(mnp.cross(u, v), np.cross(flat_u, v))
    agree(mnp.cross(v, u), np.cross(v, flat_u))
    with pytest.raises(ValueError, match="2 or 3 elements"):
        mnp.cross(M, M)


def test_powers_of_matrices_are_of_whole_numbers_from_0_on() -> None:
    square = M[:, :3]
    for n in (0, 1, 3):
        agree(mnp.matrix_power(square, n), np.linalg.matrix_power(square, n))
    with pytest.raises(ValueError, match="n must be >= 0, got -1"):
        mnp.matrix_power(square, -1)


def test_weights_of_observations_are_one_for_each() -> None:
    with pytest.raises(ValueError, match="a number for each of the 5 observations"):
        mnp.cov(M, aweights=[1, 2])
    agree(mnp.cov(M, aweights=[-1, 2, 1, 3, 2]), np.cov(M, aweights=[1, 2, 1, 3, 2]))
    assert mnp.cov(M, dtype=ms.float16).dtype == ms.float16


def test_indices_are_one_array_for_each_axis() -> None:
    agree(mnp.indices((2, 3)), tuple(np.indices((2, 3))))


def test_sizes_and_texts() -> None:
    assert (mnp.size(M), mnp.size(M, 0)) == (15, 3)
    assert mnp.array_str(mnp.ones(3)) == "[1. 1. 1.]"
    assert mnp.isscalar(3) and not mnp.isscalar(Tensor(3))


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: mnp.convolve(M, V), "convolve: a and v must be filled vectors"),
        (lambda: mnp.correlate(V, W, "x"), "correlate: mode must be 'full', 'same' or 'valid'"),
        (lambda: mnp.select([M > 0], [M, M]), "select: condlist and choicelist must be of one"),
        (lambda: mnp.choose(INTS, [INTS], mode="x"), "choose: mode must be 'clip' or 'wrap'"),
        (lambda: mnp.vander(M), "vander: x must be a vector"),
        (lambda: mnp.polyval(M, V), "polyval: coefficients must be a vector"),
        (lambda: mnp.histogram(V, 0), "bins must be at least 1"),
        (lambda: mnp.gradient(V, edge_order=2), "gradient: edge_order must be 1"),
    ],
)
def test_numpy_functions_refuse_bad_arguments(call: Any, says: str) -> None:
    with pytest.raises(ValueError, match=says):
        call()


@pytest.mark.parametrize(("condition", "value"), [(True, 3.0), (False, 0.0)])
def test_piecewise_takes_one_condition_of_a_number(condition: bool, value: float) -> None:
    assert mnp.piecewise(2.0, condition, [3.0]).item() == value


def test_piecewise_takes_its_conditions_as_one_tensor() -> None:
    x, where = ms.Tensor([1.0, -2.0]), ms.Tensor([[True, False], [False, True]])
    output = mnp.piecewise(x, where, [lambda x: x * 2, lambda x: x * 0 + 7])
    np.testing.assert_array_equal(output.asnumpy(), [2.0, 7.0])
    one = mnp.piecewise(x, where[0], [lambda x: x * 2])
    np.testing.assert_array_equal(one.asnumpy(), [2.0, 0.0])


def test_grids_are_lists_of_tensors_as_in_mindspore():
    output = [
        mnp.meshgrid([1, 2], [3]),
        mnp.meshgrid([1, 2], [3], sparse=True),
        mnp.indices((2, 2)),
    ]
    assert all(type(grid) is list and len(grid) == 2 for grid in output)


@pytest.mark.parametrize("name", ["nanmax", "nanmin", "nansum", "nanmean", "nanvar", "sometrue"])
def test_some_reductions_accept_integers_as_keepdims(name: str) -> None:
    for keepdims, shape in ((1, (1, 5)), (-1, (1, 5)), (0, (5,))):
        assert getattr(mnp, name)(M, axis=0, keepdims=keepdims).shape == shape


@pytest.mark.parametrize("name", ["nanmax", "nanmin", "sometrue", "norm", "sum", "mean", "amax"])
def test_keepdims_refuses_text(name: str) -> None:
    with pytest.raises(TypeError, match=r"keep_?dims must be"):
        getattr(mnp, name)(M, axis=0, keepdims="a")


@pytest.mark.parametrize(
    ("name", "args", "rows", "columns"),
    [
        ("tril_indices", (3, 0.5), [0, 1, 1, 2, 2, 2], [0, 0, 1, 0, 1, 2]),
        ("tril_indices", (3, -0.5), [1, 2, 2], [0, 0, 1]),
        ("tril_indices", (1.5, 1.2, 3.7), [0, 0, 1, 1, 1], [0, 1, 0, 1, 2]),
        ("triu_indices", (2, 0.5), [0], [1]),
        ("triu_indices", (2.0, 0.0, 3.0), [0, 0, 0, 1, 1], [0, 1, 2, 1, 2]),
        ("triu_indices", (2, -0.5), [0, 0, 1], [0, 1, 1]),
    ],
)
def test_a_triangle_may_begin_between_diagonals(
    name: str, args: Any, rows: list[int], columns: list[int]
) -> None:
    """As MindSpore has it; NumPy's own goes by what it rounds."""
    output = getattr(mnp, name)(*args)
    assert [t.asnumpy().tolist() for t in output] == [rows, columns]
    assert all(t.dtype == ms.int32 for t in output)


def test_places_among_distinct_values_come_in_a_row() -> None:
    values, which = mnp.unique(Tensor([[3, 1], [1, 3]]), return_inverse=True)
    assert (values.asnumpy().tolist(), which.asnumpy().tolist()) == ([3, 1], [0, 1, 1, 0])


def test_dtypes_of_common_values_quotients_and_lines_between_points() -> None:
    single, double = Tensor([1.0, 2.5]), Tensor([1.0, 2.5], ms.float64)
    small, points = Tensor([7, 9], ms.uint8), ([0.0, 2.0], [0.0, 4.0])
    actual = {
        mnp.intersect1d(single, Tensor([1, 2])): (ms.float32, [1.0]),
        mnp.intersect1d(Tensor([1, 2]), Tensor([2.0], ms.float16)): (ms.float16, [2.0]),
        mnp.divmod(small, 2)[0]: (ms.uint8, [3, 4]),
        mnp.divmod(small, 2)[1]: (ms.int32, [1, 1]),
        mnp.divmod(Tensor([7.0], ms.float16), 2.5)[0]: (ms.float16, [2.0]),
        mnp.interp(double, *points): (ms.float64, [2.0, 4.0]),
        mnp.interp(single, Tensor(points[0], ms.float64), points[1]): (ms.float32, [2.0, 4.0]),
    }
    for output, (dtype, values) in actual.items():
        assert output.dtype == dtype and output.asnumpy().tolist() == values
    assert type(mnp.histogramdd(Tensor([[1.0, 2.0], [3.0, 4.0]]), 2)[1]) is list


@pytest.mark.parametrize("mode", ["reflect", "symmetric", "wrap", "edge"])
@pytest.mark.parametrize("width", [((4, 5), (0, 7)), ((1, 0), (1, 1)), ((9, 9), (9, 9))])
def test_borders_may_be_longer_than_what_they_mirror(mode: str, width: Any) -> None:
    x = np.arange(6.0, dtype=np.float32).reshape(2, 3)
    for part in (x, x[:1]):
        output = mnp.pad(Tensor(part), width, mode)
        np.testing.assert_array_equal(output.asnumpy(), np.pad(part, width, mode))
        dx = ms.grad(lambda t: mnp.pad(t, width, mode).sum())(Tensor(part))
        assert dx.sum() == output.size
    assert mnp.pad(Tensor(x), 1, "empty").shape == (4, 5)


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("width", [1, 3, 8, (0, 5), (7, 0), ((2, 9), (4, 1))])
@pytest.mark.parametrize("shape", [(3, 2), (1, 4), (1, 1)])
def test_a_border_turned_about_the_ends_may_be_longer_than_the_line(shape, width, mode):
    x = RNG.integers(0, 9, shape).astype(np.int32)
    output = mnp.pad(Tensor(x), width, mode, reflect_type="odd")
    np.testing.assert_array_equal(output.asnumpy(), np.pad(x, width, mode, reflect_type="odd"))
