"""Define ``AutoParallel``: a network with the settings that distribute it over devices."""

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

    Its methods change the settings of ``set_auto_parallel_context``, which checks
    them: several ranks train data parallel, or the plan is refused with advice.

    Args:
        network: the network, or the step that trains it.
        parallel_mode: ``"semi_auto"``, ``"sharding_propagation"`` or ``"recursive_programming"``.

    Raises:
        ValueError: another ``parallel_mode``.
        RuntimeError: there are several ranks, which can't split a network as it was told.

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
        for each.
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
        """Set that the optimizer's work is divided among the devices: ``shard_size`` of them (-1:
        all), for parameters from ``threshold`` KB.
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
        """Set into how many pipeline stages the network is split, and how they are scheduled.

        Several stages are refused where there are several ranks.
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
        """Set how the all-reduces of gradients are fused, as ``comm_fusion`` of
        ``set_auto_parallel_context``.
        """
        _set_context(comm_fusion=config)

    def enable_fp32_communication(self) -> None:
        """Set that ranks communicate in float32."""
        _set_context(force_fp32_communication=True)

    def enable_gradients_mean(self) -> None:
        """Set that summed gradients are divided by the number of ranks."""
        _set_context(gradients_mean=True)

    def disable_gradient_fp32_sync(self) -> None:
        """Set that gradients are reduced in their own dtype."""
        _set_context(gradient_fp32_sync=False)

    def disable_loss_repeated_mean(self) -> None:
        """Set that a loss which several devices compute alike is not divided by their number."""
        _set_context(loss_repeated_mean=False)

    def no_init_parameters_in_compile(self) -> None:
        """Set that parameters are initialised before the network is compiled, as they always
        are.
        """
        _set_context(init_param_in_compile=False)

    def load_param_strategy_file(self, file_path: str) -> None:
        """Set the file from which strategies of parameters are read."""
        _set_context(strategy_ckpt_load_file=_check_path("load_param_strategy_file", file_path))

    def save_param_strategy_file(self, file_path: str) -> None:
        """Set the file to which strategies of parameters are written."""
        _set_context(strategy_ckpt_save_file=_check_path("save_param_strategy_file", file_path))

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Set the file to which communication groups are written."""
        _set_context(group_ckpt_save_file=_check_path("set_group_ckpt_save_file", file_path))

    def print_local_norm(self) -> None:
        """Set that the norms of gradients are printed before these are reduced."""
        _set_context(dump_local_norm=True)

    def dump_local_norm(self, file_path: str) -> None:
        """Set the file to which the norms of gradients are written before these are reduced."""
        _set_context(
            dump_local_norm=True, dump_local_norm_path=_check_path("dump_local_norm", file_path)
        )

    def enable_device_local_norm(self) -> None:
        """Set that the norms of the values on each device are reported."""
        _set_context(dump_device_local_norm=True)


def _set_context(**settings: Any) -> None:
    """Set values of the parallel context, ``set_auto_parallel_context``."""
    context.set_auto_parallel_context(**settings)


def _check_path(method: str, file_path: Any) -> str:
    """Return ``file_path``; raise a TypeError naming the method if it is no str."""
    return checks.string(f"AutoParallel.{method}", "file_path", file_path)


__all__ = ["AutoParallel"]
