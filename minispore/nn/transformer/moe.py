"""Settings of mixtures of experts; only one expert is supported."""

from __future__ import annotations

from typing import Any

from minispore.foundation import checks


class MoEConfig:
    """The number of experts of a layer and the rules by which tokens are routed to them.

    Args:
        expert_num: experts in a layer; layers of more than one are refused where they are made.
        capacity_factor: tokens that an expert takes, by their mean number; at least 1.
        aux_loss_factor: weight of the loss that balances experts, below 1.
        num_experts_chosen: experts for each token.
        expert_group_size: tokens of a group.
        group_wise_a2a: whether devices exchange tokens in groups.
        comp_comm_parallel: whether devices compute while they exchange tokens.
        comp_comm_parallel_degree: the number of parts of such an exchange.

    Raises:
        ValueError: a number out of its range.

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
        TypeError: ``moe_config`` is no MoEConfig.
        NotImplementedError: it has several experts.
    """
    checks.instance("Transformer", "moe_config", moe_config, MoEConfig)
    if moe_config.expert_num > 1:
        raise NotImplementedError(
            f"MoEConfig: expert_num must be 1 here, got {moe_config.expert_num}. Mixtures of "
            "experts live on in mindformers; write nn.transformer.FeedForward for each expert."
        )


class MoE:
    """A mixture of experts, which is not supported; scripts import the class.

    Raises:
        NotImplementedError: always.
    """

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        raise NotImplementedError(
            "MoE: mixtures of experts are not here, so expert_num must be 1. Write "
            "nn.transformer.FeedForward for each expert."
        )


__all__ = ["MoEConfig"]
