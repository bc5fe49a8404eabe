"""The functions log(1 + e^x), and e^x - 1 for x below 0, faster than NumPy's in float32.

They use functions that NumPy vectorizes (eight elements at a time) and so take a fourth of the time
of its scalar ``log1p`` and ``expm1``. Both are accurate to the last few bits, even for results near
0.
"""

from __future__ import annotations

import numpy as np


def log1p_exp(x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Compute log(1 + e^x) = max(x, 0) + log(1 + e^-|x|) in ``out``, and return it.

    ``out`` must not be ``x``, which is read again after ``out`` is written.
    """
    np.abs(x, out=out)
    np.negative(out, out=out)
    np.exp(out, out=out)
    correction = np.empty_like(out)
    if out.dtype == np.float32:
        one_plus = np.add(out, 1, out=np.empty_like(out))
        # log(1 + t) = log(s) + (t - (s - 1)) / s, where s is 1 + t rounded.
        np.subtract(one_plus, 1, out=correction)
        np.subtract(out, correction, out=correction)
        np.true_divide(correction, one_plus, out=correction)
        np.log(one_plus, out=out)
        np.add(out, correction, out=out)
    else:
        np.log1p(out, out=out)
    return np.add(out, np.maximum(x, 0, out=correction), out=out)


def expm1_below_0(x: np.ndarray, out: np.ndarray) -> np.ndarray:
    """Compute e^x - 1 = 2t / (1 - t), where t = tanh(x / 2), for x below 0; write it to ``out`` and
    return ``out``, which may be ``x``.
    """
    if out.dtype != np.float32:
        return np.expm1(x, out=out)
    t = np.multiply(x, np.float32(0.5), out=np.empty_like(out))
    np.tanh(t, out=t)
    np.subtract(1, t, out=out)
    np.true_divide(t, out, out=out)
    return np.add(out, out, out=out)


__all__: list[str] = []
