"""Placeholders for unsupported names of MindSpore, so that importing them does not fail.

A placeholder is a class: it can be imported, named in an annotation, tested with ``isinstance`` and
subclassed. Calling it or reading an attribute raises an error that explains it.
"""

from __future__ import annotations

from functools import partial
from typing import Any, NoReturn


class _PlaceholderType(type):
    """Type of all placeholders and of their subclasses."""

    _refusal_: str

    def __call__(cls, *args: Any, **kwargs: Any) -> NoReturn:
        """Raise a NotImplementedError with the refusal instead of creating an instance."""
        raise NotImplementedError(cls._refusal_)

    def __getattr__(cls, name: str) -> NoReturn:
        """Raise an AttributeError with the refusal."""
        raise AttributeError(cls._refusal_, name=name, obj=cls)


def _make_placeholder(module: str, name: str, advice: str) -> Any:
    """Return a placeholder class for an unsupported name of MindSpore.

    Args:
        module: the module that offers the name.
        name: the name.
        advice: sentences on the reason or an alternative.

    >>> Replacement = _make_placeholder("rewrite", "Replacement", "Change the Cell itself.")
    >>> class FusedConv(Replacement): ...
    >>> try:
    ...     FusedConv()
    ... except NotImplementedError as error:
    ...     print(error)
    rewrite.Replacement: is not supported. Change the Cell itself.
    """
    refusal = f"{module}.{name}: is not supported. {advice}"
    attributes = {"_refusal_": refusal, "__doc__": refusal, "__module__": module}
    return _PlaceholderType(name, (), attributes)


_compiled = partial(
    _make_placeholder,
    "minispore._c_expression",
    advice="There is no compiled part. Use the public API of the package.",
)
AutoParallelContext = _compiled("AutoParallelContext")
Cell_ = _compiled("Cell_")
CollectiveManager = _compiled("CollectiveManager")
GradOperation_ = _compiled("GradOperation_")
GraphExecutor_ = _compiled("GraphExecutor_")
JitExecutor_ = _compiled("JitExecutor_")
MSContext = _compiled("MSContext")
MetaFuncGraph_ = _compiled("MetaFuncGraph_")
Oplib = _compiled("Oplib")
ParamInfo = _compiled("ParamInfo")
PrimitiveFunction_ = _compiled("PrimitiveFunction_")
Primitive_ = _compiled("Primitive_")
PyNativeExecutor_ = _compiled("PyNativeExecutor_")
RuntimeConf = _compiled("RuntimeConf")
_framework_profiler_step_end = _compiled("_framework_profiler_step_end")
_framework_profiler_step_start = _compiled("_framework_profiler_step_start")
collect_host_info = _compiled("collect_host_info")
get_code_extra = _compiled("get_code_extra")
init_exec_dataset = _compiled("init_exec_dataset")
jit_mode_pi_disable = _compiled("jit_mode_pi_disable")
jit_mode_pi_enable = _compiled("jit_mode_pi_enable")
load_mindir = _compiled("load_mindir")
ms_ctx_param = _compiled("ms_ctx_param")
swap_cache = _compiled("swap_cache")

_mindio = partial(
    _make_placeholder,
    "minispore.common.file_system",
    advice="Files are written to the local disk by save_checkpoint.",
)
FileSystem = _mindio("FileSystem")
mindio_preload = _mindio("mindio_preload")
set_mindio_server_info = _mindio("set_mindio_server_info")

_sentence_piece = partial(
    _make_placeholder,
    "minispore.dataset.text",
    advice="Tokenize with the package sentencepiece in a function for map().",
)
SPieceTokenizerLoadType = _sentence_piece("SPieceTokenizerLoadType")
SPieceTokenizerOutType = _sentence_piece("SPieceTokenizerOutType")
SentencePieceModel = _sentence_piece("SentencePieceModel")
SentencePieceTokenizer = _sentence_piece("SentencePieceTokenizer")
SentencePieceVocab = _sentence_piece("SentencePieceVocab")

_encryption = partial(
    _make_placeholder,
    "minispore.mindrecord",
    advice="MindRecord files are neither encrypted nor decrypted.",
)
set_dec_mode = _encryption("set_dec_mode")
set_enc_key = _encryption("set_enc_key")
set_enc_mode = _encryption("set_enc_mode")

_rewrite = partial(
    _make_placeholder,
    "minispore.rewrite",
    advice="A network's source is not rewritten. Change the class of the Cell itself.",
)
Node = _rewrite("Node")
NodeType = _rewrite("NodeType")
PatternEngine = _rewrite("PatternEngine")
PatternNode = _rewrite("PatternNode")
Replacement = _rewrite("Replacement")
ScopedValue = _rewrite("ScopedValue")
SymbolTree = _rewrite("SymbolTree")
ValueType = _rewrite("ValueType")
VarNode = _rewrite("VarNode")

_landscape = partial(
    _make_placeholder,
    "minispore.train",
    advice="Use SummaryCollector, which records the loss.",
)
SummaryLandscape = _landscape("SummaryLandscape")
