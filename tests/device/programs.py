"""Small programs and strategies that several tests of the machine share."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st

from minispore.device.model.cost import Kernel, ProgramCost
from minispore.device.model.records import BACKWARD, FORWARD, OPTIMIZER, Operand, OpRecord
from minispore.device.model.spec import DeviceSpec, device_spec
from minispore.device.model.timeline import round_to_grid

HALF, SINGLE = np.dtype(np.float16), np.dtype(np.float32)

#: A device whose numbers are round, so that a timeline can be worked out by hand.
ROUND = device_spec("Ascend910").replace(
    aicpu_kernel_us=10,
    control_us=1,
    host_launch_us=4,
    host_execute_us=20,
    host_feed_us=30,
    host_sync_us=2,
    copy_us=5,
    h2d_gbs=1e6,
    d2h_gbs=1e6,
)


def program(
    *kernel_us: float, spec: DeviceSpec = ROUND, input_bytes: int = 0, columns: int = 1
) -> ProgramCost:
    """A program of vector kernels with the given durations; the result is free to copy."""
    kernels = tuple(Kernel(f"k{i}", "Mul", round_to_grid(us)) for i, us in enumerate(kernel_us))
    return ProgramCost(spec, kernels, input_bytes, columns, results=(0,), loss_bytes=0)


programs = st.builds(
    lambda us, nbytes, columns: program(
        *us, spec=device_spec("Ascend910"), input_bytes=nbytes, columns=columns
    ),
    st.lists(st.floats(0.01, 5000), max_size=30),
    st.integers(0, 1 << 30),
    st.integers(1, 8),
)


def array(key: object, *shape: int, dtype: np.dtype = HALF, param: bool = False) -> Operand:
    """An operand for a test."""
    return Operand(key, shape, dtype, param)


def small_step(rows: int = 4) -> tuple[list[OpRecord], list[Operand]]:
    """One dense layer, its gradient and its update: y = x @ w, loss = mean(y), w -= lr * dw."""
    x, w = array("x", rows, 32, dtype=SINGLE), array("w", 32, 16, dtype=SINGLE, param=True)
    m = array("m", 32, 16, dtype=SINGLE, param=True)
    y, loss = array("y", rows, 16, dtype=SINGLE), array("loss", dtype=SINGLE)
    dy, dw = array("dy", rows, 16, dtype=SINGLE), array("dw", 32, 16, dtype=SINGLE)
    records = [
        OpRecord("MatMul", (x, w), (y,), kind=FORWARD, scope="dense"),
        OpRecord("ReduceMean", (y,), (loss,), kind=FORWARD),
        OpRecord("Mul", (loss,), (dy,), kind=BACKWARD),
        OpRecord("MatMul", (x, dy), (dw,), {"transpose_a": True}, BACKWARD),
        OpRecord(
            "ApplyMomentum", (w, m, dw), (array("w2", 32, 16), array("m2", 32, 16)), kind=OPTIMIZER
        ),
    ]
    return records, [x]
