"""Parameter: a named tensor that a Cell contains, an optimizer updates and a checkpoint saves."""

from __future__ import annotations

import itertools
import weakref
from collections.abc import Iterable
from typing import Any

import numpy as np

from minispore.core import interpreter
from minispore.core.arguments import cast, make_value, to_array
from minispore.core.initializer.base import Initializer, as_initializer, initializer
from minispore.core.initializer.deferred import DeferredTensor, OnAnotherRank, is_deferring
from minispore.core.tensor import Tensor, call
from minispore.foundation import checks
from minispore.ir import dtype as mstype
from minispore.ir.value import Spec, Value

PARAMETER_NAME_DEFAULT = "Parameter"
_MAX_NAME_LENGTH = 1024
_name_numbers = itertools.count(1)


class Parameter(Tensor):
    """A named tensor that training changes.

    Args:
        default_input: the initial content: a Tensor, NumPy array, number or list. Copied.
        name: unique within a network; the default name contains a number, until a Cell names the
            Parameter after its attribute.
        requires_grad: whether training changes it.
        layerwise_parallel: whether each rank has its own content: neither the content nor its
            gradient is shared with other ranks.
        parallel_optimizer: whether optimizer sharding may assign the Parameter to one rank.
        storage_format: accepted for compatibility.
        device: "CPU", "GPU" or "Ascend"; has no effect.

    ``comm_fusion`` is the number of the all-reduce that its gradient shares with other gradients; 0
    if the gradient has its own. ``owner_rank_`` is the only rank that has the content, as with an
    optimizer's state that is split over ranks.

    Raises:
        TypeError: ``requires_grad``, ``layerwise_parallel`` or ``parallel_optimizer`` is not a
            bool.
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
        interpreter.current().on_untraceable("a Parameter was made")
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
        self.cache_enable = False  # no parameter server caches it
        self.key, self.sliced = -1, False  # not a key on a server, not a slice of another Parameter
        self.parallel_optimizer_comm_recompute = False  # for compatibility
        self.owner_rank_: int | None = None
        self._aliasing_value: weakref.ref[Value] | None = None  # a Value that shares the buffer
        self._deferred_init: Initializer | OnAnotherRank | None = None
        # The bound kernel of the update that has this Parameter as its last input, see
        # execution.kernels.plans.
        self._in_place_binding: Any = None
        if (
            isinstance(default_input, DeferredTensor)
            and default_input.has_init
            and default_input.defers_parameters
        ):
            self._deferred_init = default_input.init
            self._value = Value(default_input.value_.spec, None, self)
            return
        dtype = None  # Python scalars get 32 bits, unless an int needs more
        if isinstance(default_input, float):
            dtype = mstype.float32
        elif isinstance(default_input, int) and -(2**31) <= default_input < 2**31:
            dtype = mstype.int32
        data = to_array(default_input, dtype)
        self._value = Value(Spec(data.shape, data.dtype), data, self)

    @property
    def _pending_init(self) -> Any:
        """The initializer of deferred content, if any; it remains set after the content is
        drawn.
        """
        return self._deferred_init

    @property
    def name(self) -> str:
        """The name, such as ``conv1.weight``."""
        return self._name

    @name.setter
    def name(self, name: str | None) -> None:
        """Set the name, stripped; an empty one or None becomes the default with a new number.

        Raises:
            ValueError: the name is not text, or too long.
        """
        if not isinstance(name, str | None):
            raise ValueError(
                f"Parameter: name must be a str or None, got {name!r} ({type(name).__name__})."
            )
        name = (name or "").strip()
        if len(name) > _MAX_NAME_LENGTH:
            raise ValueError(
                f"Parameter: name must have at most {_MAX_NAME_LENGTH} characters, got {len(name)}."
            )
        self._name = name or f"{PARAMETER_NAME_DEFAULT}#{next(_name_numbers)}"

    @property  # type: ignore[override]
    def unique(self) -> bool:
        """MindSpore's flag of an embedding table on many devices: each row is looked up only once.
        It is stored without effect, and hides the method ``Tensor.unique``.
        """
        return self.__dict__.get("_unique_", False)

    @unique.setter
    def unique(self, value: bool) -> None:
        self.__dict__["_unique_"] = value

    @property
    def has_default_name_(self) -> bool:
        """Whether the Parameter has the default name with a number, which a Cell replaces."""
        return self._name.startswith(f"{PARAMETER_NAME_DEFAULT}#")

    @property
    def requires_grad(self) -> bool:
        """Whether training changes it."""
        return self._requires_grad

    @requires_grad.setter
    def requires_grad(self, value: bool) -> None:
        """Set whether training changes it; TypeError unless a bool. A trace can't contain this."""
        if not isinstance(value, bool):
            raise TypeError(
                f"Parameter: requires_grad must be a bool, got {value!r} "
                f"({type(value).__name__}) for {self.name!r}."
            )
        interpreter.current().on_untraceable("requires_grad of a Parameter was set")
        self._requires_grad = value

    @property
    def inited_param(self) -> Parameter:
        """The parameter itself, see :meth:`init_data`."""
        return self

    def init_data(self, *args: Any, **kwargs: Any) -> Parameter:
        """Draw the content if its initialization was deferred; returns the parameter itself."""
        self._get_content()
        return self

    def set_value_(self, value: Value) -> None:
        """Take the content of ``value``; for the framework's own use.

        The array is shared, without a copy, if it is contiguous and nothing else refers to it.
        Then ``value`` is marked as shared, and gets a copy before the next write in place.
        """
        data = value.data
        is_fresh = not value.shared and data.base is None and data.flags.c_contiguous
        if is_fresh or data is self._value.data:
            value.shared = True
            self._aliasing_value = weakref.ref(value)
        else:
            data = np.array(data, order="C")
        self._value = Value(value.spec, data, self)

    def unshare_(self) -> None:
        """Copy the content for the Value that shares this Parameter's buffer, before a write to the
        buffer.

        Does nothing if no living Value shares it.
        """
        alias, self._aliasing_value = self._aliasing_value, None
        if alias is not None and (value := alias()) is not None and value.data is self._value.data:
            value.data, value.shared = value.data.copy(), False

    def set_data(self, data: Any, slice_shape: bool = False) -> Parameter:
        """Replace the content; does nothing on a rank that does not have the content.

        Args:
            data: a Tensor of any shape, or a number; it is converted to the parameter's dtype.
            slice_shape: accepted for compatibility.

        Raises:
            TypeError: ``data`` is something else, or a float for an integer parameter.

        >>> p = Parameter(Tensor([1.0]), name="w")
        >>> print(p.set_data(Tensor([5.0])).asnumpy())
        [5.]
        """
        interpreter.current().on_untraceable("set_data was called on a Parameter")
        spec = self._value.spec
        if not isinstance(data, Tensor | int | float):
            rule = "be a Tensor, int or float"
            raise TypeError(
                checks.format_error("Parameter.set_data", "data", rule, checks.format_value(data))
            )
        if isinstance(data, float) and spec.dtype.kind in "iu":
            rule = f"be an int, as {self.name!r} holds ints"
            raise TypeError(checks.format_error("Parameter.set_data", "data", rule, str(data)))
        array = to_array(data)
        if array.dtype != spec.dtype:
            array = cast(make_value(array), mstype.from_numpy(spec.dtype)).data
        if self.has_init and isinstance(self._deferred_init, OnAnotherRank):
            return self  # the rank that has the content sets it
        if array.shape == spec.shape and not interpreter.tapes() and not self.has_init:
            # In place, since compiled programs are bound to the buffer.
            self.unshare_()
            np.copyto(self._value.data, array)
        else:
            self._value = Value(Spec(array.shape, array.dtype), array, self)
        return self

    def assign_value(self, value: Any) -> Parameter:
        """Replace the content; see :meth:`set_data`."""
        return self.set_data(value)

    def set_dtype(self, dtype: Any) -> Parameter:
        """Convert the content to ``dtype``; the Parameter stays the same object."""
        interpreter.current().on_untraceable("set_dtype was called on a Parameter")
        data = self._get_content().astype(mstype.to_numpy(dtype))
        self._value = Value(Spec(data.shape, data.dtype), data, self)
        return self

    def value(self) -> Tensor:
        """Return the content as a Tensor that later updates do not change."""
        return call("Identity", self)

    def clone(self, init: Any = "same") -> Parameter:
        """Return a new parameter with the same name and flags, and the same or new content.

        Args:
            init: ``"same"``, or an argument of :func:`initializer` for the new content.

        Raises:
            TypeError: ``init`` is none of these.
            ValueError: ``init`` is an unknown name, or a Tensor of a different shape.
        """
        keeps_content = isinstance(init, str) and init == "same"
        spec = self._value.spec
        data: Any
        if isinstance(init, Tensor):
            data = initializer(init, spec.shape)
        elif self._deferred_init is not None and self.has_init:  # the copy is deferred as well
            data = DeferredTensor(
                spec, self._deferred_init if keeps_content else as_initializer(init)
            )
        elif is_deferring() and not keeps_content:
            data = DeferredTensor(spec, as_initializer(init))
        elif keeps_content:
            data = self.asnumpy()
        else:
            data = as_initializer(init)._make_(*spec)
        return Parameter(
            data, self.name, self.requires_grad, self.layerwise_parallel, self.parallel_optimizer
        )

    def copy(self) -> Parameter:
        """Return a new parameter with the same content, name and flags."""
        return self.clone()

    def __repr__(self) -> str:
        flag = f"requires_grad={self.requires_grad}"
        return f"Parameter (name={self.name}, shape={self.shape}, dtype={self.dtype}, {flag})"

    __str__ = __repr__

    def __copy__(self) -> Parameter:
        """Return a Parameter with a copy of the content."""
        return self.clone()

    def __deepcopy__(self, memodict: Any) -> Parameter:
        """Return a Parameter with a copy of the content."""
        return self.clone()

    def __reduce__(self) -> Any:
        """Pickle content, name and ``requires_grad``."""
        return (Parameter, (self.asnumpy(), self.name, self.requires_grad))


