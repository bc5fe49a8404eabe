"""AutoParallel: a network, and how it is to be spread over devices."""

from __future__ import annotations

from typing import Any

from minispore import checks, context
from minispore.context import ParallelMode
from minispore.nn.cell import Cell
from minispore.parallel.shard import Layout

_MODES = {
    "semi_auto": ParallelMode.SEMI_AUTO_PARALLEL,
    "sharding_propagation": ParallelMode.AUTO_PARALLEL,
    "recursive_programming": ParallelMode.AUTO_PARALLEL,
}


class AutoParallel(Cell):
    """The network, trained in a parallel mode.

    What its methods are told goes into the settings of ``set_auto_parallel_context``, which checks
    it: so several ranks train data parallel, or the plan is refused with what to do.

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
        _set(parallel_mode=_MODES[parallel_mode])
        if _MODES[parallel_mode] == ParallelMode.AUTO_PARALLEL:
            _set(search_mode=parallel_mode)

    def construct(self, *args: Any, **kwargs: Any) -> Any:
        return self.network(*args, **kwargs)

    def dataset_strategy(self, config: Any) -> None:
        """How batches come: ``"data_parallel"``, ``"full_batch"``, or a split for each input."""
        if config is None:
            raise ValueError("AutoParallel.dataset_strategy: config must not be None.")
        if isinstance(config, tuple) and not all(isinstance(c, tuple | Layout) for c in config):
            raise TypeError(
                "AutoParallel.dataset_strategy: config must hold tuples or Layouts, got "
                f"{checks.shown(config)}."
            )
        _set(dataset_strategy=config, full_batch=config == "full_batch")

    def hsdp(
        self, shard_size: int = -1, threshold: int = 64, optimizer_level: str = "level1"
    ) -> None:
        """Share out the optimizer's work."""
        who = "AutoParallel.hsdp"
        if shard_size != -1:
            checks.integer(who, "shard_size", shard_size, 1)
        checks.integer(who, "threshold", threshold, 0)
        checks.one_of(who, "optimizer_level", optimizer_level, ("level1", "level2", "level3"))
        config = {"parallel_optimizer_threshold": threshold, "optimizer_level": optimizer_level}
        _set(
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
        """Cut the network into stages."""
        who = "AutoParallel.pipeline"
        known = ("1f1b", "gpipe", "seqpipe", "seqvpp", "seqsmartvpp", "zero_bubble_v")
        checks.integer(who, "stages", stages, 1)
        checks.boolean(who, "output_broadcast", output_broadcast)
        checks.boolean(who, "interleave", interleave)
        checks.one_of(who, "scheduler", checks.string(who, "scheduler", scheduler), known)
        config = {"pipeline_interleave": interleave, "pipeline_scheduler": scheduler}
        _set(
            pipeline_stages=stages,
            pipeline_result_broadcast=output_broadcast,
            pipeline_config=config,
        )

    def get_pipeline_stages(self) -> int:
        """The number of stages."""
        return int(context.get_auto_parallel_context("pipeline_stages"))

    def comm_fusion(self, config: Any) -> None:
        """Where all-reduces of gradients are cut."""
        _set(comm_fusion=config)

    def enable_fp32_communication(self) -> None:
        """Reduce in float32."""
        _set(force_fp32_communication=True)

    def enable_gradients_mean(self) -> None:
        """Divide summed gradients by the number of ranks."""
        _set(gradients_mean=True)

    def disable_gradient_fp32_sync(self) -> None:
        """Reduce gradients in their own dtype."""
        _set(gradient_fp32_sync=False)

    def disable_loss_repeated_mean(self) -> None:
        """Take no mean where devices compute the same."""
        _set(loss_repeated_mean=False)

    def no_init_parameters_in_compile(self) -> None:
        """Initialise parameters before the network is compiled, as is done here anyway."""
        _set(init_param_in_compile=False)

    def load_param_strategy_file(self, file_path: str) -> None:
        """Where strategies of parameters are to be read."""
        _set(strategy_ckpt_load_file=_path("load_param_strategy_file", file_path))

    def save_param_strategy_file(self, file_path: str) -> None:
        """Where strategies of parameters are to be written."""
        _set(strategy_ckpt_save_file=_path("save_param_strategy_file", file_path))

    def set_group_ckpt_save_file(self, file_path: str) -> None:
        """Where groups are to be written."""
        _set(group_ckpt_save_file=_path("set_group_ckpt_save_file", file_path))

    def print_local_norm(self) -> None:
        """Print the norms of gradients before they are reduced."""
        _set(dump_local_norm=True)

    def dump_local_norm(self, file_path: str) -> None:
        """Write the norms of gradients before they are reduced."""
        _set(dump_local_norm=True, dump_local_norm_path=_path("dump_local_norm", file_path))

    def enable_device_local_norm(self) -> None:
        """The norms of what a device has."""
        _set(dump_device_local_norm=True)


def _set(**settings: Any) -> None:
    context.set_auto_parallel_context(**settings)


def _path(who: str, file_path: Any) -> str:
    return checks.string(f"AutoParallel.{who}", "file_path", file_path)


__all__ = ["AutoParallel"]
