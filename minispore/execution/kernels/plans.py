"""Kernel plans: how an op runs on arguments of given specs and strides, decided once.

Op by op, a network of small arrays is only as fast as the Python code between two kernels.
Everything that does not depend on the elements (output specs, memory order, the kernel, whether the
output is a view) is decided once, and looked up by the specs and strides of the arguments.

Creating the calls of a kernel can take longer than running them: LeNet's first convolution of one
image takes 50 us, but 21 us with calls that already exist. So after a few runs the plan binds such
a kernel to private arrays, see :mod:`minispore.execution.kernels.bound_kernel`. An in-place update
of a Parameter may bind its calls to the Parameter's buffer, see ``Primitive.bind_in_place``.
"""

from __future__ import annotations

import contextvars
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from minispore import context
from minispore.execution import half, layout, overflow
from minispore.execution.kernels.bound_kernel import BoundKernel
from minispore.ir import runtime as seam
from minispore.ir.operator import Operator
from minispore.ir.value import ContentOwner, Spec, Value

Outputs = Value | tuple[Value, ...]

Infer = Callable[["Operator", tuple[Any, ...]], Any]

_MOST_PLANS = 8192
_SMALL_BYTES = 1 << 17  # limit on inputs and outputs of a bound kernel, copied in each run
_MAX_BOUND_BYTES = 16 << 20  # limit on the private arrays of a thread's bound kernels
_CALLS_BEFORE_BINDING = 3
_EXACT_KEY_TYPES = frozenset({bool, int, str, type(None)})  # no floats, since -0.0 == 0.0


class KernelPlan(ABC):
    """The plan by which ``prim`` runs on arguments of certain specs and strides.

    Attributes:
        prim: the primitive; as long as a plan refers to it, ``id(prim)`` is not reused.
        kernel: ``kernel(*arrays, out=out)``.
        is_builtin: whether the kernel can't call a user's function; kernels with effects can.
    """

    __slots__ = ("is_builtin", "kernel", "prim")

    kernel: Callable[..., Any]

    def __init__(self, prim: Operator) -> None:
        self.prim = prim
        self.is_builtin = prim.effect.is_repeatable

    @abstractmethod
    def run(self, args: tuple[Any, ...], arrays: list[Any], is_recorded: bool) -> Outputs:
        """Return the outputs of the op on ``args``, whose contents are ``arrays``.

        If a tape records the op (``is_recorded``), no argument is overwritten.
        """


class DynamicPlan(KernelPlan):
    """Plan of an op whose output shapes depend on values, so the kernel allocates its outputs."""

    __slots__ = ()

    def __init__(self, prim: Operator) -> None:
        super().__init__(prim)
        self.kernel = lambda *arrays, out: prim.kernel(*arrays)

    def run(self, args: tuple[Any, ...], arrays: list[Any], is_recorded: bool) -> Outputs:
        """Run the kernel, which allocates its outputs, and return them as Values with the arrays'
        specs.
        """
        output = seam.runtime.execute(self.prim, self.kernel, arrays, None)
        if isinstance(output, tuple):
            return tuple([Value(Spec(a.shape, a.dtype), a) for a in output])
        return Value(Spec(output.shape, output.dtype), output)


class SingleOutputPlan(KernelPlan):
    """Plan of an op with one new output."""

    __slots__ = ("allocate", "spec")

    def __init__(self, prim: Operator, spec: Spec, arrays: list[Any]) -> None:
        super().__init__(prim)
        self.spec = spec
        self.allocate = _make_allocator(spec, prim.layout, arrays)
        self.kernel = half.choose_kernel(prim, spec)

    def run(self, args: tuple[Any, ...], arrays: list[Any], is_recorded: bool) -> Outputs:
        """Run the kernel into a new array; update the overflow flag if it is being watched."""
        out = self.allocate()
        if overflow.flag.watching:
            _execute_and_check_overflow(self.prim, self.kernel, arrays, out)
        else:
            seam.runtime.execute(self.prim, self.kernel, arrays, out)
        return Value(self.spec, out)


