"""Metrics: by hand, the life of a metric, finding them by name, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, nn
from minispore.nn.metrics import get_metric_fn, get_metrics, names

P = np.array([[0.2, 0.8], [0.6, 0.4], [0.3, 0.7]])


# -- the life of a metric -------------------------------------------------------------------------


def test_updates_add_up_until_cleared():
    metric = nn.Accuracy()
    metric.update(P, np.array([1, 0, 0]))
    assert metric.eval() == 2 / 3
    metric.update(P[:1], np.array([1]))
    assert metric.eval() == 3 / 4
    metric.clear()
    metric.update(P[:1], np.array([0]))
    assert metric.eval() == 0


def test_a_call_starts_anew():
    metric = nn.Accuracy()
    metric.update(P, np.array([0, 1, 0]))
    assert metric(P, np.array([1, 0, 1])) == 1


def test_metrics_accept_tensors_arrays_and_lists():
    expected = nn.MSE()(np.array([1.0, 2.0]), np.array([0.0, 0.0]))
    assert expected == 2.5
    assert nn.MSE()(Tensor([1.0, 2.0]), Tensor([0.0, 0.0])) == expected
    assert nn.MSE()([1.0, 2.0], [0.0, 0.0]) == expected


def test_indexes_choose_among_the_outputs_of_a_network():
    metric = nn.Accuracy().set_indexes([2, 1])
    metric.update("not looked at", np.array([1, 0, 1]), P)
    assert metric.eval() == 1
    assert metric.indexes == [2, 1]


@pytest.mark.parametrize("indexes", [0, [0, "a"], (1.0,)])
def test_indexes_must_be_a_list_of_ints(indexes):
    with pytest.raises(ValueError, match="indexes must be a list of ints"):
        nn.Accuracy().set_indexes(indexes)


def test_a_metric_of_a_script_defines_three_methods():
    class Count(nn.Metric):
        def clear(self):
            self.n = 0

        @nn.rearrange_inputs
        def update(self, *inputs):
            self.n += self._convert_data(inputs[0]).size

        def eval(self):
            return self.n

    metric = Count().set_indexes([1])
    assert metric(Tensor([1.0]), Tensor([1.0, 2.0])) == 2
    with pytest.raises(AttributeError, match=r"must define eval\(self\)"):
        nn.Metric().eval()


# -- by hand --------------------------------------------------------------------------------------


def test_multilabel_accuracy_counts_whole_rows():
    y_pred, y = np.array([[0, 1], [1, 1], [0, 0]]), np.array([[0, 1], [1, 0], [0, 0]])
    assert nn.Accuracy("multilabel")(y_pred, y) == 2 / 3


def test_precision_recall_and_f1_of_each_class():
    y = np.array([1, 0, 0])  # predictions are 1, 0, 1
    assert nn.Precision()(P, y).tolist() == [1, 0.5]
    assert nn.Recall()(P, y).tolist() == [0.5, 1]
    assert nn.F1()(P, y).tolist() == pytest.approx([2 / 3, 2 / 3])
    assert nn.F1()(P, y)[0] == pytest.approx(2 / 3)


def test_averages_over_classes_are_numbers():
    metric = nn.Precision()
    metric.update(P, np.array([1, 0, 0]))
    assert metric.eval(average=True) == pytest.approx(0.75)


def test_a_class_that_never_occurs_counts_as_zero():
    assert nn.Recall()(P, np.array([1, 1, 1])).tolist() == [0, 2 / 3]


def test_top_k_counts_labels_among_the_k_best():
    scores, y = np.array([[0.1, 0.5, 0.4], [0.6, 0.3, 0.1]]), np.array([2, 2])
    assert nn.TopKCategoricalAccuracy(2)(scores, y) == 0.5
    assert nn.Top1CategoricalAccuracy()(scores, y) == 0
    assert nn.TopKCategoricalAccuracy(3)(scores, y) == 1


@pytest.mark.parametrize("shape", [(2, 4), (2, 5, 3), (5,)])
def test_top_k_wants_k_classes(shape):
    metric = nn.Top5CategoricalAccuracy()
    with pytest.raises(ValueError, match="with at least k=5 classes"):
        metric.update(np.ones(shape), np.array([0, 0]))
    assert metric(np.ones((1, 5)), np.array([4])) == 1


def test_a_tie_goes_to_the_first_as_argmax_does():
    assert nn.Top1CategoricalAccuracy()(np.array([[0.5, 0.5]]), np.array([0])) == 1


@pytest.mark.parametrize("make", [nn.Loss, nn.MAE])
def test_means_of_float32_are_summed_in_float64(make):
    metric = make()
    for error in (2.0**24, 1.0, 1.0, 2.0):  # in float32, 2**24 + 1 is 2**24
        inputs = np.array([error], np.float32)
        metric.update(inputs) if make is nn.Loss else metric.update(inputs, np.zeros_like(inputs))
    assert (type(metric.eval()), metric.eval()) == (float, 2.0**22 + 1)


def test_the_loss_metric_averages_over_batches_of_any_size():
    metric = nn.Loss()
    metric.update(Tensor(1.0))
    metric.update(Tensor([3.0]))
    assert metric.eval() == 2


def test_a_metric_of_means_is_weighed_by_samples():
    metric = nn.MAE()
    metric.update([1.0, 1.0], [0.0, 0.0])
    metric.update([4.0], [0.0])
    assert metric.eval() == 2


def test_a_confusion_matrix_has_a_row_for_each_label():
    matrix = nn.ConfusionMatrix(2)(np.array([1, 0, 1]), np.array([1, 0, 0]))
    assert matrix.tolist() == [[1, 1], [0, 1]]


def test_rates_of_a_confusion_matrix_by_their_short_names():
    # one hit, one false alarm, one miss
    y_pred, y = np.array([[[1]], [[0]], [[1]]]), np.array([[[1]], [[1]], [[0]]])
    for name, expected in (("tpr", 0.5), ("ppv", 0.5), ("tnr", 0.0), ("sensitivity", 0.5)):
        metric = nn.ConfusionMatrixMetric(metric_name=name, decrease="sum")
        assert np.ravel(metric(y_pred, y))[0] == pytest.approx(expected)


@pytest.mark.parametrize(
    "decrease", ["none", "mean_batch", "sum_batch", "mean_channel", "sum_channel"]
)
def test_a_decrease_of_one_score_is_that_score(decrease):
    y_pred, y = np.array([[[1, 0, 1]]]), np.array([[[1, 1, 1]]])  # two hits of three
    metric = nn.ConfusionMatrixMetric(calculation_method=True, decrease=decrease)
    assert metric(y_pred, y) == pytest.approx(2 / 3)


@pytest.mark.parametrize(
    ("decrease", "count"), [("none", 6), ("sum_batch", 3), ("mean_channel", 2)]
)
def test_a_decrease_that_leaves_several_scores_is_refused(decrease, count):
    metric = nn.ConfusionMatrixMetric(calculation_method=True, decrease=decrease)
    with pytest.raises(ValueError, match=f"got '{decrease}', which leaves {count}. Use 'mean'"):
        metric.update(np.ones((2, 3, 4)), np.ones((2, 3, 4)))
    with pytest.raises(RuntimeError, match="needs an update first"):
        metric.eval()


def test_perplexity_is_the_exponential_of_the_mean_surprise():
    preds, labels = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([1, 0])
    got = nn.Perplexity()(preds, labels)
    assert got == pytest.approx(np.exp(-(np.log(0.8) + np.log(0.5)) / 2))


def test_perplexity_can_pass_over_a_label():
    preds, labels = np.array([[0.2, 0.8], [0.5, 0.5]]), np.array([1, 0])
    assert nn.Perplexity(ignore_label=0)(preds, labels) == pytest.approx(1 / 0.8)


def test_dice_of_equal_masks_is_one():
    mask = np.array([[0, 1, 1]])
    assert nn.Dice()(mask, mask) == pytest.approx(1, abs=1e-4)


def test_auc_is_the_area_under_the_curve():
    assert nn.auc(np.array([0.0, 0.5, 1.0]), np.array([0.0, 1.0, 1.0])) == 0.75
    assert nn.auc(np.array([1.0, 0.5, 0.0]), np.array([1.0, 1.0, 0.0])) == 0.75
    mixed = np.array([0.5, 0.0, 1.0]), np.array([1.0, 0.0, 1.0])
    assert nn.auc(*mixed, reorder=True) == 0.75
    with pytest.raises(ValueError, match="Pass reorder=True"):
        nn.auc(*mixed)


def test_occlusion_covers_one_place_after_the_other():
    class Corner(nn.Cell):
        """The score of the only class: the first pixel."""

        def construct(self, x):
            return x[:, 0, 0, :1]

    # What is covered around (i, j) are the rows i - 1 and i and the columns j - 1 and j.
    metric = nn.OcclusionSensitivity(margin=1, n_batch=2)
    fall = metric(Corner(), np.ones((1, 1, 3, 3), np.float32), np.array([[0]]))
    assert fall.tolist() == [[1, 1, 0], [1, 1, 0], [0, 0, 0]]


def test_bleu_of_equal_sentences_is_one():
    words = ["the", "cat", "is", "on", "the", "mat"]
    assert nn.BleuScore()([words], [[words]]) == pytest.approx(1)


# -- by name --------------------------------------------------------------------------------------


def test_get_metric_fn_creates_a_metric_by_name():
    assert isinstance(get_metric_fn("accuracy"), nn.Accuracy)
    assert isinstance(get_metric_fn("top_5_accuracy"), nn.Top5CategoricalAccuracy)
    assert get_metric_fn("topk", k=2).k == 2
    assert "accuracy" in names()


def test_a_misspelt_name_gets_a_suggestion():
    with pytest.raises(KeyError, match="Did you mean 'accuracy'"):
        get_metric_fn("acuracy")


def test_a_set_of_names_becomes_metrics():
    metrics = get_metrics({"accuracy", "loss"})
    assert {k: type(m) for k, m in metrics.items()} == {"accuracy": nn.Accuracy, "loss": nn.Loss}
    assert get_metrics(None) is None
    mine = nn.MAE()
    assert get_metrics({"mine": mine}) == {"mine": mine}


@pytest.mark.parametrize("value", [3, {"a": 3}])
def test_metrics_must_be_names_or_metrics(value):
    with pytest.raises(TypeError, match="get_metrics: metrics must"):
        get_metrics(value)


# -- what metrics refuse --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("make", "error", "text"),
    [
        (lambda: nn.Accuracy("regression"), TypeError, "eval_type must be 'classification' or"),
        (lambda: nn.Accuracy().update(P), ValueError, r"needs 2 inputs \(y_pred, y\), got 1"),
        (lambda: nn.Accuracy().update(P, P[:2]), ValueError, "y must have the shape of y_pred"),
        (lambda: nn.Accuracy().update(P, "abc"), TypeError, "an input must be a Tensor"),
        (lambda: nn.Accuracy().eval(), RuntimeError, "needs at least one sample"),
        (lambda: nn.Precision().update(P, np.array([2, 0, 0])), ValueError, "below the 2 classes"),
        (lambda: nn.MSE().update([1.0], [1.0, 2.0]), ValueError, "y must have the shape of y_pred"),
        (lambda: nn.MSE().eval(), RuntimeError, "needs at least one sample"),
        (lambda: nn.Loss().update(Tensor([[1.0]])), ValueError, "loss must have at most one axis"),
        (lambda: nn.Loss().update(1, 2), ValueError, "needs 1 inputs"),
        (lambda: nn.TopKCategoricalAccuracy(0), ValueError, "k must be"),
        (lambda: nn.TopKCategoricalAccuracy("5"), TypeError, "k must be"),
        (lambda: nn.ConfusionMatrix(0), ValueError, "num_classes must be"),
        (lambda: nn.ConfusionMatrix(2, normalize="all_of_it"), ValueError, "normalize must be"),
        (
            lambda: nn.ConfusionMatrixMetric(metric_name="sensitivty"),
            NotImplementedError,
            "Did you mean 'sensitivity'",
        ),
        (
            lambda: nn.ConfusionMatrixMetric().update(P, P[:2]),
            ValueError,
            r"y_pred and y must have the same shape \(N, C",
        ),
        (lambda: nn.ROC(class_num="a"), TypeError, "ROC: class_num must be"),
        (lambda: nn.ROC().eval(), RuntimeError, "ROC.eval: needs an update first"),
        (
            lambda: nn.ROC()(np.array([0.1, 0.2]), np.array([1, 1])),
            ValueError,
            "both positive and negative",
        ),
        (lambda: nn.auc([1.0], [1.0]), TypeError, "auc: x must be a numpy.ndarray"),
        (lambda: nn.Perplexity(0.5), TypeError, "Perplexity: ignore_label must be"),
        (lambda: nn.CosineSimilarity("dots"), ValueError, "similarity must be"),
        (lambda: nn.BleuScore(5), ValueError, "BleuScore: n_gram must be"),
        (lambda: nn.HausdorffDistance("manhattan"), ValueError, "distance_metric must be"),
        (lambda: nn.OcclusionSensitivity(margin="a"), TypeError, "margin must be"),
        (
            lambda: nn.OcclusionSensitivity().update(print, P, P),
            TypeError,
            "model must be a Cell",
        ),
    ],
)
def test_metrics_refuse(make, error, text):
    with pytest.raises(error, match=text):
        make()


def test_a_refused_update_counts_for_nothing():
    metric = nn.Precision()
    metric.update(P, np.array([1, 0, 0]))
    before = metric.eval()
    with pytest.raises(ValueError, match="classes as before"):
        metric.update(np.ones((1, 3)), np.array([0]))
    np.testing.assert_array_equal(metric.eval(), before)


def test_the_number_type_of_labels_does_not_matter():
    for kind in (ms.int32, ms.int64, ms.float32):
        assert nn.Accuracy()(Tensor(P, ms.float32), Tensor([1, 0, 1], kind)) == 1


_MASKS = np.array([[[0, 1, 1], [0, 1, 0], [0, 0, 0]]])
_FED = {
    "bleu_score": ([["a", "b", "c", "d", "e"]], [[["a", "b", "c", "d", "e"]]]),
    "dice": (P, np.array([[1, 0], [0, 1], [0, 1]])),
    "hausdorff_distance": (_MASKS[0], _MASKS[0].T, 1),
    "loss": (Tensor(0.5),),
    "mean_surface_distance": (_MASKS[0], _MASKS[0].T, 1),
    "root_mean_square_distance": (_MASKS[0], _MASKS[0].T, 1),
    "roc": (P[:, 1], np.array([1, 0, 1])),
    "cosine_similarity": (P,),
    "top_5_accuracy": (np.eye(5), np.arange(5)),
    "confusion_matrix_metric": (np.array([[[0], [1]]]), np.array([[[0], [1]]])),
}
_MADE = {"confusion_matrix": (2,), "topk": (1,), "roc": (1,)}


@pytest.mark.parametrize("name", sorted({*names()} - {"auc", "occlusion_sensitivity"}))
def test_a_metric_result_does_not_change_after_later_updates(name):
    def state(result):
        return repr([np.asarray(r).tolist() for r in np.atleast_1d(np.array(result, object))])

    metric = get_metric_fn(name, *_MADE.get(name, ()))
    fed = _FED.get(name, (P, np.array([1, 0, 1])) if name not in ("mae", "mse") else (P, P + 1))
    metric.update(*fed)
    metrics = metric.eval()
    before = state(metrics)
    metric.update(*fed)
    metric.eval()
    metric.clear()
    assert state(metrics) == before
