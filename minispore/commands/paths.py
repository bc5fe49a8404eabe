"""List the MindSpore paths that minispore has: ``python -m minispore paths [word ...]``.

Prints one path per line, with the module that defines it; with words, only paths that contain one
of them. docs/compat.md lists the known differences.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Sequence
from types import ModuleType

from minispore.foundation.alias_table import read_alias_table

# MindSpore's modules that minispore has. Documented ones get a line per public name; historical
# ones, which scripts of some version import, get a line for themselves and for each name that no
# documented module has.
DOCUMENTED = """
    mindspore amp common.initializer communication communication.comm_func context dataset
    dataset.audio dataset.config dataset.text dataset.transforms dataset.vision experimental.optim
    experimental.optim.lr_scheduler log mindrecord mint mint.distributed mint.linalg mint.nn
    mint.nn.functional mint.optim mint.special nn nn.probability.bijector
    nn.probability.distribution nn.transformer numpy numpy.fft ops parallel profiler
    scipy.fft scipy.linalg scipy.optimize tools train
"""
HISTORICAL = """
    _checkparam _extends boost boost.grad_accumulation common common.api common.dtype
    common.file_system
    common.generator common.jit_config common.mutable common.parameter common.seed
    common.sparse_tensor common.tensor communication.management dataset.transforms.c_transforms
    dataset.transforms.py_transforms dataset.transforms.transforms dataset.vision.c_transforms
    dataset.vision.py_transforms dataset.vision.py_transforms_util dataset.vision.transforms
    dataset.vision.utils dataset.engine dataset.engine.datasets
    dataset.engine.datasets_audio dataset.engine.datasets_standard_format
    dataset.engine.datasets_text dataset.engine.datasets_user_defined
    dataset.engine.datasets_vision dataset.engine.iterators
    dataset.engine.samplers dataset.core dataset.core.config
    dataset.core.datatypes dataset.debug dataset.text.transforms
    dataset.text.utils dataset.audio.transforms dataset.audio.utils dataset.utils
    dataset.utils.line_reader
    device_context device_context.ascend device_context.ascend.op_precision device_context.cpu
    device_context.cpu.op_tuning device_context.gpu device_context.gpu.op_precision
    device_context.gpu.op_tuning hal mint.distributed.distributed multiprocessing
    nn.cell nn.dynamic_lr nn.grad nn.grad.cell_grad nn.layer
    nn.layer.activation nn.layer.basic
    nn.layer.combined nn.layer.container nn.layer.conv nn.layer.dense nn.layer.embedding
    nn.layer.image nn.layer.math nn.layer.normalization nn.layer.padding nn.layer.pooling
    nn.layer.rnn_cells nn.layer.rnns nn.layer.timedistributed nn.layer.transformer
    nn.learning_rate_schedule nn.loss nn.loss.loss nn.metrics nn.metrics.metric nn.optim
    nn.optim.ada_grad nn.optim.adadelta nn.optim.adafactor nn.optim.adam nn.optim.adamax
    nn.optim.asgd nn.optim.ftrl
    nn.optim.lamb nn.optim.lars nn.optim.momentum nn.optim.optimizer nn.optim.rmsprop
    nn.optim.rprop nn.optim.sgd nn.optim.thor nn.probability nn.transformer.layers
    nn.transformer.loss nn.transformer.moe nn.transformer.op_parallel_config
    nn.transformer.transformer nn.utils nn.utils.init nn.wrap nn.wrap.cell_wrapper
    nn.wrap.grad_reducer nn.wrap.loss_scale ops._primitive_cache ops.auto_generate
    ops.auto_generate.gen_ops_def ops.auto_generate.gen_ops_prim ops.composite ops.composite.base
    ops.function ops.function.array_func ops.function.clip_func ops.function.debug_func
    ops.function.grad ops.function.grad.grad_func ops.function.image_func ops.function.linalg_func
    ops.function.math_func ops.function.nn_func ops.function.other_func ops.function.parameter_func
    ops.function.random_func ops.function.sparse_func ops.function.spectral_func
    ops.function.vmap_func ops.functional ops.operations ops.operations._grad_ops
    ops.operations._infer_ops ops.operations._inner_ops ops.operations._rl_inner_ops
    ops.operations.array_ops
    ops.operations.comm_ops ops.operations.debug_ops ops.operations.image_ops
    ops.operations.linalg_ops ops.operations.math_ops ops.operations.nn_ops
    ops.operations.other_ops ops.operations.random_ops ops.operations.sparse_ops
    ops.operations.spectral_ops ops.primitive
    numpy.utils numpy.utils_const parallel._ps_context
    parallel._auto_parallel_context parallel._transformer parallel._transformer.layers
    parallel._transformer.loss parallel._transformer.moe
    parallel._transformer.op_parallel_config parallel._transformer.transformer
    parallel._utils parallel.auto_parallel parallel.nn parallel.shard
    profiler.profiler train.amp train.callback train.callback._callback
    train.callback._checkpoint train.callback._loss_monitor train.callback._time_monitor
    rewrite runtime train.data_sink train.dataset_helper train.loss_scale_manager train.metrics
    train.metrics.metric train.model
    train.serialization train.summary train.summary.enums train.summary.summary_record
    train.train_thor utils utils.dlpack utils.dryrun
    utils.runtime_execution_order_check version
