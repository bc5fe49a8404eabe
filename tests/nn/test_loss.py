"""Losses: those that MindSpore's CPU has no kernel for by hand, the CTC loss by enumeration, and
what losses refuse.
"""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn, ops
from minispore.nn.loss.loss import LossBase, _Loss


def close(got: Tensor, expected, rtol: float = 1e-5) -> None:
    np.testing.assert_allclose(got.asnumpy(), expected, rtol=rtol, atol=1e-6)


# -- by hand --------------------------------------------------------------------------------------


def test_soft_margin_is_the_logarithm_of_one_plus_the_exponential():
    close(
        nn.SoftMarginLoss("none")(Tensor([0.0, 2.0]), Tensor([1.0, -1.0])),
        [math.log(2), math.log1p(math.exp(2))],
    )


@pytest.mark.parametrize("mode", [ms.PYNATIVE_MODE, ms.GRAPH_MODE])
def test_sparse_labels_may_have_any_axes_before_that_of_the_classes(mode):
    ms.set_context(mode=mode)
    rng = np.random.default_rng(0)
    logits = Tensor(rng.standard_normal((2, 3, 4, 5)), ms.float32)
    labels = Tensor(rng.integers(0, 5, (2, 3, 4)), ms.int32)
    loss = nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
    flat = (logits.reshape(24, 5), labels.reshape(24))
    for of in (loss, ms.grad(loss), ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)):
        expected = of(*flat).asnumpy()
        got = of(logits, labels).asnumpy()
        assert got.shape == ((2, 3, 4, 5) if expected.ndim else ())
        assert np.array_equal(got.reshape(expected.shape), expected)


def test_soft_margin_does_not_overflow():
    close(nn.SoftMarginLoss()(Tensor([-1000.0]), Tensor([1.0])), 1000.0)


def test_hinge_embedding_is_the_distance_of_pairs_and_what_lacks_to_the_margin_of_others():
    logits, labels = Tensor([0.5, 0.5, 3.0]), Tensor([1.0, -1.0, -1.0])
    close(nn.HingeEmbeddingLoss(2.0, "none")(logits, labels), [0.5, 1.5, 0.0])


def test_multilabel_margin_compares_each_label_with_each_class_that_is_none():
    x, target = Tensor([[0.1, 0.2, 0.4, 0.8]]), Tensor([[3, 0, -1, 1]], ms.int32)
    # labels 3 and 0, the others are 1 and 2; what follows -1 does not count
    expected = (0.4 + 0.6 + 1.1 + 1.3) / 4
    close(nn.MultilabelMarginLoss()(x, target), expected)
    close(nn.MultilabelMarginLoss()(x[0], target[0]), expected)


def test_triplet_margin_is_how_much_the_negative_is_too_near():
    x, near, far = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    close(nn.TripletMarginLoss()(x, near, far), 5 - 5.5 + 1, 1e-4)
    close(nn.TripletMarginLoss(p=1, margin=2.0)(x, near, far), 7 - 5.5 + 2, 1e-4)


def test_the_triplets_norm_0_counts_what_differs():
    x, near, far = Tensor([[0.0, 0.0]]), Tensor([[3.0, 4.0]]), Tensor([[0.0, 5.5]])
    close(nn.TripletMarginLoss(p=0, eps=0.0)(x, near, far), 2 - 1 + 1)
    close(ops.triplet_margin_loss(x, near, far, p=0, eps=0.0), 2 - 1 + 1)
    of_near = ms.grad(lambda near: ops.triplet_margin_loss(x, near, far, p=0))(near)
    assert not of_near.asnumpy().any()


def test_triplets_are_measured_along_axis_1_by_layer_and_function():
    x, near, far = np.random.default_rng(0).normal(size=(3, 2, 3, 4)).astype(np.float32)
    distances = [np.sqrt(((x - y + 1e-6) ** 2).sum(1)) for y in (near, far)]
    expected = np.maximum(distances[0] - distances[1] + 2, 0)
    tensors = [Tensor(a) for a in (x, near, far)]
    for margin in (2.0, Tensor(2.0)):
        output = nn.TripletMarginLoss(margin=margin, reduction="none")(*tensors)
        np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-5)
        output = ops.triplet_margin_loss(*tensors, margin=margin, reduction="none")
        np.testing.assert_allclose(output.asnumpy(), expected, rtol=1e-5)


def test_triplets_broadcast_and_have_two_axes():
    x, near = Tensor([[1.0, 2.0], [5.0, 4.0]]), Tensor([3.0, 1.0])
    repeated = Tensor([[3.0, 1.0], [3.0, 1.0]])
    loss = nn.TripletMarginLoss(swap=True)
    assert loss(x, near, near) == loss(x, repeated, repeated)
    with pytest.raises(ValueError, match=r"x must have the shape \(N, D, ...\), got \(2,\)"):
        loss(near, near, near)


