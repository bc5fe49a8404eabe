"""The words of a summary: what it holds, and of which run."""

from __future__ import annotations

from enum import Enum


class BaseEnum(Enum):
    """Words, by name."""

    @classmethod
    def to_list(cls) -> list[str]:
        """The words, in the order in which they are written.

        >>> ModeEnum.to_list()
        ['train', 'eval']
        """
        return [member.value for member in cls]


class PluginEnum(BaseEnum):
    """What a value of a summary is."""

    GRAPH = "graph"
    SCALAR = "scalar"
    IMAGE = "image"
    TENSOR = "tensor"
    HISTOGRAM = "histogram"
    TRAIN_LINEAGE = "train_lineage"
    EVAL_LINEAGE = "eval_lineage"
    CUSTOM_LINEAGE_DATA = "custom_lineage_data"
    DATASET_GRAPH = "dataset_graph"
    EXPLAINER = "explainer"
    LANDSCAPE = "landscape"


class ModeEnum(BaseEnum):
    """Which run it is of."""

    TRAIN = "train"
    EVAL = "eval"


__all__ = ["ModeEnum", "PluginEnum"]
