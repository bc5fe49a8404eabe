"""Parallel settings of Transformers: checked and stored, but a single device runs everything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minispore import context
from minispore.foundation import checks


def _check_degree(api_name: str, name: str, value: Any) -> None:
    checks.integer(api_name, name, value, 1)


class _CheckedConfig:
    """Base of configs whose attributes are checked by ``rules`` whenever they are set."""

    rules: ClassVar[dict[str, Callable[[str, str, Any], Any]]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if rule := self.rules.get(name):
            rule(type(self).__name__, name, value)
        super().__setattr__(name, value)

    def __str__(self) -> str:
        return "[ParallelConfig]\n" + "".join(f"{k}:{v}\n" for k, v in vars(self).items())


class OpParallelConfig(_CheckedConfig):
    """The numbers of devices that batch rows and matrices are sharded over.

    Args:
        data_parallel: devices that the batch rows are sharded over.
        model_parallel: devices that each matrix is sharded over.

    Raises:
        ValueError: a number is below 1.

    >>> from minispore.nn.transformer import OpParallelConfig
    >>> OpParallelConfig(data_parallel=2).model_parallel
    1
    """

    rules: ClassVar = {"data_parallel": _check_degree, "model_parallel": _check_degree}

    def __init__(self, data_parallel: int = 1, model_parallel: int = 1) -> None:
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel


class MoEParallelConfig(_CheckedConfig):
    """The numbers of devices that batch rows, matrices and experts are sharded over."""

    rules: ClassVar = {**OpParallelConfig.rules, "expert_parallel": _check_degree}

    def __init__(
        self, data_parallel: int = 1, model_parallel: int = 1, expert_parallel: int = 1
    ) -> None:
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel
        self.expert_parallel = expert_parallel

    @property
    def dpmp(self) -> OpParallelConfig:
        """The config without experts."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


class EmbeddingOpParallelConfig(_CheckedConfig):
    """The numbers of devices that an embedding is sharded over.

    Args:
        data_parallel: devices that the batch rows are sharded over.
        model_parallel: devices that the table is sharded over.
        vocab_emb_dp: whether only the batch rows are sharded.

    Raises:
        ValueError: a number is below 1.
        TypeError: ``vocab_emb_dp`` is not a bool.

    >>> from minispore.nn.transformer import EmbeddingOpParallelConfig
    >>> EmbeddingOpParallelConfig(vocab_emb_dp=False).vocab_emb_dp
    False
    """

    rules: ClassVar = {**OpParallelConfig.rules, "vocab_emb_dp": checks.boolean}

    def __init__(
        self, data_parallel: int = 1, model_parallel: int = 1, vocab_emb_dp: bool = True
    ) -> None:
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel
        self.vocab_emb_dp = vocab_emb_dp

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The config of other layers."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


class TransformerRecomputeConfig(_CheckedConfig):
    """The settings for recomputing activations in the backward pass.

    Args:
        recompute: whether anything is recomputed.
        parallel_optimizer_comm_recompute: whether sharded parameters are gathered again.
        mp_comm_recompute: whether communication between devices is repeated.
        recompute_slice_activation: whether stored activations are sharded over devices.

    Raises:
        TypeError: an argument is not a bool.

    >>> from minispore.nn.transformer import TransformerRecomputeConfig
    >>> TransformerRecomputeConfig(recompute=True).mp_comm_recompute
    True
    """

    rules: ClassVar = dict.fromkeys(
        (
            "recompute",
            "parallel_optimizer_comm_recompute",
            "mp_comm_recompute",
            "recompute_slice_activation",
        ),
        checks.boolean,
    )

    def __init__(
        self,
        recompute: bool = False,
        parallel_optimizer_comm_recompute: bool = False,
        mp_comm_recompute: bool = True,
        recompute_slice_activation: bool = False,
    ) -> None:
        self.recompute = recompute
        self.parallel_optimizer_comm_recompute = parallel_optimizer_comm_recompute
        self.mp_comm_recompute = mp_comm_recompute
        self.recompute_slice_activation = recompute_slice_activation


