"""What is asked of the real MindSpore and of ours, as text that both can evaluate.

``tests/golden/make_ops.py`` evaluates it with MindSpore, ``test_golden.py`` with minispore.
"""

from __future__ import annotations

from typing import Any

import numpy as np


def inputs() -> dict[str, np.ndarray]:
    """The arrays that the expressions name."""
    rng = np.random.default_rng(20)
    rng2 = np.random.default_rng(21)
    wave = rng.uniform(-2, 2, (3, 4))
    return {
        "x": wave.astype(np.float32),
        "y": rng.uniform(-2, 2, (3, 4)).astype(np.float32),
        "p": rng.uniform(0.1, 0.9, (3, 4)).astype(np.float32),
        "q": rng.uniform(0.1, 0.9, (3, 4)).astype(np.float32),
        "row": rng.uniform(0.5, 2, 4).astype(np.float32),
        "wide": np.array([-30, -7, -3, -1, -0.5, 0, 0.5, 1, 3, 7, 30], np.float32),
        "d": wave,  # float64
        "h": wave.astype(np.float16),
        "i": rng.integers(-5, 6, (3, 4)).astype(np.int32),
        "j": rng.integers(1, 4, (3, 4)).astype(np.int32),
        "l": rng.integers(-5, 6, (3, 4)),  # int64
        "u": rng.integers(0, 9, (3, 4)).astype(np.uint8),
        "b": rng.random((3, 4)) < 0.5,
        "c": rng.random((3, 4)) < 0.5,
        "v": rng.uniform(-2, 2, (2, 3, 4)).astype(np.float32),
        "img": rng.uniform(-2, 2, (2, 4, 3, 3)).astype(np.float32),
        "ch": rng.uniform(0.5, 2, 4).astype(np.float32),
        "ch2": rng.uniform(0.5, 2, 4).astype(np.float32),
        "odd": np.array([0, -1, 1, np.nan, np.inf, -np.inf], np.float32),
        "sq": (rng.uniform(-1, 1, (3, 3)) + 2 * np.eye(3)).astype(np.float32),
        "spd": np.array([[4, 1, 0.5], [1, 3, 0.2], [0.5, 0.2, 2]], np.float32),
        "cols": rng.uniform(-2, 2, (3, 2)).astype(np.float32),
        "seq": rng.uniform(-2, 2, (5, 2, 4)).astype(np.float32),
        "picks": np.array([2, 0, 2], np.int32),
        "labels": np.array([1, 0, 3], np.int32),
        "ties": np.array([[1, 2, 2], [3, 3, 0]], np.float32),
        "hx": rng2.uniform(-1, 1, (2, 2, 3)).astype(np.float32),
        "cx": rng2.uniform(-1, 1, (2, 2, 3)).astype(np.float32),
        "flat": rng2.uniform(-1, 1, (192, 1, 1)).astype(np.float32),
        "flat2": rng2.uniform(-1, 1, (288, 1, 1)).astype(np.float32),
        "wide_h": rng2.uniform(-1, 1, (2, 2, 4)).astype(np.float32),
        "signs": np.where(rng.random((3, 4)) < 0.5, -1, 1).astype(np.float32),
    }


def _words(text: str) -> list[str]:
    return text.split()


def _lines(text: str) -> list[str]:
    return [line.strip() for line in text.strip().splitlines()]


UNARY = _words(
    "abs neg square sqrt rsqrt exp expm1 log log1p sin cos tan asin acos atan sinh cosh tanh asinh"
    " atanh erf erfc erfinv floor ceil round trunc sign reciprocal sigmoid relu relu6 gelu silu"
    " softplus elu selu celu mish softsign hardswish hardsigmoid hardshrink softshrink tanhshrink"
    " logsigmoid leaky_relu softmax log_softmax hardtanh log2 log10 exp2 frac deg2rad rad2deg"
    " fast_gelu lgamma digamma sinc"
)
BINARY = _words(
    "add sub mul div floor_div floor_mod fmod remainder maximum minimum fmax pow equal not_equal"
    " less less_equal greater greater_equal logical_and logical_or logical_xor true_divide"
    " truncate_div truncate_mod atan2 hypot xdivy logaddexp logaddexp2 copysign ldexp"
)