def test_a_swapped_triplet_measures_from_the_nearer_of_the_two():
    x, near, far = Tensor([[0.0]]), Tensor([[2.0]]), Tensor([[3.0]])
    close(nn.TripletMarginLoss()(x, near, far), 0.0)
    close(nn.TripletMarginLoss(swap=True)(x, near, far), 2 - 1 + 1, 1e-4)


# -- CTC ------------------------------------------------------------------------------------------


def spelled(path: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(k for k, _ in itertools.groupby(path) if k != 0)


def ctc(log_probs: np.ndarray, target: tuple[int, ...]) -> float:
    """-log of the sum over all paths that spell the target."""
    steps, classes = log_probs.shape
    total = sum(
        math.exp(sum(log_probs[t, k] for t, k in enumerate(path)))
        for path in itertools.product(range(classes), repeat=steps)
        if spelled(path) == target
    )
    return -math.log(total) if total else math.inf


def log_probabilities(steps: int, n: int, classes: int) -> np.ndarray:
    z = np.random.default_rng(4).normal(size=(steps, n, classes))
    return (z - np.log(np.exp(z).sum(-1, keepdims=True))).astype(np.float32)


@pytest.mark.parametrize("target", [(1,), (1, 2), (1, 1), (2, 1, 2), ()])
def test_ctc_sums_over_all_alignments(target):
    lp = log_probabilities(4, 1, 3)
    padded = np.array([[*target, 0, 0, 0][:3]], np.int32)
    got = nn.CTCLoss(reduction="none")(Tensor(lp), Tensor(padded), (4,), (len(target),))
    close(got, [ctc(lp[:, 0].astype(np.float64), target)], 1e-4)


def test_ctc_loss_reads_only_up_to_the_lengths():
    lp = log_probabilities(4, 2, 3)
    targets = Tensor([[1, 2], [2, 1]], ms.int32)
    got = nn.CTCLoss(reduction="none")(Tensor(lp), targets, Tensor([4, 2]), Tensor([2, 1]))
    close(got, [ctc(lp[:, 0], (1, 2)), ctc(lp[:2, 1], (2,))], 1e-4)


def test_the_mean_of_ctc_is_per_label():
    lp = log_probabilities(4, 1, 3)
    got = nn.CTCLoss()(Tensor(lp), Tensor([[1, 2]], ms.int32), (4,), (2,))
    close(got, ctc(lp[:, 0], (1, 2)) / 2, 1e-4)


def test_a_target_that_does_not_fit_is_infinitely_unlikely():
    lp, target = Tensor(log_probabilities(2, 1, 3)), Tensor([[1, 1]], ms.int32)
    assert nn.CTCLoss()(lp, target, (2,), (2,)).item() == math.inf
    loss = nn.CTCLoss(zero_infinity=True)
    assert loss(lp, target, (2,), (2,)).item() == 0
    grad = ms.grad(lambda x: loss(x, target, (2,), (2,)))(lp)
    assert np.isfinite(grad.asnumpy()).all()


def test_the_gradient_of_ctc_is_its_slope():
    lp = log_probabilities(4, 1, 3)
    grad = ms.grad(lambda x: nn.CTCLoss(reduction="sum")(x, TARGET, (4,), (2,)))(Tensor(lp))
    h = 1e-5
    slope = np.zeros((4, 3))
    for at in np.ndindex(4, 3):
        up, down = (lp[:, 0].astype(np.float64) for _ in range(2))
        up[at] += h
        down[at] -= h
        slope[at] = (ctc(up, (1, 2)) - ctc(down, (1, 2))) / (2 * h)
    np.testing.assert_allclose(grad.asnumpy()[:, 0], slope, rtol=1e-3, atol=1e-5)


TARGET = Tensor([[1, 2]], ms.int32)


# -- losses of scripts ----------------------------------------------------------------------------


@pytest.mark.parametrize("base", [nn.LossBase, LossBase])
def test_a_loss_of_a_script_reduces_with_get_loss(base):
    class Cubed(base):
        def construct(self, logits, labels):
            return self.get_loss((logits - labels) ** 3)

    x, y = Tensor([1.0, 3.0]), Tensor([0.0, 0.0])
    assert Cubed()(x, y).item() == 14.0
    assert Cubed("sum")(x, y).item() == 28.0
    assert Cubed("none")(x, y).asnumpy().tolist() == [1.0, 27.0]


def test_the_loss_base_class_of_mindspore_one_is_available():
    class Old(_Loss):
        def construct(self, base, target):
            return self.get_loss(base - target)

    assert Old()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])).item() == 1.5


def test_get_loss_weighs():
    loss = nn.LossBase("sum")
    assert loss.get_loss(Tensor([1.0, 2.0]), Tensor([0.5, 2.0])).item() == 4.5


# -- what losses refuse ---------------------------------------------------------------------------