class ViewPlan(SingleOutputPlan):
    """Plan of an op whose output is a view of its first input where possible."""

    __slots__ = ()

    def run(self, args: tuple[Any, ...], arrays: list[Any], is_recorded: bool) -> Outputs:
        """Return a view of the first input, copied if the input is shared with a Parameter; run the
        kernel if no view is possible.
        """
        view = self.prim.view(*arrays)
        if view is None:
            return super().run(args, arrays, is_recorded)
        if any(a.__class__ is Value and a.shared for a in args) or layout.is_misread_by_numpy(view):
            view = view.copy()  # the Parameter may change while the view exists
        return Value(self.spec, view)


class MultiOutputPlan(KernelPlan):
    """Plan of an op with several outputs."""

    __slots__ = ("allocators", "has_single_output", "specs")

    def __init__(self, prim: Operator, specs: Spec | tuple[Spec, ...], arrays: list[Any]) -> None:
        super().__init__(prim)
        self.has_single_output = specs.__class__ is Spec
        self.specs: tuple[Spec, ...] = (specs,) if self.has_single_output else specs  # type: ignore[assignment]
        self.allocators = [_make_allocator(s, prim.layout, arrays) for s in self.specs]
        self.kernel = half.choose_kernel(prim, specs)

    def run(self, args: tuple[Any, ...], arrays: list[Any], is_recorded: bool) -> Outputs:
        """Run the kernel into newly allocated outputs."""
        outs = [allocate() for allocate in self.allocators]
        return self._execute(arrays, outs, self.kernel)

    def _execute(
        self, arrays: list[Any], outs: list[np.ndarray], kernel: Callable[..., Any]
    ) -> Outputs:
        """Run ``kernel`` into ``outs`` and return the arrays as Values."""
        execute = _execute_and_check_overflow if overflow.flag.watching else seam.runtime.execute
        execute(self.prim, kernel, arrays, outs[0] if self.has_single_output else tuple(outs))
        outputs = tuple([Value(s, o) for s, o in zip(self.specs, outs, strict=True)])
        return outputs[0] if self.has_single_output else outputs


class InPlacePlan(MultiOutputPlan):
    """Plan of an op with in-place outputs: the buffer of a mutated Parameter is overwritten."""

    __slots__ = ()

    def run(self, args: tuple[Any, ...], arrays: list[Any], is_recorded: bool) -> Outputs:
        """Run the kernel, into the buffers of Parameters unless a gradient tape records the op."""
        positions = () if is_recorded else self.prim.mutates
        outs = [
            self._choose_output(args[positions[i]], positions[i], arrays, allocate)
            if i < len(positions)
            else allocate()
            for i, allocate in enumerate(self.allocators)
        ]
        kernel = self.kernel
        if positions and self.prim.traits.can_bind_in_place:
            last_param = args[positions[-1]].param
            if last_param is not None:
                kernel = self._bind_kernel(last_param, arrays, outs)
        return self._execute(arrays, outs, kernel)

    def _bind_kernel(
        self, param: ContentOwner, arrays: list[Any], outs: list[np.ndarray]
    ) -> Callable[..., Any]:
        """Return the kernel, bound to ``outs`` if the previous update wrote the same arrays.

        ``param`` keeps the binding for the next update. It is the last Parameter that the op
        changes, an optimizer's moment, so the binding lives as long as the optimizer.
        """
        binding: _InPlaceBinding | None = param._in_place_binding
        if binding is None or binding.plan is not self or binding.has_other_arrays(outs):
            binding = param._in_place_binding = _InPlaceBinding(self, outs)
        elif binding.kernel is None:
            is_plain = self.kernel == self.prim.kernel  # it does not convert float16 or bfloat16
            bound = self.prim.bind_in_place(arrays, tuple(outs)) if is_plain else None
            binding.kernel = bound or self.kernel
        return binding.kernel or self.kernel

    def _choose_output(
        self, arg: Value, position: int, arrays: list[Any], allocate: Callable[[], np.ndarray]
    ) -> np.ndarray:
        """Return the array into which the kernel writes the new content of input ``position``.

        It is the Parameter's own buffer, or a new array if the input is not a writable Parameter or
        the kernel reads the same array as another input. A tensor that shares the buffer with the
        Parameter gets a copy first.
        """
        array = arrays[position]
        if arg.param is None or not array.flags.writeable:
            return allocate()
        for i, input_array in enumerate(arrays):
            if input_array is array and i != position:  # the kernel reads it as another input, too
                return allocate()
        arg.param.unshare_()
        return array  # no Value is a view of a Parameter's buffer


