# ruff: noqa: RUF009 -- setting() makes a dataclass field, as field() does
"""The settings of ``set_auto_parallel_context``: how a run is spread over devices."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from minispore.context import settings
from minispore.context.settings import one_of, options, setting, within


class ParallelMode:
    """How a training is spread over devices.

    ``STAND_ALONE``: one device. ``DATA_PARALLEL``: each device has its share of each batch.
    The others split the network too.
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


def _dataset_strategy(what: str, value: Any) -> Any:
    if isinstance(value, str):
        return one_of("full_batch", "data_parallel")(what, value)
    if not isinstance(value, tuple):
        raise TypeError(f"{what} must be a str or a tuple, got {value!r}.")
    return value


def _indices(what: str, value: Any) -> list[int]:
    if any(not isinstance(i, int) for i in value):
        raise TypeError(f"{what} must hold ints, got {value!r}.")
    if sorted(set(value)) != list(value):
        raise ValueError(f"{what} must rise from index to index, got {value!r}.")
    return list(value)


def _fusion(what: str, value: Any) -> dict[str, Any]:
    for key in value:
        if key not in _COMM_FUSION:
            raise KeyError(f"{what} must have keys of {', '.join(_COMM_FUSION)}, got {key!r}.")
    made = _COMM_FUSION | value
    how = made["allreduce"] = _FUSION | made["allreduce"]
    mode, config = how["mode"], how["config"]
    if mode not in ("auto", "size", "index"):
        raise ValueError(f"{what}: mode must be 'auto', 'size' or 'index', got {mode!r}.")
    if mode == "index":
        if not isinstance(config, list):
            raise TypeError(f"{what}: config must be a list of indices, got {config!r}.")
        how["config"] = _indices(what, config)
    if mode == "size" and (isinstance(config, bool) or not isinstance(config, int) or config <= 0):
        raise ValueError(f"{what}: config must be a number of MB above 0, got {config!r}.")
    return made


def _merged(default: dict[str, Any], **allowed: Any) -> settings.Check:
    check = options(**allowed)
    return lambda what, value: default | check(what, value)


@dataclass(frozen=True, slots=True)
class AutoParallelContext:
    """All settings of ``set_auto_parallel_context``, as they are stored."""

    device_num: int = setting(1, int, within(1))
    global_rank: int = setting(0, int, within(0, 4095))
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
        _merged(_STRATEGY_CKPT, load_file=str, save_file=str, only_trainable_params=bool),
    )
    group_ckpt_save_file: str = setting("", str)
    full_batch: bool = setting(False, bool)
    dataset_strategy: Any = setting("data_parallel", (), _dataset_strategy)
    enable_parallel_optimizer: bool = setting(False, bool)
    parallel_optimizer_config: dict[str, Any] = setting(
        _OPTIMIZER,
        dict,
        _merged(
            _OPTIMIZER,
            gradient_accumulation_shard=bool,
            parallel_optimizer_threshold=int,
            optimizer_weight_shard_size=int,
            optimizer_level=str,
        ),
    )
    enable_alltoall: bool = setting(False, bool)
    all_reduce_fusion_config: list[int] = setting([], list, _indices)
    comm_fusion: dict[str, Any] = setting(_COMM_FUSION, dict, _fusion)
    force_fp32_communication: bool = setting(False, bool)
    communi_parallel_mode: str = setting(
        "all_group_parallel",
        str,
        one_of("all_group_parallel", "same_server_group_parallel", "no_group_parallel"),
    )
    optimizer_weight_shard_size: int = setting(-1, int)
    optimizer_weight_shard_aggregated_save: bool = setting(False, bool)
    sharding_propagation: bool = setting(False, bool)
    pipeline_stages: int = setting(1, int, within(1))
    pipeline_segments: int = setting(1, int, within(1))
    pipeline_result_broadcast: bool = setting(False, bool)
    pipeline_config: dict[str, Any] = setting(
        _PIPELINE, dict, _merged(_PIPELINE, pipeline_interleave=bool, pipeline_scheduler=str)
    )
    auto_pipeline: bool = setting(False, bool)
    grad_accumulation_step: int = setting(1, int, within(1))
    dump_local_norm: bool = setting(False, bool)
    dump_local_norm_path: str = setting("", str)
    dump_device_local_norm: bool = setting(False, bool)
    init_param_in_compile: bool = setting(True, bool)


