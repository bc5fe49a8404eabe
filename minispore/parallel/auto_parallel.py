"""Define ``AutoParallel``, a network with settings for its distribution over devices."""

from __future__ import annotations

from typing import Any

from minispore import context
from minispore.context import ParallelMode
from minispore.foundation import checks
from minispore.nn.cell import Cell
from minispore.parallel.shard import Layout

_MODES = {
    "semi_auto": ParallelMode.SEMI_AUTO_PARALLEL,
    "sharding_propagation": ParallelMode.AUTO_PARALLEL,
    "recursive_programming": ParallelMode.AUTO_PARALLEL,
}


class AutoParallel(Cell):
    """A network that is trained in a parallel mode.

    Its methods change the settings of ``set_auto_parallel_context``, which checks them: several
    ranks train data parallel; any other plan is refused with advice.

    Args:
        network: the network, or the step that trains it.
        parallel_mode: ``"semi_auto"``, ``"sharding_propagation"`` or ``"recursive_programming"``.

    Raises:
        ValueError: ``parallel_mode`` has another value.
        RuntimeError: there are several ranks, and they can't split a network in the requested way.

    Source: https://www.mindspore.cn/docs/en/master/api_python/parallel/mindspore.parallel.auto_parallel.AutoParallel.html

    >>> import numpy as np
    >>> import minispore as ms
    >>> net = AutoParallel(ms.nn.ReLU())
    >>> net.comm_fusion({"allreduce": {"mode": "size", "config": 8}})
    >>> print(net(ms.Tensor(np.float32([-1, 2]))))
    [0. 2.]
    >>> ms.reset_auto_parallel_context()
    """

    def __init__(self, network: Any, parallel_mode: str = "semi_auto") -> None:
        super().__init__(auto_prefix=False)
        checks.one_of("AutoParallel", "parallel_mode", parallel_mode, tuple(_MODES))
        self.network = network
        _set_context(parallel_mode=_MODES[parallel_mode])
        if _MODES[parallel_mode] == ParallelMode.AUTO_PARALLEL:
            _set_context(search_mode=parallel_mode)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        """Run the network."""
        return self.network(*args, **kwargs)

    def dataset_strategy(self, config: Any) -> None:
        """Set how inputs are split: ``"data_parallel"``, ``"full_batch"``, or a tuple or ``Layout``
        per input.
        """
        if config is None:
            raise ValueError("AutoParallel.dataset_strategy: config must not be None.")
        if isinstance(config, tuple) and not all(isinstance(c, tuple | Layout) for c in config):
            raise TypeError(
                "AutoParallel.dataset_strategy: config must hold tuples or Layouts, got "
                f"{checks.format_value(config)}."
            )
        _set_context(dataset_strategy=config, full_batch=config == "full_batch")

    def hsdp(
        self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1"
    ) -> None:
        """Divide the optimizer's work among ``shard_size`` devices (-1: all), for parameters of at
        least ``threshold`` KB.
        """
        api_name = "AutoParallel.hsdp"
        if shard_size != -1:
            checks.integer(api_name, "shard_size", shard_size, 1)
        checks.integer(api_name, "threshold", threshold, 0)
        checks.one_of(api_name, "optimizer_level", optimizer_level, ("level1", "level2", "level3"))
        config = {"parallel_optimizer_threshold": threshold, "optimizer_level": optimizer_level}
        _set_context(
            enable_parallel_optimizer=True,
            parallel_optimizer_config=config | {"optimizer_weight_shard_size": shard_size},
        )

    def pipeline(
        self,
        stages: int = 1,
        output_broadcast: bool = False,
        interleave: bool = False,
        scheduler: str = "1f1b",
    ) -> None:
        """Set the number of pipeline stages of the network, and how they are scheduled.

        Several stages are refused with several ranks.
        """
        api_name = "AutoParallel.pipeline"
        schedulers = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
        checks.integer(api_name, "stages", stages, 1)
        checks.boolean(api_name, "output_broadcast", output_broadcast)
        checks.boolean(api_name, "interleave", interleave)
        checks.one_of(
            api_name, "scheduler", checks.string(api_name, "scheduler", scheduler), schedulers
        )
        config = {"pipeline_interleave": interleave, "pipeline_scheduler": scheduler}
        _set_context(
            pipeline_stages=stages,
            pipeline_result_broadcast=output_broadcast,
            pipeline_config=config,
        )

    def get_pipeline_stages(self) -> int:
        """Return the number of pipeline stages."""
        return int(context.get_auto_parallel_context("pipeline_stages"))

    def comm_fusion(self, config: Any) -> None:
        """Set how the all-reduces of gradients are fused, like ``comm_fusion`` of
        ``set_auto_parallel_context``.
        """
        _set_context(comm_fusion=config)

    def enable_fp32_communication(self) -> None:
        """Store that ranks communicate in float32; without effect."""
        _set_context(force_fp32_communication=True)

    def enable_gradients_mean(self) -> None:
        """Divide summed gradients by the number of ranks."""
        _set_context(gradients_mean=True)

    def disable_gradient_fp32_sync(self) -> None:
        """Reduce gradients in their own dtype."""
        _set_context(gradient_fp32_sync=False)

    def disable_loss_repeated_mean(self) -> None:
        """Store that a loss that several devices compute is not divided; without effect."""
        _set_context(loss_repeated_mean=False)

    def no_init_parameters_in_compile(self) -> None:
        """Initialise parameters before the network is compiled, as is always done."""
        _set_context(init_param_in_compile=False)

    def load_param_strategy_file(self, file_path: str) -> None:
        """Set the strategy file that ``load_distributed_checkpoint`` reads by default."""
        _set_context(strategy_ckpt_load_file=_check_path("load_param_strategy_file", file_path))

    def save_param_strategy_file(self, file_path: str) -> None:
        """Store the file to which strategies of parameters are written; no such file is written."""
        _set_context(strategy_ckpt_save_file=_check_path("save_param_strategy_file", file_path))

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Store in the process's context a file for communication groups; none is written."""
        _set_context(group_ckpt_save_file=_check_path("set_group_ckpt_save_file", file_path))

    def print_local_norm(self) -> None:
        """Store that the norms of gradients are printed before their reduction; without effect."""
        _set_context(dump_local_norm=True)

    def dump_local_norm(self, file_path: str) -> None:
        """Store the file for the norms of gradients before their reduction; none is written."""
        _set_context(
            dump_local_norm=True, dump_local_norm_path=_check_path("dump_local_norm", file_path)
        )

    def enable_device_local_norm(self) -> None:
        """Store that the norms of the values on each device are reported; without effect."""
        _set_context(dump_device_local_norm=True)


def _set_context(**settings: Any) -> None:
    """Set values of the parallel context, ``set_auto_parallel_context``."""
    context.set_auto_parallel_context(**settings)


def _check_path(method: str, file_path: Any) -> str:
    """Return ``file_path``; raise a TypeError that names the method if it is not a str."""
    return checks.string(f"AutoParallel.{method}", "file_path", file_path)


__all__ = ["AutoParallel"]