class _InPlaceBinding:
    """The arrays of the last in-place update of a Parameter, and the kernel bound to them."""

    __slots__ = ("kernel", "outs", "plan")

    def __init__(self, plan: KernelPlan, outs: list[np.ndarray]) -> None:
        self.plan, self.outs = plan, outs
        self.kernel: Callable[..., Any] | None = None  # set by the second update

    def has_other_arrays(self, outs: list[np.ndarray]) -> bool:
        """Whether an update writes arrays that differ from those of the previous update."""
        return any(array is not previous for array, previous in zip(outs, self.outs, strict=True))


def _make_allocator(spec: Spec, rule: str, arrays: list[Any]) -> Callable[[], np.ndarray]:
    """Return a function that allocates arrays of ``spec`` in the memory order ``rule``."""
    strides = layout.compute_strides(spec, rule, arrays)
    if strides == layout.compute_strides(spec, layout.ROW_MAJOR, arrays):
        return partial(np.empty, spec.shape, spec.dtype)
    return lambda: np.ndarray(spec.shape, spec.dtype, strides=strides)


def _execute_and_check_overflow(
    prim: Operator, kernel: Callable[..., Any], arrays: list[Any], out: Any
) -> None:
    """Run a kernel into ``out`` and update the overflow flag from its inputs and outputs."""
    check = overflow.OverflowCheck(overflow.flag, arrays, out if isinstance(out, tuple) else (out,))
    check.before()
    seam.runtime.execute(prim, kernel, arrays, out)
    check.after()


class _CountingKernel:
    """Kernel that counts its runs, and is replaced by a bound kernel after
    ``_CALLS_BEFORE_BINDING``.

    Used for kernels of many calls on small arrays, if the cache has memory left for their private
    arrays.
    """

    def __init__(self, plan: KernelPlan, plans: KernelPlanCache) -> None:
        self._plan, self._plans = plan, plans
        self._kernel, self._call_count = plan.kernel, 0

    def __call__(self, *arrays: Any, out: Any) -> None:
        """Run the kernel into ``out``; at the last counted call replace it in the plan."""
        self._call_count += 1
        kernel = self._kernel
        if self._call_count == _CALLS_BEFORE_BINDING:
            bound = BoundKernel(self._plan.prim, arrays, out)
            if self._plans.reserve(bound.nbytes):
                kernel = bound.run
            self._plan.kernel = kernel
        kernel(*arrays, out=out)


def _is_exact_key(static: Any) -> bool:
    """Whether a static argument equals only itself as a key (unlike 0.0 and -0.0)."""
    cls = static.__class__
    return cls in _EXACT_KEY_TYPES or (cls is tuple and all(_is_exact_key(a) for a in static))