def _check_recompute(api_name: str, name: str, value: Any) -> None:
    if not isinstance(value, bool | TransformerRecomputeConfig):
        rule = "be a TransformerRecomputeConfig or a bool"
        raise TypeError(checks.format_error(api_name, name, rule, checks.format_value(value)))


default_transformer_recompute_config = TransformerRecomputeConfig()


class TransformerOpParallelConfig(_CheckedConfig):
    """The parallel settings of a Transformer.

    Args:
        data_parallel: devices that the batch rows are sharded over.
        model_parallel: devices that each matrix is sharded over.
        expert_parallel: devices that the experts are sharded over.
        pipeline_stage: number of pipeline stages that the layers are divided into.
        micro_batch_num: number of micro batches that pass through the stages one by one.
        recompute: the settings for recomputation in the backward pass.
        optimizer_shard: whether the optimizer's state is sharded over devices.
        gradient_aggregation_group: number of layer groups whose gradients are reduced together.
        vocab_emb_dp: whether only the batch rows of the embedding are sharded.

    Raises:
        ValueError: a number is below 1.
        TypeError: a flag is not a bool.

    >>> from minispore.nn.transformer import TransformerOpParallelConfig
    >>> TransformerOpParallelConfig(data_parallel=8).dp_mp_config.data_parallel
    8
    """

    rules: ClassVar = {
        **dict.fromkeys(
            (
                "data_parallel",
                "model_parallel",
                "expert_parallel",
                "pipeline_stage",
                "micro_batch_num",
                "gradient_aggregation_group",
            ),
            _check_degree,
        ),
        "recompute": _check_recompute,
        "optimizer_shard": checks.boolean,
        "vocab_emb_dp": checks.boolean,
    }

    def __init__(
        self,
        data_parallel: int = 1,
        model_parallel: int = 1,
        expert_parallel: int = 1,
        pipeline_stage: int = 1,
        micro_batch_num: int = 1,
        recompute: Any = default_transformer_recompute_config,
        optimizer_shard: bool = False,
        gradient_aggregation_group: int = 4,
        vocab_emb_dp: bool = True,
    ) -> None:
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel
        self.expert_parallel = expert_parallel
        self.pipeline_stage = pipeline_stage
        self.micro_batch_num = micro_batch_num
        self.recompute = recompute
        self.optimizer_shard = optimizer_shard
        self.gradient_aggregation_group = gradient_aggregation_group
        self.vocab_emb_dp = vocab_emb_dp

    @property
    def embedding_dp_mp_config(self) -> EmbeddingOpParallelConfig:
        """The config of the embedding."""
        return EmbeddingOpParallelConfig(self.data_parallel, self.model_parallel, self.vocab_emb_dp)

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """The config of each layer."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)

    @property
    def moe_parallel_config(self) -> MoEParallelConfig:
        """The config of layers with experts."""
        return MoEParallelConfig(self.data_parallel, self.model_parallel, self.expert_parallel)


default_dpmp_config = OpParallelConfig()
default_moeparallel_config = MoEParallelConfig()
default_transformer_config = TransformerOpParallelConfig()
default_embedding_parallel_config = EmbeddingOpParallelConfig()


def _check_config(config: Any) -> None:
    """Check that the pipeline stages of ``config``, if it has any, equal those of the context.

    Raises:
        ValueError: the numbers of stages differ, or there are fewer micro batches than stages.
    """
    stages = getattr(config, "pipeline_stage", None)
    if stages is None:
        return
    api_name = type(config).__name__
    context_stages = context.get_auto_parallel_context("pipeline_stages")
    if stages != context_stages:
        hint = "Set set_auto_parallel_context(pipeline_stages=...) to the same."
        raise ValueError(
            checks.format_error(
                api_name, "pipeline_stage", f"be {context_stages}", f"{stages}", hint
            )
        )
    if config.micro_batch_num < stages:
        rule = f"be >= {stages}, the pipeline's stages"
        raise ValueError(
            checks.format_error(api_name, "micro_batch_num", rule, f"{config.micro_batch_num}")
        )


__all__ = [
    "EmbeddingOpParallelConfig",
    "OpParallelConfig",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
]