X = Tensor(np.zeros((2, 3), np.float32))


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.MSELoss("avg"), ValueError, "MSELoss: reduction must be"),
        (lambda: nn.MSELoss(3), (TypeError, ValueError), "MSELoss: reduction must be"),
        (lambda: nn.MSELoss()(X, X[:, :2]), ValueError, r"\(2, 3\).*\(2, 2\)"),
        (lambda: nn.L1Loss()(X, 1.0), TypeError, "L1Loss: labels must be a Tensor"),
        (lambda: nn.RMSELoss()(X, None), TypeError, "RMSELoss: "),
        (lambda: nn.SmoothL1Loss(beta=-1.0), ValueError, "SmoothL1Loss: beta must be"),
        (lambda: nn.SmoothL1Loss()(X, X[:1]), ValueError, "SmoothL1Loss: "),
        (lambda: nn.HuberLoss(delta=0.0), ValueError, "HuberLoss: delta must be"),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=1),
            TypeError,
            "SoftmaxCrossEntropyWithLogits: sparse must be a bool",
        ),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits()(X, X[:1]),
            ValueError,
            "SoftmaxCrossEntropyWithLogits: ",
        ),
        (
            lambda: nn.SoftmaxCrossEntropyWithLogits(sparse=True)(X, X),
            TypeError,
            "indices must be an integer tensor",
        ),
        (lambda: nn.CrossEntropyLoss(weight=[1.0]), TypeError, "CrossEntropyLoss: weight must be"),
        (
            lambda: nn.CrossEntropyLoss(label_smoothing=2.0),
            ValueError,
            "CrossEntropyLoss: label_smoothing must be",
        ),
        (lambda: nn.NLLLoss(ignore_index="a"), TypeError, "NLLLoss: ignore_index must be"),
        (lambda: nn.BCELoss()(X, X[:1]), ValueError, r"\(2, 3\)|shape"),
        (lambda: nn.KLDivLoss("avg"), ValueError, "KLDivLoss: reduction must be"),
        (lambda: nn.FocalLoss(weight=X), ValueError, "FocalLoss: weight must have one axis"),
        (lambda: nn.FocalLoss(gamma="a"), TypeError, "FocalLoss: gamma must be"),
        (lambda: nn.CTCLoss(blank=-1), ValueError, "CTCLoss: blank must be"),
        (
            lambda: nn.CTCLoss(3)(Tensor(np.zeros((2, 1, 3), np.float32)), TARGET, (2,), (2,)),
            ValueError,
            "CTCLoss: targets must have a row for each of the batch of 1 and blank be below 3",
        ),
        (lambda: nn.MultiMarginLoss(p=3), ValueError, "MultiMarginLoss: p must be"),
        (
            lambda: nn.CosineEmbeddingLoss(margin=2.0),
            ValueError,
            "CosineEmbeddingLoss: margin must be",
        ),
        (lambda: nn.DiceLoss()(X, X[:1]), ValueError, "DiceLoss: "),
        (lambda: nn.MultilabelMarginLoss()(X, X[:1]), ValueError, "MultilabelMarginLoss: x and"),
        (lambda: nn.TripletMarginLoss(swap=1), TypeError, "TripletMarginLoss: swap must be"),
    ],
)
def test_losses_refuse(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_labels_of_the_divergence_get_no_gradient():
    x, y = Tensor([[-1.0, -2.0]]), Tensor([[0.25, 0.75]])
    by_x, by_labels = ms.grad(nn.KLDivLoss("sum"), (0, 1))(x, y)
    assert by_x.asnumpy().tolist() == [[-0.25, -0.75]]
    assert by_labels.asnumpy().tolist() == [[0, 0]]


def test_the_slope_of_no_distance_is_0():
    x = Tensor([[0.0, 1.0]])
    slopes = ms.grad(nn.TripletMarginWithDistanceLoss(margin=9.0), (0, 1, 2))(x, x, x + 1)
    assert all(np.isfinite(s.asnumpy()).all() for s in slopes)
    assert not slopes[1].asnumpy().any()


@pytest.mark.parametrize(
    ("loss", "target"),
    [
        (nn.MultiMarginLoss(), Tensor([0], ms.int64)),
        (nn.MultilabelMarginLoss(), Tensor([[0, -1]], ms.int32)),
    ],
)
def test_a_margin_that_is_just_met_has_no_slope(loss, target):
    slope = ms.grad(loss)(Tensor([[1.0, 0.0]]), target)
    assert not slope.asnumpy().any()


def test_nothing_need_keep_the_logarithm_of_a_poisson_rate_from_zero():
    loss = nn.PoissonNLLLoss(log_input=False, eps=0)(Tensor([0.5, 1.0]), Tensor([1.0, 2.0]))
    np.testing.assert_allclose(loss.asnumpy(), (0.5 + np.log(2) + 1) / 2, rtol=1e-6)