class KernelPlanCache:
    """The kernel plans of one thread; each thread has its own, since bound kernels have private
    arrays.
    """

    def __init__(self) -> None:
        self._call_silently = (
            _call_with_errstate if layout.OLD_NUMPY else _make_silent_context().run
        )
        self.clear()

    def clear(self) -> None:
        """Drop all plans, and record the current settings."""
        self._settings = _settings
        self._plans: dict[Any, KernelPlan] = {}
        self._nbytes = 0

    def reserve(self, nbytes: int) -> bool:
        """Reserve memory for a bound kernel; returns False if it is too large.

        Drops all plans if the bound kernels' arrays would exceed ``_MAX_BOUND_BYTES`` together.
        """
        if nbytes > _MAX_BOUND_BYTES // 16:
            return False
        if self._nbytes + nbytes > _MAX_BOUND_BYTES:
            self.clear()
        self._nbytes += nbytes
        return True

    def run(
        self, prim: Operator, args: tuple[Any, ...], is_recorded: bool, infer: Infer
    ) -> Outputs:
        """Return the outputs of ``prim`` on ``args``, by a cached plan for their specs and strides;
        floating-point warnings are suppressed.

        Raises:
            AttributeError: a Value among ``args`` has no array (or the kernel raised one).
        """
        if self._settings is not _settings:  # a setting may choose the kernel
            self.clear()
        arrays: list[Any] = []
        key_items: list[Any] = [id(prim)]
        for a in args:
            if a.__class__ is Value:
                array = a.data
                arrays.append(array)
                key_items += (a.spec, array.strides)
            else:
                arrays.append(a)
                # (1,) equals (True,), but a kernel that is bound to one may treat the other
                # differently.
                key_items += (
                    a.__class__,
                    repr(a) if a.__class__ is tuple and prim.traits.has_many_calls else a,
                )
        plan_key = tuple(key_items)
        plan = self._plans.get(plan_key)
        if plan is None:
            plan = self._make_plan(prim, args, arrays, infer)
            if len(self._plans) >= _MOST_PLANS:
                self.clear()
            self._plans[plan_key] = plan
        # log(0) is -inf without a warning, as on any device
        call = (
            self._call_silently if plan.is_builtin and not _is_silent.get() else _call_with_errstate
        )
        return call(plan.run, args, arrays, is_recorded)

    def _make_plan(
        self, prim: Operator, args: tuple[Any, ...], arrays: list[Any], infer: Infer
    ) -> KernelPlan:
        """Make the plan for these arguments; infers the output specs and chooses the kernel."""
        plan: KernelPlan
        if prim.dynamic:
            return DynamicPlan(prim)
        specs = infer(prim, args)
        if prim.mutates:
            return InPlacePlan(prim, specs, arrays)
        if specs.__class__ is not Spec:
            plan = MultiOutputPlan(prim, specs, arrays)
        else:
            plan = (ViewPlan if prim.traits.has_view else SingleOutputPlan)(prim, specs, arrays)
        self._start_counting_runs(plan, args, specs)
        return plan

    def _start_counting_runs(self, plan: KernelPlan, args: tuple[Any, ...], specs: Any) -> None:
        """Make the kernel of a plan count its runs, if it has many calls on small arrays.

        After some runs the calls are bound to private arrays.
        """
        prim, outs = plan.prim, (specs,) if specs.__class__ is Spec else specs
        all_specs = (*[a.spec for a in args if a.__class__ is Value], *outs)
        if plan.kernel != prim.kernel or sum(s.nbytes for s in all_specs) > _SMALL_BYTES:
            return
        has_exact_key = all(_is_exact_key(a) for a in args if a.__class__ is not Value)
        is_fixed = prim.effect.is_pure and not prim.is_distinct and has_exact_key
        if prim.traits.has_many_calls and is_fixed:
            plan.kernel = _CountingKernel(plan, self)


_settings = context.current()


def _on_context_change(old: context.Context, new: context.Context) -> None:
    """Record the new settings; each thread's cache drops its plans at its next run."""
    global _settings
    _settings = new


context.subscribe(_on_context_change)

# NumPy's errstate takes as long as a small kernel. So each thread has its own context in which
# floating-point errors are ignored (before NumPy 2 errstate belongs to the thread, not the
# context). minispore's kernels, which read no context variables, run in it; a user's function runs
# in the user's context.
_is_silent = contextvars.ContextVar("is_silent", default=False)


def _make_silent_context() -> contextvars.Context:
    """Return a context in which NumPy ignores floating-point errors."""
    silent_context = contextvars.Context()
    silent_context.run(np.seterr, all="ignore")
    silent_context.run(_is_silent.set, True)
    return silent_context


def _call_with_errstate(run: Callable[..., Any], *args: Any) -> Any:
    """Call ``run`` with NumPy's floating-point warnings off."""
    with np.errstate(all="ignore"):
        return run(*args)


__all__ = ["KernelPlan", "KernelPlanCache"]
