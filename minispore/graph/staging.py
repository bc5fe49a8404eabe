"""The public functions of the compiler: ``jit`` and its relatives."""

from __future__ import annotations

import functools
import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any

from minispore.core import interpreter
from minispore.core.tensor import Tensor, matches_spec
from minispore.core.tree import tensors_in
from minispore.errors import GraphModeError, did_you_mean
from minispore.graph.compiler import compiler, get_traced_call
from minispore.graph.dynamic import check_declared
from minispore.graph.keys import find_input_tensors, get_cache_owner, is_cell, name_of
from minispore.graph.program import Program


class JitConfig:
    """Options of :func:`jit`.

    Args:
        jit_level: ``""``, ``"O0"``, ``"O1"``, ``"O2"`` or ``"O3"``; all run the same passes.
        exc_mode: ``"auto"``, ``"sink"`` or ``"no_sink"``.
        jit_syntax_level: ``""``, ``"STRICT"`` or ``"LAX"``.
        debug_level: ``"RELEASE"`` or ``"DEBUG"``.
        infer_boost: ``"on"`` or ``"off"``.
        **kwargs: more options, stored in ``jit_config_dict`` without a check.

    Raises:
        ValueError: an option is not one of those above.

    >>> JitConfig(jit_level="O1").jit_config_dict["jit_level"]
    'O1'
    """

    _CHOICES = {
        "jit_level": ("", "O0", "O1", "O2", "O3"),
        "exc_mode": ("auto", "sink", "no_sink"),
        "jit_syntax_level": ("", "STRICT", "LAX"),
        "debug_level": ("RELEASE", "DEBUG"),
        "infer_boost": ("on", "off"),
    }

    def __init__(
        self,
        jit_level: str = "",
        exc_mode: str = "auto",
        jit_syntax_level: str = "",
        debug_level: str = "RELEASE",
        infer_boost: str = "off",
        **kwargs: Any,
    ) -> None:
        options = {
            "jit_level": jit_level,
            "exc_mode": exc_mode,
            "jit_syntax_level": jit_syntax_level,
            "debug_level": debug_level,
            "infer_boost": infer_boost,
        }
        for name, value in options.items():
            if value not in self._CHOICES[name]:
                choices = ", ".join(map(repr, self._CHOICES[name]))
                hint = did_you_mean(value, self._CHOICES[name]) if isinstance(value, str) else ""
                raise ValueError(
                    f"JitConfig: {name} must be one of {choices}, got {value!r}.{hint}"
                )
        self.jit_config_dict: dict[str, Any] = {**options, **kwargs}


_JIT_CHOICES: dict[str, tuple[Any, ...]] = {
    "capture_mode": ("ast", "bytecode", "trace", "auto"),
    "jit_level": ("O0", "O1", "O2"),
    "dynamic": (0, 1),
    "fullgraph": (False, True),
}


def jit(
    function: Callable[..., Any] | None = None,
    mode: str = "PIJit",
    input_signature: Any = None,
    hash_args: Any = None,
    jit_config: JitConfig | None = None,
    compile_once: bool = False,
    *,
    fn: Callable[..., Any] | None = None,
    capture_mode: str = "ast",
    jit_level: str = "O0",
    dynamic: int = 0,
    fullgraph: bool = False,
    backend: str = "",
    **options: Any,
) -> Any:
    """Run a function as a compiled graph, in either mode. Use as ``@jit`` or ``@jit(...)``.

    There is one way to capture, tracing, and one set of passes; only ``input_signature`` of
    MindSpore's options has an effect.

    Args:
        function: a function of tensors, a method of a Cell, a Cell, whose ``construct`` is used, or
            a subclass of Cell, which is returned itself and runs its ``construct`` as a graph;
            called ``fn`` before 2.4.
        input_signature: a Tensor (or tuple of them) whose shapes and dtypes the inputs must have;
            lengths may be dynamic, ``Tensor(shape=[None, 3], dtype=...)``.
        jit_config: options, see :class:`JitConfig`.
        mode, hash_args, compile_once, options: accepted for compatibility.
        capture_mode, jit_level, dynamic, fullgraph, backend: checked, for compatibility.

    Raises:
        TypeError: ``function`` can't be called, ``jit_config`` is not a JitConfig, or an input does
            not match ``input_signature``.
        ValueError: an option has a value that MindSpore does not accept.

    >>> @jit
    ... def square(x):
    ...     return x * x
    >>> print(square(Tensor([1.0, 2.0])))
    [1. 4.]
    """
    if jit_config is not None and not isinstance(jit_config, JitConfig):
        raise TypeError(f"jit: jit_config must be a JitConfig, got {type(jit_config).__name__}.")
    values = (capture_mode, jit_level, dynamic, fullgraph)
    for (name, choices), value in zip(_JIT_CHOICES.items(), values):
        if value not in choices:
            allowed = ", ".join(map(repr, choices))
            raise ValueError(f"jit: {name} must be one of {allowed}, got {value!r}.")
    function = fn if function is None else function
    if function is not None and not callable(function):
        raise TypeError(f"jit: function must be callable, got {function!r}.")
    signature = tensors_in(input_signature) if input_signature is not None else None

    def decorate(plain: Callable[..., Any]) -> Callable[..., Any]:
        """Return a function, or the ``construct`` of a Cell, wrapped to run as a graph.

        For a class, ``construct`` is wrapped in place and the class is returned.
        """
        if isinstance(plain, type):
            if "construct" in vars(plain):
                plain.construct = decorate(plain.construct)  # type: ignore[attr-defined]
            return plain
        if is_cell(plain):
            plain = plain.construct  # type: ignore[attr-defined]

        @functools.wraps(plain, updated=())
        def run_as_graph(*args: Any, **kwargs: Any) -> Any:
            """Check the arguments against declared shapes, then run the function as a graph.

            While a graph is traced or a gradient is recorded, it runs as plain Python.
            """
            check_declared(plain, args, kwargs)
            if signature is not None:
                _check_signature(plain, signature, find_input_tensors(args))
            if interpreter.tracing() or interpreter.tapes():
                return get_traced_call(plain)(*args, **kwargs)
            return compiler.call(plain, args, kwargs)

        # A user's functools.wraps copies this attribute to other functions; the reference
        # identifies the function that is decorated.
        run_as_graph._decoration_ = weakref.ref(run_as_graph), plain  # type: ignore[attr-defined]
        return run_as_graph

    return decorate if function is None else decorate(function)


