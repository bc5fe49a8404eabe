"""User functions inside a computation: gradient hooks, and NumPy functions as ops."""

from __future__ import annotations

from collections.abc import Callable
from itertools import zip_longest
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.gradient_hooks import GradientHook, GradientHooks
from minispore.core.parameter import Parameter
from minispore.core.primitive import Cotangents, Effect, Primitive, VjpRule
from minispore.core.tensor import Tensor, method
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec
from minispore.ops.control.watch import TensorDump
from minispore.ops.support.arguments import check_tensor_spec
from minispore.ops.support.derive import _Composite
from minispore.ops.support.spelling import also_spelled


class HookBackward(Primitive):
    """Returns its inputs unchanged; in the backward pass calls ``hook_fn`` with a tuple of their
    gradients.

    A result other than None replaces the gradients.

    Args:
        hook_fn: a function of the tuple of gradients.
        cell_id: accepted as in MindSpore, but has no effect.

    Raises:
        TypeError: ``hook_fn`` is not callable.

    >>> double = HookBackward(lambda grads: grads[0] * 2)
    >>> from minispore.core.autograd import grad
    >>> print(grad(lambda x: double(x) * 3)(Tensor(1.0)))
    6.0
    """

    hook_fn: Any
    cell_id: str = ""
    effect = Effect.EXTERNAL  # the function may have effects, so the node stays
    vjp_rule = VjpRule(hermitian=True, takes_tuples=True, user_defined=True)

    def check(self) -> None:
        if not callable(self.hook_fn):
            raise TypeError(f"{self.name}: hook_fn must be a function, got {self.hook_fn!r}.")
        if not isinstance(self.cell_id, str):
            raise TypeError(f"{self.name}: cell_id must be a str, got {self.cell_id!r}.")

    def __call__(self, *inputs: Tensor) -> Any:
        outputs = super().__call__(*inputs)
        return outputs[0] if len(inputs) == 1 else outputs

    def infer(self, *xs: Spec) -> tuple[Spec, ...]:
        return tuple(check_tensor_spec(self.name, x) for x in xs)

    def kernel(self, *xs: np.ndarray, out: tuple[np.ndarray, ...]) -> None:
        for x, o in zip(xs, out, strict=True):
            np.copyto(o, x)

    def vjp(self, *xs: Tensor, out: Any, dout: Any) -> Cotangents:
        """Return the gradients that ``hook_fn`` returns, or the unchanged ones if it returns
        None.

        Raises TypeError unless there is one gradient for each input, of its shape.
        """
        replacements = self.hook_fn(tuple(dout))
        if replacements is None:
            return tuple(dout)
        replacements = replacements if isinstance(replacements, tuple | list) else (replacements,)
        for g, d in zip_longest(replacements, dout):
            if not isinstance(g, Tensor) or d is None or g.shape != d.shape:
                raise TypeError(
                    f"{self.name}: hook_fn must return None or gradients of shapes "
                    f"{[d.shape for d in dout]}, got {replacements!r}."
                )
        return tuple(replacements)


