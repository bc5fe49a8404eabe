"""Plans: how an op runs on arguments of a kind, found out when they come first.

Op by op, a network of small arrays is as fast as the Python between two kernels. What depends on no
number of an array (the specs of the outputs, how they lie in memory, which kernel makes them,
whether it is a view) is found out once, and looked up by the specs and strides of the arguments.

A kernel of many calls on small arrays gets more: to make its calls takes longer than to run them
(LeNet's first convolution of one image takes 50 us, and 21 with calls that are there). So when it
has come a few times its plan binds it, see :mod:`minispore.core.kernels.bound`. What changes a
Parameter in place may bind its calls to that, see ``Primitive.standing``.
"""

from __future__ import annotations

import contextvars
from abc import ABC, abstractmethod
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from minispore import context
from minispore.core import half, layout, overflow
from minispore.core import runtime as seam
from minispore.core.kernels.bound import Bound
from minispore.core.threads.crew import Calls
from minispore.core.value import Spec, Value

if TYPE_CHECKING:
    from minispore.core.parameter import Parameter
    from minispore.core.primitive import Primitive

Out = Value | tuple[Value, ...]

Infer = Callable[["Primitive", tuple[Any, ...]], Any]

_MOST_PLANS = 8192
_SMALL = 1 << 17  # bytes of inputs and outputs: quickly copied, and no call is worth two threads
_MOST_BYTES = 16 << 20  # of all arrays that a thread's bound kernels have
_OFTEN = 3  # times that a kernel comes before it is bound
_TOLD_APART = frozenset({bool, int, str, type(None)})  # by class and value; -0.0 equals 0.0


class Plan(ABC):
    """How ``prim`` runs on arguments of one kind.

    Attributes:
        prim: the primitive; while a plan holds it, ``id(prim)`` is its own.
        kernel: ``kernel(*arrays, out=out)``.
        ours: whether it can't be a function of the user's: those belong to ops with effects.
    """

    __slots__ = ("kernel", "ours", "prim")

    kernel: Callable[..., Any]

    def __init__(self, prim: Primitive) -> None:
        self.prim = prim
        self.ours = prim.pure or bool(prim.mutates)

    @abstractmethod
    def run(self, args: tuple[Any, ...], arrays: list[Any], taped: bool) -> Out:
        """The outputs for ``args``, which have ``arrays``; ``taped``: they are being recorded."""


class _Dynamic(Plan):
    """The kernel alone knows the shapes of what it makes."""

    __slots__ = ()

    def __init__(self, prim: Primitive) -> None:
        super().__init__(prim)
        self.kernel = lambda *arrays, out: prim.kernel(*arrays)

    def run(self, args: tuple[Any, ...], arrays: list[Any], taped: bool) -> Out:
        made = seam.runtime.execute(self.prim, self.kernel, arrays, None)
        if isinstance(made, tuple):
            return tuple([Value(Spec(a.shape, a.dtype), a) for a in made])
        return Value(Spec(made.shape, made.dtype), made)


class _One(Plan):
    """One new output."""

    __slots__ = ("make", "spec")

    def __init__(self, prim: Primitive, spec: Spec, arrays: list[Any]) -> None:
        super().__init__(prim)
        self.spec = spec
        self.make = _maker(spec, prim.layout, arrays)
        self.kernel = half.kernel_of(prim, spec)

    def run(self, args: tuple[Any, ...], arrays: list[Any], taped: bool) -> Out:
        out = self.make()
        if overflow.flag.watching:
            _watched(self.prim, self.kernel, arrays, out)
        else:
            seam.runtime.execute(self.prim, self.kernel, arrays, out)
        return Value(self.spec, out)


class _Seen(_One):
    """The output is a view of the first input, where it can be."""

    __slots__ = ()

    def run(self, args: tuple[Any, ...], arrays: list[Any], taped: bool) -> Out:
        seen = self.prim.view(*arrays)
        if seen is None:
            return super().run(args, arrays, taped)
        if any(a.__class__ is Value and a.shared for a in args) or layout.misread(seen):
            seen = seen.copy()  # the Parameter may change under the view
        return Value(self.spec, seen)


