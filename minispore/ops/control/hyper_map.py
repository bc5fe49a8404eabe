"""Higher-order functions and functions over trees of tensors, such as HyperMap and partial."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

from minispore.core.parameter import Parameter
from minispore.core.primitive import Primitive
from minispore.core.staged import StagedCallable
from minispore.core.tensor import Tensor
from minispore.errors import did_you_mean
from minispore.ir import dtype as mstype


def _is_number(x: Any) -> bool:
    """Whether ``x`` is a Python number or bool."""
    return isinstance(x, bool | int | float | complex)


def _is_tensor_of(dtype: mstype.DType, x: Any) -> bool:
    """Whether ``x`` is a Tensor of exactly this dtype."""
    return isinstance(x, Tensor) and x.dtype is dtype


_TYPE_PREDICATES: dict[str, Callable[[Any], bool]] = {
    "Tensor": lambda x: isinstance(x, Tensor),
    "Parameter": lambda x: isinstance(x, Parameter),
    **{str(t): lambda x: False for t in mstype.all_types},  # dtypes that no Python scalar has
    "Number": _is_number,
    "Bool": lambda x: isinstance(x, bool),
    **dict.fromkeys(("Int", "Int64"), lambda x: isinstance(x, int) and not isinstance(x, bool)),
    **dict.fromkeys(("Float", "Float32", "Float64"), lambda x: isinstance(x, float)),
    **dict.fromkeys(("Complex", "Complex128"), lambda x: isinstance(x, complex)),
    "String": lambda x: isinstance(x, str),
    "Tuple": lambda x: isinstance(x, tuple),
    "List": lambda x: isinstance(x, list),
    "Dict": lambda x: isinstance(x, dict),
    "Dictionary": lambda x: isinstance(x, dict),
    "Slice": lambda x: isinstance(x, slice),
    "Ellipsis": lambda x: x is Ellipsis,
    "None": lambda x: x is None,
    "Function": lambda x: callable(x) and not isinstance(x, Tensor),
    "RowTensor": lambda x: type(x).__name__ == "RowTensor",
    "COOTensor": lambda x: type(x).__name__ == "COOTensor",
    "CSRTensor": lambda x: type(x).__name__ == "CSRTensor",
    "MapTensor": lambda x: type(x).__name__ == "MapTensor",
    **{f"Tensor[{t}]": functools.partial(_is_tensor_of, t) for t in mstype.all_types},
}


class MultitypeFuncGraph(StagedCallable):
    """A function with one body for each combination of argument types.

    Args:
        name: the name in error messages.
        read_value: pass Parameters to the bodies as plain tensors.

    Raises:
        ValueError: when called: no body was registered for these types.

    >>> add = MultitypeFuncGraph("add")
    >>> @add.register("Number", "Number")
    ... def _add_numbers(x, y):
    ...     return x + y
    >>> @add.register("String", "String")
    ... def _add_strings(x, y):
    ...     return x + " " + y
    >>> add(1, 2), add("a", "b")
    (3, 'a b')
    """

    def __init__(self, name: str, read_value: bool = False) -> None:
        """Create a function without bodies; with ``read_value``, bodies get the values of
        Parameters.
        """
        if not isinstance(name, str):
            raise TypeError(
                f"MultitypeFuncGraph: name must be a str, got {name!r} ({type(name).__name__})."
            )
        self.name = name
        self.read_value = read_value
        self.entries: list[tuple[tuple[Any, ...], Callable[..., Any]]] = []

    @property
    def fn(self) -> Any:
        """The registered bodies, a list of (type names, body), in which a compiler looks for the
        state that they use.
        """
        return self.entries

    def register(self, *type_names: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
        """Make the decorated function the body for ``type_names``, say ``("Tensor", "Number")``.

        "Tensor[Float32]" matches a tensor of that dtype, "Float32" a Python scalar: "Float32" and
        "Float64" match floats, "Int64" ints. A name may also be a type of MindSpore
        (``ms.tensor_type``, ``ms.float32``) or a Python class. If there is only one body, it
        accepts any arguments.

        Raises:
            ValueError: a name is not a known type.
        """
        type_names = tuple(str(n) if isinstance(n, mstype.Type) else n for n in type_names)
        for name in type_names:
            if isinstance(name, str) and name not in _TYPE_PREDICATES:
                raise ValueError(
                    f"MultitypeFuncGraph: {self.name}.register must be given known types, got "
                    f"{name!r}."
                    f"{did_you_mean(name, _TYPE_PREDICATES)}"
                )

        def add_body(fn: Callable[..., Any]) -> Callable[..., Any]:
            """Append ``fn`` as the body for ``type_names``, and return it."""
            self.entries.append((type_names, fn))
            return fn

        return add_body

    def __call__(self, *args: Any) -> Any:
        """Call the first body whose types match the arguments; a single body is called with any
        arguments.
        """
        for names, fn in self.entries:
            is_match = len(names) == len(args) and all(map(_is_of_type, names, args))
            if is_match or len(self.entries) == 1:
                if self.read_value:
                    args = tuple(a.value() if isinstance(a, Parameter) else a for a in args)
                return fn(*args)
        registered = "; ".join(", ".join(map(str, names)) for names, _ in self.entries) or "nothing"
        raise ValueError(
            f"MultitypeFuncGraph: {self.name!r} must be called with types it was registered for "
            f"({registered}), got ({', '.join(type(a).__name__ for a in args)})."
        )

    def __repr__(self) -> str:
        return f"MultitypeFuncGraph({self.name!r})"


def _is_of_type(name: Any, arg: Any) -> bool:
    """Whether ``arg`` matches the type name ``name``, or is an instance of the class ``name``."""
    if isinstance(name, str):
        return _TYPE_PREDICATES[name](arg)
    return isinstance(arg, name)


class Map(StagedCallable):
    """``ops`` applied to the elements of sequences, one level deep.

    Args:
        ops: the function; with None, it is the first argument of the call.
        reverse: process the elements from last to first; the order of the results is unchanged.

    Raises:
        TypeError: ``ops`` is not callable, or an argument is not a sequence.
        ValueError: the sequences differ in length.

    >>> Map()(lambda x, y: x + y, (1, 2), (10, 20))
    (11, 22)
    """

    def __init__(self, ops: Callable[..., Any] | None = None, reverse: bool = False) -> None:
        if ops is not None and not callable(ops):
            raise TypeError(f"{type(self).__name__}: ops must be a function, got {ops!r}.")
        self.ops, self.reverse = ops, reverse

    @property
    def fn(self) -> Any:
        """The function ``ops``, in which a compiler looks for the state that it uses; None if each
        call names its function.
        """
        return self.ops

    def __call__(self, *args: Any) -> Any:
        """Apply ``ops`` to the elements of ``args``; without ``ops``, the first argument is the
        function.
        """
        fn = self.ops
        if fn is None:
            if not args or not callable(args[0]):
                raise TypeError(
                    f"{type(self).__name__}: without ops the first argument must be the function, "
                    f"got {args[0] if args else 'nothing'!r}."
                )
            fn, *args = args  # type: ignore[assignment]
        return self._map_args(fn, tuple(args))

    def _map_args(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Check that every argument is a tuple or list, and apply ``fn`` to their i-th elements for
        each i; return a tuple.
        """
        for a in args:
            if not isinstance(a, tuple | list):
                raise TypeError(f"Map: each argument must be a tuple or list, got {a!r}.")
        return self._map_columns(fn, args)

    def _map_columns(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> tuple[Any, ...]:
        """Apply ``fn`` to the i-th elements of all ``args``, for each i; return the results as a
        tuple in that order. With ``reverse``, ``fn`` is called for the last elements first.

        Raises:
            ValueError: the sequences differ in length.
        """
        if len({len(a) for a in args}) > 1:
            raise ValueError(
                f"{type(self).__name__}: sequences must be of one length, got lengths "
                f"{', '.join(str(len(a)) for a in args)}."
            )
        columns = list(zip(*args, strict=True))
        results = [fn(*column) for column in (reversed(columns) if self.reverse else columns)]
        return tuple(reversed(results) if self.reverse else results)


class HyperMap(Map):
    """``ops`` applied to the leaves of nested tuples, lists and dicts of the same structure.

    Where an argument is not a sequence, recursion stops: the function gets the other arguments'
    parts as they are, tuples included.

    >>> HyperMap()(lambda x, y: x + y, ((1, 2), 3), ((10, 20), 30))
    ((11, 22), 33)
    """

    def _map_args(self, fn: Callable[..., Any], args: tuple[Any, ...]) -> Any:
        """Apply ``fn`` to the leaves of ``args``, dicts by key and sequences element by element.

        Returns a dict for dicts, and a tuple for tuples and lists. If one argument is a leaf,
        ``fn`` gets the parts of the others as they are.

        Raises:
            ValueError: dicts differ in their keys, or sequences in their lengths.
        """
        if args and all(isinstance(a, dict) for a in args):
            keys = list(args[0])
            for a in args:
                if list(a) != keys:
                    raise ValueError(
                        f"HyperMap: dicts must have the same keys, got {keys}, {list(a)}."
                    )
            return {k: self._map_args(fn, tuple(a[k] for a in args)) for k in keys}
        if not args or not all(isinstance(a, tuple | list) for a in args):
            return fn(*args)
        return self._map_columns(lambda *xs: self._map_args(fn, xs), args)


class Partial(Primitive):
    """A function with its first arguments bound.

    >>> Partial()(max, 3)(2)
    3
    """

    question = True

    def __call__(self, *args: Any, **kwargs: Any) -> Callable[..., Any]:
        return partial(*args, **kwargs)


def partial(*args: Any, **kwargs: Any) -> Callable[..., Any]:
    """Return the function ``args[0]`` with its first arguments bound.

    Raises:
        TypeError: the first argument is not callable.

    >>> partial(pow, 2)(5)
    32
    """
    if not args or not callable(args[0]):
        raise TypeError(f"partial: fn must be a function, got {args[0] if args else 'nothing'!r}.")
    fn, *bound_args = args
    return functools.partial(fn, *bound_args, **kwargs)


def constexpr(
    fn: Callable[..., Any] | None = None,
    get_instance: bool = True,
    name: str | None = None,
    reuse_result: bool = True,
    check: bool = True,
) -> Any:
    """Mark a function of Python values as evaluated at compile time, which all Python code is
    anyway.

    Args:
        fn: the function; without it, the result is a decorator.
        get_instance: if False, return a class whose instances call the function.
        name: a new name for the function.
        reuse_result: accepted as in MindSpore, but has no effect.
        check: accepted as in MindSpore, but has no effect.

    >>> @constexpr
    ... def doubled(shape):
    ...     return tuple(2 * d for d in shape)
    >>> doubled((1, 2))
    (2, 4)
    """

    def decorate(fn: Callable[..., Any]) -> Any:
        """Return a function that calls ``fn``, or, without ``get_instance``, a class whose
        instances do.
        """

        @functools.wraps(fn)
        def call_fn(*args: Any, **kwargs: Any) -> Any:
            """Call ``fn`` with these arguments."""
            return fn(*args, **kwargs)

        if name:
            call_fn.__name__ = name
        if get_instance:
            return call_fn
        return type(call_fn.__name__, (), {"__call__": staticmethod(call_fn)})

    return decorate if fn is None else decorate(fn)


_primexpr = constexpr


@functools.cache
def _get_cached_op(cls: type[Primitive], args: tuple[Any, ...]) -> Primitive:
    """Return ``cls(*args)``, the same object for the same arguments."""
    return cls(*args)


def _get_cache_prim(cls: type[Primitive]) -> Callable[..., Primitive]:
    """Return a function that caches ``cls(*args)`` by its arguments; calls with kwargs are not
    cached.
    """

    def get_op(*args: Any, **kwargs: Any) -> Primitive:
        """Return ``cls(*args)``: the cached object without keyword arguments, else a new one."""
        return cls(*args, **kwargs) if kwargs else _get_cached_op(cls, args)

    return get_op


def add_flags(fn: Callable[..., Any] | None = None, **flags: Any) -> Any:
    """Store ``flags`` in the attribute ``_func_graph_flags`` of a function or Cell, and return it;
    without ``fn``, return a decorator that does. They have no effect here.

    >>> add_flags(lambda x: x, has_effect=True)._func_graph_flags
    {'has_effect': True}
    """

    def set_flags(fn: Callable[..., Any]) -> Callable[..., Any]:
        """Merge ``flags`` into the flags of ``fn``, and return ``fn``."""
        merged = {**getattr(fn, "_func_graph_flags", {}), **flags}
        fn._func_graph_flags = merged  # type: ignore[attr-defined]
        return fn

    return set_flags if fn is None else set_flags(fn)


def core(fn: Callable[..., Any] | None = None, **flags: Any) -> Any:
    """Set the flag ``core``, which has no effect here, and ``flags`` as :func:`add_flags` does."""
    return add_flags(fn, core=True, **flags)


__all__ = [
    "HyperMap",
    "Map",
    "MultitypeFuncGraph",
    "Partial",
    "add_flags",
    "constexpr",
    "core",
    "partial",
]