"""


def list_public_names(module: ModuleType) -> list[str]:
    """Return the sorted public names of a module, without submodules, which have separate lines."""
    names = getattr(module, "__all__", None) or [n for n in dir(module) if _is_ours(module, n)]
    return sorted(n for n in set(names) if not isinstance(getattr(module, n), ModuleType))


def _list_names_without_star(module: ModuleType) -> list[str]:
    """Return the public names of a module, except those imported from others by ``*``."""
    if entry := read_alias_table().get(module.__name__):
        return [name.name for name in entry.names if name.is_public and name.name != "*"]
    return list(getattr(module, "__all__", ()))


def _is_ours(module: ModuleType, name: str) -> bool:
    """Whether ``name`` is public in a module without ``__all__``.

    In a package or an alias module it is public if minispore defines it or it is a constant; in any
    other module, if it is defined in that module.
    """
    defining_module = str(getattr(getattr(module, name), "__module__", ""))
    if name.startswith("_"):
        return False
    if hasattr(module, "__path__") or (module.__doc__ or "").startswith("Alias module"):
        return defining_module.startswith("minispore") or name.isupper()
    return defining_module == module.__name__


def make_table() -> dict[str, str]:
    """Return the defining module of each MindSpore path that minispore has, sorted by path.

    Modules are given without the package's name, and the package itself as ``the front``.
    """
    defining_modules, documented = {}, set[str]()
    for group in DOCUMENTED, HISTORICAL:
        for short_path in group.split():
            path = short_path if short_path == "mindspore" else f"mindspore.{short_path}"
            module = importlib.import_module(path.replace("mindspore", "minispore", 1))
            list_names = list_public_names if group is DOCUMENTED else _list_names_without_star
            names = list_names(module)
            defining_modules[path] = module.__name__
            for name in names:
                if group is DOCUMENTED or name not in documented:
                    defining_modules[f"{path}.{name}"] = get_defining_module(module, name)
            if group is DOCUMENTED:
                documented.update(names)
    rows = sorted(defining_modules.items(), key=lambda row: (row[0].lower(), row[0]))
    return {path: m.removeprefix("minispore").removeprefix(".") or "the front" for path, m in rows}


def get_defining_module(module: ModuleType, name: str) -> str:
    """Return the name of the module that defines a name of ``module``; for a constant, ``module``
    itself.
    """
    value = getattr(module, name)
    if isinstance(value, ModuleType):
        return value.__name__
    defining_module = str(getattr(value, "__module__", None) or type(value).__module__)
    is_constant = not defining_module.startswith("minispore")
    return module.__name__ if is_constant else defining_module


def main(words: Sequence[str]) -> None:
    """Print the table, or its rows whose path contains one of ``words``."""
    for path, module in make_table().items():
        if not words or any(word.lower() in path.lower() for word in words):
            print(f"{path:<60} {module}")


if __name__ == "__main__":
    main(sys.argv[1:])
