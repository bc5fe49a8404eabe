"""What is asked of the real MindSpore and of ours, as text that both can evaluate.

``tests/golden/make_nn.py`` evaluates it with MindSpore, ``test_golden.py`` with minispore.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np


def arrays() -> dict[str, np.ndarray]:
    """The inputs that the cases name."""
    rng = np.random.default_rng(30)

    def u(*shape: int, low: float = -1, high: float = 1) -> np.ndarray:
        return rng.uniform(low, high, shape).astype(np.float32)

    return {
        "v": u(4, 6),
        "v2": u(4, 6),
        "vp": u(4, 6, low=0.05, high=0.95),
        "vq": u(4, 6, low=0.05, high=0.95),
        "hot": np.eye(6, dtype=np.float32)[[1, 0, 5, 3]],
        "signs": np.where(rng.random((4, 6)) < 0.5, -1, 1).astype(np.float32),
        "rowsign": np.array([1, -1, -1, 1], np.float32),
        "labels": np.array([1, 0, 5, 3], np.int32),
        "labels2": np.array([[1, 0, 2, 3], [5, 4, 1, 0]], np.int32),
        "multi": np.array(
            [[1, 3, -1, 0, 2, 1], [0, -1, 1, 1, 1, 1], [5, 4, 3, 2, 1, 0], [-1] * 6], np.int32
        ),
        "s": u(2, 3, 5),
        "s2": u(2, 6, 4),
        "wide": np.linspace(-8, 8, 24, dtype=np.float32).reshape(4, 6),
        "x1": u(2, 4, 9),
        "x2": u(2, 4, 7, 6),
        "y2": u(2, 4, 7, 6),
        "x3": u(2, 4, 5, 4, 6),
        "pairs": np.array([[[0, 3, 4, 6], [1, 2, 5, 7]]] * 2),
        "places": np.array([[[[0, 3], [9, 15]], [[4, 7], [8, 11]]]] * 2),
        "big": u(1, 2, 24, 20, low=0, high=1),
        "big2": u(1, 2, 24, 20, low=0, high=1),
        "huge": u(1, 1, 180, 176, low=0, high=1),
        "huge2": u(1, 1, 180, 176, low=0, high=1),
        "ids": np.array([[1, 0, 4], [3, 3, 2]], np.int32),
        "seq": u(5, 2, 3),
        "h1": u(1, 2, 4),
        "h4": u(4, 2, 4),
        "c4": u(4, 2, 4),
        "lens": np.array([5, 3], np.int32),
        "hx": u(4, 5),
        "cx": u(4, 5),
        "q": u(5, 2, 8),
        "k": u(7, 2, 8),
        "kw": u(7, 2, 6),
        "closed": np.array([[False] * 5 + [True] * 2, [False] * 7]),
        "causal": np.triu(np.ones((5, 5), bool), 1),
        "lp": np.log(rng.dirichlet(np.ones(5), (6, 2))).astype(np.float32),
        "spelled": np.array([[1, 2, 2], [3, 1, 0]], np.int32),
        "len_in": np.array([6, 5], np.int32),
        "len_out": np.array([3, 2], np.int32),
        "var": u(4, 6, low=0.1, high=1),
        "count": rng.poisson(3, (4, 6)).astype(np.float32),
    }


#: cell, its inputs, and how: outputs and gradients are compared; "train" in training mode,
#: "forward" without gradients, "logits" with those by the first input only
LAYERS: list[tuple[str, ...]] = [
    ("nn.Dense(6, 3)", "v"),
    ("nn.Dense(6, 3, has_bias=False, activation='tanh')", "v"),
    ("nn.Dense(5, 2, activation=nn.ReLU())", "s"),
    ("nn.Linear(6, 3)", "v"),
    ("nn.BiDense(6, 6, 3)", "v v2"),
    ("nn.Conv2d(4, 6, 3)", "x2"),
    ("nn.Conv2d(4, 6, 3, stride=2, has_bias=True)", "x2"),
    ("nn.Conv2d(4, 6, (2, 3), pad_mode='valid')", "x2"),
    ("nn.Conv2d(4, 6, 3, pad_mode='pad', padding=(1, 2, 0, 1), dilation=2)", "x2"),
    ("nn.Conv2d(4, 6, 3, stride=(2, 1), pad_mode='pad', padding=1, group=2)", "x2"),
    ("nn.Conv2d(4, 4, 3, group=4)", "x2"),
    ("nn.Conv1d(4, 6, 3, has_bias=True)", "x1"),
    ("nn.Conv1d(4, 6, 3, stride=2, pad_mode='pad', padding=2)", "x1"),
    ("nn.Conv3d(4, 3, 3, has_bias=True)", "x3"),
    ("nn.Conv3d(4, 3, 2, stride=2, pad_mode='valid')", "x3"),
    ("nn.Conv2dTranspose(4, 3, 3, stride=2, has_bias=True)", "x2"),
    ("nn.Conv2dTranspose(4, 3, 3, stride=2, pad_mode='valid')", "x2"),
    ("nn.Conv2dTranspose(4, 6, 3, stride=2, pad_mode='pad', padding=1, output_padding=1)", "x2"),
    ("nn.Conv2dTranspose(4, 6, 2, pad_mode='pad', group=2)", "x2"),
    ("nn.Conv1dTranspose(4, 3, 3, stride=2, has_bias=True)", "x1"),
    ("nn.Conv1dTranspose(4, 3, 3, stride=2, pad_mode='pad', padding=1)", "x1"),
    ("nn.Conv3dTranspose(4, 3, 3, stride=2, has_bias=True)", "x3"),
    ("nn.Conv3dTranspose(4, 3, 3, stride=2, pad_mode='pad', padding=1, output_padding=1)", "x3"),
    ("nn.MaxPool2d(2, 2)", "x2"),
    ("nn.MaxPool2d(3, 2, pad_mode='same')", "x2"),
    ("nn.MaxPool2d(3, 2, pad_mode='pad', padding=1)", "x2"),
    ("nn.MaxPool2d(3, 2, pad_mode='pad', padding=1, ceil_mode=True)", "x2"),
    ("nn.MaxPool2d(2, 1, pad_mode='pad', dilation=2)", "x2"),
    ("nn.LPPool1d(2, 3)", "np.abs(x1)"),
    ("nn.LPPool1d(1, 3, 2, True)", "np.abs(x1)"),
    ("nn.LPPool2d(2, 3)", "np.abs(x2)"),
    ("nn.LPPool2d(3, (2, 3), (2, 1), True)", "np.abs(x2)"),
    ("nn.MaxUnpool1d(2)", "x1[:,:2,:4] pairs"),
    ("nn.MaxUnpool2d(2)", "x2[:,:2,:2,:2] places"),
    ("nn.MaxUnpool2d((3, 2), 2, 1)", "x2[:,:2,:3,:3] np.tile(np.arange(9).reshape(3,3),(2,2,1,1))"),
    ("nn.MaxUnpool3d(1)", "x3[:1,:1,:2,:2,:2] np.arange(8).reshape(1,1,2,2,2)"),
    ("nn.Unfold([1,2,3,1], [1,1,2,1], [1,2,1,1])", "x2"),
    ("nn.Unfold([1,3,3,1], [1,2,2,1], [1,1,1,1], 'same')", "x2", "forward"),
    ("nn.MaxPool2d(2, 2, pad_mode='pad', return_indices=True)", "x2", "forward"),
    ("nn.MaxPool2d((2, 3), (1, 2))", "s"),
    ("nn.MaxPool1d(3, 2)", "x1"),
    ("nn.MaxPool1d(3, 2, pad_mode='same')", "s"),
    ("nn.MaxPool1d(3, 2, pad_mode='pad', padding=1)", "x1"),
    ("nn.MaxPool3d(2, 2)", "x3"),
    ("nn.AvgPool2d(2, 2)", "x2"),
    ("nn.AvgPool2d(3, 2, pad_mode='same')", "x2"),
    ("nn.AvgPool2d(3, 2, pad_mode='pad', padding=1)", "x2"),
    ("nn.AvgPool2d(3, 2, pad_mode='pad', padding=1, count_include_pad=False)", "x2"),
    ("nn.AvgPool2d(3, 2, pad_mode='pad', padding=1, ceil_mode=True, divisor_override=4)", "x2"),
    ("nn.AvgPool1d(3, 2)", "x1"),
    ("nn.AvgPool1d(3, 2, pad_mode='pad', padding=1)", "x1"),
    ("nn.AvgPool3d(2, 2)", "x3"),
    ("nn.AdaptiveAvgPool1d(3)", "x1"),
    ("nn.AdaptiveAvgPool2d((3, 4))", "x2"),
    ("nn.AdaptiveAvgPool2d(1)", "x2"),
    ("nn.AdaptiveAvgPool2d((None, 2))", "x2"),
    ("nn.AdaptiveAvgPool3d((2, 3, 2))", "x3"),
    ("nn.AdaptiveMaxPool1d(3)", "x1"),
    ("nn.AdaptiveMaxPool2d((3, 4))", "x2"),
    ("nn.AdaptiveMaxPool2d((3, 4), return_indices=True)", "x2", "forward"),
    ("nn.BatchNorm2d(4)", "x2", "train"),
    ("nn.BatchNorm2d(4, momentum=0.7, eps=1e-3)", "x2"),
    ("nn.BatchNorm2d(4, use_batch_statistics=True)", "x2"),
    ("nn.BatchNorm2d(4, use_batch_statistics=False)", "x2", "train"),
    ("nn.BatchNorm1d(6)", "v", "train"),
    ("nn.BatchNorm1d(6)", "v"),
    ("nn.BatchNorm1d(4)", "x1", "train"),
    ("nn.BatchNorm3d(4)", "x3", "train"),
    ("nn.LayerNorm((6,))", "v"),
    ("nn.LayerNorm((3, 5), begin_norm_axis=1, begin_params_axis=1, epsilon=1e-3)", "s"),
    ("nn.GroupNorm(2, 4)", "x2"),
    ("nn.GroupNorm(2, 4, affine=False)", "x2"),
    ("nn.InstanceNorm2d(4)", "x2"),
    ("nn.Embedding(5, 4)", "ids"),
    ("nn.Embedding(5, 4, use_one_hot=True)", "ids"),
    ("nn.EmbeddingLookup(5, 4)", "ids", "forward"),
    ("nn.EmbeddingLookup(5, 4, max_norm=0.5)", "ids", "forward"),
    *[
        (f"nn.{act}", "wide")
        for act in [
            "ReLU()",
            "ReLU6()",
            "Sigmoid()",
            "ELU()",
            "ELU(1.0)",
            "CELU(2.0)",
            "SiLU()",
            "FastGelu()",
            "GELU()",
            "GELU(False)",
            "Softsign()",
            "HSwish()",
            "HSigmoid()",
            "SoftShrink(0.3)",
            "HShrink(0.3)",
            "Softmax()",
            "Softmax(0)",
            "LogSoftmax()",
            "Softmin()",
            "LeakyReLU()",
            "LeakyReLU(0.1)",
            "Tanhshrink()",
            "Hardtanh(-2.0,1.5)",
            "LogSigmoid()",
            "Threshold(0.5,7.0)",
            "GLU()",
            "PReLU()",
            "PReLU(6)",
        ]
    ],
    ("nn.Tanh()", "v"),
    ("nn.Mish()", "v"),
    ("nn.SeLU()", "wide", "forward"),
    ("nn.Softmax2d()", "x2"),
    ("nn.Softmax2d()", "s"),
    ("nn.Flatten()", "x2"),
    ("nn.Flatten(1, 2)", "x2"),
    ("nn.Unflatten(1, (2, 3))", "v"),
    ("nn.Identity()", "v"),
    ("nn.Dropout(p=0.5)", "v"),
    ("nn.ClipByNorm()", "v Tensor(0.7)", "forward"),
    ("nn.Norm(axis=1)", "v"),
    ("nn.Norm(axis=0, keep_dims=True)", "v"),
    ("nn.L1Regularizer(0.1)", "v"),
    ("nn.OneHot(depth=6)", "labels", "forward"),
    ("nn.OneHot(axis=0, depth=6, on_value=2.0, off_value=-1.0)", "labels", "forward"),
    ("nn.Tril()", "v"),
    ("nn.Triu()", "v 1", "forward"),
    ("nn.Roll((1, -2), (0, 1))", "v"),
    ("nn.Pad(((1, 2), (0, 3)))", "v"),
    ("nn.Pad(((1, 2), (0, 3)), mode='REFLECT')", "v"),
    ("nn.Pad(((1, 2), (0, 3)), mode='SYMMETRIC')", "v"),
    ("nn.ConstantPad1d((1, 2), 0.5)", "s"),
    ("nn.ConstantPad2d((1, -2, 0, 1), 0.5)", "s"),
    ("nn.ZeroPad2d(2)", "x2"),
    ("nn.ReflectionPad1d((1, 2))", "s"),
    ("nn.ReflectionPad2d((1, 2, 3, 0))", "x2"),
    ("nn.ReplicationPad1d((1, 2))", "s"),
    ("nn.ReplicationPad2d((1, 2, 3, 0))", "x2"),
    ("nn.Conv2dBnAct(4, 6, 3, has_bn=True, activation='relu')", "x2"),
    ("nn.DenseBnAct(6, 3, has_bn=True, activation='leakyrelu')", "v", "train"),
    ("nn.MatMul()", "v hot.T", "forward"),
    ("nn.MatMul(False, True)", "v v2"),
    ("nn.Moments(axis=1)", "v"),
    ("nn.ReduceLogSumExp(1)", "v"),
    ("nn.Range(1, 8, 2)", ""),
    ("nn.Range(0.5, 3.0, 0.5)", ""),
    ("nn.PixelShuffle(2)", "x2"),
    ("nn.PixelUnshuffle(2)", "big"),
    ("nn.ChannelShuffle(2)", "x2"),
    ("nn.CentralCrop(0.5)", "x2"),
    ("nn.ImageGradients()", "x2"),
    ("nn.PSNR()", "big big2"),
    ("nn.SSIM()", "big big2", "forward"),
    ("nn.MSSSIM()", "huge huge2", "forward"),
    ("nn.Upsample(size=(9, 8), mode='nearest')", "x2", "forward"),
    ("nn.Upsample(size=(9, 8), mode='bilinear', align_corners=True)", "x2", "forward"),
    ("nn.RNNCell(6, 5)", "v hx"),
    ("nn.RNNCell(6, 5, nonlinearity='relu')", "v hx"),
    ("nn.GRUCell(6, 5)", "v hx"),
    ("nn.GRUCell(6, 5, has_bias=False)", "v hx"),
    ("nn.LSTMCell(6, 5)", "v (hx,cx)", "forward"),
    ("nn.RNN(3, 4)", "seq"),
    ("nn.RNN(3, 4, nonlinearity='relu')", "seq h1", "forward"),
    ("nn.GRU(3, 4)", "seq"),
    ("nn.GRU(3, 4, num_layers=2, bidirectional=True)", "seq h4 lens", "forward"),
    ("nn.LSTM(3, 4)", "seq", "forward"),
    ("nn.LSTM(3, 4, num_layers=2, bidirectional=True)", "seq (h4,c4)", "forward"),
    ("nn.LSTM(3, 4, num_layers=2, bidirectional=True)", "seq (h4,c4) lens", "forward"),
    ("nn.LSTM(3, 4, batch_first=True, has_bias=False)", "seq", "forward"),
    ("nn.MultiheadAttention(8, 2)", "q k k", "forward"),
    ("nn.MultiheadAttention(8, 2)", "q k k closed", "forward"),
    ("nn.MultiheadAttention(8, 2, batch_first=True, has_bias=False)", "q q q", "forward"),
    ("nn.MultiheadAttention(8, 2, kdim=6, vdim=6)", "q kw kw", "forward"),
    ("nn.MultiheadAttention(8, 2)", "q q q None True causal", "forward"),
    ("nn.MultiheadAttention(8, 2)", "q q q None True causal False", "forward"),
    ("nn.MultiheadAttention(8, 2, add_bias_kv=True, add_zero_attn=True)", "q k k", "forward"),
    ("nn.TransformerEncoderLayer(8, 2, 16)", "q"),
    (
        "nn.TransformerEncoderLayer(8, 2, 16, activation='gelu', norm_first=True)",
        "q causal",
        "forward",
    ),
    ("nn.TransformerDecoderLayer(8, 2, 16)", "q k"),
    ("nn.Transformer(8, 2, 2, 2, 16)", "k q"),
    ("nn.TimeDistributed(nn.Dense(5, 2), time_axis=1)", "s"),
    ("nn.TimeDistributed(nn.Dense(5, 2), time_axis=1, reshape_with_axis=0)", "s"),
    ("nn.SequentialCell(nn.Conv2d(4, 2, 3), nn.ReLU(), nn.Flatten(), nn.Dense(84, 3))", "x2"),
]

LOSSES: list[tuple[str, ...]] = [
    *[
        (f"nn.{loss}('{how}')", "v v2")
        for loss in ("L1Loss", "MSELoss", "MAELoss", "HuberLoss")
        for how in ("mean", "sum", "none")
    ],
    ("nn.MSELoss()", "s Tensor(0.5)"),
    ("nn.RMSELoss()", "v v2"),
    ("nn.SmoothL1Loss()", "v v2"),
    ("nn.SmoothL1Loss(0.3, 'mean')", "v v2"),
    ("nn.HuberLoss(delta=0.3)", "v v2"),
    ("nn.SoftmaxCrossEntropyWithLogits()", "v hot", "logits"),
    ("nn.SoftmaxCrossEntropyWithLogits(reduction='mean')", "v hot", "logits"),
    ("nn.SoftmaxCrossEntropyWithLogits(sparse=True)", "v labels"),
    ("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='mean')", "v labels"),
    ("nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction='sum')", "v labels"),
    ("nn.CrossEntropyLoss()", "v labels"),
    ("nn.CrossEntropyLoss(reduction='none')", "v labels"),
    (
        "nn.CrossEntropyLoss(Tensor(np.arange(1, 7, dtype=np.float32)), label_smoothing=0.1)",
        "v labels",
    ),
    ("nn.CrossEntropyLoss(ignore_index=5, reduction='sum')", "v labels"),
    ("nn.CrossEntropyLoss()", "v hot"),
    ("nn.CrossEntropyLoss(label_smoothing=0.2, reduction='none')", "v vp"),
    ("nn.CrossEntropyLoss()", "s2 labels2"),
    ("nn.NLLLoss()", "v labels"),
    ("nn.NLLLoss(Tensor(np.arange(1, 7, dtype=np.float32)))", "v labels"),
    ("nn.NLLLoss(ignore_index=5, reduction='none')", "v labels"),
    ("nn.BCELoss()", "vp vq"),
    ("nn.BCELoss(reduction='none')", "vp vq"),
    ("nn.BCELoss(Tensor(np.full((4, 6), 0.3, np.float32)), 'sum')", "vp vq"),
    ("nn.BCEWithLogitsLoss()", "v vq"),
    ("nn.BCEWithLogitsLoss('none', pos_weight=Tensor(np.full(6, 3, np.float32)))", "v vq"),
    ("nn.BCEWithLogitsLoss('sum', Tensor(np.full((4, 6), 0.3, np.float32)))", "v vq"),
    *[(f"nn.KLDivLoss('{how}')", "v vq", "logits") for how in ("mean", "sum", "none", "batchmean")],
    ("nn.SoftMarginLoss()", "v signs"),
    ("nn.SoftMarginLoss('none')", "v signs"),
    ("nn.MultiLabelSoftMarginLoss()", "v hot"),
    ("nn.MultiMarginLoss()", "v Tensor(labels,ms.int64)"),
    ("nn.MultiMarginLoss(2, 0.5, 'none')", "v Tensor(labels,ms.int64)"),
    ("nn.MultilabelMarginLoss()", "v multi"),
    ("nn.MultilabelMarginLoss('none')", "v multi"),
    ("nn.CosineEmbeddingLoss(0.2)", "v v2 Tensor(rowsign,ms.int32)"),
    ("nn.MarginRankingLoss(0.1)", "v v2 signs"),
    ("nn.HingeEmbeddingLoss()", "v signs"),
    ("nn.TripletMarginLoss()", "v v2 vp"),
    ("nn.TripletMarginLoss(p=3, swap=True, margin=0.5, reduction='none')", "v v2 vp"),
    ("nn.TripletMarginWithDistanceLoss()", "v v2 vp"),
    ("nn.PoissonNLLLoss()", "v count"),
    ("nn.PoissonNLLLoss(log_input=False, full=True)", "vp count"),
    ("nn.GaussianNLLLoss(full=True)", "v v2 var"),
    ("nn.DiceLoss()", "vp hot"),
    ("nn.MultiClassDiceLoss()", "v hot"),
    ("nn.MultiClassDiceLoss(ignore_indiex=2, activation='sigmoid')", "v hot"),
    ("nn.FocalLoss()", "v hot"),
    ("nn.FocalLoss(Tensor(np.arange(1, 7, dtype=np.float32)), 1.5)", "v labels.reshape(4,1)"),
    ("nn.CTCLoss()", "lp spelled len_in len_out", "forward"),
    ("nn.CTCLoss(blank=4, reduction='none')", "lp spelled len_in len_out", "forward"),
    ("nn.CTCLoss(reduction='sum', zero_infinity=True)", "lp spelled len_in len_out", "forward"),
]

#: what is evaluated with ``ps``, three Parameters, and driven for five steps
OPTIMIZERS: list[str] = [
    "nn.SGD(ps, 0.1)",
    "nn.SGD(ps, 0.1, momentum=0.9, weight_decay=0.01)",
    "nn.SGD(ps, 0.1, momentum=0.9, dampening=0.3)",
    "nn.SGD(ps, 0.1, momentum=0.9, nesterov=True, loss_scale=4.0)",
    "nn.Momentum(ps, 0.1, 0.9)",
    "nn.Momentum(ps, 0.1, 0.9, weight_decay=0.01, loss_scale=8.0)",
    "nn.Momentum(ps, 0.1, 0.9, use_nesterov=True)",
    "nn.Momentum(ps, [0.1, 0.2, 0.3, 0.2, 0.1], 0.9)",
    "nn.Momentum(ps, Tensor([0.1, 0.2, 0.3, 0.2, 0.1], ms.float32), 0.9)",
    "nn.Momentum(ps, nn.ExponentialDecayLR(0.1, 0.5, 2), 0.9)",
    "nn.Momentum([{'params': ps[:1], 'lr': 0.5, 'weight_decay': 0.1}, {'params': ps[1:]}], 0.1, "
    "0.9)",
    "nn.Momentum([{'params': ps[:1], 'weight_decay': 0.1}, {'params': ps[1:]}], 0.1, 0.9, "
    "weight_decay=0.2)",
    "nn.Momentum([{'params': ps[:1], 'lr': [0.1, 0.2, 0.3, 0.4, 0.5]}, {'params': ps[1:]}], 0.1, "
    "0.9)",
    "nn.Momentum([{'params': ps[:2], 'lr': 0.5}, {'params': ps[2:]}, {'order_params': ps[::-1]}], "
    "0.1, 0.9)",
    "nn.Momentum([{'params': ps[:1], 'grad_centralization': True}, {'params': ps[1:]}], 0.1, 0.9)",
    "nn.Momentum(ps, 0.1, 0.9, weight_decay=nn.ExponentialDecayLR(0.1, 0.5, 2))",
    "nn.Adam(ps)",
    "nn.Adam(ps, 0.1, beta1=0.8, beta2=0.9, weight_decay=0.01)",
    "nn.Adam(ps, 0.1, use_nesterov=True)",
    "nn.Adam(ps, 0.1, use_amsgrad=True)",
    "nn.Adam(ps, nn.CosineDecayLR(0.01, 0.1, 4))",
    "nn.LazyAdam(ps, 0.1)",
    "nn.AdamOffload(ps, 0.1)",
    "nn.AdamWeightDecay(ps, 0.1, weight_decay=0.1)",
    "nn.AdamWeightDecay([{'params': ps[:1], 'weight_decay': 0.1}, {'params': ps[1:], 'lr': 0.2}], "
    "0.1)",
    "nn.RMSProp(ps, 0.1)",
    "nn.RMSProp(ps, 0.1, momentum=0.5, centered=True, loss_scale=2.0)",
    "nn.Adagrad(ps, learning_rate=0.1)",
    "nn.Adagrad(ps, learning_rate=0.1, update_slots=False)",
    "nn.ProximalAdagrad(ps, learning_rate=0.1, l1=0.01, l2=0.02)",
    "nn.Adadelta(ps, 0.5)",
    "nn.AdaMax(ps, 0.1)",
    "nn.FTRL(ps, learning_rate=0.1, l2=0.1)",
    "nn.ASGD(ps, 0.1, lambd=0.1, t0=2.0)",
    "nn.Rprop(ps, 0.1)",
]

SCHEDULES: list[str] = [
    "nn.ExponentialDecayLR(0.1, 0.9, 4)",
    "nn.ExponentialDecayLR(0.1, 0.9, 4, True)",
    "nn.NaturalExpDecayLR(0.1, 0.9, 4)",
    "nn.NaturalExpDecayLR(0.1, 0.9, 4, True)",
    "nn.InverseDecayLR(0.1, 0.9, 4)",
    "nn.InverseDecayLR(0.1, 0.9, 4, True)",
    "nn.CosineDecayLR(0.01, 0.1, 4)",
    "nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5)",
    "nn.PolynomialDecayLR(0.1, 0.01, 4, 0.5, True)",
    "nn.WarmUpLR(0.1, 4)",
]

LISTS: list[str] = [
    "nn.piecewise_constant_lr([2, 5, 10], [0.1, 0.05, 0.01])",
    "nn.exponential_decay_lr(0.1, 0.9, 12, 2, 3)",
    "nn.exponential_decay_lr(0.1, 0.9, 12, 2, 3, True)",
    "nn.natural_exp_decay_lr(0.1, 0.9, 12, 2, 3)",
    "nn.natural_exp_decay_lr(0.1, 0.9, 12, 2, 3, True)",
    "nn.inverse_decay_lr(0.1, 0.5, 12, 2, 3)",
    "nn.inverse_decay_lr(0.1, 0.5, 12, 2, 3, True)",
    "nn.cosine_decay_lr(0.01, 0.1, 12, 2, 3)",
    "nn.polynomial_decay_lr(0.1, 0.01, 12, 2, 3, 0.5)",
    "nn.polynomial_decay_lr(0.1, 0.01, 12, 2, 3, 0.5, True)",
    "nn.warmup_lr(0.1, 12, 2, 3)",
]

#: metric, the inputs of its updates, and perhaps arguments of eval
METRICS: list[tuple[str, ...]] = [
    ("nn.Accuracy()", "vp labels|vq labels"),
    ("nn.Accuracy()", "vp hot"),
    ("nn.Accuracy('multilabel')", "hot (vp>0.5)*1"),
    ("nn.Precision()", "vp labels|vq labels"),
    ("nn.Precision()", "vp labels", "True"),
    ("nn.Precision('multilabel')", "hot (vp>0.5)*1"),
    ("nn.Recall()", "vp labels|vq labels"),
    ("nn.Recall('multilabel')", "hot (vp>0.5)*1", "True"),
    ("nn.Fbeta(2.0)", "vp labels|vq hot"),
    ("nn.F1()", "vp labels", "True"),
    ("nn.TopKCategoricalAccuracy(3)", "vp labels|vq hot"),
    ("nn.Top1CategoricalAccuracy()", "vp labels"),
    ("nn.Top5CategoricalAccuracy()", "vp labels"),
    ("nn.MAE()", "vp vq|v v2"),
    ("nn.MSE()", "vp vq|v v2"),
    ("nn.Loss()", "np.array(0.3)|v[:,0]"),
    ("nn.Perplexity()", "vp labels|vq labels"),
    ("nn.Perplexity(5)", "vp labels"),
    ("nn.Dice()", "vp hot|vq hot"),
    ("nn.CosineSimilarity()", "v"),
    ("nn.ConfusionMatrix(6)", "vp labels|vq labels"),
    ("nn.ConfusionMatrix(2, 'target')", "vp (vq>0.5)*1"),
    ("nn.ConfusionMatrix(2, 'prediction', 0.3)", "vp (vq>0.5)*1"),
    ("nn.ConfusionMatrix(2, 'all')", "vp (vq>0.5)*1"),
    *[
        (f"nn.ConfusionMatrixMetric(metric_name='{m}')", "(vp>0.5)*1 (vq>0.5)*1")
        for m in (
            "sensitivity",
            "specificity",
            "precision",
            "npv",
            "fnr",
            "fpr",
            "fdr",
            "for",
            "pt",
            "ts",
            "accuracy",
            "ba",
            "f1 score",
            "mcc",
            "fm",
            "bm",
            "mk",
        )
    ],
    ("nn.ConfusionMatrixMetric(calculation_method=True)", "(x2>0)*1 (y2>0)*1"),
    (
        "nn.ConfusionMatrixMetric(False, 'f1', True, 'mean_channel')",
        "(x2[:,:2]>0)*1 (y2[:,:2]>0)*1",
    ),
    ("nn.ROC(pos_label=1)", "vp.ravel() (vq>0.5).ravel()*1"),
    ("nn.ROC(3)", "vp[:3,:3] np.array([0,1,2])"),
    ("nn.BleuScore()", "[['a','b','c','d','e']] [[['a','b','c','d','f'],['a','b','d','e']]]"),
    ("nn.BleuScore(2,True)", "[['a','b','c']] [[['a','b','d','e']]]"),
    ("nn.HausdorffDistance()", "(x2[0,0]>0)*1 (y2[0,0]>0)*1 1"),
    ("nn.HausdorffDistance('taxicab',80.0)", "(x2[0,0]>0)*1 (y2[0,0]>0)*1 1"),
    ("nn.HausdorffDistance('chessboard',directed=True)", "(x2[0,0]>0)*1 (y2[0,0]>0)*1 1"),
    ("nn.MeanSurfaceDistance()", "(x2[0,0]>0)*1 (y2[0,0]>0)*1 1"),
    ("nn.MeanSurfaceDistance(True,'taxicab')", "(x2[0,0]>0)*1 (y2[0,0]>0)*1 1"),
    ("nn.RootMeanSquareDistance()", "(x2[0,0]>0)*1 (y2[0,0]>0)*1 1"),
    ("nn.RootMeanSquareDistance(True)", "(x2[0,0]>0)*1 (y2[0,0]>0)*1 1"),
    ("nn.OcclusionSensitivity(margin=1)", "MODEL big[:,:,:4,:3] np.array([[1]])"),
]


# -- evaluation -----------------------------------------------------------------------------------


def parameter_values(name: str, shape: tuple[int, ...], number: int) -> np.ndarray:
    """What the tests put into the n-th parameter of a network."""
    rng = np.random.default_rng([31, number])
    low, high = (0.5, 1.5) if name.endswith(("variance", "gamma")) else (-0.5, 0.5)
    return rng.uniform(low, high, shape).astype(np.float32)


def _values(ms: Any, text: str, wrapped: bool = True) -> list[Any]:
    own = arrays()
    scope: dict[str, Any] = {"np": np, "ms": ms, "Tensor": ms.Tensor, **own}
    if "MODEL" in text:
        scope["MODEL"] = _model(ms)
    found = []
    for part in text.split():
        value = eval(part, scope)
        if wrapped and isinstance(value, np.ndarray | np.generic):
            value = ms.Tensor(value)
        elif wrapped and isinstance(value, tuple):
            value = tuple(ms.Tensor(v) for v in value)
        found.append(value)
    return found


def _model(ms: Any) -> Any:
    net = ms.nn.SequentialCell(ms.nn.Flatten(), ms.nn.Dense(24, 3))
    return filled(ms, net)


def filled(ms: Any, cell: Any) -> Any:
    """``cell`` with known parameters."""
    for i, p in enumerate(cell.get_parameters()):
        p.set_data(ms.Tensor(parameter_values(p.name, tuple(p.shape), i)))
    return cell


def _flat(tree: Any) -> Iterator[Any]:
    if isinstance(tree, tuple | list):
        for item in tree:
            yield from _flat(item)
    else:
        yield tree


def _numpy(value: Any) -> np.ndarray:
    return np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)


def run_cell(ms: Any, case: tuple[str, ...]) -> dict[str, np.ndarray]:
    """Outputs, gradients by inputs and by parameters, and the parameters' names."""
    text, inputs, how = (*case, "")[:3]
    scope = {"nn": ms.nn, "np": np, "ms": ms, "Tensor": ms.Tensor}
    cell = filled(ms, eval(text, scope))
    cell.set_train(how == "train")
    args = _values(ms, inputs)
    out = cell(*args)
    found = {f"out{i}": _numpy(o) for i, o in enumerate(_flat(out))}
    after = {f"after {p.name}": _numpy(p) for p in cell.get_parameters() if not p.requires_grad}
    found.update(after)
    names = [p.name for p in cell.get_parameters()]
    found["names"] = np.array(names or [""])
    if how == "forward" or not args:
        return found
    cell = filled(ms, cell)
    first = next(_flat(out))
    rng = np.random.default_rng(32)
    cotangent = ms.Tensor(rng.uniform(-1, 1, first.shape).astype(np.float32))
    positions = tuple(
        i for i, a in enumerate(args) if isinstance(a, ms.Tensor) and "Float" in str(a.dtype)
    )

    def weighed(*xs: Any) -> Any:
        return (next(_flat(cell(*xs))) * cotangent).sum()

    weights = cell.trainable_params()
    for i in positions[:1] if how == "logits" else positions:
        found[f"dx{i}"] = _numpy(ms.grad(weighed, i)(*args))
    for p in weights:
        found[f"d {p.name}"] = _numpy(ms.grad(weighed, None, p)(*args))
    return found


