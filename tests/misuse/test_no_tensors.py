"""Whatever a public name is given where its example gives a Tensor, it takes it or says by name
why not.

The calls are those of the examples in the reference; each Tensor in turn becomes None, a text or an
object.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np

from minispore.core.tensor import Tensor
from tests.reference.compose import entry, reference
from tests.reference.examples import Call, restore_settings
from tests.reference.observe import is_eager, labels

FRONTS = ("ops", "mint", "F", "nn", "Tensor", "mnp", "fft", "linalg")
WRONG = [None, "a", object()]
NAMED = re.compile(r"^[\w.]+(\(\))?: ")  # the op that refuses, before all else

# What calls a function of the user's own, which fails in its own way.
OF_USERS = (
    "ops.ForiLoop ops.Scan ops.WhileLoop ops.jvp ops.linearize ops.vjp nn.Jvp nn.Vjp "
    "nn.GradAccumulationCell nn.MicroBatchInterleaved nn.PipelineCell nn.VirtualDatasetCellTriple"
)
# What takes anything: it orders, prints, asks what a value is, or hands it on as it is.
ANYTHING = (
    "ops.ControlDepend ops.control_depend ops.Depend ops.Load ops.Print ops.print_ "
    "ops.identity ops.stop_gradient ops.is_tensor mnp.isscalar nn.Identity nn.Dropout "
    "mint.nn.Dropout mint.nn.Dropout2d ops.dropout F.dropout ops.get_grad Tensor.scatter_add"
)
# Where None says: all axes, the whole input, no weight, no mask, a state of zeros.
LEFT_OUT = (
    "axes attention_mask bias decoder_mask decoder_masks encoder_masks encoder_output hx init_c "
    "init_h input_mask memory_mask output_size posWeight pos_weight weight xmax xmin"
)


def calls() -> Iterator[tuple[str, Call]]:
    """A call of each public name that takes tensors."""
    selected = {*OF_USERS.split(), *ANYTHING.split()}
    for text in reference().all:
        if text.split(".")[0] in FRONTS and text not in selected:
            ran = entry(text).ran
            yield from ((text, c) for c in (ran.calls[:1] if ran else ()) if is_eager(c))


def outcome(call: Call, args: list[Any]) -> str:
    """What is wrong with how a call ends."""
    with warnings.catch_warnings(), np.errstate(all="ignore"), restore_settings():
        warnings.simplefilter("ignore")
        try:
            call.target(*args, **call.kwargs)
        except (TypeError, ValueError) as error:
            return "" if NAMED.match(str(error)) else f"{type(error).__name__}: {error}"
        except Exception as error:
            return f"{type(error).__name__}: {error}"
    return "passes"


def test_what_is_no_tensor_is_refused_by_name() -> None:
    results = []
    for text, call in calls():
        names = labels(call)
        for i, inputs in enumerate(call.args):
            if not isinstance(inputs, Tensor) or names[i] == "self":
                continue
            for wrong in WRONG:
                ends = outcome(call, [*call.args[:i], wrong, *call.args[i + 1 :]])
                if ends and not (
                    ends == "passes" and wrong is None and names[i] in LEFT_OUT.split()
                ):
                    results.append(f"{text}({names[i]}={wrong!r:.20}) {ends:.150}")
    assert not results, "\n".join(results)
