"""HyperMap, Map, MultitypeFuncGraph, partial, constexpr and the flags."""

from __future__ import annotations

from typing import Any

import pytest

import minispore as ms
from minispore import Parameter, Tensor, ops
from minispore.ops import composite as C
from minispore.ops import functional as F
from minispore.ops._primitive_cache import _get_cache_prim


@pytest.fixture
def named() -> ops.MultitypeFuncGraph:
    fg = C.MultitypeFuncGraph("named")
    for types in (
        ("Number",),
        ("Tensor",),
        ("Tuple",),
        ("List",),
        ("Dict",),
        ("String",),
        ("None",),
        ("Function",),
        ("Tensor", "Number"),
    ):
        fg.register(*types)(lambda *args, types=types: types)
    return fg


@pytest.mark.parametrize(
    ("args", "types"),
    [
        ((1,), ("Number",)),
        ((True,), ("Number",)),
        ((1.5,), ("Number",)),
        ((Tensor(1),), ("Tensor",)),
        (((1,),), ("Tuple",)),
        (([1],), ("List",)),
        (({},), ("Dict",)),
        (("x",), ("String",)),
        ((None,), ("None",)),
        ((abs,), ("Function",)),
        ((Tensor(1), 2), ("Tensor", "Number")),
    ],
)
def test_the_body_is_chosen_by_the_types(named: Any, args: Any, types: Any) -> None:
    assert named(*args) == types


def test_a_parameter_is_a_tensor_to_a_multitype_graph(named: Any) -> None:
    assert named(Parameter(Tensor(1.0), name="p")) == ("Tensor",)


def test_an_unmatched_signature_is_an_error_that_lists_the_signatures(named: Any) -> None:
    with pytest.raises(
        ValueError, match=r"registered for \(Number; Tensor; .*\), got \(int, int\)"
    ):
        named(1, 2)


def test_an_unknown_type_name_is_refused_at_once() -> None:
    with pytest.raises(ValueError, match="Did you mean 'Tensor'"):
        C.MultitypeFuncGraph("f").register("Tensr")


def test_read_value_hands_over_tensors_that_stay() -> None:
    fg = C.MultitypeFuncGraph("f", read_value=True)
    fg.register("Tensor")(lambda x: x)
    p = Parameter(Tensor([1.0]), name="p")
    got = fg(p)
    p.set_data(Tensor([2.0]))
    assert got.asnumpy().tolist() == [1]


def test_data_types_are_those_of_numbers_or_of_tensors() -> None:
    fg = C.MultitypeFuncGraph("f")
    for name in ("Float16", "Int32", ms.float32, "Int64", "Tensor[Float16]", ms.tensor_type):
        fg.register(name)(lambda x, name=name: str(name))
    for name in (ms.string, ms.tuple_, ms.list_, ms.type_none, complex):
        fg.register(name)(lambda x, name=name: str(name))
    inputs = (1.5, 3, Tensor([1.0], ms.float16), Tensor([1.0]), "a", (1,), [1], None)
    actual = ["Float32", "Int64", "Tensor[Float16]", "Tensor", "String", "Tuple", "List", "None"]
    assert [fg(x) for x in inputs] == actual
    assert fg(1j) == str(complex)
    with pytest.raises(ValueError, match="got \\(bool\\)"):
        fg(True)


def test_a_single_registered_function_accepts_any_types() -> None:
    fg = C.MultitypeFuncGraph("f")
    fg.register("Tensor", "Tensor")(lambda x, y: x + y)
    assert fg(1, 2) == 3
    fg.register("String", "String")(lambda x, y: x + y)
    with pytest.raises(ValueError, match="got \\(int, int\\)"):
        fg(1, 2)


def test_identity_takes_what_a_reducer_of_gradients_takes() -> None:
    grads = (Tensor([1.0]), Tensor([2.0, 3.0]))
    got = ops.functional.identity(grads)
    assert [g.asnumpy().tolist() for g in got] == [[1], [2, 3]]
    assert ops.functional.identity(3) == 3 and ops.functional.identity(None) is None


def test_hypermap_maps_trees_of_one_form() -> None:
    add = lambda x, y: x + y  # noqa: E731
    assert ops.HyperMap(add)([(1, 2), [3]], [(10, 20), [30]]) == ((11, 22), (33,))
    assert ops.HyperMap(add)({"a": 1, "b": (2,)}, {"a": 10, "b": (20,)}) == {"a": 11, "b": (22,)}


