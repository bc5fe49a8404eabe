# ruff: noqa: RUF009 -- setting() makes a dataclass field, as field() does
"""The settings of ``set_auto_parallel_context``: how a training is distributed over devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minispore.context import settings
from minispore.context.settings import bounds, one_of, options_dict, setting


class ParallelMode:
    """The modes in which a training can be distributed over devices.

    ``STAND_ALONE``: one device. ``DATA_PARALLEL``: each device trains on its share of each batch.
    The others also split the network.
    """

    STAND_ALONE = "stand_alone"
    DATA_PARALLEL = "data_parallel"
    HYBRID_PARALLEL = "hybrid_parallel"
    SEMI_AUTO_PARALLEL = "semi_auto_parallel"
    AUTO_PARALLEL = "auto_parallel"
    MODE_LIST = [STAND_ALONE, DATA_PARALLEL, HYBRID_PARALLEL, SEMI_AUTO_PARALLEL, AUTO_PARALLEL]


_SEARCHES = ("recursive_programming", "dynamic_programming", "sharding_propagation")
_FUSION = {"mode": "auto", "config": None}
_COMM_FUSION = {
    "openstate": True,
    "allreduce": _FUSION,
    "allgather": _FUSION,
    "reducescatter": _FUSION,
}
_STRATEGY_CKPT = {"load_file": "", "save_file": "", "only_trainable_params": True}
_PIPELINE = {"pipeline_interleave": False, "pipeline_scheduler": "1f1b"}
_OPTIMIZER = {"gradient_accumulation_shard": True, "parallel_optimizer_threshold": 64}


def _check_dataset_strategy(label: str, value: Any) -> Any:
    """Return the dataset strategy after a check: a name, or a tuple with a tuple or ``Layout`` per
    input, whose elements are not checked.

    Raises ValueError for an unknown name, TypeError for a wrong type.
    """
    if isinstance(value, str):
        return one_of("full_batch", "data_parallel")(label, value)
    if not isinstance(value, tuple):
        raise TypeError(f"{label} must be a str or a tuple, got {value!r}.")
    return value


def _check_indices(label: str, value: Any) -> list[int]:
    """Return ``value`` as a list, after checking that it contains strictly increasing ints.

    Raises:
        TypeError: an element is not an int.
        ValueError: the ints are not strictly increasing.
    """
    if any(not isinstance(i, int) for i in value):
        raise TypeError(f"{label} must hold ints, got {value!r}.")
    if sorted(set(value)) != list(value):
        raise ValueError(f"{label} must rise from index to index, got {value!r}.")
    return list(value)


def _check_comm_fusion(label: str, value: Any) -> dict[str, Any]:
    """Return the settings of fused communication ops, with defaults for missing keys, after
    checking those of allreduce.

    Raises:
        KeyError: a key is unknown.
        TypeError, ValueError: the mode or config of allreduce is invalid.
    """
    for key in value:
        if key not in _COMM_FUSION:
            raise KeyError(f"{label} must have keys of {', '.join(_COMM_FUSION)}, got {key!r}.")
    merged = _COMM_FUSION | value
    allreduce = merged["allreduce"] = _FUSION | merged["allreduce"]
    mode, config = allreduce["mode"], allreduce["config"]
    if mode not in ("auto", "size", "index"):
        raise ValueError(f"{label}: mode must be 'auto', 'size' or 'index', got {mode!r}.")
    if mode == "index":
        if not isinstance(config, list):
            raise TypeError(f"{label}: config must be a list of indices, got {config!r}.")
        allreduce["config"] = _check_indices(label, config)
    if mode == "size" and (isinstance(config, bool) or not isinstance(config, int) or config <= 0):
        raise ValueError(f"{label}: config must be a number of MB above 0, got {config!r}.")
    return merged


def _make_merging_check(default: dict[str, Any], **allowed: Any) -> settings.Check:
    """Return a check for a dict, which is stored with defaults for missing keys."""
    check = options_dict(**allowed)
    return lambda label, value: default | check(label, value)


@dataclass(frozen=True, slots=True)
class AutoParallelContext:
    """All settings of ``set_auto_parallel_context``, as they are stored."""

    device_num: int = setting(1, int, bounds(1))
    global_rank: int = setting(0, int, bounds(0, 4095))
    gradients_mean: bool = setting(False, bool)
    gradient_fp32_sync: bool = setting(True, bool)
    loss_repeated_mean: bool = setting(True, bool)
    parallel_mode: str = setting("stand_alone", str, one_of(*ParallelMode.MODE_LIST))
    search_mode: str = setting("recursive_programming", str, one_of(*_SEARCHES))
    parameter_broadcast: bool = setting(False, bool)
    strategy_ckpt_load_file: str = setting("", str)
    strategy_ckpt_save_file: str = setting("", str)
    strategy_ckpt_config: dict[str, Any] = setting(
        _STRATEGY_CKPT,
        dict,
        _make_merging_check(
            _STRATEGY_CKPT, load_file=str, save_file=str, only_trainable_params=bool
        ),
    )
    group_ckpt_save_file: str = setting("", str)
    full_batch: bool = setting(False, bool)
    dataset_strategy: Any = setting("data_parallel", (), _check_dataset_strategy)
    enable_parallel_optimizer: bool = setting(False, bool)
    parallel_optimizer_config: dict[str, Any] = setting(
        _OPTIMIZER,
        dict,
        _make_merging_check(
            _OPTIMIZER,
            gradient_accumulation_shard=bool,
            parallel_optimizer_threshold=int,
            optimizer_weight_shard_size=int,
            optimizer_level=str,
        ),
    )
    enable_alltoall: bool = setting(False, bool)
    all_reduce_fusion_config: list[int] = setting([], list, _check_indices)
    comm_fusion: dict[str, Any] = setting(_COMM_FUSION, dict, _check_comm_fusion)
    force_fp32_communication: bool = setting(False, bool)
    communi_parallel_mode: str = setting(
        "all_group_parallel",
        str,
        one_of("all_group_parallel", "same_server_group_parallel", "no_group_parallel"),
    )
    optimizer_weight_shard_size: int = setting(-1, int)
    optimizer_weight_shard_aggregated_save: bool = setting(False, bool)
    sharding_propagation: bool = setting(False, bool)
    pipeline_stages: int = setting(1, int, bounds(1))
    pipeline_segments: int = setting(1, int, bounds(1))
    pipeline_result_broadcast: bool = setting(False, bool)
    pipeline_config: dict[str, Any] = setting(
        _PIPELINE,
        dict,
        _make_merging_check(_PIPELINE, pipeline_interleave=bool, pipeline_scheduler=str),
    )
    auto_pipeline: bool = setting(False, bool)
    grad_accumulation_step: int = setting(1, int, bounds(1))
    dump_local_norm: bool = setting(False, bool)
    dump_local_norm_path: str = setting("", str)
    dump_device_local_norm: bool = setting(False, bool)
    init_param_in_compile: bool = setting(True, bool)


#: The modes in which MindSpore splits networks. In minispore, their ranks split the batch.
SPLITTING_MODES = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)
_rank_count = 1
_sharded_api_name = ""  # the first API called to split an op or a Cell


def set_rank_count(ranks: int) -> None:
    """Record the number of ranks after ``communication.init()``; 1 after ``release()``.

    Raises:
        RuntimeError: several ranks can't run the current settings; the number is not changed then.
    """
    global _rank_count
    previous, _rank_count = _rank_count, ranks
    try:
        check_plan("init")
    except RuntimeError:
        _rank_count = previous
        raise


def note_shard_call(api_name: str) -> None:
    """Record that ``api_name`` was called to split an op or a Cell; it has no effect on one rank.

    Raises:
        RuntimeError: there are several ranks, in a mode that splits networks.
    """
    global _sharded_api_name
    _sharded_api_name = _sharded_api_name or api_name
    check_plan(api_name)


def check_plan(api_name: str, starts_training: bool = False) -> None:
    """Check that several ranks train data parallel, without a setting that splits the network.

    Args:
        api_name: the public name with which the error begins.
        starts_training: whether a training begins, so all settings are final.

    Raises:
        RuntimeError: there are several ranks and such a setting.
    """
    record = _current
    splitting_settings = []
    if record.pipeline_stages > 1:
        splitting_settings.append(f"pipeline_stages={record.pipeline_stages}")
    if record.auto_pipeline:
        splitting_settings.append("auto_pipeline=True")
    if isinstance(record.dataset_strategy, tuple):
        splitting_settings.append(f"dataset_strategy={record.dataset_strategy}")
    if _sharded_api_name and record.parallel_mode in SPLITTING_MODES:
        splitting_settings.append(f"{_sharded_api_name} in mode {record.parallel_mode!r}")
    is_single_device = record.parallel_mode == ParallelMode.STAND_ALONE
    if starts_training and is_single_device and record.enable_parallel_optimizer:
        splitting_settings.append("enable_parallel_optimizer=True in mode 'stand_alone'")
    if splitting_settings and _rank_count > 1:
        raise RuntimeError(
            f"{api_name}: the {_rank_count} ranks must train data parallel, each with the whole "
            f"network, got {', '.join(splitting_settings)}. Set a parallel_mode without it, or run "
            "it on one rank; minispore.device.estimate(model, dataset, devices=N) prices N devices "
            "without running them."
        )


#: Names in other MindSpore versions.
_ALIASES = {"auto_parallel_search_mode": "search_mode", "mirror_mean": "gradients_mean"}
_current = AutoParallelContext()


def current() -> AutoParallelContext:
    """Return the current settings of ``set_auto_parallel_context``."""
    return _current


def restore(record: AutoParallelContext) -> None:
    """Make ``record`` the current settings of ``set_auto_parallel_context``."""
    global _current
    _current = record


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Change settings by name; call it before ``communication.init()``. None changes nothing.

    Args:
        device_num: the number of devices that train, at least 1.
        global_rank: the number of this device, 0 to 4095.
        parallel_mode: one of :attr:`ParallelMode.MODE_LIST`.
        gradients_mean: whether to divide summed gradients by ``device_num``.
        kwargs: any other field of :class:`AutoParallelContext`.

    Raises:
        TypeError: a value has a type that its setting does not accept; nothing is changed then.
        ValueError: a name is unknown, or a value is out of range.
        RuntimeError: there are several ranks, and the settings split a network.

    >>> set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True)
    >>> get_auto_parallel_context("parallel_mode")
    'data_parallel'
    >>> reset_auto_parallel_context()
    """
    new_settings = {_ALIASES.get(k, k): v for k, v in kwargs.items() if v is not None}
    settings.check_types(_current, new_settings, "set_auto_parallel_context")
    previous = _current
    for record in settings.apply_settings(_current, new_settings, "set_auto_parallel_context"):
        restore(record)
    try:
        check_plan("set_auto_parallel_context")
    except RuntimeError:
        restore(previous)
        raise


def get_auto_parallel_context(attr_key: str) -> Any:
    """Return one setting by name.

    Raises:
        ValueError: there is no such setting.
    """
    key = _ALIASES.get(attr_key, attr_key)
    settings.get_rule(_current, key, "get_auto_parallel_context")
    return getattr(_current, key)


def reset_auto_parallel_context() -> None:
    """Reset all settings of ``set_auto_parallel_context`` to their defaults, and forget calls of
    ``shard()``.
    """
    global _sharded_api_name
    restore(AutoParallelContext())
    _sharded_api_name = ""
