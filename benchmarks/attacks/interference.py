"""Interference from outside: the clock, a second process, the mode, Ctrl-C while workers start.

Each attack returns how often it was tried, and a line for each time that it succeeded.
"""

from __future__ import annotations

import os
import random
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path
from unittest import mock

import numpy as np

import minispore.dataset as ds
from minispore import context, nn
from minispore.train import CheckpointConfig, LambdaCallback, Model, ModelCheckpoint
from minispore.train.files import checkpoint_file

ROOT = Path(__file__).parents[2]
TIMEOUT_S = 300


def make_data(rows: int) -> ds.Dataset:
    return ds.NumpySlicesDataset((np.ones((rows, 3), np.float32),), ["x"], shuffle=False).batch(1)


def attack_clock(count: int, seed: int) -> tuple[int, list[str]]:
    """Train while the wall clock jumps at each checkpoint: the newest files must stay."""
    succeeded = []
    for number in range(seed, seed + count):
        draw, now_s, write = random.Random(number), [1e9], checkpoint_file.write

        def write_at_wall_time(path: str, *arguments: object) -> None:
            write(path, *arguments)  # noqa: B023
            os.utime(path, (now_s[0], now_s[0]))  # noqa: B023
            now_s[0] += draw.choice((-3600, -1, 0, 1, 3600))  # noqa: B023

        limit, steps = draw.randint(1, 4), draw.randint(5, 15)
        with tempfile.TemporaryDirectory() as folder:
            saver = ModelCheckpoint("net", folder, CheckpointConfig(keep_checkpoint_max=limit))
            with (
                mock.patch.object(checkpoint_file, "write", write_at_wall_time),
                mock.patch.object(time, "time", lambda: now_s[0]),  # noqa: B023
            ):
                Model(nn.Dense(3, 1)).train(1, make_data(steps), saver)
            expected = {f"net-1_{step}.ckpt" for step in range(steps - limit + 1, steps + 1)}
            names = {path.name for path in Path(folder).glob("*.ckpt")}
        if names != expected:
            succeeded.append(f"clock {number}: left {sorted(names)}")
    return count, succeeded


SECOND = """
import sys
import numpy as np
from benchmarks.attacks.interference import make_data
from minispore import mindrecord, nn
from minispore.train import CheckpointConfig, Model, ModelCheckpoint

folder, tag = sys.argv[1], int(sys.argv[2])
saver = ModelCheckpoint("net", folder, CheckpointConfig(keep_checkpoint_max=2))
Model(nn.Dense(3, 1)).train(1, make_data(30), saver)
for _ in range(5):
    writer = mindrecord.FileWriter(f"{folder}/rows", 3, overwrite=True)
    writer.add_schema({"tag": {"type": "int32"}})
    writer.write_raw_data([{"tag": tag}] * 9)
    writer.commit()
"""


def attack_with_second_process(count: int, seed: int) -> tuple[int, list[str]]:
    """Run two processes that write the same files: both must end well, and files be whole."""
    from minispore.mindrecord import FileReader

    succeeded = []
    for number in range(count):
        with tempfile.TemporaryDirectory() as folder:
            runs = [
                subprocess.Popen(
                    [sys.executable, "-W", "ignore", "-c", SECOND, folder, str(tag)], cwd=ROOT
                )
                for tag in (1, 2)
            ]
            mixed = 0
            while any(run.poll() is None for run in runs):
                if not Path(folder, "rows0").exists():
                    time.sleep(0.01)
                    continue
                reader = FileReader(f"{folder}/rows0")
                mixed += len({row["tag"] for row in reader.get_next()}) != 1
                reader.close()
            statuses = [run.returncode for run in runs]
            if statuses != [0, 0] or mixed:
                succeeded.append(f"second {number}: statuses {statuses}, {mixed} mixed reads")
    return count, succeeded


def attack_mode(count: int, seed: int) -> tuple[int, list[str]]:
    """Change the mode from a thread during sinks: refused by name, or all steps are taken."""
    succeeded = []
    record = context.current()
    for number in range(seed, seed + count):
        draw, is_done, steps = random.Random(number), threading.Event(), [0]
        context.set_context(mode=number % 2, device_target="Ascend")
        delay_s = draw.random() * 0.01

        def switch(mode: int = number % 2) -> None:
            time.sleep(delay_s)  # noqa: B023
            while not is_done.wait(draw.random() * 0.001):  # noqa: B023
                context.set_context(mode=1 - mode)
                context.set_context(mode=mode)

        thread = threading.Thread(target=switch)
        optimizer = nn.SGD((net := nn.Dense(3, 1)).trainable_params(), 0.0)
        counting = LambdaCallback(
            on_train_begin=lambda _: thread.start(),  # noqa: B023
            on_train_end=lambda c: steps.append(c.original_args().cur_step_num),  # noqa: B023
        )
        model = Model(nn.TrainOneStepCell(nn.SequentialCell(net, nn.ReLU()), optimizer))
        try:
            model.train(8, make_data(8), counting, dataset_sink_mode=True, sink_size=4)
            if steps[-1] != 32:
                succeeded.append(f"mode {number}: {steps[-1]} steps of 32")
        except RuntimeError as error:
            if "must stay" not in str(error):
                succeeded.append(f"mode {number}: {str(error).splitlines()[0]}")
        finally:
            is_done.set()
            thread.join()
            context.restore(record)
    return count, succeeded


FORKING = """
import multiprocessing, os, random, signal, sys, time
import numpy as np
import minispore.dataset as ds

count, draw = int(sys.argv[1]), random.Random(int(sys.argv[2]))
parent, (read_end, write_end) = os.getpid(), os.pipe()
if not os.fork():  # sends a signal some time after a fork began
    while line := os.read(read_end, 1):
        end = time.perf_counter() + draw.random() * 0.002
        while time.perf_counter() < end:
            pass
        os.kill(parent, signal.SIGINT)
        if line == b"q":
            os._exit(0)

is_armed = False

def aim():
    global is_armed
    if is_armed and os.getpid() == parent:
        is_armed = False
        os.write(write_end, b"x")

os.register_at_fork(before=aim)
data = ds.NumpySlicesDataset({"x": np.arange(8)}, shuffle=False)
data = data.map(lambda x: x, "x", num_parallel_workers=2, python_multiprocessing=True)
lost = left = 0
for _ in range(count):
    is_armed = True
    try:
        iterator = data.create_dict_iterator(num_epochs=1)
        time.sleep(1)
        lost += 1
    except KeyboardInterrupt:
        pass
    iterator = None
    end = time.monotonic() + 5
    while multiprocessing.active_children() and time.monotonic() < end:
        time.sleep(0.01)
    left += bool(multiprocessing.active_children())
print(lost, left)
try:
    os.write(write_end, b"q")
    time.sleep(5)
except KeyboardInterrupt:
    os._exit(0)
"""


def attack_forks(count: int, seed: int) -> tuple[int, list[str]]:
    """Send Ctrl-C within 2 ms of each fork of a worker: none is lost, and nobody is left."""
    run = subprocess.run(
        [sys.executable, "-c", FORKING, str(count), str(seed)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        text=True,
        timeout=TIMEOUT_S + count,
    )
    succeeded = []
    if run.stdout.split() != ["0", "0"]:
        succeeded.append(f"forks {seed}: lost and left: {run.stdout.strip() or run.returncode}")
    return count, succeeded