STEPS = 5


def run_optimizer(ms: Any, text: str) -> dict[str, np.ndarray]:
    """The parameters after each of five steps, all state at the end, and its names."""
    shapes = {"fc.weight": (3, 16), "bn.gamma": (4,), "fc.bias": (2, 2)}
    ps = [
        ms.Parameter(ms.Tensor(parameter_values("", shape, i)), name=name)
        for i, (name, shape) in enumerate(shapes.items())
    ]
    optimizer = eval(text, {"nn": ms.nn, "ms": ms, "Tensor": ms.Tensor, "ps": ps, "np": np})
    rng = np.random.default_rng(33)
    found: dict[str, np.ndarray] = {}
    for step in range(STEPS):
        by_name = {p.name: rng.uniform(-1, 1, p.shape).astype(np.float32) for p in ps}
        optimizer(tuple(ms.Tensor(by_name[p.name]) for p in optimizer.parameters))
        found.update({f"step{step} {p.name}": _numpy(p).copy() for p in ps})
    found.update({f"state {p.name}": _numpy(p) for p in optimizer.get_parameters()})
    found["names"] = np.array([p.name for p in optimizer.get_parameters()])
    return found


def run_schedule(ms: Any, text: str) -> dict[str, np.ndarray]:
    """The learning rates of the first ten steps."""
    schedule = eval(text, {"nn": ms.nn})
    rates = [_numpy(schedule(ms.Tensor(step, ms.int32))) for step in range(10)]
    return {"rates": np.array(rates, np.float32)}


def run_list(ms: Any, text: str) -> dict[str, np.ndarray]:
    """The list of learning rates."""
    return {"rates": np.array(eval(text, {"nn": ms.nn}))}


def run_metric(ms: Any, case: tuple[str, ...]) -> dict[str, np.ndarray]:
    """The result after all updates."""
    text, updates, arguments = (*case, "")[:3]
    metrics = getattr(ms, "train", ms.nn)
    metric = eval(text, {"nn": metrics, "np": np})
    metric.clear()
    for update in updates.split("|"):
        metric.update(*_values(ms, update, wrapped=False))
    result = metric.eval(*eval(f"({arguments},)" if arguments else "()"))
    return {f"out{i}": _numpy(r) for i, r in enumerate(_flat(result))}


RUNS: dict[str, tuple[Any, list[Any]]] = {
    "layers": (run_cell, LAYERS),
    "losses": (run_cell, LOSSES),
    "optimizers": (run_optimizer, OPTIMIZERS),
    "schedules": (run_schedule, SCHEDULES),
    "lists": (run_list, LISTS),
    "metrics": (run_metric, METRICS),
}


def title(case: Any) -> str:
    """The name of a case."""
    return case if isinstance(case, str) else " ; ".join(case)
