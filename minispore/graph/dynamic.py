"""Arguments of a graph whose lengths are open, declared by name."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any

from minispore.core.tensor import Tensor, fits
from minispore.graph.keys import name_of

_declared: weakref.WeakKeyDictionary[Any, Declared] = weakref.WeakKeyDictionary()

_EITHER = "a tensor or a tuple of them"


class Declared:
    """What some inputs of a function must be like.

    Args:
        who: for messages.
        fn: its name.
        signature: its arguments.
        wanted: by an argument's name what it is like.

    Raises:
        ValueError: the function has no argument of a name.
    """

    def __init__(
        self, who: str, fn: str, signature: inspect.Signature, wanted: dict[str, Any]
    ) -> None:
        self._who, self._fn, self._signature, self._wanted = who, fn, signature, wanted
        for name in wanted:
            if name not in signature.parameters:
                known = ", ".join(signature.parameters)
                raise ValueError(f"{who}: {name} must be one of the arguments of {fn} ({known}).")

    def by_name(self) -> dict[str, Any]:
        """What was declared, by the argument's name."""
        return self._wanted

    def check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Compare the inputs of a call.

        Raises:
            TypeError: one is of another kind or dtype.
            ValueError: one has another shape, or is another number.
        """
        given = self._signature.bind(*args, **kwargs).arguments
        for name, like in self.by_name().items():
            if name in given:
                self._compare(name, like, given[name])

    def _compare(self, name: str, like: Any, got: Any) -> None:
        if isinstance(like, tuple | list):
            if not isinstance(got, tuple | list):
                raise self._wrong(TypeError, name, _EITHER, type(got).__name__)
            if len(like) != len(got):
                raise self._wrong(ValueError, name, f"{len(like)} tensors or numbers", len(got))
            for i, (a, b) in enumerate(zip(like, got, strict=True)):
                self._compare(f"{name}[{i}]", a, b)
        elif isinstance(like, Tensor):
            if not isinstance(got, Tensor):
                raise self._wrong(TypeError, name, _EITHER, type(got).__name__)
            wanted, spec = like.value_.spec, got.value_.spec
            if self._kind(got) is not self._kind(like):
                kind = self._kind(like).__name__
                raise self._wrong(TypeError, name, f"a {kind}", type(got).__name__)
            if spec.dtype != wanted.dtype:
                raise self._wrong(TypeError, name, f"of {wanted.dtype}", spec.dtype)
            if not fits(wanted, spec):
                raise self._wrong(ValueError, name, f"of a shape like {wanted}", spec)
        elif type(got) is not type(like):
            raise self._wrong(TypeError, name, f"{like!r}", type(got).__name__)
        elif got != like:
            raise self._wrong(ValueError, name, f"{like!r}", repr(got))

    def _kind(self, x: Tensor) -> type:
        """What two tensors must have in common."""
        return Tensor

    def _wrong(self, kind: type[Exception], name: str, rule: str, got: object) -> Exception:
        return kind(f"{self._who}: {name} of {self._fn} must be {rule}, as declared, got {got}.")


def _open(like: Tensor) -> bool:
    return any(length < 0 for length in like._value.spec.shape)


def enable_dynamic(**kwargs: Any) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Declare which lengths of a function's arguments are open, below ``jit``. A graph is compiled
    for each shape that comes, so nothing but what is checked at each call depends on it.

    Args:
        **kwargs: by an argument's name what it is like, a Tensor or a tuple or list of them:
            ``Tensor(shape=[None, 3], dtype=...)``, or with ``shape=None`` of any number of axes.

    Returns:
        A decorator, which gives the function itself.

    Raises:
        TypeError: what is declared is no Tensor, or has no open length; when called: an argument of
            another kind or dtype.
        ValueError: nothing is declared, or of an argument that the function does not have; when
            called: a shape that is not like the declared one.

    >>> from minispore import jit
    >>> from minispore.core import dtype as mstype
    >>> @jit
    ... @enable_dynamic(x=Tensor(shape=[None, 2], dtype=mstype.float32))
    ... def doubled(x):
    ...     return x + x
    >>> print(doubled(Tensor([[1.0, 2.0]])))
    [[2. 4.]]
    """
    if not kwargs:
        raise ValueError("enable_dynamic: must be told of one argument, or of more.")
    for argument, like in kwargs.items():
        parts = like if isinstance(like, tuple | list) else [like]
        if not parts or not all(isinstance(part, Tensor) for part in parts):
            raise TypeError(
                f"enable_dynamic: {argument} must be a Tensor or a tuple or list of them, got "
                f"{like!r} ({type(like).__name__})."
            )
        if not any(_open(part) for part in parts):
            raise TypeError(f"enable_dynamic: {argument} must have a length of None, got {like}.")

    def decorate(fn: Callable[..., Any]) -> Callable[..., Any]:
        if not callable(fn):
            raise ValueError(f"enable_dynamic: must decorate a function, got {fn!r}.")
        signature = inspect.signature(fn)
        _declared[fn] = Declared("enable_dynamic", name_of(fn), signature, kwargs)
        return fn

    return decorate


def check_declared(fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Compare a call's inputs with what :func:`enable_dynamic` was told of the function, if it was.

    Raises:
        TypeError, ValueError: they are not like that.
    """
    if _declared:
        try:
            declared = _declared.get(fn)
        except TypeError:  # nothing can refer to it weakly, or tell it from another
            return
        if declared is not None:
            declared.check(args, kwargs)


__all__ = ["check_declared", "enable_dynamic"]
