"""The targets: what each counts when programs, kernels and batches cross its border."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
import minispore.device as devices
from minispore import context
from minispore.core import interpreter
from minispore.device import faults
from minispore.device.ascend import Ascend
from minispore.device.channel import Batch
from minispore.device.cpu import CPU
from minispore.device.gpu import GPU
from minispore.device.runtime import Listener
from minispore.errors import DeviceError, GetNextError
from minispore.graph.ir import Graph
from minispore.graph.trace import Tracer, finish_graph
from minispore.ir import runtime as seam
from minispore.ops import NonZero, ReLU
from minispore.ops.control.effects import GetNext


@pytest.fixture(autouse=True)
def same_context_after():
    saved = context.current()
    yield
    context.restore(saved)


def a_graph(*prims: Any) -> Graph:
    """A graph of these ops, one after the other, that has nothing to say."""
    tracer = Tracer()
    with interpreter.using_interpreter(tracer):
        for prim in prims:
            prim()
        return finish_graph(tracer, [])


FED = a_graph(GetNext([ms.float32], [[2]], 1, "queue"))
NOT_FED = a_graph()


class Counting:
    """A program whose loss is the number of its run; its output buffer is always the same."""

    def __init__(self, size: int = 1, fed: bool = True) -> None:
        self.runs = 0
        self.buffer = np.zeros(size, np.float32)
        self.traced = FED if fed else NOT_FED

    def run(self, inputs):
        self.runs += 1
        self.buffer[:] = self.runs
        return [self.buffer]


@pytest.mark.parametrize(("kind", "starts"), [(Ascend, 1), (GPU, 5)])
def test_a_loop_is_launched_once_on_ascend_and_at_each_step_on_other_targets(kind, starts) -> None:
    device, program = kind(), Counting()
    device.launch(program, [], loop=5)
    assert program.runs == device.counters.steps == 5
    assert device.counters.interactions == starts
    assert device.counters.program_launches == starts


def test_a_graph_that_no_queue_feeds_is_not_sunk() -> None:
    device, program = Ascend(), Counting(fed=False)
    device.launch(program, [], loop=5)
    assert device.counters.interactions == device.counters.program_launches == 5


def test_what_runs_op_by_op_is_no_program() -> None:
    device, program = Ascend(), Counting()
    program.traced = None
    device.launch(program, [], loop=5)
    assert device.counters.interactions == 5
    assert device.counters.program_launches == 0


def test_the_losses_of_a_loop_come_back_in_one_array() -> None:
    device = Ascend()
    device.launch(Counting(), [], loop=5)
    assert (device.counters.d2h_copies, device.counters.d2h_bytes) == (1, 20)


def test_the_ring_holds_the_first_output_of_every_run() -> None:
    device = Ascend()
    device.launch(Counting(), [], loop=4)
    assert device.losses.tolist() == [1.0, 2.0, 3.0, 4.0]


def test_the_loss_is_the_first_of_several_outputs() -> None:
    class Two(Counting):
        def run(self, inputs):
            return [*super().run(inputs), np.float32([70.0])]

    device = Ascend()
    device.launch(Two(), [], loop=3)
    assert device.losses.tolist() == [1.0, 2.0, 3.0]


def test_the_ring_holds_the_mean_of_an_array() -> None:
    device = Ascend()
    device.launch(Counting(size=3), [], loop=2)
    assert device.losses.tolist() == [1.0, 2.0]


def test_inputs_and_outputs_of_a_launch_are_counted_in_bytes() -> None:
    device = GPU()
    device.launch(Counting(), [np.zeros(3, np.float32), np.zeros(2, np.int64)])
    c = device.counters
    assert (c.h2d_copies, c.h2d_bytes, c.d2h_copies, c.d2h_bytes) == (2, 28, 1, 4)


def test_a_launch_inside_an_interaction_is_part_of_it() -> None:
    device = Ascend()
    with device.interaction([np.zeros(1, np.float32)]):
        device.launch(Counting(), [np.zeros(1, np.float32)])
        device.launch(Counting(), [])
    c = device.counters
    assert (c.interactions, c.program_launches, c.h2d_copies, c.steps) == (1, 2, 1, 1)


def test_an_exception_ends_the_interaction() -> None:
    device = Ascend()
    with pytest.raises(ZeroDivisionError), device.interaction():
        raise ZeroDivisionError
    with device.interaction():
        pass
    assert device.counters.interactions == 2


def test_a_fault_stops_the_loop_at_its_step() -> None:
    device, program = Ascend(), Counting()
    with faults.device_lost(step=3), pytest.raises(DeviceError):
        device.launch(program, [], loop=5)
    assert program.runs == 2


def test_batches_come_through_the_channel_and_are_counted() -> None:
    device = Ascend()
    data = [Batch((np.full(2, i, np.float32),)) for i in range(3)]
    channel = device.open_channel("numbers", lambda: iter(data))
    got = [device.fetch("numbers")[0][0] for _ in range(3)]
    with pytest.raises(GetNextError):
        device.fetch("numbers")
    channel.close()
    c = device.counters
    assert got == [0.0, 1.0, 2.0]
    assert (c.batches_sent, c.bytes_sent, c.batches_taken) == (3, 24, 3)
    assert (c.h2d_copies, c.interactions) == (0, 0)  # none of it was the host's work


def test_an_unknown_queue_is_an_error_that_says_so() -> None:
    with pytest.raises(GetNextError, match=r"Queue\(nowhere\) Open Failed"):
        Ascend().fetch("nowhere")


def test_the_limit_of_a_wait_is_the_context_s_op_timeout() -> None:
    context.set_context(op_timeout=0.02)
    device = Ascend()
    with faults.slow_batch(1, 5.0):
        channel = device.open_channel("slow", lambda: iter([Batch(())]))
        with pytest.raises(GetNextError, match=r"op_timeout 0.02 s"):
            device.fetch("slow")
        channel.close()


def test_a_cpu_has_no_queues() -> None:
    with pytest.raises(RuntimeError, match=r"Unsupported op \[GetNext\] on CPU"):
        CPU().fetch("q")
    with pytest.raises(RuntimeError, match="InitDataSetQueue"):
        CPU().open_channel("q", lambda: iter(()))


def test_a_dataset_sends_nothing_to_a_cpu() -> None:
    data = ds.NumpySlicesDataset([1.0, 2.0], ["x"]).batch(1)
    assert data.device_que().send() is None


def test_the_context_chooses_the_device_and_the_seam_follows() -> None:
    context.set_context(device_target="Ascend", device_id=3)
    assert repr(devices.current()) == "Ascend(3)"
    assert seam.runtime is devices.current()
    context.set_context(device_target="CPU")
    assert seam.runtime is devices.current()
    assert repr(devices.current()) == "CPU(0)"


def test_a_device_of_no_number_is_the_first() -> None:
    assert [repr(kind()) for kind in devices.TARGETS.values()] == ["CPU(0)", "GPU(0)", "Ascend(0)"]


def test_each_device_counts_for_itself() -> None:
    context.set_context(device_target="Ascend", device_id=1)
    devices.current().counters.reset()
    devices.current().launch(Counting(), [])
    context.set_context(device_id=2)
    assert devices.current().counters.interactions == 0


def test_a_listener_hears_everything_inside_its_block_and_nothing_after() -> None:
    messages: list[str] = []

    class Ear(Listener):
        def launching(self, program, inputs, loop):
            messages.append(f"launching x{loop}")

        def on_launch(self, program, loop):
            messages.append(f"launched x{loop}")

        def on_interaction(self):
            messages.append("on_interaction")

        def on_fetch(self, queue_name, batch, waited_s):
            messages.append(f"fetched {queue_name}")

        def on_send(self, queue_name, batch):
            messages.append(f"sent {queue_name}")

    device = Ascend()
    with device.listen(Ear()):
        device.launch(Counting(), [], loop=2)
        channel = device.open_channel("q", lambda: iter([Batch((np.zeros(1),))]))
        device.fetch("q")
    device.launch(Counting(), [])
    channel.close()
    assert messages == ["launching x2", "on_interaction", "launched x2", "sent q", "fetched q"]


class Kernels(Listener):
    """Notes every kernel, step and answer."""

    def __init__(self) -> None:
        self.calls: list[Any] = []

    def on_execute(self, prim, arrays, out, took_ns):
        assert 0 <= took_ns < 600e9
        self.calls.append((prim.name, [a.tolist() for a in arrays], out))

    def began_step(self):
        self.calls.append("step")

    def on_answer(self, arrays):
        self.calls.append([a.tolist() for a in arrays])


def test_a_listener_gets_each_kernel_with_its_inputs_and_output() -> None:
    device, ear, x = CPU(), Kernels(), np.float32([-1, 2])
    inputs = np.empty(2, np.float32)
    with device.listen(ear):
        device.execute(ReLU(), ReLU().kernel, [x], inputs)
        output = device.execute(NonZero(), lambda x, out: NonZero().kernel(x), [x], None)
    (_, read, first), (_, _, second) = ear.calls
    assert first is inputs and second is output
    assert (read, inputs.tolist()) == ([[-1, 2]], [0, 2])
    device.execute(ReLU(), ReLU().kernel, [x], inputs)
    assert len(ear.calls) == 2 and device.counters.kernel_launches == 3


def test_a_listener_hears_each_step_and_what_comes_back() -> None:
    device, ear = GPU(), Kernels()
    with device.listen(ear):
        device.launch(Counting(), [], loop=2)
    assert ear.calls == ["step", [[1.0]], "step", [[2.0]]]


def test_what_is_no_float_is_no_loss() -> None:
    device, program = Ascend(), Counting()
    program.buffer = np.zeros(1, np.int32)
    device.launch(program, [], loop=3)
    assert device.losses.tolist() == []


def test_a_run_without_outputs_has_no_loss() -> None:
    class Silent(Counting):
        def run(self, inputs):
            return []

    device = Ascend()
    device.launch(Silent(), [], loop=3)
    assert device.losses.tolist() == []
    assert (device.counters.d2h_copies, device.counters.steps) == (0, 3)


def test_losses_hold_only_the_last_launch() -> None:
    device, program = Ascend(), Counting()
    device.launch(program, [], loop=3)
    device.launch(program, [], loop=2)
    assert device.losses.tolist() == [4.0, 5.0]


def test_an_unknown_queue_s_error_has_counted_nothing() -> None:
    device = Ascend()
    with pytest.raises(GetNextError, match="produced: 0, sent: 0, consumed: 0"):
        device.fetch("nowhere")
    assert device.counters.batches_taken == 0


def test_counters_reset_and_copy() -> None:
    device = CPU()
    device.launch(Counting(), [])
    before = device.counters.snapshot()
    device.counters.reset()
    assert before.interactions == 1
    assert set(device.counters.as_dict().values()) == {0}
