"""Parameter: a named tensor that a Cell owns, an optimizer updates and a checkpoint keeps."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore import checks
from minispore.core import dtype as mstype
from minispore.core import interpreter, layout
from minispore.core.arguments import cast, of_array, to_array
from minispore.core.initializer import Constant, Initializer
from minispore.core.initializer.later import Elsewhere, Unfilled, leaves_for_later
from minispore.core.tensor import Tensor, call
from minispore.core.value import Spec, Value

PARAMETER_NAME_DEFAULT = "Parameter"
_LONGEST_NAME = 1024
_unnamed = itertools.count(1)


class Parameter(Tensor):
    """A tensor with a name that training changes.

    Args:
        default_input: the first content: a Tensor, NumPy array, number or list. Copied.
        name: unique within a network; without one it has a number, until a Cell names it after
            its attribute.
        requires_grad: whether training changes it.
        layerwise_parallel: kept for MindSpore's sake.
        parallel_optimizer: kept for MindSpore's sake.
        storage_format: kept for MindSpore's sake.

    ``comm_fusion`` numbers the all-reduce in which its gradient travels between ranks; 0: one of
    its own. ``kept_by_`` is the rank that alone has the content, as of a state of an optimizer that
    ranks share.

    Raises:
        TypeError: ``requires_grad``, ``layerwise_parallel`` or ``parallel_optimizer`` is no bool.
        ValueError: ``name`` is not a str, or ``default_input`` a bool.

    >>> p = Parameter(Tensor([1.0, 2.0]), name="w")
    >>> p
    Parameter (name=w, shape=(2,), dtype=Float32, requires_grad=True)
    """

    def __init__(
        self,
        default_input: Any,
        name: str | None = None,
        requires_grad: bool = True,
        layerwise_parallel: bool = False,
        parallel_optimizer: bool = True,
        storage_format: str = "",
        device: str | None = None,
    ) -> None:
        interpreter.interpreter().outside("a Parameter was made")
        if isinstance(default_input, bool):
            raise ValueError(f"Parameter: default_input must not be a bool, got {default_input}.")
        checks.boolean("Parameter", "layerwise_parallel", layerwise_parallel)
        checks.boolean("Parameter", "parallel_optimizer", parallel_optimizer)
        self.name = name
        self.requires_grad = requires_grad
        self.layerwise_parallel = layerwise_parallel
        self.parallel_optimizer = parallel_optimizer
        self.storage_format = storage_format
        self.comm_fusion = 1
        self.cache_enable = False  # no parameter server holds it
        self.key, self.sliced = -1, False  # nor has one of its own, nor is it a part of another
        self.parallel_optimizer_comm_recompute = False  # kept for MindSpore's sake
        self.kept_by_: int | None = None
        self._lent: weakref.ref[Value] | None = None  # what else holds the content, if it lives
        self._later: Initializer | Elsewhere | None = None
        self._standing: Any = (
            None  # the update that it is the last input of, see core.kernels.plans
        )
        if isinstance(default_input, Unfilled) and default_input.has_init and default_input.later:
            self._later = default_input.init
            self._value = Value(default_input.value_.spec, None, self)
            return
        dtype = None  # numbers have 32 bits, unless an int needs more
        if isinstance(default_input, float):
            dtype = mstype.float32
        elif isinstance(default_input, int) and -(2**31) <= default_input < 2**31:
            dtype = mstype.int32
        data = layout.aligned(to_array(default_input, dtype))
        self._value = Value(Spec(data.shape, data.dtype), data, self)

    @property
    def _init(self) -> Any:
        return self._later

    @property
    def name(self) -> str:
        """The name, such as ``conv1.weight``."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        if not isinstance(name, str | None):
            raise ValueError(
                f"Parameter: name must be a str or None, got {name!r} ({type(name).__name__})."
            )
        name = (name or "").strip()
        if len(name) > _LONGEST_NAME:
            raise ValueError(
                f"Parameter: name must have at most {_LONGEST_NAME} characters, got {len(name)}."
            )
        self._name = name or f"{PARAMETER_NAME_DEFAULT}#{next(_unnamed)}"

    @property  # type: ignore[override]
    def unique(self) -> bool:
        """Whether a table's rows are looked up once each, on many devices; no Tensor.unique."""
        return self.__dict__.get("_unique_", False)

    @unique.setter
    def unique(self, value: bool) -> None:
        self.__dict__["_unique_"] = value

    @property
    def unnamed_(self) -> bool:
        """Whether nobody gave it a name, so that it has a number."""
        return self._name.startswith(f"{PARAMETER_NAME_DEFAULT}#")

    @property
    def requires_grad(self) -> bool:
        """Whether training changes it."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        if not isinstance(value, bool):
            raise TypeError(
                f"Parameter: requires_grad must be a bool, got {value!r} "
                f"({type(value).__name__}) for {self.name!r}."
            )
        interpreter.interpreter().outside("requires_grad of a Parameter was set")
        self._requires_grad = value

    @property
    def inited_param(self) -> Parameter:
        """The parameter itself, see :meth:`init_data`."""
        return self

    def init_data(self, *args: Any, **kwargs: Any) -> Parameter:
        """The parameter itself, filled if it was made in ``nn.utils.no_init_parameters``."""
        self._content()
        return self

    def set_value_(self, value: Value) -> None:
        """Put a new content into the box; for the framework's own use."""
        data = value.data
        fresh = not value.shared and data.base is None and data.flags.c_contiguous
        if fresh or data is self._value.data:
            value.shared = True  # no copy of a result that nothing else holds
            self._lent = weakref.ref(value)
        else:
            data = layout.aligned(np.array(data, order="C"))
        self._value = Value(value.spec, data, self)

    def reclaim_(self) -> None:
        """Called before the content is overwritten: what an assignment gave becomes a copy."""
        lent, self._lent = self._lent, None
        if lent is not None and (value := lent()) is not None and value.data is self._value.data:
            value.data, value.shared = value.data.copy(), False

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Replace the content.

        Args:
            data: a Tensor of any shape, or a number; it is converted to the parameter's dtype.
            slice_shape: kept for MindSpore's sake.

        Raises:
            TypeError: ``data`` is something else, or a float for an integer parameter.

        >>> p = Parameter(Tensor([1.0]), name="w")
        >>> print(p.set_data(Tensor([5.0])).asnumpy())
        [5.]
        """
        interpreter.interpreter().outside("set_data was called on a Parameter")
        spec = self._value.spec
        if not isinstance(data, Tensor | int | float):
            rule = "be a Tensor, int or float"
            raise TypeError(checks.text("Parameter.set_data", "data", rule, checks.shown(data)))
        if isinstance(data, float) and spec.dtype.kind in "iu":
            rule = f"be an int, as {self.name!r} holds ints"
            raise TypeError(checks.text("Parameter.set_data", "data", rule, str(data)))
        new = to_array(data)
        if new.dtype != spec.dtype:
            new = cast(of_array(new), mstype.from_numpy(spec.dtype)).data
        if self.has_init and isinstance(self._later, Elsewhere):
            return self  # the rank that keeps it takes it
        if new.shape == spec.shape and not interpreter.tapes() and not self.has_init:
            # in place: programs stay bound to the buffer
            self.reclaim_()
            np.copyto(self._value.data, new)
        else:
            self._value = Value(Spec(new.shape, new.dtype), layout.aligned(new), self)
        return self

    def assign_value(self, value: Any) -> Parameter:
        """Replace the content; see :meth:`set_data`."""
        return self.set_data(value)

    def set_dtype(self, dtype: Any) -> Parameter:
        """Convert the content to ``dtype``, in place."""
        interpreter.interpreter().outside("set_dtype was called on a Parameter")
        data = layout.aligned(self._content().astype(mstype.to_numpy(dtype)))
        self._value = Value(Spec(data.shape, data.dtype), data, self)
        return self

    def value(self) -> Tensor:
        """The content as a Tensor that later updates do not change."""
        return call("Identity", self)

    def clone(self, init: Any = "same") -> Parameter:
        """A new parameter of the same name and flags; ``init`` other than ``"same"``
        fills it anew.
        """
        same = isinstance(init, str) and init == "same"
        spec = self._value.spec
        data: Any
        if self._later is not None and self.has_init:  # its copies are left for later as well
            data = Unfilled(spec, self._later if same else _maker(init))
        elif leaves_for_later() and not same:
            data = Unfilled(spec, _maker(init))
        elif same:
            data = self.asnumpy()
        else:
            data = _maker(init)._make_(*spec)
        made = Parameter(
            data, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer
        )
        return made

    def copy(self) -> Parameter:
        """A new parameter with the same content."""
        return self.clone()

    def __repr__(self) -> str:
        flag = f"requires_grad={self.requires_grad}"
        return f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, {flag})"

    __str__ = __repr__

    def __copy__(self) -> Parameter:
        return self.clone()

    def __deepcopy__(self, memodict: Any) -> Parameter:
        return self.clone()

    def __reduce__(self) -> Any:
        return (Parameter, (self.asnumpy(), self.name, self.requires_grad))


def _maker(init: Any) -> Any:
    """What fills a clone."""
    if hasattr(init, "make"):
        return init
    constants = {"zeros": 0, "ones": 1, "zero": 0, "one": 1}
    if isinstance(init, str) and init not in constants:
        raise ValueError(
            "Parameter.clone: init must be 'same', 'zeros', 'ones', a number or an Initializer, "
            f"got {init!r}."
        )
    return Constant(constants[init] if isinstance(init, str) else init)


class _Buffer(Tensor):
    """A tensor that a Cell keeps as a buffer, once it is its attribute.

    Args:
        tensor: its content.
        persistent: whether the state of the Cell contains it.
    """

    def __init__(self, tensor: Tensor, *, persistent: bool = True) -> None:
        super().__init__(tensor)
        self.persistent = persistent


def check_kept(who: str, attributes: Iterable[Any]) -> None:
    """The Parameters in a Cell's lists and tuples must have names of their own.

    Raises:
        ValueError: two of them share one.
    """
    known: dict[str, Parameter] = {}
    for items in attributes:
        for p in items if type(items) in (list, tuple) else ():
            if isinstance(p, Parameter) and known.setdefault(p.name, p) is not p:
                raise ValueError(
                    f"{who}: each parameter must have a name of its own, and its name {p.name!r} "
                    "already exists. Rename one of the two."
                )


class ParameterTuple(tuple):
    """A tuple of Parameters.

    Raises:
        TypeError: an element is not a Parameter.
        ValueError: two different parameters have the same name.
    """

    def __new__(cls, iterable: Iterable[Parameter] = ()) -> ParameterTuple:
        items = tuple(iterable)
        for p in items:
            if not isinstance(p, Parameter):
                raise TypeError(
                    f"ParameterTuple: every element must be a Parameter, got {p!r} "
                    f"({type(p).__name__})."
                )
        check_kept("ParameterTuple", (items,))
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Copies named ``prefix.<name>``; ``init`` as in :meth:`Parameter.clone`."""
        made = []
        for p in self:
            copy = p.clone(init)
            copy.name = f"{prefix}.{p.name}"
            made.append(copy)
        return ParameterTuple(made)
