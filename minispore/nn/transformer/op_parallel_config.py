"""How a Transformer is cut over devices: checked and kept; one device has all of it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from minispore import context
from minispore.foundation import checks


def _ways(owner: str, name: str, value: Any) -> None:
    checks.integer(owner, name, value, 1)


class _Config:
    """Settings that are checked whenever they are set."""

    rules: ClassVar[dict[str, Callable[[str, str, Any], Any]]] = {}

    def __setattr__(self, name: str, value: Any) -> None:
        if rule := self.rules.get(name):
            rule(type(self).__name__, name, value)
        super().__setattr__(name, value)

    def __str__(self) -> str:
        return "[ParallelConfig]\n" + "".join(f"{k}:{v}\n" for k, v in vars(self).items())


class OpParallelConfig(_Config):
    """Over how many devices rows and matrices are cut.

    Args:
        data_parallel: devices that share the rows.
        model_parallel: devices that share each matrix.

    Raises:
        ValueError: a number below 1.

    >>> from minispore.nn.transformer import OpParallelConfig
    >>> OpParallelConfig(data_parallel=2).model_parallel
    1
    """

    rules: ClassVar = {"data_parallel": _ways, "model_parallel": _ways}

    def __init__(self, data_parallel: int = 1, model_parallel: int = 1) -> None:
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel


class MoEParallelConfig(_Config):
    """The same, and how many devices share the experts."""

    rules: ClassVar = {**OpParallelConfig.rules, "expert_parallel": _ways}

    def __init__(
        self, data_parallel: int = 1, model_parallel: int = 1, expert_parallel: int = 1
    ) -> None:
        self.data_parallel = data_parallel
        self.model_parallel = model_parallel
        self.expert_parallel = expert_parallel

    @property
    def dpmp(self) -> OpParallelConfig:
        """What holds without experts."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


class EmbeddingOpParallelConfig(_Config):
    """Over how many devices an embedding is cut.

    Args:
        data_parallel: devices that share the rows.
        model_parallel: devices that share the table.
        vocab_emb_dp: whether rows alone are shared.

    Raises:
        ValueError: a number below 1.
        TypeError: ``vocab_emb_dp`` is no bool.

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
        """What holds for other layers."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)


class TransformerRecomputeConfig(_Config):
    """What the backward pass computes again.

    Args:
        recompute: whether it does at all.
        parallel_optimizer_comm_recompute: whether it gathers parameters again.
        mp_comm_recompute: whether it talks between devices again.
        recompute_slice_activation: whether what is kept is cut over devices.

    Raises:
        TypeError: an argument is no bool.

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


def _recompute(owner: str, name: str, value: Any) -> None:
    if not isinstance(value, bool | TransformerRecomputeConfig):
        rule = "be a TransformerRecomputeConfig or a bool"
        raise TypeError(checks.format_error(owner, name, rule, checks.format_value(value)))


default_transformer_recompute_config = TransformerRecomputeConfig()


class TransformerOpParallelConfig(_Config):
    """How a whole Transformer is cut over devices.

    Args:
        data_parallel: devices that share the rows.
        model_parallel: devices that share each matrix.
        expert_parallel: devices that share the experts.
        pipeline_stage: stages that layers are spread over.
        micro_batch_num: parts of a batch that go through the stages one by one.
        recompute: what the backward pass computes again.
        optimizer_shard: whether devices share the optimizer's state.
        gradient_aggregation_group: groups of layers whose gradients are summed at once.
        vocab_emb_dp: whether the embedding shares rows alone.

    Raises:
        ValueError: a number below 1.
        TypeError: a flag is no bool.

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
            _ways,
        ),
        "recompute": _recompute,
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
        """What holds for the embedding."""
        return EmbeddingOpParallelConfig(self.data_parallel, self.model_parallel, self.vocab_emb_dp)

    @property
    def dp_mp_config(self) -> OpParallelConfig:
        """What holds for each layer."""
        return OpParallelConfig(self.data_parallel, self.model_parallel)

    @property
    def moe_parallel_config(self) -> MoEParallelConfig:
        """What holds for layers of experts."""
        return MoEParallelConfig(self.data_parallel, self.model_parallel, self.expert_parallel)


default_dpmp_config = OpParallelConfig()
default_moeparallel_config = MoEParallelConfig()
default_transformer_config = TransformerOpParallelConfig()
default_embedding_parallel_config = EmbeddingOpParallelConfig()


def _check_config(config: Any) -> None:
    """The stages of ``config``, if it has any, are those of the context.

    Raises:
        ValueError: they differ, or there are fewer micro batches than stages.
    """
    stages = getattr(config, "pipeline_stage", None)
    if stages is None:
        return
    owner = type(config).__name__
    known = context.get_auto_parallel_context("pipeline_stages")
    if stages != known:
        hint = "Set set_auto_parallel_context(pipeline_stages=...) to the same."
        raise ValueError(
            checks.format_error(owner, "pipeline_stage", f"be {known}", f"{stages}", hint)
        )
    if config.micro_batch_num < stages:
        rule = f"be >= {stages}, the pipeline's stages"
        raise ValueError(
            checks.format_error(owner, "micro_batch_num", rule, f"{config.micro_batch_num}")
        )


__all__ = [
    "EmbeddingOpParallelConfig",
    "OpParallelConfig",
    "TransformerOpParallelConfig",
    "TransformerRecomputeConfig",
]