class _Buffer(Tensor):
    """Tensor that becomes a buffer of a Cell when it is assigned to an attribute of the Cell.

    Args:
        tensor: its content.
        persistent: whether the state of the Cell contains it.
    """

    def __init__(self, tensor: Tensor, *, persistent: bool = True) -> None:
        super().__init__(tensor)
        self.persistent = persistent


def check_unique_names(api_name: str, collections: Iterable[Any]) -> None:
    """Check that no two different Parameters in lists and tuples have the same name.

    Args:
        api_name: the public name with which the error begins.
        collections: the lists and tuples, such as attributes of a Cell; other objects are ignored.

    Raises:
        ValueError: two Parameters share a name.
    """
    params_by_name: dict[str, Parameter] = {}
    for collection in collections:
        for p in collection if type(collection) in (list, tuple) else ():
            if isinstance(p, Parameter) and params_by_name.setdefault(p.name, p) is not p:
                raise ValueError(
                    f"{api_name}: each parameter must have a name of its own, and its name "
                    f"{p.name!r} already exists. Rename one of the two."
                )


class ParameterTuple(tuple):
    """A tuple of Parameters.

    Raises:
        TypeError: an element is not a Parameter.
        ValueError: two different parameters have the same name.
    """

    def __new__(cls, iterable: Iterable[Parameter] = ()) -> ParameterTuple:
        """Check the type and the names of the elements, then make the tuple."""
        items = tuple(iterable)
        for p in items:
            if not isinstance(p, Parameter):
                raise TypeError(
                    f"ParameterTuple: every element must be a Parameter, got {p!r} "
                    f"({type(p).__name__})."
                )
        check_unique_names("ParameterTuple", (items,))
        return super().__new__(cls, items)

    def clone(self, prefix: str, init: Any = "same") -> ParameterTuple:
        """Return copies named ``prefix.<name>``; ``init`` as in :meth:`Parameter.clone`."""
        copies = []
        for p in self:
            copy = p.clone(init)
            copy.name = f"{prefix}.{p.name}"
            copies.append(copy)
        return ParameterTuple(copies)