class _Several(Plan):
    """Several outputs, or such that take the place of inputs."""

    __slots__ = ("makers", "single", "specs")

    def __init__(self, prim: Primitive, specs: Spec | tuple[Spec, ...], arrays: list[Any]) -> None:
        super().__init__(prim)
        self.single = specs.__class__ is Spec
        self.specs: tuple[Spec, ...] = (specs,) if self.single else specs  # type: ignore[assignment]
        self.makers = [_maker(s, prim.layout, arrays) for s in self.specs]
        self.kernel = half.kernel_of(prim, specs)

    def run(self, args: tuple[Any, ...], arrays: list[Any], taped: bool) -> Out:
        outs = [make() for make in self.makers]
        return self._made(arrays, outs, self.kernel)

    def _made(self, arrays: list[Any], outs: list[np.ndarray], kernel: Callable[..., Any]) -> Out:
        run = _watched if overflow.flag.watching else seam.runtime.execute
        run(self.prim, kernel, arrays, outs[0] if self.single else tuple(outs))
        made = tuple([Value(s, o) for s, o in zip(self.specs, outs, strict=True)])
        return made[0] if self.single else made


class _Mutating(_Several):
    """Some outputs are the new content of inputs; the buffer of a Parameter is written in place."""

    __slots__ = ()

    def run(self, args: tuple[Any, ...], arrays: list[Any], taped: bool) -> Out:
        at = () if taped else self.prim.mutates
        outs = [
            self._own(args[at[i]], at[i], arrays, make) if i < len(at) else make()
            for i, make in enumerate(self.makers)
        ]
        last = args[at[-1]].param if at and self.prim.has_standing else None
        kernel = self.kernel if last is None else self._standing(last, arrays, outs)
        return self._made(arrays, outs, kernel)

    def _standing(
        self, param: Parameter, arrays: list[Any], outs: list[np.ndarray]
    ) -> Callable[..., Any]:
        """The kernel, its calls bound if it has changed the same arrays before.

        The last Parameter that it changes keeps them: a moment, which goes with its optimizer.
        """
        known: _Standing | None = param._standing
        if known is None or known.plan is not self or known.moved(outs):
            known = param._standing = _Standing(self, outs)
        elif known.kernel is None:
            plain = self.kernel == self.prim.kernel
            known.kernel = (plain and self.prim.standing(arrays, tuple(outs))) or self.kernel
        return known.kernel or self.kernel

    def _own(
        self, arg: Value, at: int, arrays: list[Any], make: Callable[[], np.ndarray]
    ) -> np.ndarray:
        array = arrays[at]
        if arg.param is None or not array.flags.writeable:
            return make()
        for i, other in enumerate(arrays):
            if other is array and i != at:  # which the kernel reads, too
                return make()
        arg.param.reclaim_()
        return array  # nobody holds a view of a Parameter's buffer


class _Standing:
    """What has changed Parameters, and the arrays that it wrote: for the next time."""

    __slots__ = ("kernel", "outs", "plan")

    def __init__(self, plan: Plan, outs: list[np.ndarray]) -> None:
        self.plan, self.outs = plan, outs
        self.kernel: Callable[..., Any] | None = None  # from the second time on

    def moved(self, outs: list[np.ndarray]) -> bool:
        return any(now is not then for now, then in zip(outs, self.outs, strict=True))


def _maker(spec: Spec, rule: str, arrays: list[Any]) -> Callable[[], np.ndarray]:
    """What makes new arrays of ``spec`` that lie by ``rule``, see :mod:`minispore.core.layout`."""
    strides = layout.strides(spec, rule, arrays)
    if strides == layout.strides(spec, layout.ROW_MAJOR, arrays):
        return partial(np.empty, spec.shape, spec.dtype)
    return lambda: np.ndarray(spec.shape, spec.dtype, strides=strides)


def _watched(prim: Primitive, kernel: Callable[..., Any], arrays: list[Any], out: Any) -> None:
    """Run a kernel, and look at what it reads and writes for the overflow flag."""
    look = overflow.Look(overflow.flag, arrays, out if isinstance(out, tuple) else (out,))
    look.before()
    seam.runtime.execute(prim, kernel, arrays, out)
    look.after()


class _Unbound:
    """A kernel of many calls on small arrays, until it has come so often that its plan binds it."""

    def __init__(self, plan: Plan, plans: Plans) -> None:
        self._plan, self._plans = plan, plans
        self._kernel, self._times = plan.kernel, 0

    def __call__(self, *arrays: Any, out: Any) -> None:
        self._times += 1
        kernel = self._kernel
        if self._times == _OFTEN:
            bound = Bound(self._plan.prim, arrays, out)
            if self._plans.holds(bound.nbytes):
                kernel = bound.run
            self._plan.kernel = kernel
        kernel(*arrays, out=out)