def get_undecorated(fn: Callable[..., Any]) -> Callable[..., Any]:
    """Return the function or method below a ``jit`` decorator; any other function unchanged.

    A function with a user's decorator above ``jit`` is returned unchanged, too.
    """
    is_method = isinstance(fn, MethodType)
    function = fn.__func__ if is_method else fn  # type: ignore[attr-defined]
    get_decorated, plain = getattr(function, "_decoration_", (None, None))
    if get_decorated is None or get_decorated() is not function:
        return fn
    return MethodType(plain, fn.__self__) if is_method else plain  # type: ignore


def _check_signature(fn: Any, signature: list[Tensor], inputs: list[Tensor]) -> None:
    """Check that the input tensors of a call match ``input_signature``.

    Raises:
        TypeError: the number of tensors differs, or the shape or dtype of one does.
    """
    if len(signature) != len(inputs):
        raise TypeError(
            f"jit: {name_of(fn)} must be called with the {len(signature)} tensors of "
            f"input_signature, got {len(inputs)}."
        )
    for i, (expected, tensor) in enumerate(zip(signature, inputs)):
        if not matches_spec(expected._value.spec, tensor._value.spec):
            raise TypeError(
                f"jit: input {i} of {name_of(fn)} must be {expected._value.spec} by "
                f"input_signature, got {tensor._value.spec}."
            )


ms_function = jit


def jit_class(cls: type) -> type:
    """Mark a class whose objects may be used inside a graph, and return it. Tracing runs plain
    Python, so objects of any class may be used.

    Raises:
        TypeError: ``cls`` is not a class, or is a subclass of Cell.
    """
    if not isinstance(cls, type):
        raise TypeError(f"jit_class: must decorate a class, got {cls!r}.")
    if hasattr(cls, "construct"):
        raise TypeError(f"jit_class: {cls.__name__} is a Cell, which needs no jit_class.")
    cls.__ms_class__ = True  # type: ignore[attr-defined]
    return cls


def no_inline(fn: Callable[..., Any] | None = None) -> Any:
    """Return a function unchanged. MindSpore compiles it as a separate graph; minispore adds the
    ops of each call to the caller's graph, with the same results.

    Args:
        fn (function): the function.

    Returns:
        function: ``fn`` itself.

    >>> no_inline(abs) is abs
    True
    """
    return (lambda function: function) if fn is None else fn


def lazy_inline(fn: Any = None, attrs: Any = None, policy: str | None = None) -> Any:
    """Return a Cell's ``__init__`` unchanged. MindSpore compiles Cells of equal structure once;
    minispore adds the ops of each Cell to the graph, with the same results.

    Args:
        fn (function): the ``__init__``.
        attrs (str or list of str): ignored.
        policy (str): ignored; None or "front".

    Raises:
        ValueError: ``policy`` is something else.
    """
    if policy not in (None, "front"):
        raise ValueError(f"lazy_inline: policy must be None or 'front', got {policy!r}.")
    return (lambda init: init) if fn is None else fn


def program_of(fn: Any, *args: Any, **kwargs: Any) -> Program:
    """Return the program of a Cell or function for these inputs, compiled if needed but not run.

    Raises:
        GraphModeError: it runs op by op, so there is no program.

    >>> program_of(lambda x: x * x + 1.0, Tensor([1.0, 2.0])).peak_bytes > 0
    True
    """
    program = compiler.program(get_undecorated(fn), *args, **kwargs)
    if program is None:
        raise GraphModeError(
            f"{name_of(fn)}: must be one graph to have a program; it runs op by op."
        )
    return program


def latest_program(fn: Any) -> Program | None:
    """Return the program that ran in the last call of a Cell or function; None if there is none.

    >>> @jit
    ... def square(x):
    ...     return x * x
    >>> latest_program(square), square(Tensor(3.0)).item(), latest_program(square).peak_bytes > 0
    (None, 9.0, True)
    """
    entry = compiler.cache.find_latest(get_cache_owner(get_undecorated(fn))[0])
    return None if entry is None else entry.last_program
