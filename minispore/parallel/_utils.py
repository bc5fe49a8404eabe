"""What is set about a parallel run, as scripts of distributed training ask it."""

from __future__ import annotations

from minispore import communication
from minispore.context import ParallelMode
from minispore.context.parallel import current
from minispore.parallel._auto_parallel_context import _is_set
from minispore.parallel._auto_parallel_context import auto_parallel_context as auto_parallel_context

_SPLIT = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _get_parallel_mode() -> str:
    """The mode: "stand_alone", "data_parallel", ..."""
    return current().parallel_mode


def _get_gradients_mean() -> bool:
    """Whether summed gradients are divided by the number of devices."""
    return current().gradients_mean


def _get_device_num() -> int:
    """How many devices train: 1 when alone, else what is set, else the number of ranks."""
    if _get_parallel_mode() == ParallelMode.STAND_ALONE:
        return 1
    return current().device_num if _is_set("device_num") else communication.get_group_size()


def _get_global_rank() -> int:
    """Which of the devices this is: 0 when alone, else what is set, else the rank."""
    if _get_parallel_mode() == ParallelMode.STAND_ALONE:
        return 0
    return current().global_rank if _is_set("global_rank") else communication.get_rank()


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Refuse several devices for a run that is alone.

    Raises:
        ValueError: ``parallel_mode`` is "stand_alone" and ``device_number`` not 1.
    """
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(
            f"device_number must be 1 with parallel_mode 'stand_alone', got {device_number}."
        )


def _get_stage_device_num() -> int:
    """How many devices each pipeline stage has."""
    return _get_device_num() // _get_pipeline_stages()


def _get_pipeline_stages() -> int:
    """Into how many stages the network is cut."""
    return current().pipeline_stages


def _get_full_batch() -> bool:
    """Whether each device gets the whole batch."""
    return current().full_batch


def _get_parameter_broadcast() -> bool:
    """Whether rank 0 gives all others its parameters at the start."""
    return current().parameter_broadcast


def _get_enable_parallel_optimizer() -> bool:
    """Whether devices share out the optimizer's work."""
    return current().enable_parallel_optimizer


def _get_grad_accumulation_shard() -> bool:
    """Whether devices share out accumulated gradients."""
    return bool(current().parallel_optimizer_config["gradient_accumulation_shard"])


def _is_in_auto_parallel_mode() -> bool:
    """Whether the mode splits networks."""
    return _get_parallel_mode() in _SPLIT


def _is_in_data_parallel_mode() -> bool:
    """Whether the mode splits batches alone."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _is_in_hybrid_parallel_mode() -> bool:
    """Whether the mode leaves splitting to the user."""
    return _get_parallel_mode() == ParallelMode.HYBRID_PARALLEL


def _is_sharding_propagation() -> bool:
    """Whether strategies spread from the ops that have one."""
    record = current()
    return record.search_mode == "sharding_propagation" or record.sharding_propagation
