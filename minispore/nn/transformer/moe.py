"""Settings of a mixture of experts; only one expert is supported."""

from __future__ import annotations

from typing import Any

from minispore.foundation import checks


class MoEConfig:
    """The number of experts of a layer and the rules by which tokens are routed to them.

    Args:
        expert_num: number of experts in a layer; layers with more than one raise an error when
            created.
        capacity_factor: capacity of an expert, relative to the mean number of tokens per expert; at
            least 1.
        aux_loss_factor: weight of the load-balancing loss, below 1.
        num_experts_chosen: number of experts for each token.
        expert_group_size: tokens in a group.
        group_wise_a2a: whether devices exchange tokens in groups.
        comp_comm_parallel: whether computation overlaps with the exchange of tokens.
        comp_comm_parallel_degree: number of parts that such an exchange is split into.

    Raises:
        ValueError: a number is out of range.

    >>> from minispore.nn.transformer import MoEConfig
    >>> MoEConfig(expert_num=4).num_experts_chosen
    1
    """

    def __init__(
        self,
        expert_num: int = 1,
        capacity_factor: float = 1.1,
        aux_loss_factor: float = 0.05,
        num_experts_chosen: int = 1,
        expert_group_size: int | None = None,
        group_wise_a2a: bool = False,
        comp_comm_parallel: bool = False,
        comp_comm_parallel_degree: int = 2,
    ) -> None:
        self.expert_num = checks.integer(self, "expert_num", expert_num, 1)
        self.capacity_factor = checks.number(self, "capacity_factor", capacity_factor, 1)
        self.aux_loss_factor = checks.number(
            self, "aux_loss_factor", aux_loss_factor, 0, 1, closed="()"
        )
        self.num_experts_chosen = checks.integer(
            self, "num_experts_chosen", num_experts_chosen, 1, expert_num
        )
        if expert_group_size is not None:
            checks.integer(self, "expert_group_size", expert_group_size, 1)
        self.expert_group_size = expert_group_size
        self.group_wise_a2a = checks.boolean(self, "group_wise_a2a", group_wise_a2a)
        self.comp_comm_parallel = checks.boolean(self, "comp_comm_parallel", comp_comm_parallel)
        self.comp_comm_parallel_degree = checks.integer(
            self, "comp_comm_parallel_degree", comp_comm_parallel_degree, 1
        )


default_moe_config = MoEConfig()


def _check_moe_config(moe_config: Any = None, parallel_config: Any = None) -> None:
    """Check that a MoEConfig asks for a single expert.

    Raises:
        TypeError: ``moe_config`` is not an MoEConfig.
        NotImplementedError: it asks for several experts.
    """
    checks.instance("Transformer", "moe_config", moe_config, MoEConfig)
    if moe_config.expert_num > 1:
        raise NotImplementedError(
            f"MoEConfig: expert_num must be 1 here, got {moe_config.expert_num}. Mixtures of "
            "experts live on in mindformers; write nn.transformer.FeedForward for each expert."
        )


class MoE:
    """A mixture of experts, which is not supported; the class exists for scripts that import it.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "MoE: mixtures of experts are not here, so expert_num must be 1. Write "
            "nn.transformer.FeedForward for each expert."
        )


__all__ = ["MoEConfig"]
