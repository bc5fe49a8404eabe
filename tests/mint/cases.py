"""Calls of mint, each written once and run by MindSpore, PyTorch and us.

A case is a function of m (mint or torch), F (the functional module) and x (tensors by name).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np


def arrays() -> dict[str, np.ndarray]:
    """The inputs."""
    draw = np.random.default_rng(7)
    f = np.array([[0.5, -0.25, 0.125], [-0.1, 0.9, 0.3]], np.float32)
    return {
        "f": f,
        "g": draw.normal(size=(2, 3)).astype(np.float32),
        "p": draw.uniform(0.1, 0.9, (2, 3)).astype(np.float32),
        "v": draw.normal(size=3).astype(np.float32),
        "sq": (draw.normal(size=(3, 3)) + 3 * np.eye(3)).astype(np.float32),
        "b3": draw.normal(size=(2, 3, 4)).astype(np.float32),
        "c3": draw.normal(size=(2, 4, 2)).astype(np.float32),
        "i": np.array([[1, 2, 3], [3, 2, 1]], np.int64),
        "i32": np.array([4, 1, 3], np.int32),
        "at": np.array([[0, 2, 1], [1, 0, 2]], np.int64),
        "b": np.array([[True, False, True], [False, False, True]]),
        "n": np.array([np.nan, np.inf, -np.inf, 1.5], np.float32),
        "labels": np.array([2, 0], np.int64),
        "signs": np.array([1, -1], np.int64),
        "image": draw.normal(size=(2, 2, 6, 5)).astype(np.float32),
        "kernel": draw.normal(size=(4, 2, 3, 3)).astype(np.float32),
        "turned": draw.normal(size=(2, 3, 3, 3)).astype(np.float32),
        "line": draw.normal(size=(2, 2, 7)).astype(np.float32),
        "taps": draw.normal(size=(4, 2, 3)).astype(np.float32),
        "room": draw.normal(size=(1, 2, 4, 4, 4)).astype(np.float32),
        "cube": draw.normal(size=(3, 2, 2, 2, 2)).astype(np.float32),
        "tbc": draw.normal(size=(5, 2, 3)).astype(np.float32),
        "wtbc": draw.normal(size=(2, 3, 4)).astype(np.float32),
        "four": draw.normal(size=4).astype(np.float32),
        "two": draw.uniform(0.5, 1.5, 2).astype(np.float32),
    }


Case = Callable[[Any, Any, Any], Any]
CASES: dict[str, Case] = {}


def _plain(names: str, call: Callable[[Any, Any], Any]) -> None:
    """The same call for several functions of mint."""
    for name in names.split():
        CASES[name] = lambda m, F, x, name=name: call(getattr(m, name), x)


_plain(
    "abs erf sin cos tan sinh cosh tanh sinc exp exp2 expm1 square floor ceil sign neg negative "
    "isfinite isinf isnan isneginf logical_not frac trunc fix sigmoid asinh arcsinh atan arctan "
    "erfc round ravel flatten clone nan_to_num t",
    lambda f, x: f(x.f),
)
_plain(
    "log log1p log2 log10 sqrt rsqrt reciprocal erfinv acos arccos asin arcsin atanh arctanh",
    lambda f, x: f(x.p),
)
_plain("acosh arccosh", lambda f, x: f(x.p + 1))
_plain(
    "add sub mul div divide fmod remainder floor_divide atan2 arctan2 maximum minimum eq ne "
    "not_equal lt less le less_equal gt greater ge greater_equal logaddexp logaddexp2 isclose "
    "max min",
    lambda f, x: f(x.f, x.g),
)
_plain("logical_and logical_or logical_xor", lambda f, x: f(x.b, x.f > 0))
_plain("bitwise_and bitwise_or bitwise_xor gcd", lambda f, x: f(x.i, x.at))
_plain("sum mean prod median amax amin norm nansum count_nonzero", lambda f, x: f(x.f))
_plain("std var std_mean var_mean argmax argmin nonzero", lambda f, x: f(x.f))
_DIM = "sum mean prod median amax amin argmax argmin std var std_mean var_mean nansum max min"
for _name in _DIM.split():
    CASES[f"{_name} dim"] = lambda m, F, x, name=_name: getattr(m, name)(x.f, dim=1, keepdim=True)
for _name in ["mul", "add", "sub", "floor_divide", "remainder"]:
    CASES[f"{_name} int"] = lambda m, F, x, name=_name: getattr(m, name)(x.i, 2)
for _name in ["cumsum", "cumprod"]:
    CASES[f"{_name} int"] = lambda m, F, x, name=_name: getattr(m, name)(x.i, 1)
for _name in ["sum", "prod", "max", "min", "abs", "sign"]:
    CASES[f"{_name} int"] = lambda m, F, x, name=_name: getattr(m, name)(x.i)
_plain("all any", lambda f, x: f(x.b))
CASES |= {
    "all dim": lambda m, F, x: m.all(x.b, 1, True),
    "any dim": lambda m, F, x: m.any(x.b, 1),
    "any dims": lambda m, F, x: m.any(x.b, (0, 1)),
    "add alpha": lambda m, F, x: m.add(x.f, x.g, alpha=2),
    "sub alpha": lambda m, F, x: m.sub(x.f, x.g, alpha=0.5),
    "div floor": lambda m, F, x: m.div(x.f, x.g, rounding_mode="floor"),
    "div int": lambda m, F, x: m.div(x.i, 2),
    "pow": lambda m, F, x: m.pow(x.p, 2.5),
    "pow base": lambda m, F, x: m.pow(2.0, x.f),
    "float_power": lambda m, F, x: m.float_power(x.p, 2),
    "xlogy": lambda m, F, x: m.xlogy(x.f, x.p),
    "lerp": lambda m, F, x: m.lerp(x.f, x.g, 0.25),
    "addcmul": lambda m, F, x: m.addcmul(x.f, x.g, x.p, value=2),
    "addcdiv": lambda m, F, x: m.addcdiv(x.f, x.g, x.p, value=2),
    "clamp": lambda m, F, x: m.clamp(x.f, -0.2, 0.4),
    "clamp one side": lambda m, F, x: m.clamp(x.f, max=0.4),
    "where": lambda m, F, x: m.where(x.b, x.f, x.g),
    "where number": lambda m, F, x: m.where(x.b, x.f, 0.0),
    "where one": lambda m, F, x: m.where(x.b),
    "round decimals": lambda m, F, x: m.round(x.f, decimals=1),
    "bitwise_not": lambda m, F, x: m.bitwise_not(x.i),
    "isnan inf": lambda m, F, x: (m.isnan(x.n), m.isinf(x.n), m.isneginf(x.n)),
    "nan_to_num all": lambda m, F, x: m.nan_to_num(x.n, 1.0, 2.0, 3.0),
    "norm p": lambda m, F, x: m.norm(x.f, 3, dim=1),
    "norm keepdim": lambda m, F, x: m.norm(x.f, dim=(0, 1), keepdim=True),
    "sum dtype": lambda m, F, x: m.sum(x.b, dim=(0, 1)),
    "var correction": lambda m, F, x: m.var(x.f, (0, 1), correction=0),
    "logsumexp": lambda m, F, x: m.logsumexp(x.f, 1, True),
    "cumsum": lambda m, F, x: m.cumsum(x.f, 1),
    "cumsum bool": lambda m, F, x: m.cumsum(x.b, 0),
    "cumprod": lambda m, F, x: m.cumprod(x.f, 0),
    "cummax": lambda m, F, x: m.cummax(x.f, 1),
    "cummin": lambda m, F, x: m.cummin(x.f, 1),
    "sort": lambda m, F, x: m.sort(x.f, dim=0, descending=True),
    "argsort": lambda m, F, x: m.argsort(x.f, 1),
    "topk": lambda m, F, x: m.topk(x.f, 2),
    "topk smallest": lambda m, F, x: m.topk(x.f, 1, 0, False),
    "kthvalue": lambda m, F, x: m.kthvalue(x.f, 2, 1),
    "diff": lambda m, F, x: m.diff(x.f, 1, 1, x.g),
    "softmax": lambda m, F, x: m.softmax(x.f, 1),
    "bincount": lambda m, F, x: m.bincount(x.i32),
    "bincount weights": lambda m, F, x: m.bincount(x.i32, x.v, 7),
    "histc": lambda m, F, x: m.histc(x.f, 3),
    "histc range": lambda m, F, x: m.histc(x.f, 4, -1, 1),
    "unique": lambda m, F, x: m.unique(x.i),
    "unique all": lambda m, F, x: m.unique(x.i, return_inverse=True, return_counts=True),
    "unique_consecutive": lambda m, F, x: m.unique_consecutive(x.i, return_counts=True),
    "searchsorted": lambda m, F, x: m.searchsorted(x.i32[1:], x.i, right=True),
    "reshape": lambda m, F, x: m.reshape(x.f, (3, -1)),
    "transpose": lambda m, F, x: m.transpose(x.b3, 0, 2),
    "swapaxes": lambda m, F, x: m.swapaxes(x.b3, 1, 2),
    "permute": lambda m, F, x: m.permute(x.b3, (2, 0, 1)),
    "squeeze": lambda m, F, x: m.squeeze(x.b3[:1], 0),
    "squeeze all": lambda m, F, x: m.squeeze(x.b3[:1, :, :1]),
    "unsqueeze": lambda m, F, x: m.unsqueeze(x.f, -1),
    "flatten dims": lambda m, F, x: m.flatten(x.b3, 1, 2),
    "repeat_interleave": lambda m, F, x: m.repeat_interleave(x.f, 2, 1),
    "repeat_interleave flat": lambda m, F, x: m.repeat_interleave(x.f, 2),
    "cat": lambda m, F, x: m.cat((x.f, x.g), 1),
    "concat": lambda m, F, x: m.concat((x.f, x.g)),
    "stack": lambda m, F, x: m.stack((x.f, x.g), dim=1),
    "hstack": lambda m, F, x: m.hstack((x.f, x.g)),
    "dstack": lambda m, F, x: m.dstack((x.f, x.g)),
    "split": lambda m, F, x: m.split(x.f, 2, dim=1),
    "split sections": lambda m, F, x: m.split(x.f, [1, 2], 1),
    "chunk": lambda m, F, x: m.chunk(x.f, 2, 1),
    "unbind": lambda m, F, x: m.unbind(x.f, 1),
    "narrow": lambda m, F, x: m.narrow(x.f, 1, 1, 2),
    "select": lambda m, F, x: m.select(x.f, 1, 2),
    "tile": lambda m, F, x: m.tile(x.f, (2, 1)),
    "roll": lambda m, F, x: m.roll(x.f, 1, 1),
    "roll flat": lambda m, F, x: m.roll(x.f, 2),
    "flip": lambda m, F, x: m.flip(x.f, (0, 1)),
    "broadcast_to": lambda m, F, x: m.broadcast_to(x.f, (2, 2, 3)),
    "gather": lambda m, F, x: m.gather(x.f, 1, x.at),
    "scatter": lambda m, F, x: m.scatter(x.f, 1, x.at, x.g),
    "scatter number": lambda m, F, x: m.scatter(x.f, 1, x.at[:, :1], 5.0),
    "scatter_add": lambda m, F, x: m.scatter_add(x.f, 1, x.at, x.g),
    "scatter_add part": lambda m, F, x: m.scatter_add(x.f, 1, x.at[:, :2], x.g),
    "index_select": lambda m, F, x: m.index_select(x.f, 1, x.labels),
    "index_add": lambda m, F, x: m.index_add(x.f, 1, x.labels, x.g[:, :2], alpha=2),
    "masked_select": lambda m, F, x: m.masked_select(x.f, x.b),
    "take": lambda m, F, x: m.take(x.f, x.at),
    "diag": lambda m, F, x: m.diag(x.v, 1),
    "diag of matrix": lambda m, F, x: m.diag(x.sq, -1),
    "tril": lambda m, F, x: m.tril(x.sq, -1),
    "triu": lambda m, F, x: m.triu(x.sq, 1),
    "nonzero tuple": lambda m, F, x: m.nonzero(x.b, as_tuple=True),
    "zeros": lambda m, F, x: m.zeros((2, 3)),
    "ones": lambda m, F, x: m.ones((2, 3)),
    "full": lambda m, F, x: m.full((2,), 1.5),
    "full int": lambda m, F, x: m.full((2,), 3),
    "zeros_like": lambda m, F, x: m.zeros_like(x.i),
    "ones_like": lambda m, F, x: m.ones_like(x.f),
    "full_like": lambda m, F, x: m.full_like(x.f, 2),
    "arange": lambda m, F, x: m.arange(5),
    "arange float": lambda m, F, x: m.arange(0.0, 1.0, 0.25),
    "linspace": lambda m, F, x: m.linspace(0, 1, 5),
    "eye": lambda m, F, x: m.eye(2, 3),
    "meshgrid": lambda m, F, x: m.meshgrid(x.v, x.v, indexing="ij"),
    "meshgrid xy": lambda m, F, x: m.meshgrid(x.v, x.v, indexing="xy"),
    "polar": lambda m, F, x: m.polar(x.p, x.f),
    "real": lambda m, F, x: m.real(m.polar(x.p, x.f)),
    "imag": lambda m, F, x: m.imag(m.polar(x.p, x.f)),
    "matmul": lambda m, F, x: m.matmul(x.b3, x.c3),
    "mm": lambda m, F, x: m.mm(x.f, x.sq),
    "mv": lambda m, F, x: m.mv(x.f, x.v),
    "bmm": lambda m, F, x: m.bmm(x.b3, x.c3),
    "baddbmm": lambda m, F, x: m.baddbmm(x.c3[:, :3], x.b3, x.c3, beta=0.5, alpha=2),
    "addbmm": lambda m, F, x: m.addbmm(x.c3[0, :3], x.b3, x.c3, beta=0.5, alpha=2),
    "addmm": lambda m, F, x: m.addmm(x.f, x.g, x.sq, beta=0.5, alpha=2),
    "addmv": lambda m, F, x: m.addmv(x.v, x.sq, x.v, beta=0.5, alpha=2),
    "dot": lambda m, F, x: m.dot(x.v, x.v),
    "vdot": lambda m, F, x: m.vdot(x.v, x.v),
    "outer": lambda m, F, x: m.outer(x.v, x.v),
    "cross": lambda m, F, x: m.cross(x.f, x.g, dim=1),
    "einsum": lambda m, F, x: m.einsum("bij,bjk->ik", x.b3, x.c3),
    "inverse": lambda m, F, x: m.inverse(x.sq),
    "trace": lambda m, F, x: m.trace(x.sq),
    "cdist": lambda m, F, x: m.cdist(x.f, x.g),
    "triangular_solve": lambda m, F, x: m.triangular_solve(x.sq[:, :2], x.sq)[0],
    "triangular_solve unit": lambda m, F, x: m.triangular_solve(
        x.sq[:, :2], x.sq, upper=False, transpose=True, unitriangular=True
    )[0],
    "linalg.inv": lambda m, F, x: m.linalg.inv(x.sq),
    "linalg.vector_norm": lambda m, F, x: m.linalg.vector_norm(x.f, 3, 1, True),
    "linalg.matrix_norm": lambda m, F, x: m.linalg.matrix_norm(x.b3, 1),
    "linalg.matrix_norm nuc": lambda m, F, x: m.linalg.matrix_norm(x.b3, "nuc"),
    "linalg.norm": lambda m, F, x: m.linalg.norm(x.f),
    "linalg.norm 2": lambda m, F, x: m.linalg.norm(x.sq, 2),
    "special.erfc": lambda m, F, x: m.special.erfc(x.f),
    "special.expm1": lambda m, F, x: m.special.expm1(x.f),
    "special.exp2": lambda m, F, x: m.special.exp2(x.f),
    "special.round": lambda m, F, x: m.special.round(x.f),
    "special.sinc": lambda m, F, x: m.special.sinc(x.f),
    "special.log1p": lambda m, F, x: m.special.log1p(x.p),
    "special.log_softmax": lambda m, F, x: m.special.log_softmax(x.f, 1),
    "conv_tbc": lambda m, F, x: m.conv_tbc(x.tbc, x.wtbc, x.four, 1),
    "conv1d": lambda m, F, x: F.conv1d(x.line, x.taps, x.four, 2, 1, 2),
    "conv1d same": lambda m, F, x: F.conv1d(x.line, x.taps, padding="same"),
    "conv2d": lambda m, F, x: F.conv2d(x.image, x.kernel, x.four, (2, 1), (1, 2), (1, 2)),
    "conv2d same": lambda m, F, x: F.conv2d(x.image, x.kernel, padding="same", dilation=2),
    "conv2d groups": lambda m, F, x: F.conv2d(x.image, x.kernel[:, :1], groups=2),
    "conv2d single": lambda m, F, x: F.conv2d(x.image[0], x.kernel),
    "conv3d": lambda m, F, x: F.conv3d(x.room, x.cube, None, 2, 1),
    "conv_transpose2d": lambda m, F, x: F.conv_transpose2d(x.image, x.turned, x.v, 2, 1, 1),
    "conv_transpose2d groups": lambda m, F, x: F.conv_transpose2d(
        x.image, x.turned, None, (2, 1), 0, 0, 2, 2
    ),
    "linear": lambda m, F, x: F.linear(x.f, x.sq, x.v),
    "max_pool2d": lambda m, F, x: F.max_pool2d(x.image, 2, return_indices=True),
    "max_pool2d ceil": lambda m, F, x: F.max_pool2d(x.image, 3, 2, 1, ceil_mode=True),
    "max_pool2d single": lambda m, F, x: F.max_pool2d(x.image[0], (2, 1)),
    "avg_pool1d": lambda m, F, x: F.avg_pool1d(x.line, 3, 2, 1, count_include_pad=False),
    "avg_pool2d": lambda m, F, x: F.avg_pool2d(x.image, (2, 3), None, (1, 0)),
    "avg_pool2d divisor": lambda m, F, x: F.avg_pool2d(x.image[0], 2, 1, 0, divisor_override=3),
    "avg_pool3d": lambda m, F, x: F.avg_pool3d(x.room, 2, 1),
    "adaptive_avg_pool1d": lambda m, F, x: F.adaptive_avg_pool1d(x.line, 3),
    "adaptive_avg_pool2d": lambda m, F, x: F.adaptive_avg_pool2d(x.image, (4, None)),
    "adaptive_avg_pool3d": lambda m, F, x: F.adaptive_avg_pool3d(x.room, (3, 2, 1)),
    "adaptive_max_pool1d": lambda m, F, x: F.adaptive_max_pool1d(x.line, 3, return_indices=True),
    "adaptive_max_pool2d": lambda m, F, x: F.adaptive_max_pool2d(x.image, (4, 3)),
    "adaptive_max_pool2d where": lambda m, F, x: F.adaptive_max_pool2d(
        x.image, (4, 3), return_indices=True
    ),
    "max_unpool2d": lambda m, F, x: F.max_unpool2d(
        *F.max_pool2d(x.image, 2, return_indices=True), 2, output_size=(6, 5)
    ),
    "interpolate": lambda m, F, x: F.interpolate(x.image, scale_factor=2.0),
    "interpolate bilinear": lambda m, F, x: F.interpolate(
        x.image, (3, 9), mode="bilinear", align_corners=True
    ),
    "interpolate half pixel": lambda m, F, x: F.interpolate(x.image, (3, 9), mode="bilinear"),
    "interpolate linear": lambda m, F, x: F.interpolate(x.line, 4, mode="linear"),
    "upsample": lambda m, F, x: F.upsample(x.image, (9, 10)),
    "grid_sample": lambda m, F, x: F.grid_sample(
        x.image, x.image[:, :, :3, :2].reshape((2, 2, 3, 2)), align_corners=False
    ),
    "pad": lambda m, F, x: F.pad(x.image, (1, 2, 0, 1), value=0.5),
    "pad reflect": lambda m, F, x: F.pad(x.image, (1, 2, 2, 1), mode="reflect"),
    "pad replicate": lambda m, F, x: F.pad(x.image, (1, 2, 0, 1), mode="replicate"),
    "pad circular": lambda m, F, x: F.pad(x.line, (1, 2), mode="circular"),
    "unfold": lambda m, F, x: F.unfold(x.image, 2, 1, 1, 2),
    "fold": lambda m, F, x: F.fold(x.image.reshape((2, 4, 15))[:, :, :12], (4, 5), 2),
    "pixel_shuffle": lambda m, F, x: F.pixel_shuffle(x.kernel.reshape((2, 4, 3, 3)), 2),
    "layer_norm": lambda m, F, x: F.layer_norm(x.f, (3,), x.v, x.v),
    "layer_norm plain": lambda m, F, x: F.layer_norm(x.f, (2, 3)),
    "group_norm": lambda m, F, x: F.group_norm(x.kernel.reshape((2, 4, 9)), 2, x.four, x.four),
    "batch_norm": lambda m, F, x: F.batch_norm(
        x.image, x.labels * 0.5, x.labels + 0.5, x.two, x.two
    ),
    "batch_norm training": lambda m, F, x: F.batch_norm(x.image, None, None, x.two, None, True),
    "normalize": lambda m, F, x: F.normalize(x.f),
    "normalize p": lambda m, F, x: F.normalize(x.f, 1.0, 0),
    "relu": lambda m, F, x: F.relu(x.f),
    "relu6": lambda m, F, x: F.relu6(x.f * 10),
    "prelu": lambda m, F, x: F.prelu(x.f, x.v),
    "elu": lambda m, F, x: F.elu(x.f, 2.0),
    "selu": lambda m, F, x: F.selu(x.f),
    "gelu": lambda m, F, x: F.gelu(x.f),
    "gelu tanh": lambda m, F, x: F.gelu(x.f, approximate="tanh"),
    "silu": lambda m, F, x: F.silu(x.f),
    "mish": lambda m, F, x: F.mish(x.f),
    "glu": lambda m, F, x: F.glu(x.c3),
    "leaky_relu": lambda m, F, x: F.leaky_relu(x.f),
    "logsigmoid": lambda m, F, x: F.logsigmoid(x.f),
    "log_softmax": lambda m, F, x: F.log_softmax(x.f, 1),
    "softplus": lambda m, F, x: F.softplus(x.f, 2, 1),
    "hardtanh": lambda m, F, x: F.hardtanh(x.f, -0.2, 0.4),
    "hardswish": lambda m, F, x: F.hardswish(x.f),
    "hardsigmoid": lambda m, F, x: F.hardsigmoid(x.f),
    "hardshrink": lambda m, F, x: F.hardshrink(x.f, 0.2),
    "softshrink": lambda m, F, x: F.softshrink(x.f, 0.2),
    "threshold": lambda m, F, x: F.threshold(x.f, 0.2, -1.0),
    "dropout": lambda m, F, x: F.dropout(x.f, training=False),
    "one_hot": lambda m, F, x: F.one_hot(x.labels),
    "one_hot classes": lambda m, F, x: F.one_hot(x.labels, 4),
    "embedding": lambda m, F, x: F.embedding(x.labels, x.sq),
    "cross_entropy": lambda m, F, x: F.cross_entropy(x.f, x.labels, x.p[0], label_smoothing=0.1),
    "cross_entropy shares": lambda m, F, x: F.cross_entropy(x.f, x.p, reduction="sum"),
    "cross_entropy ignore": lambda m, F, x: F.cross_entropy(x.f, x.labels, ignore_index=0),
    "nll_loss": lambda m, F, x: F.nll_loss(x.f, x.labels, x.p[0]),
    "binary_cross_entropy": lambda m, F, x: F.binary_cross_entropy(x.p, x.p, x.p),
    "binary_cross_entropy_with_logits": lambda m, F, x: F.binary_cross_entropy_with_logits(
        x.f, x.p, reduction="sum", pos_weight=x.p[0]
    ),
    "mse_loss": lambda m, F, x: F.mse_loss(x.f, x.g, reduction="none"),
    "l1_loss": lambda m, F, x: F.l1_loss(x.f, x.g),
    "smooth_l1_loss": lambda m, F, x: F.smooth_l1_loss(x.f, x.g, beta=0.5),
    "kl_div": lambda m, F, x: F.kl_div(x.f, x.p),
    "kl_div batchmean": lambda m, F, x: F.kl_div(x.f, x.p, reduction="batchmean"),
    "kl_div log": lambda m, F, x: F.kl_div(x.f, x.g, reduction="none", log_target=True),
    "soft_margin_loss": lambda m, F, x: F.soft_margin_loss(x.f, x.g),
    "cosine_embedding_loss": lambda m, F, x: F.cosine_embedding_loss(x.f, x.g, x.signs, 0.1),
}


def flat(result: Any) -> list[Any]:
    """The tensors of a result."""
    return list(result) if isinstance(result, tuple | list) else [result]