#: The modes in which MindSpore splits networks. Here their ranks share out the batch.
SPLITTING = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)
_ranks = 1
_strategy = ""  # who was told first how to split an op or a Cell


def joined(ranks: int) -> None:
    """``communication.init()`` has found so many ranks; 1 after ``release()``.

    Raises:
        RuntimeError: several ranks can't run what is set.
    """
    global _ranks
    before, _ranks = _ranks, ranks
    try:
        check_plan("init")
    except RuntimeError:
        _ranks = before
        raise


def strategy_given(who: str) -> None:
    """``shard()`` was called: without effect on one rank, refused where several would split.

    Raises:
        RuntimeError: there are several ranks, in a mode that splits networks.
    """
    global _strategy
    _strategy = _strategy or who
    check_plan(who)


def check_plan(who: str, training: bool = False) -> None:
    """Several ranks train data parallel; a plan that splits the network is refused.

    Args:
        who: who asks.
        training: a training begins, so all is set.

    Raises:
        RuntimeError: there are several ranks and such a plan.
    """
    now = _current
    split = []
    if now.pipeline_stages > 1:
        split.append(f"pipeline_stages={now.pipeline_stages}")
    if now.auto_pipeline:
        split.append("auto_pipeline=True")
    if isinstance(now.dataset_strategy, tuple):
        split.append(f"dataset_strategy={now.dataset_strategy}")
    if _strategy and now.parallel_mode in SPLITTING:
        split.append(f"{_strategy} in mode {now.parallel_mode!r}")
    alone = now.parallel_mode == ParallelMode.STAND_ALONE
    if training and alone and now.enable_parallel_optimizer:
        split.append("enable_parallel_optimizer=True in mode 'stand_alone'")
    if split and _ranks > 1:
        raise RuntimeError(
            f"{who}: the {_ranks} ranks must train data parallel, each with the whole network, got "
            f"{', '.join(split)}. Set a parallel_mode without it, or run it on one rank; "
            "minispore.device.estimate(model, dataset, devices=N) prices N devices without "
            "running them."
        )


#: Names of one version for the names of another.
_ALIASES = {"auto_parallel_search_mode": "search_mode", "mirror_mean": "gradients_mean"}
_current = AutoParallelContext()


def current() -> AutoParallelContext:
    """The record in force."""
    return _current


def restore(record: AutoParallelContext) -> None:
    """Put a record that :func:`current` gave back into force."""
    global _current
    _current = record


def set_auto_parallel_context(**kwargs: Any) -> None:
    """Change settings by name; call it before ``communication.init()``.

    Args:
        device_num: how many devices train, from 1.
        global_rank: which of them this is, 0 to 4095.
        parallel_mode: one of :attr:`ParallelMode.MODE_LIST`.
        gradients_mean: divide summed gradients by ``device_num``.
        kwargs: any other field of :class:`AutoParallelContext`.

    Raises:
        TypeError: a value is of a type that its setting does not take; nothing is changed then.
        ValueError: an unknown name, or a value out of its range.
        RuntimeError: there are several ranks, which can't split a network as the values say.

    >>> set_auto_parallel_context(parallel_mode=ParallelMode.DATA_PARALLEL, gradients_mean=True)
    >>> get_auto_parallel_context("parallel_mode")
    'data_parallel'
    >>> reset_auto_parallel_context()
    """
    given = {_ALIASES.get(k, k): v for k, v in kwargs.items() if v is not None}
    settings.check_types(_current, given, "set_auto_parallel_context")
    before = _current
    for record in settings.changed(_current, given, "set_auto_parallel_context"):
        restore(record)
    try:
        check_plan("set_auto_parallel_context")
    except RuntimeError:
        restore(before)
        raise


def get_auto_parallel_context(attr_key: str) -> Any:
    """One setting by name.

    Raises:
        ValueError: there is no such setting.
    """
    key = _ALIASES.get(attr_key, attr_key)
    settings.find(_current, key, "get_auto_parallel_context")
    return getattr(_current, key)


def reset_auto_parallel_context() -> None:
    """Put all settings of ``set_auto_parallel_context`` back to their defaults."""
    global _strategy
    restore(AutoParallelContext())
    _strategy = ""
