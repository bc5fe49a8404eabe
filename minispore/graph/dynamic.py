"""Arguments of a graph whose lengths are open, declared by name."""

from __future__ import annotations

import inspect
import weakref
from collections.abc import Callable
from typing import Any

from minispore.core.tensor import Tensor, fits
from minispore.graph.keys import name_of

_declared: weakref.WeakKeyDictionary[Any, Declared] = weakref.WeakKeyDictionary()


class Declared:
    """What the arguments of a function must be like."""

    def __init__(self, fn: Any, wanted: dict[str, Any]) -> None:
        self._signature, self._name, self._wanted = inspect.signature(fn), name_of(fn), wanted
        known = [*self._signature.parameters]
        for argument in wanted:
            if argument not in known:
                raise ValueError(
                    f"enable_dynamic: {argument} must be one of the arguments of {self._name} "
                    f"({', '.join(known)})."
                )

    def check(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
        """Raise unless the inputs are like what was declared.

        Raises:
            TypeError: an argument that is no tensor (or tuple of them), or is of another dtype.
            ValueError: one of another shape.
        """
        given = self._signature.bind(*args, **kwargs).arguments
        for argument, wanted in self._wanted.items():
            if argument in given:
                self._compare(argument, wanted, given[argument])

    def _compare(self, argument: str, wanted: Any, got: Any) -> None:
        several = isinstance(got, tuple | list)
        if isinstance(wanted, Tensor) == several or not (several or isinstance(got, Tensor)):
            raise self._wrong(TypeError, argument, "a tensor or a tuple of them as declared", got)
        if several:
            if len(wanted) != len(got):
                raise self._wrong(ValueError, argument, f"{len(wanted)} tensors", f"{len(got)}")
            for a, b in zip(wanted, got, strict=True):
                self._compare(argument, a, b)
            return
        like, spec = wanted._value.spec, got._value.spec
        if like.dtype != spec.dtype:
            raise self._wrong(TypeError, argument, f"of {like.dtype}", spec.dtype)
        if not fits(like, spec):
            raise self._wrong(ValueError, argument, f"of a shape like {like}", spec)

    def _wrong(self, kind: type[Exception], argument: str, rule: str, got: object) -> Exception:
        return kind(f"enable_dynamic: {argument} of {self._name} must be {rule}, got {got}.")


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
        _declared[fn] = Declared(fn, kwargs)
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
