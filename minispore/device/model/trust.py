"""Errors of predictions for published rows, by device and family of networks.

``python -m benchmarks device`` computes them, and a test compares the two. If a constant was fitted
to a row, the error of that row is computed with the constant fitted to the other families alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from minispore.device.model.constants import DeviceSpec
from minispore.device.model.records import FORWARD, OpRecord
from minispore.device.model.roles import get_matmul_kind, has_role
from minispore.device.model.table import get_op_cost

PLAIN, RESIDUAL = "plain convolutions", "residual convolutions"
CONCATENATED, GROUPED = "concatenated convolutions", "grouped convolutions"
TRANSFORMERS, TABLES = "transformers", "tables"
RECURRENT, OTHER = "recurrent networks", "other networks"
_MIN_CONCATENATIONS = 8  # minimum in a network of concatenated convolutions


class SeenError(NamedTuple):
    """The relative errors of the published rows of a family on a device."""

    median: float
    worst: float
    rows: int

    def __str__(self) -> str:
        """Return the median, the worst error and the number of rows as text."""
        return f"median {self.median:.0%}, worst {self.worst:.0%}, published rows: {self.rows}"


#: Device -> family -> errors; "Ascend910" with each family left out of the fit, others without a
#: fit.
SEEN_ERRORS: Mapping[str, Mapping[str, SeenError]] = {
    "Ascend910": {
        PLAIN: SeenError(0.20, 0.46, 6),
        RESIDUAL: SeenError(0.32, 0.58, 7),
        TRANSFORMERS: SeenError(0.12, 0.12, 2),
        TABLES: SeenError(0.14, 0.29, 5),
        CONCATENATED: SeenError(0.48, 0.48, 1),
        GROUPED: SeenError(0.43, 0.49, 3),
    },
    "Ascend910B2": {
        PLAIN: SeenError(0.18, 0.18, 1),
        RESIDUAL: SeenError(0.48, 0.49, 2),
        CONCATENATED: SeenError(0.45, 0.45, 1),
        GROUPED: SeenError(0.41, 0.45, 2),
        TRANSFORMERS: SeenError(0.24, 0.27, 4),
    },
    "A100": {TRANSFORMERS: SeenError(0.15, 0.19, 4)},
}

#: The errors of ``ImagePipeline`` on rows that the host binds, without those that chose a constant.
SEEN_HOST_ERROR = SeenError(0.06, 0.26, 52)


def find_family(records: Sequence[OpRecord]) -> str:
    """Return the family of networks that the forward ops of a step indicate, such as
    "transformers".
    """
    ops = [r for r in records if r.kind == FORWARD]
    names = Counter(r.name for r in ops)
    convolutions = [r for r in ops if has_role(r.name, "convolution")]
    products = sum(get_matmul_kind(r.name) == "product" for r in ops)
    is_attention = names.keys() & {"Softmax", "ShiftedSoftmax"} and names.keys() & {"LayerNorm"}
    if any("Attention" in name for name in names) or (is_attention and products > 2):
        return TRANSFORMERS
    if any(int(r.attrs.get("group", 1)) > 1 for r in convolutions):
        return GROUPED
    if convolutions and names["Concat"] >= _MIN_CONCATENATIONS:
        return CONCATENATED
    if convolutions:
        maps = (r for r in ops if r.name == "Add" and len(r.inputs) == 2)
        has_shortcut = any(all(len(o.shape) == 4 for o in r.inputs) for r in maps)
        return RESIDUAL if has_shortcut else PLAIN
    if any("Sequence" in name for name in names):
        return RECURRENT
    is_lookup = (get_op_cost(r.name).by_rows and any(o.param for o in r.inputs) for r in ops)
    return TABLES if any(is_lookup) else OTHER


def describe_trust(spec: DeviceSpec, family: str) -> str:
    """Return a line with the errors seen for a family on a device, and the number of assumed
    constants.
    """
    assumed = sum(c.tag == "A" for c in spec.values())
    seen_error = SEEN_ERRORS.get(spec.name, {}).get(family)
    errors = seen_error or f"none, no published row of them was held against the {spec.name}"
    return f"errors seen of {family}: {errors}; {assumed} of {len(spec)} constants are assumed"


__all__ = ["SEEN_ERRORS", "SEEN_HOST_ERROR", "SeenError", "describe_trust", "find_family"]
