"""Arguments of a graph with dynamic lengths, declared by name."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any

from minispore.core.tensor import Tensor, matches_spec
from minispore.graph.keys import name_of

_declarations: weakref.WeakKeyDictionary[Any, Declared] = weakref.WeakKeyDictionary()

_TENSOR_RULE = "a tensor or a tuple of them"


class Declared:
    """The expected shapes, dtypes and values of a function's inputs, compared at each call.

    Args:
        api_name: the public name that an error begins with.
        fn: the function's name.
        signature: its arguments.
        expected: by argument name, a Tensor, a constant, or a tuple or list of them.

    Raises:
        ValueError: the function has no argument of a declared name.
    """

    def __init__(
        self, api_name: str, fn: str, signature: inspect.Signature, expected: dict[str, Any]
    ) -> None:
        self._api_name, self._fn = api_name, fn
        self._signature, self._expected = signature, expected
        for name in expected:
            if name not in signature.parameters:
                allowed = ", ".join(signature.parameters)
                raise ValueError(
                    f"{api_name}: {name} must be one of the arguments of {fn} ({allowed})."
                )

    def expected_by_name(self) -> dict[str, Any]:
        """Return the declared values by argument name; the dict itself, not a copy."""
        return self._expected

    def check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Check the inputs of a call against the declaration; undeclared arguments are not checked.

        Raises:
            TypeError: an input has the wrong class or dtype.
            ValueError: an input has the wrong shape or length, or is a different constant.
        """
        arguments = self._signature.bind(*args, **kwargs).arguments
        for name, expected in self.expected_by_name().items():
            if name in arguments:
                self._compare_value(name, expected, arguments[name])

    def _compare_value(self, name: str, declared: Any, got: Any) -> None:
        """Check one input, or each element of a tuple or list, against its declared value.

        Raises:
            TypeError, ValueError: they do not match.
        """
        if isinstance(declared, tuple | list):
            if not isinstance(got, tuple | list):
                raise self._make_error(TypeError, name, _TENSOR_RULE, type(got).__name__)
            if len(declared) != len(got):
                raise self._make_error(
                    ValueError, name, f"{len(declared)} tensors or numbers", len(got)
                )
            for i, element in enumerate(declared):
                self._compare_value(f"{name}[{i}]", element, got[i])
        elif isinstance(declared, Tensor):
            if not isinstance(got, Tensor):
                raise self._make_error(TypeError, name, _TENSOR_RULE, type(got).__name__)
            expected, spec = declared.value_.spec, got.value_.spec
            if self._get_required_class(got) is not self._get_required_class(declared):
                class_name = self._get_required_class(declared).__name__
                raise self._make_error(TypeError, name, f"a {class_name}", type(got).__name__)
            if spec.dtype != expected.dtype:
                raise self._make_error(TypeError, name, f"of {expected.dtype}", spec.dtype)
            if not matches_spec(expected, spec):
                raise self._make_error(ValueError, name, f"of a shape like {expected}", spec)
        elif type(got) is not type(declared):
            raise self._make_error(TypeError, name, f"{declared!r}", type(got).__name__)
        elif got != declared:
            raise self._make_error(ValueError, name, f"{declared!r}", repr(got))

    def _get_required_class(self, x: Tensor) -> type:
        """Return the class that the declared and the given tensor must both have; overridden where
        tensors have several classes.
        """
        return Tensor

    def _make_error(self, cls: type[Exception], name: str, rule: str, got: object) -> Exception:
        """Return the error that says which rule of the declaration an input breaks."""
        return cls(
            f"{self._api_name}: {name} of {self._fn} must be {rule}, as declared, got {got}."
        )


def _has_dynamic_length(tensor: Tensor) -> bool:
    """Whether a length of ``tensor`` is declared as dynamic (None)."""
    return any(length < 0 for length in tensor._value.spec.shape)


def enable_dynamic(**kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare which lengths of a function's arguments are dynamic, below ``jit``. A graph is
    compiled for each shape that occurs, so the declaration only says what each call must match.

    Args:
        **kwargs: by an argument's name, a Tensor or a tuple or list of them:
            ``Tensor(shape=[None, 3], dtype=...)``, or with ``shape=None`` for any number of axes.

    Returns:
        A decorator, which returns the function itself.

    Raises:
        TypeError: a declared value is not a Tensor, or has no dynamic length; when called: an
            argument has the wrong class or dtype.
        ValueError: nothing is declared, or an argument that the function does not have; when
            called: a shape does not match the declared one.

    >>> from minispore import jit
    >>> from minispore.ir import dtype as mstype
    >>> @jit
    ... @enable_dynamic(x=Tensor(shape=[None, 2], dtype=mstype.float32))
    ... def doubled(x):
    ...     return x + x
    >>> print(doubled(Tensor([[1.0, 2.0]])))
    [[2. 4.]]
    """
    if not kwargs:
        raise ValueError("enable_dynamic: must be told of one argument, or of more.")
    for argument, declared in kwargs.items():
        tensors = declared if isinstance(declared, tuple | list) else [declared]
        if not tensors or not all(isinstance(tensor, Tensor) for tensor in tensors):
            raise TypeError(
                f"enable_dynamic: {argument} must be a Tensor or a tuple or list of them, got "
                f"{declared!r} ({type(declared).__name__})."
            )
        if not any(_has_dynamic_length(tensor) for tensor in tensors):
            raise TypeError(
                f"enable_dynamic: {argument} must have a length of None, got {declared}."
            )

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        """Declare the dynamic lengths of ``fn``, and return ``fn`` itself.

        Raises ValueError if ``fn`` is not callable or has no argument of a declared name.
        """
        if not callable(fn):
            raise ValueError(f"enable_dynamic: must decorate a function, got {fn!r}.")
        signature = inspect.signature(fn)
        _declarations[fn] = Declared("enable_dynamic", name_of(fn), signature, kwargs)
        return fn

    return decorate


def check_declared(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Check the inputs of a call against the declaration by :func:`enable_dynamic` for ``fn``, if
    any.

    Raises:
        TypeError, ValueError: they do not match it.
    """
    if _declarations:
        try:
            declared = _declarations.get(fn)
        except TypeError:  # it does not support weak references, or is not hashable
            return
        if declared is not None:
            declared.check(args, kwargs)


__all__ = ["check_declared", "enable_dynamic"]
