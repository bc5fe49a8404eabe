"""Cell: flags, calls, hooks, state."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, float16, grad, int32, nn, ops
from tests.nn.cells import Nest, Pair, names, par

# -- flags ----------------------------------------------------------------------------------------


def test_a_cell_is_not_in_training_until_set_train_says_so_for_all_below():
    net = Nest()
    assert not net.training
    assert net.set_train() is net
    assert net.training
    assert net.a.training
    assert not net.set_train(False).b.training


def test_flags_are_attributes_too():
    net = Nest().add_flags_recursive(fast=True)
    assert net.fast
    assert net.a.fast
    assert net.get_flags() == {"fast": True}


def test_to_float_casts_inputs_and_parameters():
    net = Pair().to_float(float16)
    out = net(Tensor([1.0]))
    assert out.dtype is float16
    assert net.w.dtype is not float16


def test_to_float_still_gives_float32_gradients_of_the_parameters():
    net = nn.Dense(2, 1).to_float(float16)
    gradients = grad(lambda x: net(x).sum(), None, net.trainable_params())(Tensor([[1.0, 2.0]]))
    assert [str(g.dtype) for g in gradients] == ["Float32", "Float32"]
    np.testing.assert_allclose(gradients[0].asnumpy(), [[1, 2]])


def test_a_parameter_changed_in_a_lowered_cell_is_changed_in_full_precision():
    class Counter(nn.Cell):
        def __init__(self):
            super().__init__()
            self.n = par("n", 1.0)

        def construct(self, x):
            ops.assign_add(self.n, Tensor([2.0], float16))
            return x

    net = Counter().to_float(float16)
    net(Tensor([1.0]))
    assert net.n.asnumpy() == [3]
    assert str(net.n.dtype) == "Float32"


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_constants_and_buffers_of_a_lowered_cell_count_in_its_precision(mode):
    class Scaled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.scale, self.whole = Tensor([3.1, 4.0]), Tensor([1, 2], int32)
            self.far = (Tensor([3.1, 4.0]),)
            self.register_buffer("shift", Tensor([0.7, 1.0]))

        def construct(self, x):
            output = ops.stack((self.scale, x * self.scale + self.shift))
            return output, self.scale * 1, self.shift * 2, self.whole * x, self.far[0] * 1

    ms.set_context(mode=mode)
    net = Scaled().to_float(float16)
    outs = net(Tensor([0.1, 0.2]))
    assert [str(out.dtype) for out in outs] == ["Float16"] * 4 + ["Float32"]
    assert outs[1].tolist() == np.float16([3.1, 4.0]).tolist()
    assert net.scale.dtype is net.shift.dtype is ms.float32
    assert net.scale.tolist() == np.float32([3.1, 4.0]).tolist()
    net.scale = Tensor([5.0, 6.0])
    assert net(Tensor([0.1, 0.2]))[1].tolist() == [5.0, 6.0]


@pytest.mark.filterwarnings("ignore:.*op by op")
@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_what_a_lowered_cell_writes_into_a_constant_stays(mode):
    class Marks(nn.Cell):
        def __init__(self):
            super().__init__()
            self.seen, self.last = Tensor([0.0, 0.0]), Tensor([0.0])

        def construct(self, x, fails=False):
            self.seen[0] = x[0]
            self.last = x * 2
            if fails:
                raise ValueError("late")
            return self.seen + 1

    ms.set_context(mode=mode)
    net = Marks().to_float(float16)
    assert net(Tensor([0.5])).tolist() == [1.5, 1.0]
    assert net.seen.dtype is ms.float32 and net.seen.tolist() == [0.5, 0.0]
    assert net.last.tolist() == [1.0]
    with pytest.raises(ValueError, match="late"):
        net(Tensor([0.25]), True)
    assert type(net.seen) is Tensor and net.seen.dtype is ms.float32


def test_a_float16_cast_parameter_has_the_interface_of_a_parameter():
    class Filled(nn.Cell):
        def __init__(self):
            super().__init__()
            self.p = par("p", 1.0)

        def construct(self, x):
            self.p.set_data(x)
            assert (self.p.name, self.p.requires_grad) == ("p", True)
            return self.p * 2

    net = Filled().to_float(float16)
    out = net(Tensor([0.5]))
    assert out.dtype is float16 and out.tolist() == [1.0]
    assert net.p.dtype is ms.float32 and net.p.tolist() == [0.5]
    with pytest.raises(AttributeError):
        _ = net.p.nothing


def test_normalisation_keeps_its_parameters_in_float32():
    net = nn.BatchNorm2d(2).to_float(float16).set_train()
    out = net(Tensor(np.ones((2, 2, 2, 2), np.float32)))
    assert out.dtype is float16
    np.testing.assert_allclose(net.moving_mean.asnumpy(), 0.1)


def test_to_float_takes_float_types_only():
    with pytest.raises(ValueError, match="dst_type must be float16, float32 or bfloat16"):
        Pair().to_float(int32)


def test_changes_of_attributes_change_the_graph_key_and_set_train_only_its_flag():
    net = Pair()
    first = net._graph_key_()
    net.set_train()
    second = net._graph_key_()
    net.set_train(False)
    assert first != second
    assert net._graph_key_() == first
    net.factor = 2
    assert net._graph_key_() != first


@pytest.mark.parametrize(
    "change", [lambda n: n.insert_child_to_cell("c", nn.ReLU()), lambda n: n._cells.update(a=None)]
)
def test_changes_of_the_tree_change_the_graph_key(change):
    net = Nest()
    before = net._graph_key_()
    change(net)
    assert net._graph_key_() != before


# -- calls ----------------------------------------------------------------------------------------


def test_a_cell_without_construct_says_so():
    with pytest.raises(AttributeError, match=r"Cell: must define construct.*not defined"):
        nn.Cell()(Tensor([1.0]))


def test_an_exception_says_in_which_cell_it_arose():
    class Broken(nn.Cell):
        def construct(self, x):
            raise KeyError("mine")

    net = nn.SequentialCell(nn.SequentialCell(Broken()))
    with pytest.raises(KeyError, match="mine") as info:
        net(Tensor([1.0]))
    assert info.value.__notes__ == ["in SequentialCell.0.0 (Broken)"]


def test_keyword_and_default_arguments_reach_construct():
    class Scaled(nn.Cell):
        def construct(self, x, factor=2.0):
            return x * factor

    assert Scaled()(Tensor(1.0)).item() == 2
    assert Scaled()(x=Tensor(1.0), factor=3.0).item() == 3


def test_a_cell_may_have_an_argument_called_cls():
    class DetectionLoss(nn.Cell):
        def __init__(self, box, cls):
            super().__init__()
            self.box, self.cls = box, cls

        def construct(self, x, cls):
            return self.box * x + self.cls * cls

    net = DetectionLoss(box=2.0, cls=3.0)
    np.testing.assert_array_equal(net(Tensor([1.0]), cls=Tensor([10.0])).asnumpy(), [32.0])


def test_set_inputs_stores_the_inputs():
    net = Pair()
    net.set_inputs(Tensor([1.0]))
    assert len(net.get_inputs()) == 1
    with pytest.raises(ValueError, match="all positional or all keyword"):
        net.set_inputs(Tensor([1.0]), x=Tensor([1.0]))


# -- hooks ----------------------------------------------------------------------------------------


class Hooked(nn.Cell):
    def __init__(self):
        super().__init__()
        self.relu = nn.ReLU()

    def construct(self, x):
        return self.relu(x) * 3


def test_forward_hooks_see_and_replace_inputs_and_outputs():
    net = Hooked()
    seen = []
    net.relu.register_forward_pre_hook(lambda cell, args: (args[0] * 2,))
    net.relu.register_forward_hook(lambda cell, args, out: seen.append(args[0].item()) or out + 1)
    assert net(Tensor(2.0)).item() == 15  # (2 * 2 + 1) * 3
    assert seen == [4]


def test_backward_hooks_see_and_replace_gradients():
    net = Hooked()
    seen = []

    def pre(cell, grad_output):
        seen.append(("pre", grad_output[0].item()))
        return grad_output[0] * 5

    def after(cell, grad_input, grad_output):
        seen.append(("after", grad_input[0].item(), grad_output[0].item()))
        return grad_input[0] * 7

    net.relu.register_backward_pre_hook(pre)
    net.relu.register_backward_hook(after)
    assert grad(net)(Tensor(2.0)).item() == 105  # 3 * 5 * 7
    assert seen == [("pre", 3), ("after", 15, 15)]


@pytest.mark.parametrize("value", [None, (Tensor([[9.0, 9.0]]),)])
def test_a_backward_hook_of_the_first_layer_is_called_though_only_weights_are_learnt(value):
    ms.set_context(mode=ms.PYNATIVE_MODE)
    net = nn.Dense(2, 1, weight_init="ones")
    seen = []

    def hook(cell, grad_input, grad_output):
        seen.append((grad_input, grad_output[0].asnumpy().tolist()))
        return value

    net.register_backward_hook(hook)
    train = nn.TrainOneStepCell(net, nn.SGD(net.trainable_params(), 0.5))
    for _ in range(2):
        train(Tensor([[1.0, 2.0]]))
    assert seen == [((None,), [[1.0]])] * 2
    assert net.weight.asnumpy().tolist() == [[0.0, -1.0]]


def test_a_hook_that_no_gradient_meets_returns_none_or_one_tensor():
    net = nn.Dense(2, 1)
    net.register_backward_hook(lambda *_: (Tensor(1.0), Tensor(1.0)))
    with pytest.raises(TypeError, match="backward hook must return None or 1 tensors, got 2"):
        grad(net, None, tuple(net.trainable_params()))(Tensor([[1.0, 2.0]]))


def test_a_removed_hook_is_not_called():
    net = Hooked()
    handle = net.register_forward_hook(lambda cell, args, out: out * 0)
    handle.remove()
    handle.remove()
    assert net(Tensor(2.0)).item() == 6


def test_prepend_puts_a_hook_first():
    net, order = Hooked(), []
    net.register_forward_hook(lambda *_: order.append("b"))
    net.register_forward_hook(lambda *_: order.append("a"), prepend=True)
    net(Tensor(1.0))
    assert order == ["a", "b"]


def test_an_always_called_hook_runs_after_an_exception_too():
    class Broken(nn.Cell):
        def construct(self, x):
            raise RuntimeError("mine")

    net, calls = Broken(), []
    net.register_forward_hook(lambda *_: calls.append("plain"))
    net.register_forward_hook(lambda *_: calls.append("always"), always_call=True)
    with pytest.raises(RuntimeError, match="mine"):
        net(Tensor(1.0))
    assert calls == ["always"]


def test_a_hook_must_be_callable():
    with pytest.raises(TypeError, match="hook_fn must be a function, got 3"):
        Hooked().register_forward_hook(3)


@pytest.mark.parametrize("when", ["forward_pre", "forward", "backward_pre", "backward"])
def test_a_graph_is_no_hook(when):
    register = getattr(Hooked(), f"register_{when}_hook")
    with pytest.raises(TypeError, match="decorated with '@jit', which is not supported"):
        register(ms.jit(lambda cell, *values: None))


# -- state ----------------------------------------------------------------------------------------


def test_a_buffer_is_an_attribute_and_no_parameter():
    net = Pair()
    net.register_buffer("seen", Tensor([1.0]))
    net.register_buffer("scratch", Tensor([1.0]), persistent=False)
    assert names(net) == ["custom", "v"]
    assert [n for n, _ in net.named_buffers()] == ["seen", "scratch"]
    assert list(net.state_dict()) == ["w", "v", "seen"]
    with pytest.raises(KeyError, match="another attribute"):
        net.register_buffer("w", Tensor([1.0]))


def test_load_state_dict_fills_another_cell():
    a, b = nn.Dense(2, 3), nn.Dense(2, 3)
    assert b.load_state_dict(a.state_dict()) == ([], [])
    np.testing.assert_array_equal(a.weight.asnumpy(), b.weight.asnumpy())


def test_what_load_state_dict_gives_says_whether_all_matched():
    net = nn.Dense(1, 1)
    state = net.state_dict()
    assert str(net.load_state_dict(state)) == "<All keys matched successfully>"
    state["more"] = state.pop("bias")
    text = "_IncompatibleKeys(missing_keys=['bias'], unexpected_keys=['more'])"
    assert repr(net.load_state_dict(state, strict=False)) == text


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: d.pop("weight"), "missing: weight"),
        (lambda d: d.update(extra=Tensor([1.0])), "unexpected: extra"),
        (lambda d: d.update(bias=Tensor([1.0])), r"bias: must have the shape \(3,\), got \(1,\)"),
    ],
)
def test_load_state_dict_changes_nothing_if_something_does_not_fit(change, message):
    source, target = nn.Dense(2, 3), nn.Dense(2, 3)
    before = target.weight.asnumpy()
    state = dict(source.state_dict())
    change(state)
    with pytest.raises(RuntimeError, match=message):
        target.load_state_dict(state)
    np.testing.assert_array_equal(target.weight.asnumpy(), before)


def test_to_converts_parameters_in_place():
    net = nn.Dense(2, 3).to(float16)
    assert {str(p.dtype) for p in net.get_parameters()} == {"Float16"}


def pair() -> nn.Cell:
    net = nn.Cell()
    net.a, net.b = nn.Dense(2, 1, has_bias=True), nn.Dense(1, 1)
    return net


def test_state_dict_hooks_see_and_may_change_the_state_dict() -> None:
    net, seen = pair(), []
    net.register_state_dict_pre_hook(lambda cell, prefix, keep: seen.append((prefix, keep)))
    net.a.register_state_dict_post_hook(lambda cell, d, prefix, _: d.pop(prefix + "bias") and None)
    last = net.register_state_dict_post_hook(lambda *args: seen.append(list(args[1])))
    assert list(net.state_dict()) == ["a.weight", "b.weight", "b.bias"]
    assert seen == [("", False), ["a.weight", "b.weight", "b.bias"]]
    last.remove()
    net.state_dict()
    assert len(seen) == 3
    net.register_state_dict_post_hook(lambda *args: {})
    with pytest.raises(RuntimeError, match="a hook must return None"):
        net.state_dict()


def test_to_fill_a_cell_calls_no_hook_of_what_makes_a_state_dict() -> None:
    net, seen = pair(), []
    output = net.state_dict()
    net.register_state_dict_pre_hook(lambda *args: seen.append(args))
    net.a.register_state_dict_post_hook(lambda cell, d, prefix, _: d.pop(prefix + "bias") and None)
    assert net.load_state_dict(output) == ([], [])
    assert not seen


def test_hooks_rename_what_is_loaded_and_say_what_may_be_missing() -> None:
    net = pair()
    values_by_name = {f"old.{k}": v for k, v in pair().state_dict().items() if k != "b.bias"}

    def rename(cell, state, *_):
        for name in list(state):
            state[name.removeprefix("old.")] = state.pop(name)

    net.register_load_state_dict_pre_hook(rename)
    with pytest.raises(RuntimeError, match=r"missing: b\.bias"):
        net.load_state_dict(values_by_name)
    net.b.register_load_state_dict_post_hook(lambda cell, keys: keys.missing_keys.remove("b.bias"))
    assert net.load_state_dict(values_by_name).missing_keys == []
    assert all(name.startswith("old.") for name in values_by_name)
    assert net.a.weight.asnumpy().tolist() == values_by_name["old.a.weight"].asnumpy().tolist()


def test_what_a_hook_finds_wrong_is_refused_before_anything_changes() -> None:
    net = pair()
    before = net.a.weight.asnumpy()
    net.a.register_load_state_dict_pre_hook(lambda *args: args[-1].append(f"old at {args[2]}"))
    with pytest.raises(RuntimeError, match=r"old at a\."):
        net.load_state_dict(pair().state_dict())
    assert net.a.weight.asnumpy().tolist() == before.tolist()
    with pytest.raises(TypeError, match="hook must be a function"):
        net.register_state_dict_pre_hook(3)