def _called(calls: Callable[..., Calls], *arrays: Any, out: Any) -> None:
    """Run the calls of a kernel of few and short ones."""
    for call in calls(*arrays, out=out, work=None):
        call()


def _told_apart(static: Any) -> bool:
    kind = static.__class__
    return kind in _TOLD_APART or (kind is tuple and all(_told_apart(a) for a in static))


class Plans:
    """The plans of one thread: no two threads compute in the same arrays."""

    def __init__(self) -> None:
        self._calmly = _calmly if layout.OLD_NUMPY else _calm_context().run
        self.clear()

    def clear(self) -> None:
        """Forget all of them."""
        self._settings = _settings
        self._found: dict[Any, Plan] = {}
        self._nbytes = 0

    def holds(self, nbytes: int) -> bool:
        """Whether there is room for so many bytes more, which are taken."""
        if nbytes > _MOST_BYTES // 16:
            return False
        if self._nbytes + nbytes > _MOST_BYTES:
            self.clear()
        self._nbytes += nbytes
        return True

    def run(self, prim: Primitive, args: tuple[Any, ...], taped: bool, infer: Infer) -> Out:
        """The outputs of ``prim`` on ``args``.

        Raises:
            AttributeError: a Value among ``args`` has no array, or one of another cause.
        """
        if self._settings is not _settings:  # which may say how an op is computed
            self.clear()
        arrays: list[Any] = []
        key: list[Any] = [id(prim)]
        for a in args:
            if a.__class__ is Value:
                array = a.data
                arrays.append(array)
                key += (a.spec, array.strides)
            else:
                arrays.append(a)
                # of numbers in a tuple, 1 equals True: who binds calls to them tells them apart
                key += (a.__class__, repr(a) if prim.binds and a.__class__ is tuple else a)
        at = tuple(key)
        plan = self._found.get(at)
        if plan is None:
            plan = self._plan(prim, args, arrays, infer)
            if len(self._found) >= _MOST_PLANS:
                self.clear()
            self._found[at] = plan
        # log(0) is -inf and no warning, as on any device
        calmly = self._calmly if plan.ours and not _in_calm.get() else _calmly
        return calmly(plan.run, args, arrays, taped)

    def _plan(
        self, prim: Primitive, args: tuple[Any, ...], arrays: list[Any], infer: Infer
    ) -> Plan:
        plan: Plan
        if prim.dynamic:
            return _Dynamic(prim)
        specs = infer(prim, args)
        if prim.mutates:
            return _Mutating(prim, specs, arrays)
        if specs.__class__ is not Spec:
            plan = _Several(prim, specs, arrays)
        else:
            plan = (_Seen if prim.has_view else _One)(prim, specs, arrays)
        self._quicken(plan, args, specs)
        return plan

    def _quicken(self, plan: Plan, args: tuple[Any, ...], specs: Any) -> None:
        """Let the kernel be run in a shorter way, if its arrays are small."""
        prim, outs = plan.prim, (specs,) if specs.__class__ is Spec else specs
        known = (*[a.spec for a in args if a.__class__ is Value], *outs)
        if plan.kernel != prim.kernel or sum(s.nbytes for s in known) > _SMALL:
            return
        if prim.has_calls and not prim.binds:
            plan.kernel = partial(_called, prim.calls)
            return
        told_apart = all(_told_apart(a) for a in args if a.__class__ is not Value)
        if prim.binds and prim.pure and not prim.distinct and told_apart:
            plan.kernel = _Unbound(plan, self)


_settings = context.current()


def _follow(old: context.Context, new: context.Context) -> None:
    global _settings
    _settings = new


context.subscribe(_follow)

# NumPy's errstate takes as long as a small kernel. So each thread has a context of its own in which
# errors of floats are ignored (before NumPy 2 they are the thread's, not the context's). Kernels of
# ours run there, which ask for no variable of a context; a user's function runs in the user's.
_in_calm = contextvars.ContextVar("in_calm", default=False)


def _calm_context() -> contextvars.Context:
    made = contextvars.Context()
    made.run(np.seterr, all="ignore")
    made.run(_in_calm.set, True)
    return made


def _calmly(run: Callable[..., Any], *args: Any) -> Any:
    with np.errstate(all="ignore"):
        return run(*args)


__all__ = ["Plan", "Plans"]