class InsertGradientOf(Primitive):
    """Returns its input unchanged; in the backward pass replaces its gradient by ``f(gradient)``,
    unless ``f`` returns None.

    >>> from minispore.core.autograd import grad
    >>> print(grad(lambda x: InsertGradientOf(lambda d: d * 10)(x) * 3)(Tensor(1.0)))
    30.0
    """

    f: Any
    effect = Effect.EXTERNAL
    vjp_rule = VjpRule(hermitian=True, user_defined=True)

    def check(self) -> None:
        if not callable(self.f):
            raise TypeError(f"{self.name}: f must be a function, got {self.f!r}.")

    def infer(self, x: Spec) -> Spec:
        return check_tensor_spec(self.name, x)

    def view(self, x: np.ndarray) -> np.ndarray:
        return x

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return ``f`` of the gradient, or the gradient itself if ``f`` returns None."""
        replacement = self.f(dout)
        if isinstance(replacement, tuple):
            return replacement
        return (dout if replacement is None else replacement,)


class DumpGradient(_Composite):
    """Returns its input unchanged; in the backward pass writes its gradient to a file, as
    :class:`TensorDump` does.

    >>> DumpGradient()("dx.npy", Tensor(2.0), "out")  # nothing is written: no gradient is asked for
    Tensor(shape=[], dtype=Float32, value= 2)
    """

    def __call__(self, path: str, x: Tensor, input_output: str = "out") -> Tensor:
        """Return ``x``, with a hook that dumps its gradient; ``input_output`` is only checked."""
        checks.string(self.name, "path", path)
        checks.one_of(self.name, "input_output", input_output, ("in", "out"))

        def dump_gradient(dout: Tensor) -> Tensor:
            """Write the gradient to ``path`` and return it unchanged."""
            TensorDump()(path, dout)
            return dout

        return InsertGradientOf(dump_gradient)(x)


class PyFunc(Primitive):
    """A function of NumPy arrays as an op; it has no gradient.

    Args:
        fn: takes one array per input; returns an array, a tuple of arrays, or None if no outputs
            are declared.
        in_types: the dtype of each input.
        in_shapes: the shape of each input.
        out_types: the dtype of each output.
        out_shapes: the shape of each output.
        stateful: whether two calls on the same inputs may differ.

    Raises:
        ValueError: types and shapes differ in length, or an input is not as declared.
        RuntimeError: when it runs: ``fn`` did not return the declared outputs.

    >>> f = PyFunc(np.sin, [mstype.float32], [(2,)], [mstype.float32], [(2,)])
    >>> print(f((Tensor([0.0, 1.0]),))[0])
    [0.       0.841471]
    """

    fn: Any
    in_types: Any
    in_shapes: Any
    out_types: Any
    out_shapes: Any
    stateful: bool = True
    variadic = True
    vjp_rule = VjpRule(takes_tuples=True)
    effect = Effect.EXTERNAL

    def check(self) -> None:
        """Check that ``fn`` is callable, and that there are as many types as shapes of inputs and
        of outputs.
        """
        if not callable(self.fn):
            raise TypeError(f"{self.name}: fn must be a function, got {self.fn!r}.")
        for side in ("in", "out"):
            types, shapes = getattr(self, f"{side}_types"), getattr(self, f"{side}_shapes")
            if len(types) != len(shapes):
                raise ValueError(
                    f"{self.name}: {side}_types and {side}_shapes must be of one length, got "
                    f"{len(types)} and {len(shapes)}."
                )

    def _make_declared_specs(self, side: str) -> tuple[Spec, ...]:
        """Return the specs that the attributes declare for ``side``, "in" or "out"."""
        shapes, types = getattr(self, f"{side}_shapes"), getattr(self, f"{side}_types")
        return tuple(Spec(tuple(s), mstype.to_numpy(t)) for s, t in zip(shapes, types, strict=True))

    def infer(self, *xs: Spec) -> tuple[Spec, ...]:
        """Return the specs of the declared outputs; raise ValueError unless the inputs are as
        declared.
        """
        if xs != self._make_declared_specs("in"):
            raise ValueError(
                f"{self.name}: inputs must be "
                f"{', '.join(map(str, self._make_declared_specs('in')))}, got "
                f"{', '.join(map(str, xs))}."
            )
        return self._make_declared_specs("out")

    def kernel(self, *xs: np.ndarray, out: tuple[np.ndarray, ...]) -> None:
        """Call ``fn`` and copy its results to the outputs; raise RuntimeError if their shapes are
        not the declared ones.
        """
        results = self.fn(*xs)
        if results is None and not out:
            return
        results = results if isinstance(results, tuple | list) else (results,)
        if [np.shape(result) for result in results] != [o.shape for o in out]:
            raise RuntimeError(
                f"{self.name}: fn must return arrays of shapes {[o.shape for o in out]}, got "
                f"{[np.shape(result) for result in results]}."
            )
        for result, o in zip(results, out, strict=True):
            np.copyto(o, result, casting="same_kind")


@method("register_hook")
@also_spelled(hook_fn="hook")
def _register_hook(self: Tensor, hook: Callable[[Tensor], Any]) -> GradientHook:
    """Register ``hook``, to be called with the gradient of this tensor.

    The tensor may be an input, a Parameter or an intermediate result. A result of ``hook`` other
    than None replaces the gradient. Several hooks are called in the order of registration.

    Returns:
        A handle, whose ``remove()`` removes the hook.

    Raises:
        TypeError: ``hook`` is not a function.
        RuntimeError: the tensor is a Parameter that requires no gradient.

    >>> from minispore.core.autograd import grad
    >>> def f(x):
    ...     y = x * 2
    ...     handle = y.register_hook(lambda d: d * 100)
    ...     return y * 3
    >>> print(grad(f)(Tensor(1.0)))
    600.0
    """
    if not callable(hook):
        raise TypeError(f"register_hook: hook must be a function, got {hook!r}.")
    if isinstance(self, Parameter) and not self.requires_grad:
        raise RuntimeError(
            f"register_hook: the Parameter must require a gradient, got {self.name!r}, which does "
            "not. Set its requires_grad to True first."
        )
    hooks = self.hooks_
    is_intermediate = not isinstance(self, Parameter) and bool(interpreter.tapes())
    if hooks is None or (is_intermediate and hooks.intermediate_value is not self.value_):
        hooks = self.hooks_ = GradientHooks()
        if is_intermediate:
            hooks_of_value = hooks
            hooked = HookBackward(lambda grads: hooks_of_value(grads[0]))(self)
            interpreter.current().assign(self, hooked.value_)  # views of the tensor are not hooked
            hooks.intermediate_value = self.value_
    return hooks.add(hook)


@method("hooks")
def _get_hooks(self: Tensor) -> list[Callable[[Tensor], Any]]:
    """Return the hooks on the gradient of this tensor, in the order of their registration.

    >>> x = Tensor(1.0)
    >>> handle = x.register_hook(print)
    >>> len(x.hooks())
    1
    """
    return [] if self.hooks_ is None else list(self.hooks_.functions.values())


__all__ = ["DumpGradient", "HookBackward", "InsertGradientOf", "PyFunc"]
