"""Read the settings of a parallel run, under the names that distributed training scripts use."""

from __future__ import annotations

from minispore import communication
from minispore.context import ParallelMode
from minispore.context.parallel import current
from minispore.parallel._auto_parallel_context import _is_set
from minispore.parallel._auto_parallel_context import auto_parallel_context as auto_parallel_context

_NETWORK_SPLITTING_MODES = (ParallelMode.SEMI_AUTO_PARALLEL, ParallelMode.AUTO_PARALLEL)


def _get_parallel_mode() -> str:
    """Return the parallel mode, such as ``stand_alone`` or ``data_parallel``."""
    return current().parallel_mode


def _get_gradients_mean() -> bool:
    """Return whether summed gradients are divided by the number of devices."""
    return current().gradients_mean


def _get_device_num() -> int:
    """Return the number of devices: 1 if stand-alone, else the set number or the number of
    ranks.
    """
    if _get_parallel_mode() == ParallelMode.STAND_ALONE:
        return 1
    return current().device_num if _is_set("device_num") else communication.get_group_size()


def _get_global_rank() -> int:
    """Return the index of this device: 0 if stand-alone, else the set index or the rank."""
    if _get_parallel_mode() == ParallelMode.STAND_ALONE:
        return 0
    return current().global_rank if _is_set("global_rank") else communication.get_rank()


def _device_number_check(parallel_mode: str, device_number: int) -> None:
    """Check that a stand-alone run has one device.

    Raises:
        ValueError: ``parallel_mode`` is "stand_alone" and ``device_number`` is not 1.
    """
    if parallel_mode == ParallelMode.STAND_ALONE and device_number != 1:
        raise ValueError(
            f"device_number must be 1 with parallel_mode 'stand_alone', got {device_number}."
        )


def _get_stage_device_num() -> int:
    """Return the number of devices of each pipeline stage."""
    return _get_device_num() // _get_pipeline_stages()


def _get_pipeline_stages() -> int:
    """Return the number of stages into which the network is split."""
    return current().pipeline_stages


def _get_full_batch() -> bool:
    """Whether each device gets the entire batch."""
    return current().full_batch


def _get_parameter_broadcast() -> bool:
    """Whether rank 0 sends its parameters to all other ranks at the start."""
    return current().parameter_broadcast


def _get_enable_parallel_optimizer() -> bool:
    """Whether the optimizer's work is divided among the devices."""
    return current().enable_parallel_optimizer


def _get_grad_accumulation_shard() -> bool:
    """Whether accumulated gradients are divided among the devices."""
    return bool(current().parallel_optimizer_config["gradient_accumulation_shard"])


def _is_in_auto_parallel_mode() -> bool:
    """Whether the mode splits networks over devices."""
    return _get_parallel_mode() in _NETWORK_SPLITTING_MODES


def _is_in_data_parallel_mode() -> bool:
    """Whether the mode splits only batches over devices."""
    return _get_parallel_mode() == ParallelMode.DATA_PARALLEL


def _is_in_hybrid_parallel_mode() -> bool:
    """Whether the mode leaves the splitting to the user."""
    return _get_parallel_mode() == ParallelMode.HYBRID_PARALLEL


def _is_sharding_propagation() -> bool:
    """Whether strategies propagate from the ops that have a strategy."""
    settings = current()
    return settings.search_mode == "sharding_propagation" or settings.sharding_propagation
