"""A training that goes on from a checkpoint ends as one that was never ended, bit for bit."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import minispore as ms
import minispore.dataset as ds
from benchmarks.attacks import resumes
from minispore import Tensor, context, nn, ops
from minispore.core.parameter import Parameter
from minispore.train import (
    BackupAndRestore,
    Callback,
    CheckpointConfig,
    DynamicLossScaleManager,
    LambdaCallback,
    Model,
    ModelCheckpoint,
    load_checkpoint,
    save_checkpoint,
)
from minispore.train.files import checkpoint_file
from minispore.train.resume import Resumption
from tests.golden import make_resume
from tests.train.nets import GRAPH, PYNATIVE, Log, Trace, consumed_by, numbers

MODES = [GRAPH, PYNATIVE]


class Net(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.first, self.drop, self.last = nn.Dense(3, 5), nn.Dropout(p=0.5), nn.Dense(5, 1)

    def construct(self, x: Any) -> Any:
        return self.last(self.drop(self.first(x)))


def data(rows: int = 8) -> Any:
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=(rows, 3)).astype("f4"), rng.normal(size=(rows, 1)).astype("f4")
    return ds.NumpySlicesDataset((x, y), ["x", "y"]).batch(2)


def model(seed: int = 1, **options: Any) -> Model:
    ms.set_seed(seed)
    net = Net()
    rates = [0.1, 0.05, 0.2, 0.01] * 5
    return Model(net, nn.MSELoss(), nn.Momentum(net.trainable_params(), rates, 0.9), **options)


def saver(folder: Path, **options: Any) -> ModelCheckpoint:
    return ModelCheckpoint("a", str(folder), CheckpointConfig(keep_checkpoint_max=99, **options))


def bits(trained: Model) -> dict[str, bytes]:
    return {p.name: p.asnumpy().tobytes() for p in trained.train_network.get_parameters()}


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", [{}, {"sink_size": -1}, {"sink_size": 3}])
def test_from_each_checkpoint_it_ends_as_it_would_have(mode, way, tmp_path) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    whole = model()
    whole.train(3, data(), saver(tmp_path), dataset_sink_mode=bool(way), **way)
    files = sorted(tmp_path.glob("*.ckpt"))
    assert len(files) > 2
    for file in files:
        output = model(seed=7)
        output.train(3, data(), dataset_sink_mode=bool(way), resume_from=str(file), **way)
        assert bits(output) == bits(whole), file.name


@pytest.mark.parametrize("mode", MODES)
def test_a_checkpoint_without_sink_goes_on_in_the_middle_of_a_sink(mode, tmp_path) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    whole = model()
    whole.train(2, data(), saver(tmp_path))
    for file in sorted(tmp_path.glob("*.ckpt")):
        output = model(seed=7)
        output.train(2, data(), dataset_sink_mode=True, resume_from=str(file))
        assert bits(output) == bits(whole), file.name


def test_killed_trainings_end_as_they_would_have() -> None:
    dead, resumed = resumes.attack(4)
    assert dead and resumed


class Rows(nn.Cell):
    def __init__(self) -> None:
        super().__init__()
        self.weight = Parameter(Tensor(0.0), name="weight")
        self.seen: list[float] = []

    def construct(self, x: Any) -> Any:
        self.seen += x.asnumpy().tolist()
        return ops.reduce_sum(x) * self.weight


def test_unseeded_data_resumes_in_the_order_of_the_first_run(tmp_path) -> None:
    rows = ds.NumpySlicesDataset(np.arange(12, dtype=np.float32), ["x"]).batch(2)
    net = Rows()
    Model(net, optimizer=nn.SGD(net.trainable_params())).train(2, rows, saver(tmp_path))
    second = Rows()
    rows = ds.NumpySlicesDataset(np.arange(12, dtype=np.float32), ["x"]).batch(2)
    resumed = Model(second, optimizer=nn.SGD(second.trainable_params()))
    resumed.train(2, rows, resume_from=str(tmp_path / "a-1_4.ckpt"))
    assert second.seen == net.seen[8:]


def test_callbacks_after_the_checkpoint_get_the_events_they_missed(tmp_path) -> None:
    def train(resume_from: str | None = None) -> list[str]:
        messages: list[str] = []
        look = LambdaCallback(
            on_train_step_end=lambda c: messages.append(f"step {c.original_args().cur_step_num}"),
            on_train_epoch_end=lambda c: messages.append(
                f"epoch {c.original_args().cur_epoch_num}"
            ),
        )
        trained = model()
        trained.train(2, data(4), [saver(tmp_path), look], resume_from=resume_from)
        return messages

    whole = train()
    assert whole == ["step 1", "step 2", "epoch 1", "step 3", "step 4", "epoch 2"]
    assert train(str(tmp_path / "a-1_2.ckpt")) == whole[1:]


def test_a_callback_before_the_checkpoint_sees_the_end_only_once(tmp_path) -> None:
    def train(resume_from: str | None = None) -> list[str]:
        messages: list[str] = []
        look = LambdaCallback(
            on_train_step_end=lambda c: messages.append(f"step {c.original_args().cur_step_num}"),
            on_train_end=lambda c: messages.append("end"),
        )
        callbacks = [look, saver(tmp_path, save_checkpoint_steps=3)]
        model().train(2, data(4), callbacks, resume_from=resume_from)
        return messages

    assert train() == ["step 1", "step 2", "step 3", "step 4", "end"]
    assert train(str(tmp_path / "a-2_1.ckpt")) == ["step 4", "end"]
    assert train(str(tmp_path / "a-2_2.ckpt")) == []  # it was written at the end


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("way", [{}, {"sink_size": -1}, {"sink_size": 1}])
def test_a_resumed_callback_sees_the_step_and_losses_of_the_checkpoint(mode, way, tmp_path) -> None:
    context.set_context(mode=mode, device_target="Ascend")

    def train(folder: str, resume_from: str | None = None) -> list[tuple[Any, ...]]:
        seen: list[tuple[Any, ...]] = []

        def look(run_context: Any) -> None:
            params = run_context.original_args()
            place = params.cur_epoch_num, params.cur_step_num, params.get("sink_steps")
            losses = np.array(params.get("sink_losses", ()), np.float32).tolist()
            seen.append((*place, losses, float(params.net_outputs.asnumpy())))

        each = LambdaCallback(on_train_step_end=look, on_train_epoch_end=look, on_train_end=look)
        callbacks = [saver(tmp_path / folder), each]
        model().train(
            2, data(4), callbacks, dataset_sink_mode=bool(way), resume_from=resume_from, **way
        )
        return seen

    whole = train("whole")
    for file in sorted((tmp_path / "whole").glob("*.ckpt")):
        rest = train(file.stem, str(file))
        assert rest == whole[-len(rest) :], file.name


def test_a_changed_callback_list_does_not_change_which_events_are_replayed(tmp_path) -> None:
    model().train(2, data(4), [Counts(), saver(tmp_path), LambdaCallback()])
    messages: list[int] = []
    look = LambdaCallback(
        on_train_step_end=lambda c: messages.append(c.original_args().cur_step_num)
    )
    counts = Counts()
    model().train(2, data(4), [look, counts], resume_from=str(tmp_path / "a-1_2.ckpt"))
    assert messages == [2, 3, 4]
    assert counts.steps == 4


class Counts(Callback):
    resumes = ("steps", "name")

    def __init__(self) -> None:
        self.steps, self.name = 0, "fresh"

    def on_train_step_end(self, run_context: Any) -> None:
        self.steps += 1
        self.name = f"after {self.steps}"


def test_what_a_callback_counts_goes_on(tmp_path) -> None:
    model().train(2, data(), [Counts(), saver(tmp_path)])
    counts = Counts()
    model().train(2, data(), [counts, saver(tmp_path)], resume_from=str(tmp_path / "a-1_3.ckpt"))
    assert (counts.steps, counts.name) == (8, "after 8")


class Keeps(Callback):
    """A dozen arrays, more than one digit numbers, and one value of each other kind."""

    resumes = ("arrays", "others")

    def __init__(self) -> None:
        self.arrays = [np.zeros(1) for _ in range(12)]
        self.others: Any = None

    def on_train_begin(self, run_context: Any) -> None:
        if self.others is None:
            self.arrays = [np.full(2, float(i)) for i in range(12)]
            self.others = {"a": (1, 2.5, None), "b": [True, "text", {"c": Tensor([7])}]}


def test_everything_that_a_callback_keeps_comes_back_in_its_place(tmp_path) -> None:
    model().train(1, data(), [Keeps(), saver(tmp_path)])
    keeps = Keeps()
    keeps.others = "not yet"
    model().train(1, data(), keeps, resume_from=str(tmp_path / "a-1_2.ckpt"))
    assert [a.tolist() for a in keeps.arrays] == [[i, i] for i in range(12)]
    others = keeps.others
    assert (others["a"], others["b"][:2]) == ((1, 2.5, None), [True, "text"])
    assert type(others["b"][2]["c"]) is Tensor and others["b"][2]["c"].tolist() == [7]


def test_the_loss_scale_goes_on(tmp_path) -> None:
    context.set_context(device_target="Ascend")
    scale = DynamicLossScaleManager(4, 2, 3)
    model(loss_scale_manager=scale).train(2, data(), saver(tmp_path))
    second = DynamicLossScaleManager(4, 2, 3)
    trained = model(loss_scale_manager=second)
    trained.train(2, data(), resume_from=str(tmp_path / "a-1_4.ckpt"))
    assert vars(second) == vars(scale)
    assert scale.get_loss_scale() > 4


def test_a_finished_training_is_not_restarted(tmp_path) -> None:
    whole = model()
    whole.train(2, data(), saver(tmp_path))
    steps: list[int] = []
    look = LambdaCallback(on_train_step_end=lambda c: steps.append(1))
    output = model(seed=7)
    output.train(2, data(), look, resume_from=str(tmp_path / "a-2_4.ckpt"))
    assert bits(output) == bits(whole)
    assert not steps


def test_a_training_that_is_over_sends_no_data(tmp_path) -> None:
    context.set_context(device_target="Ascend")
    model().train(2, data(), saver(tmp_path), dataset_sink_mode=True)
    helpers: list[Any] = []
    look = LambdaCallback(
        on_train_end=lambda c: helpers.append(c.original_args().get("dataset_helper"))
    )
    place = str(tmp_path / "a-2_4.ckpt")
    model().train(2, data(), look, dataset_sink_mode=True, resume_from=place)
    assert helpers == [None]


def test_a_training_that_is_over_goes_on_to_a_later_epoch(tmp_path) -> None:
    whole = model()
    whole.train(3, data())
    model().train(2, data(), saver(tmp_path))
    output = model(seed=7)
    output.train(3, data(), resume_from=str(tmp_path / "a-2_4.ckpt"))
    assert bits(output) == bits(whole)


@pytest.mark.parametrize("epoch", [1, 2])
def test_a_backup_goes_on_from_its_epoch(epoch, tmp_path) -> None:
    whole = model()
    whole.train(3, data())

    class Killed(Exception):
        pass

    def kill(run_context: Any) -> None:
        if run_context.original_args().cur_epoch_num == epoch + 1:
            raise Killed

    with pytest.raises(Killed):
        stop = LambdaCallback(on_train_step_end=kill)
        model().train(3, data(), [BackupAndRestore(str(tmp_path)), stop])
    output = model(seed=7)
    epochs: list[int] = []
    look = LambdaCallback(
        on_train_epoch_begin=lambda c: epochs.append(c.original_args().cur_epoch_num)
    )
    output.train(3, data(), [BackupAndRestore(str(tmp_path)), look])
    assert bits(output) == bits(whole)
    assert epochs == list(range(epoch, 4))


def test_a_callback_after_a_backup_sees_the_evaluation_results(tmp_path) -> None:
    messages: list[Any] = []

    class Looks(Callback):
        def __init__(self, kill: bool) -> None:
            self.kill = kill

        def on_train_epoch_end(self, run_context: Any) -> None:
            params = run_context.original_args()
            messages.append((params.cur_epoch_num, params.metrics, params.eval_results))
            if self.kill:
                raise InterruptedError

    def fit(kill: bool) -> None:
        callbacks = [BackupAndRestore(str(tmp_path)), Looks(kill)]
        model(metrics={"mse"}).fit(2, data(), data(), callbacks=callbacks)

    with pytest.raises(InterruptedError):
        fit(kill=True)
    fit(kill=False)
    assert [epoch for epoch, *_ in messages] == [1, 1, 2]
    assert messages[0] == messages[1] != messages[2]


def test_safetensors_hold_a_place_too(tmp_path) -> None:
    whole = model()
    whole.train(2, data(), saver(tmp_path, format="safetensors"))
    output = model(seed=7)
    output.train(2, data(), resume_from=str(tmp_path / "a-1_3.safetensors"))
    assert bits(output) == bits(whole)


def test_load_checkpoint_gives_parameters_and_no_place(tmp_path) -> None:
    trained = model()
    trained.train(1, data(), saver(tmp_path))
    assert load_checkpoint(str(tmp_path / "a-1_4.ckpt")).keys() == bits(trained).keys()


# -- what is refused -------------------------------------------------------------------------------


def refused(path: Path, words: str, rows: int = 8, net: Model | None = None, **way: Any) -> None:
    trained = model() if net is None else net
    before = bits(trained)
    with pytest.raises(ValueError, match=words):
        trained.train(2, data(rows), resume_from=str(path), **way)
    assert bits(trained) == before


def test_a_missing_checkpoint_file_is_refused(tmp_path) -> None:
    refused(tmp_path / "no.ckpt", "resume_from must be an existing file")


def test_a_checkpoint_without_a_place_is_refused(tmp_path) -> None:
    save_checkpoint(model().train_network, str(tmp_path / "a"))
    refused(tmp_path / "a.ckpt", "with the place of its training, got .* Let ModelCheckpoint")


def test_a_checkpoint_without_optimizer_state_is_refused(tmp_path) -> None:
    trained = model()
    trained.train(1, data(), saver(tmp_path, saved_network=trained.predict_network))
    refused(tmp_path / "a-1_2.ckpt", "saved_network has no optimizer state")


def test_other_data_are_refused(tmp_path) -> None:
    model().train(1, data(), saver(tmp_path))
    refused(tmp_path / "a-1_2.ckpt", "epochs of 3 steps over 3 batches", rows=6)


def test_another_network_is_refused(tmp_path) -> None:
    model().train(1, data(), saver(tmp_path))
    net = nn.Dense(3, 1)
    other = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params(), 0.1))
    refused(tmp_path / "a-1_2.ckpt", "must hold 'weight'", net=other)


def test_weights_of_another_shape_are_refused_with_both(tmp_path) -> None:
    net = nn.Dense(3, 2)
    Model(net, None, nn.SGD(net.trainable_params())).train(
        1, ds.NumpySlicesDataset(np.ones((4, 3), np.float32), ["x"]).batch(1), saver(tmp_path)
    )
    wide = nn.Dense(3, 5)
    other = Model(wide, None, nn.SGD(wide.trainable_params()))
    with pytest.raises(ValueError, match=r"float32\[5, 3\], got float32\[2, 3\]"):
        other.train(
            2,
            ds.NumpySlicesDataset(np.ones((4, 3), np.float32), ["x"]).batch(1),
            resume_from=str(tmp_path / "a-1_2.ckpt"),
        )


def test_initial_epoch_with_resume_from_is_refused(tmp_path) -> None:
    model().train(1, data(), saver(tmp_path))
    refused(tmp_path / "a-1_2.ckpt", "initial_epoch must be 0 with resume_from", initial_epoch=1)


def test_the_checkpoint_of_an_exception_has_no_place(tmp_path) -> None:
    def fail(run_context: Any) -> None:
        raise ValueError("stop")

    with pytest.raises(ValueError, match="stop"):
        stop = LambdaCallback(on_train_step_begin=fail)
        model().train(1, data(), [stop, saver(tmp_path, exception_save=True)])
    (file,) = tmp_path.glob("*_breakpoint.ckpt")
    refused(file, "with the place of its training")


@pytest.mark.parametrize("format", ["ckpt", "safetensors"])
def test_a_damaged_checkpoint_is_refused(format: str, tmp_path) -> None:
    model().train(1, data(), saver(tmp_path, format=format))
    path = tmp_path / f"a-1_2.{format}"
    raw = bytearray(path.read_bytes())
    raw[-40] ^= 1
    path.write_bytes(raw)
    refused(path, "check sum")


PLACE_1 = {
    "version": 1, "step": 3, "batch_num": 2, "size": 2, "event": "on_train_step_end", "told": 1,
    "seed": [5, True], "random": {}, "loss_scale": {}, "callbacks": [["Counts", {"dict": {}}]],
    "outputs": {"tensor": 0}, "losses": [], "sink_steps": 1, "results": {"value": None},
    "metrics": {"value": None},
}  # fmt: skip


def test_a_place_of_the_first_version_is_read(tmp_path) -> None:
    text = np.frombuffer(json.dumps(PLACE_1).encode(), np.uint8)
    entries = {
        f"{checkpoint_file.PROGRESS_PREFIX}0": text,
        f"{checkpoint_file.PROGRESS_PREFIX}1": np.float32([0.5]),
    }
    checkpoint_file.write(tmp_path / "a.ckpt", entries)
    resumption = Resumption("Model.train", str(tmp_path / "a.ckpt"))
    assert (resumption.step, resumption.seed.value, resumption.remaining_epochs(4)) == (
        3,
        5,
        range(1, 4),
    )
    assert resumption.is_interrupted_in("on_train_step_end", 8)


def test_a_place_that_can_not_be_read_is_a_damaged_checkpoint(tmp_path) -> None:
    parameters = {p.name: p.asnumpy() for p in model().train_network.get_parameters()}
    for text in (b"[", b"{}", b'{"version": 1}', b"[" * 9999):
        entry = {f"{checkpoint_file.PROGRESS_PREFIX}0": np.frombuffer(text, np.uint8)}
        checkpoint_file.write(tmp_path / "a.ckpt", parameters | entry)
        with pytest.raises(checkpoint_file.CheckpointError, match="its place can't be read"):
            Resumption("Model.train", str(tmp_path / "a.ckpt"))


# -- a dataset that begins with a later step -------------------------------------------------------


def logged(dataset: Any, epoch: int, **options: Any) -> tuple[Log, Trace]:
    net, trace = Log(99), Trace()
    Model(net).train(epoch, dataset, trace, **options)
    return net, trace


@pytest.mark.parametrize("mode", MODES)
def test_a_training_begins_with_the_init_step_of_its_dataset(mode) -> None:
    context.set_context(mode=mode)
    rows = numbers(5)
    rows.set_init_step(7)
    net, trace = logged(rows, 3, initial_epoch=1)
    assert net.batches() == consumed_by(numbers(5), 5, 8, first=7)
    assert trace.of("step_end") == [(2, 8), (2, 9), (2, 10), *[(3, n) for n in range(11, 16)]]


def test_an_init_step_without_initial_epoch_leaves_all_epochs_to_come() -> None:
    rows = numbers(5)
    rows.set_init_step(7)
    net, trace = logged(rows, 2)
    assert net.batches() == consumed_by(numbers(5), 5, 8, first=7)
    assert [epoch for epoch, _ in trace.of("step_end")] == [1] * 3 + [2] * 5


@pytest.mark.parametrize("mode", MODES)
def test_a_sink_begins_with_the_epoch_of_the_init_step(mode) -> None:
    context.set_context(mode=mode, device_target="Ascend")
    rows = numbers(5)
    rows.set_init_step(7)
    with pytest.warns(UserWarning, match="must be the end of an epoch of 3 steps in sink mode"):
        net, trace = logged(rows, 3, dataset_sink_mode=True, sink_size=3, initial_epoch=2)
    assert net.batches() == consumed_by(numbers(5), 5, 3, first=6)
    assert trace.of("epoch_end") == [(3, 9)]


def test_a_dataset_inherits_the_init_step_of_its_single_source() -> None:
    rows = numbers(5)
    rows.set_init_step(7)
    net, _ = logged(rows.map(lambda x: x), 1)
    assert net.batches() == consumed_by(numbers(5), 5, 3, first=7)
    assert (rows + rows).get_init_step() == 0


def test_a_checkpoint_of_an_earlier_version_resumes_to_the_same_weights() -> None:
    model = make_resume.make_model()
    file = str(make_resume.FOLDER / "middle.ckpt")
    callbacks = make_resume.make_callbacks()
    model.train(make_resume.EPOCHS, make_resume.make_data(), callbacks, resume_from=file)
    with np.load(make_resume.FOLDER / "weights.npz") as weights:
        for param in model.train_network.get_parameters():
            # Another processor's BLAS may round differently.
            np.testing.assert_allclose(param.asnumpy(), weights[param.name], rtol=1e-5, atol=1e-7)