def test_hypermap_passes_sequences_paired_with_scalars_to_the_function() -> None:
    pair = ops.HyperMap(lambda x, y: (x, y))
    assert pair((1, (2, 3)), 10) == ((1, (2, 3)), 10)
    assert pair((1, 2), ((3, 4), 5)) == ((1, (3, 4)), (2, 5))


def test_hypermap_takes_the_function_first_when_it_has_none() -> None:
    scale = C.MultitypeFuncGraph("scale")
    scale.register("Number", "Tensor")(lambda s, x: x * s)
    output = ops.HyperMap()(F.partial(scale, 2.0), (Tensor(1.0), Tensor(2.0)))
    assert [float(x) for x in output] == [2, 4]


def test_hypermap_in_reverse_calls_from_the_last_and_keeps_the_places() -> None:
    order: list[int] = []
    assert ops.HyperMap(lambda x: order.append(x) or x * 2, reverse=True)((1, 2, 3)) == (2, 4, 6)
    assert order == [3, 2, 1]


def test_map_stays_on_one_level() -> None:
    assert ops.Map(lambda x, y: (x, y))(((1, 2), 3), ("a", "b")) == (((1, 2), "a"), (3, "b"))
    with pytest.raises(TypeError, match="must be a tuple or list, got 3"):
        ops.Map(abs)(3)


def test_sequences_of_unequal_length_are_refused() -> None:
    with pytest.raises(ValueError, match="of one length, got lengths 2, 3"):
        ops.HyperMap(lambda x, y: x)((1, 2), (1, 2, 3))


def test_a_map_needs_a_function() -> None:
    with pytest.raises(TypeError, match="ops must be a function"):
        ops.HyperMap(5)
    with pytest.raises(TypeError, match="the first argument must be the function"):
        ops.HyperMap()((1, 2))


def test_gradients_clipped_by_a_hypermap_in_a_graph() -> None:
    clip = C.MultitypeFuncGraph("clip")
    clip.register("Number", "Tensor")(lambda top, g: C.clip_by_value(g, -top, top))

    @ms.jit
    def f(x: Tensor, y: Tensor) -> Any:
        grads = ms.grad(lambda a, b: (a * a + b * 3).sum(), (0, 1))(x, y)
        return ops.HyperMap()(ops.partial(clip, 2.5), grads)

    actual = f(Tensor([1.0, 5.0]), Tensor([1.0, 1.0]))
    assert [g.asnumpy().tolist() for g in actual] == [[2, 2.5], [2.5, 2.5]]


def test_partial_keeps_keywords() -> None:
    assert ops.partial(int, base=2)("101") == 5
    with pytest.raises(TypeError, match="fn must be a function, got 3"):
        ops.partial(3, 4)


def test_constexpr_with_and_without_arguments() -> None:
    @ops.constexpr
    def twice(n: int) -> int:
        return 2 * n

    @ops.constexpr(check=False, name="three")
    def thrice(n: int) -> int:
        return 3 * n

    assert (twice(4), thrice(4), thrice.__name__) == (8, 12, "three")
    assert ops.constexpr(lambda n: n + 1, get_instance=False)()(1) == 2


def test_flags_add_up() -> None:
    @ops.core
    @ops.add_flags(defer_inline=True)
    def f() -> None: ...

    assert f._func_graph_flags == {"defer_inline": True, "core": True}


def test_a_cached_primitive_is_created_once() -> None:
    make = _get_cache_prim(ops.Concat)
    assert make(1) is make(1) and make(axis=1) == ops.Concat(1)


def test_loops_as_functions_run_in_a_graph() -> None:
    @ms.jit
    def f(x: Tensor) -> Any:
        total = ops.ForiLoop()(0, 3, lambda i, v: v + i, x)
        carry, ys = ops.Scan()(lambda c, e: (c + e, c * e), total, ops.stack((x, x + 1)))
        return total, carry, ys

    total, carry, ys = f(Tensor(1.0))
    assert (float(total), float(carry), ys.asnumpy().tolist()) == (4, 7, [4, 10])
    assert float(ops.WhileLoop()(lambda v: v < 50, lambda v: v * v, Tensor(2.0))) == 256


def test_scan_needs_to_know_how_long() -> None:
    with pytest.raises(ValueError, match="length must be given when xs is None"):
        ops.Scan()(lambda c, x: (c, c), 0, None)
    assert ops.Scan()(lambda c, x: (c + 1, c), 0, None, 3) == (3, [0, 1, 2])