# each entry: an expression; a gradient is written out as ``grad(f, argument, ...)``
CASES: list[str] = [
    *[f"ops.{f}(p)" for f in UNARY],
    *[f"grad(ops.{f}, p)" for f in UNARY],
    *[f"ops.{f}(wide)" for f in _words("sigmoid tanh gelu silu softplus elu mish relu6 erf erfc")],
    *[f"grad(ops.{f}, wide)" for f in _words("relu6 hardswish hardsigmoid hardshrink softshrink")],
    *[f"ops.{f}(x, y)" for f in BINARY if f != "pow"],
    *[f"ops.{f}(p, row)" for f in ("add", "sub", "mul", "div", "pow", "maximum", "atan2")],
    *[f"grad(ops.{f}, p, row)" for f in ("add", "sub", "mul", "div", "pow", "maximum", "atan2")],
    *[f"ops.{f}(i, j)" for f in _words("add sub mul div floor_div floor_mod pow maximum fmod")],
    *[f"ops.{f}(x, 2)" for f in _words("add sub mul div floor_div floor_mod pow minimum")],
    *[f"ops.{f}(i, 2.5)" for f in _words("add sub mul div minimum")],
    *[f"{a} {op} {b}" for op in "+-*/" for a in "xdhilu" for b in "xdhilu"],
    *[f"{a} {op} {s}" for op in "+-*/" for a in "xdhiu" for s in ("2", "0.5")],
    *[f"i {op} j" for op in ("//", "%", "**", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=")],
    *[f"ops.{f}(ops.zeros_like(x), x)" for f in ("maximum", "minimum")],
    *[f"grad(ops.{f}, x, x * 1)" for f in ("maximum", "minimum")],
    *[f"ops.is{f}(odd)" for f in ("nan", "inf", "finite")],
    *[f"ops.Reduce{f}(keep_dims={k})(v, {a})" for f in ("Sum", "Mean", "Max", "Min", "Prod")
      for k, a in ((False, "()"), (True, "1"), (False, "(0, 2)"))],
    *[f"grad(ops.Reduce{f}(), v)" for f in ("Sum", "Mean", "Max", "Min", "Prod")],
    *[f"ops.Reduce{f}()({a})" for f in ("Sum", "Mean", "Max", "Min", "Prod") for a in "dhilu"],
    *[f"ops.{f}({a})" for f in _words("sum mean prod max amax argmax argmin") for a in "xdhilu"],
    *[f"{a}.{f}()" for f in ("sum", "mean", "max", "min", "argmax", "std", "var") for a in "xdhi"],
    *[f"ops.bessel_{f}(wide)" for f in _words("j0 j1 i0e i1e")],
    *[f"ops.bessel_{f}(row * 9)" for f in _words("i0 i1 k0 k1 k0e k1e y0 y1")],
    *[f"ops.bessel_{f}(row * 30)" for f in _words("y0 y1 k0e k1e")],
    *_lines("""
        grad(ops.ReduceMax(), ties)
        grad(ops.abs, x * 0)
        ops.ReduceAll()(b, 1)
        ops.ReduceAny()(b, 0)
        ops.all(b)
        ops.any(b, 1, True)
        ops.max(x, 1)
        ops.max(x, 1, True)
        ops.min(x, 0)
        x.max(1)
        x.max(axis=1)
        x.min(axis=0, keepdims=True)
        x.max(axis=1, return_indices=True)
        ops.amin(x, 1, True, initial=0.5)
        ops.ArgMaxWithValue(1)(x)
        ops.ArgMinWithValue(0, True)(x)
        grad(lambda t: ops.ArgMaxWithValue(1)(t)[1], x)
        ops.Argmax()(x)
        ops.argmax(x, 1, True)
        x.sum(axis=1, keepdims=True)
        x.mean(axis=0, keep_dims=True)
        x.std(axis=1, ddof=1)
        x.var(1)
        ops.std(x, 1, 1)
        ops.var(x, 0, 1, True)
        ops.var_mean(x, 1)
        ops.std_mean(x, 1)
        ops.logsumexp(x, 1)
        ops.logsumexp(x, (0, 1), True)
        grad(lambda t: ops.logsumexp(t, 1), x)
        ops.median(x, 1)
        ops.median(x, 0, True)
        ops.count_nonzero(i)
        ops.count_nonzero(i, 1, True)
        ops.aminmax(x, axis=1)
        ops.cumsum(x, 1)
        ops.cumsum(i, 0)
        ops.CumSum(True, True)(x, 1)
        ops.cumprod(x, 1)
        ops.CumProd(True)(x, 0)
        ops.cummax(x, 1)
        ops.cummin(x, 1)
        ops.logcumsumexp(x, 1)
        grad(lambda t: ops.cumsum(t, 1), x)
        grad(lambda t: ops.cumprod(t, 1), p)
        ops.norm(x)
        ops.norm(x, 1, 1)
        ops.norm(x, 2, 0, True)
        ops.norm(x, float("inf"), 1)
        ops.norm(x, "fro")
        ops.nansum(x, 1)
        ops.nanmean(x)
        ops.LpNorm(1)(x)
        ops.LpNorm([0, 1], 1, True)(x)
        ops.ReduceStd((1,))(x)
        ops.ReduceStd((1,), False, True)(x)
        ops.SquareSumAll()(x, y)
        x.ptp(1)
        ops.clamp(x, -1.0, 1.0)
        ops.clip(x, 0.5)
        ops.lerp(x, y, 0.3)
        ops.addcmul(x, y, p, 2.0)
        ops.addcdiv(x, y, p, 2.0)
        ops.addn([x, y, p])
        ops.AccumulateNV2()([x, y])
        ops.xlogy(p, q)
        ops.heaviside(x, y)
        ops.nan_to_num(odd, 7.0, 8.0, 9.0)
        ops.bitwise_and(i, j)
        ops.bitwise_or(i, j)
        ops.bitwise_xor(i, j)
        ops.gcd(i, j)
        ops.lcm(i, j)
        ops.logical_not(b)
        ops.float_power(p, 2.0)
        ops.isclose(x, x * 1.000001)
        ops.approximate_equal(x, x)
        ops.subtract(x, y, alpha=3)
        ops.div(x, y, rounding_mode="floor")
        ops.div(x, y, rounding_mode="trunc")
        ops.DivNoNan()(x, x * 0)
        ops.MulNoNan()(x, y * 0)
        ops.Xdivy()(x, y)
        ops.SquaredDifference()(x, row)
        ops.Rint()(x)
        ops.Inv()(x)
        grad(ops.pow, p, q)
        grad(ops.sqrt, p * 0)
        ops.gelu(x, approximate="tanh")
        ops.GeLU()(x)
        ops.FastGeLU()(x)
        ops.Softplus()(x)
        ops.softplus(x, 2, 1)
        ops.PReLU()(x, row)
        grad(ops.PReLU(), x, row)
        ops.prelu(x, row[:1])
        ops.threshold(x, 0.5, 9.0)
        ops.logit(p, 0.2)
        ops.Logit()(p)
        ops.glu(x)
        ops.softmin(x, 0)
        ops.softmax(x, 0)
        ops.Softmax((0, 1))(x)
        grad(ops.softmax, x)
        grad(ops.log_softmax, x)
        ops.CeLU(0.5)(x)
        ops.BiasAdd()(img, ch)
        ops.BiasAdd()(x, row)
        grad(ops.BiasAdd(), img, ch)
        ops.BatchNorm()(img, ch, ch2, ch * 0, ch2)[0]
        ops.BatchNorm(is_training=True)(img, ch, ch2, P(ch), P(ch2))[0]
        updated(lambda m, v: ops.BatchNorm(True, 1e-5, 0.3)(img, ch, ch2, m, v), ch, ch2)
        grad(lambda t, s, o: ops.BatchNorm(True)(t, s, o, P(ch), P(ch2))[0], img, ch, ch2)
        ops.deformable_conv2d(img, img[:, :, :2, :2], shifts[:, :12], *de)
        grad(lambda t: ops.deformable_conv2d(img, img[:, :, :2, :2], t, *de), shifts[:, :12])
        grad(lambda t: ops.deformable_conv2d(t, shifts[:, :4], shifts, *de, None, *two), img)
        grad(lambda t: ops.grid_sample(img[:1], t, align_corners=True), whole)
        ops.fractional_max_pool2d(img, 2, (2, 2), None, True, _random_samples=draws[..., 1:])
        ops.LayerNorm(1, 1)(x, row, row)
        ops.LayerNorm(-1, -1, 1e-5)(v, row, row)
        grad(lambda t, g, o: ops.LayerNorm(1, 1)(t, g, o)[0], x, row, ch)
        ops.batch_norm(img, ch * 0, ch2, ch, ch2)
        ops.group_norm(img, 2)
        ops.LRN()(img)
        ops.LRN(1, 1.0, 0.5, 0.7)(img)
        grad(ops.LRN(), img)
        ops.lgamma(row * 50)
        ops.lgamma(x)
        ops.digamma(row * 20)
        ops.digamma(x)
        ops.polygamma(ms.Tensor(1), row)
        ops.polygamma(ms.Tensor(3), row)
        ops.zeta(row + 1.5, row)
        ops.igamma(row, p)
        ops.igamma(row * 9, p * 9)
        ops.igammac(row, p)
        ops.Betainc()(p + 1, q * 3, p)
        ops.mvlgamma(row + 1, 2)
        ops.Complex()(x, y)
        ops.polar(p, x)
        ops.angle(ops.Complex()(x, y))
        ops.ComplexAbs()(ops.Complex()(x, y))
        ops.Conj()(ops.Complex()(x, y))
        ops.view_as_real(ops.Complex()(x, y))
        ops.cdist(x, y)
        ops.cdist(x, y, 3.0)
        ops.pdist(x)
        ops.renorm(x, 1, 0, 1.0)
        ops.norm(x, "nuc")
        ops.vector_norm(x, 3, axis=1)
        ops.matrix_norm(x, 1)
        ops.cov(x)
        ops.nanmedian(x, 1)
        ops.L2Normalize(1)(x)
        ops.L2Normalize(0, 100.0)(x)
        grad(ops.L2Normalize(1), x)
        ops.SoftmaxCrossEntropyWithLogits()(x, p)
        grad(lambda t: ops.SoftmaxCrossEntropyWithLogits()(t, p)[0], x)
        ops.SparseSoftmaxCrossEntropyWithLogits()(x, labels)
        ops.SparseSoftmaxCrossEntropyWithLogits(is_grad=True)(x, labels)
        grad(lambda t: ops.SparseSoftmaxCrossEntropyWithLogits()(t, labels), x)
        ops.SigmoidCrossEntropyWithLogits()(x, p)
        grad(lambda t: ops.SigmoidCrossEntropyWithLogits()(t, p), x)
        ops.SmoothL1Loss()(x, y)
        ops.SmoothL1Loss(0.5, "mean")(x, y)
        grad(ops.SmoothL1Loss(), x, y)
        ops.BinaryCrossEntropy()(p, q)
        ops.BinaryCrossEntropy("none")(p, q, y)
        grad(ops.BinaryCrossEntropy(), p, q)
        ops.BCEWithLogitsLoss()(x, p, q, row)
        ops.BCEWithLogitsLoss("none")(x, p, q, row)
        grad(lambda t: ops.binary_cross_entropy_with_logits(t, p, q, row), x)
        ops.binary_cross_entropy_with_logits(x, p)
        ops.NLLLoss()(x, labels, row)
        ops.NLLLoss("none")(x, labels, row)
        ops.NLLLoss("sum", 3)(x, labels, row)
        grad(lambda t: ops.NLLLoss()(t, labels, row)[0], x)
        ops.KLDivLoss()(x, p)
        ops.KLDivLoss("none")(x, p)
        ops.KLDivLoss("batchmean")(x, p)
        grad(lambda t: ops.KLDivLoss()(t, p), x)
        ops.L2Loss()(x)
        ops.MultiMarginLoss()(x, labels.astype(ms.int64), row)
        ops.cross_entropy(x, labels)
        ops.cross_entropy(x, labels, row, 3, "mean", 0.1)
        ops.cross_entropy(x, labels, row, reduction="sum")
        ops.cross_entropy(x, p, label_smoothing=0.1)
        ops.nll_loss(x, labels, label_smoothing=0.1)
        ops.nll_loss(x, labels, row, reduction="none")
        ops.binary_cross_entropy(p, q, y)
        ops.l1_loss(x, y)
        ops.mse_loss(x, y, "sum")
        ops.smooth_l1_loss(x, y)
        ops.huber_loss(x, y, "none", 0.5)
        ops.kl_div(x, p, "sum")
        ops.ctc_loss(ops.log_softmax(seq), ms.Tensor(sparse), *ends)[0]
        ops.ctc_loss(ops.log_softmax(seq), ms.Tensor(sparse), *ends, 1, "none")
        ops.ctc_loss(ops.log_softmax(seq), ms.Tensor(sparse), *ends, 0, "sum", True)[0]
        grad(lambda t: ops.ctc_loss(ops.log_softmax(t), ms.Tensor(sparse), *ends)[0], seq)
        ops.CTCLoss()(seq, *labelled)
        ops.CTCLoss()(seq, *labelled)[0]
        ops.CTCLoss(False, False)(seq, *labelled)[0]
        ops.CTCLoss()(seq, *labelled)[1][:3]
        ops.CTCLoss(True)(seq, *labelled)
        ops.CTCLoss(False, False)(seq, *labelled)
        grad(lambda t: ops.CTCLoss()(t, *labelled)[0], seq)
        ops.CTCGreedyDecoder()(seq, labelled[2])
        ops.CTCGreedyDecoder(False)(seq, labelled[2])
        ops.fft(x)
        ops.fft(i)
        ops.fft(d)
        ops.fft(x, 5, 0, "ortho")
        ops.ifft(ops.Complex()(x, y))
        ops.rfft(x)
        ops.rfft(x, 3, 1, "forward")
        ops.irfft(ops.Complex()(x, y))
        ops.irfft(ops.Complex()(x, y), 5)
        ops.hfft(ops.Complex()(x, y))
        ops.ihfft(x)
        ops.fft2(v)
        ops.rfft2(x)
        ops.irfft2(ops.Complex()(x, y))
        ops.fftn(v)
        ops.irfftn(ops.Complex()(v, v), (3, 5))
        ops.hfft2(ops.Complex()(x, y))
        ops.fftshift(x)
        ops.ifftshift(x, 0)
        ops.fftfreq(5, 0.5)
        ops.rfftfreq(5)
        ops.FFTWithSize(1, False, False)(ops.Complex()(x, y))
        ops.FFTWithSize(2, False, True)(x)
        ops.FFTWithSize(1, False, True, "ortho", False)(x)
        ops.FFTWithSize(1, True, True)(ops.Complex()(x, y))
        grad(lambda t: ops.Real()(ops.fft(t)) + ops.Imag()(ops.fft(t)) * x, x)
        grad(lambda t: ops.irfft(ops.rfft(t)) * x, x)
        ops.stft(x.reshape((12,)), 6)
        ops.stft(x.reshape((12,)), 6, 2, 4, row, True, "REFLECT", True, True, True)
        ops.STFT(6, 3, 4, False, False, True)(x.reshape((1, 12)), row)
        ops.bartlett_window(ms.Tensor(5, ms.int32))
        ops.blackman_window(ms.Tensor(5, ms.int32), False)
        ops.hamming_window(5)
        ops.hann_window(5, False)
        ops.kaiser_window(5)
        ops.svd(x, compute_uv=False)
        absolute(ops.svd(x))
        grad(lambda t: ops.svd(t, compute_uv=False), x)
        absolute(ops.qr(x))
        ops.cholesky(spd)
        ops.cholesky(spd, True)
        ops.cholesky_inverse(spd)
        ops.cholesky_solve(cols, spd)
        ops.inverse(sq)
        ops.MatrixInverse(True)(sq)
        grad(ops.inverse, sq)
        ops.det(sq)
        grad(ops.det, sq)
        ops.slogdet(sq)
        ops.logdet(spd)
        ops.matrix_solve(sq, cols)
        ops.MatrixSolve(True)(sq, cols)
        ops.MatrixTriangularSolve(False, True)(sq, cols)
        ops.matrix_power(sq, 3)
        ops.matrix_power(sq, -2)
        ops.geqrf(sq)
        ops.orgqr(*ops.geqrf(sq))
        ops.pinv(x)
        ops.lstsq(sq, cols)
        ops.lu_solve(cols, sq, ms.Tensor([2, 3, 3], ms.int32))
        ops.lu_unpack(sq, ms.Tensor([2, 3, 3], ms.int32))
        ops.cond(spd)
        ops.cond(spd, "fro")
        ops.norm(sq, 2)
        ops.cross(sq, spd)
        ops.kron(x[:2, :2], y[:1])
        ops.inner(x, y)
        ops.vecdot(x, y)
        ops.ger(row, ch)
        ops.addbmm(sq, v[:, :, :3], v[:, :, 1:])
        ops.addmv(cols[:, 0], sq, cols[:, 1], beta=2.0, alpha=3.0)
        ops.addr(x, cols[:, 0], row)
        ops.dense(x, y, cols[:, 0])
        ops.cosine_similarity(x, y)
        ops.cosine_embedding_loss(x, y, signs[:, 0], 0.1)
        ops.gaussian_nll_loss(x, y, p, True)
        ops.hinge_embedding_loss(x, signs)
        ops.margin_ranking_loss(x, y, signs, 0.2)
        ops.multilabel_soft_margin_loss(x, p)
        ops.multi_margin_loss(x, labels.astype(ms.int64))
        ops.MaxPoolWithArgmax(2, 1)(img)
        ops.MaxPoolWithArgmax(2, 2, "same")(img)
        grad(lambda t: ops.MaxPoolWithArgmax(2, 1)(t)[0], img)
        ops.LSTM(4, 3, 1, True, False, 0.0)(seq, hx[:1], cx[:1], flat[:96])[:3]
        ops.LSTM(4, 3, 1, False, False, 0.0)(seq, hx[:1], cx[:1], flat[:84])[:3]
        ops.LSTM(4, 3, 1, True, True, 0.0)(seq, hx, cx, flat)[:3]
        ops.LSTM(4, 4, 2, True, False, 0.0)(seq, wide_h, wide_h * 2, flat2)[:3]
        grad(lambda *a: ops.LSTM(4, 3, 1, True, False, 0.0)(*a)[0], seq, hx[:1], cx[:1], flat[:96])
        grad(lambda *a: ops.LSTM(4, 3, 1, True, True, 0.0)(*a)[0], seq, hx, cx, flat)
        updated(lambda w, m: ops.ApplyMomentum()(w, m, 0.1, y, 0.9), x, p)
        updated(lambda w, m, s: ops.SGD()(w, y, lr, m, mom, s), x, p, q)
        updated(lambda w, m, s: ops.SGD(0.1)(w, y, lr, m, mom, s), x, p, x * 0)
        updated(lambda w, m, s: ops.SGD(0.0, 0.1)(w, y, lr, m, mom, s), x, p, x * 0)
        updated(lambda w, m, s: ops.SGD(0.0, 0.0, True)(w, y, lr, m, mom, s), x, p, x * 0)
        updated(lambda w, m, v: ops.Adam()(w, m, v, *adam, y), x, p, q)
        updated(lambda w, m, v: ops.Adam(False, True)(w, m, v, *adam, y), x, p, q)
        updated(lambda w, m, v: ops.AdamWeightDecay()(w, m, v, *adamw, y), x, p, q)
        updated(lambda w, m, v: ops.ApplyAdaMax()(w, m, v, 0.9, 0.1, 0.9, 0.99, 1e-3, y), x, p, q)
        updated(lambda w, m, v: ops.ApplyAdadelta()(w, m, v, 0.1, 0.9, 1e-3, y), x, p, q)
        updated(lambda w, m: ops.ApplyAdagrad()(w, m, 0.1, y), x, p)
        updated(lambda w, m: ops.ApplyAdagrad(False)(w, m, 0.1, y), x, p)
        updated(lambda w, m: ops.ApplyAdagradV2(1e-3)(w, m, 0.1, y), x, p)
        updated(lambda w, m, v: ops.ApplyAdagradDA()(w, m, v, y, *da), x, p, q)
        updated(lambda w, m, v, h: ops.ApplyAdamWithAmsgradV2()(w, m, v, h, *ams, y), x, p, q, p)
        updated(lambda w, m: ops.ApplyAddSign()(w, m, 0.1, 1.0, 0.5, 0.9, y), x, p)
        updated(lambda w, m: ops.ApplyPowerSign()(w, m, 0.1, 1.0, 0.5, 0.9, y), x, p)
        updated(lambda w, g, s, m: ops.ApplyCenteredRMSProp()(w, g, s, m, y, *rms), x, x * 0, q, p)
        updated(lambda w, s, m: ops.ApplyRMSProp()(w, s, m, 0.1, y, 0.9, 0.5, 1e-3), x, p, q)
        updated(lambda w, a, l: ops.ApplyFtrl()(w, a, l, y, 0.1, 0.3, 0.02, -0.5), x, p, q)
        updated(lambda w: ops.ApplyGradientDescent()(w, 0.1, y), x)
        updated(lambda w, a: ops.ApplyProximalAdagrad()(w, a, 0.1, 0.3, 0.02, y), x, p)
        updated(lambda w: ops.ApplyProximalGradientDescent()(w, 0.1, 0.3, 0.02, y), x)
        updated(lambda m, v: ops.AdamNoUpdateParam()(m, v, *ts(*adam), y), p, q)
        ops.AdamNoUpdateParam(False, True)(P(p), P(q), *ts(*adam), y)
        updated(lambda w, m, v: ops.FusedSparseAdam()(w, m, v, *ts(*adam), y, picks), x, p, q)
        updated(lambda w, m, v: ops.FusedSparseLazyAdam()(w, m, v, *ts(*adam), y, picks), x, p, q)
        updated(lambda w, a, l: ops.FusedSparseFtrl(*ftrl)(w, a, l, y, picks), x, p, q)
        updated(lambda w, a: ops.FusedSparseProximalAdagrad()(w, a, *prox, y, picks), x, p)
        updated(lambda w, a: ops.SparseApplyAdagrad(0.1)(w, a, y[:2], picks[1:]), x, p)
        updated(lambda w, a: ops.SparseApplyAdagradV2(0.1, 1e-3)(w, a, y[:2], picks[1:]), x, p)
        updated(lambda w, a, l: ops.SparseApplyFtrl(*ftrl)(w, a, l, y[:2], picks[1:]), x, p, q)
    """),
]  # fmt: skip


def namespace(ms: Any, arrays: dict[str, np.ndarray]) -> dict[str, Any]:
    """What the expressions may name, of the framework ``ms``."""

    def grad(f: Any, *xs: Any) -> Any:
        def total(*xs: Any) -> Any:
            return f(*xs).sum()

        return ms.grad(total, tuple(range(len(xs))))(*xs)

    def parameter(t: Any) -> Any:
        return ms.Parameter(t.copy(), name="p")

    def absolute(actual: Any) -> Any:
        return [m.abs() for m in actual]

    def scalars(*rates: float) -> list[Any]:
        return [ms.Tensor(r, ms.float32) for r in rates]

    def updated(f: Any, *states: Any) -> Any:
        """The contents of Parameters after an op has changed them."""
        parameters = [ms.Parameter(t.copy(), name=f"p{k}") for k, t in enumerate(states)]
        f(*parameters)
        return tuple(ms.Tensor(p.asnumpy()) for p in parameters)

    tensors = {name: ms.Tensor(a) for name, a in arrays.items()}
    rates = {"lr": parameter(tensors["row"][0]), "mom": parameter(tensors["row"][1])}
    adam = (0.9, 0.99, 0.1, 0.9, 0.99, 1e-8)
    ams = scalars(0.9, 0.99, 0.1, 0.9, 0.99, 1e-3)
    prox = scalars(0.1, 0.3, 0.02)
    da = [*prox, ms.Tensor(2, ms.int32)]
    adamw = (0.1, 0.9, 0.99, 1e-8, 0.01)
    tools = {
        "grad": grad,
        "P": parameter,
        "updated": updated,
        "absolute": absolute,
        "ts": scalars,
        "adam": adam,
        "sparse": np.array([[2, 2, 3], [3, 2, 0]], np.int32),
        "ends": [ms.Tensor(k, ms.int32) for k in ([5, 4], [3, 2])],
        "labelled": [
            ms.Tensor([[0, 0], [0, 1], [1, 0]], ms.int64),
            ms.Tensor([1, 1, 2], ms.int32),
            ms.Tensor([5, 3], ms.int32),
        ],
        "adamw": adamw,
        "ams": ams,
        "da": da,
        "prox": prox,
        "ftrl": (0.1, 0.3, 0.02, -0.5),
        "rms": (0.1, 0.9, 0.5, 1e-3),
        "de": ((2, 2), (1, 1, 1, 1), (0, 0, 0, 0)),  # of a deformable convolution
        "two": ((1, 1, 1, 1), 1, 2),
        "shifts": ms.ops.round(ms.ops.tile(tensors["img"], (1, 6, 1, 1))[:, :, :2, :2] * 2) / 2,
        "draws": ms.ops.abs(tensors["img"][:, :, 0]) / 2,
        "whole": ms.Tensor([[[[-1.0, -1.0], [0.0, 0.0], [1.0, 1.0], [0.3, 0.0]]]]),
    }
    return {"ms": ms, "ops": ms.ops, **tools, **rates, **tensors}


def results(actual: Any) -> list[np.ndarray]:
    """The arrays of a tensor or a tuple of them."""
    if isinstance(actual, tuple | list):
        return [a for m in actual for a in results(m)]
    return [np.asarray(actual.asnumpy())]
