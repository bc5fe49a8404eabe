"""Complex numbers: construction, real and imaginary parts, angle, modulus, conjugate."""

from __future__ import annotations

import numpy as np

from minispore.core.primitive import Arithmetic, Cotangents, Primitive, VjpRule
from minispore.core.tensor import Tensor, call, method
from minispore.execution.layout import LIKE_INPUT
from minispore.ir.value import Spec
from minispore.ops.elementwise.arithmetic import DivNoNan, Mul
from minispore.ops.elementwise.bases import _Unary, broadcast, check_dtype_kind, unbroadcast
from minispore.ops.elementwise.compare import Equal
from minispore.ops.shape.cast_fill import Cast, ZerosLike
from minispore.ops.shape.join import Concat
from minispore.ops.shape.views import ExpandDims
from minispore.ops.support.arguments import check_tensors
from minispore.ops.support.derive import _Composite


def _to_complex_dtype(dtype: np.dtype) -> np.dtype:
    """Return complex128 for float64, and complex64 for other dtypes."""
    return np.dtype(np.complex128 if dtype == np.float64 else np.complex64)


def _to_real_dtype(dtype: np.dtype) -> np.dtype:
    """Return the real dtype of a complex dtype, and other dtypes unchanged."""
    return np.dtype(f"f{dtype.itemsize // 2}") if dtype.kind == "c" else dtype


class Complex(Primitive):
    """real + imag * 1j.

    >>> print(Complex()(Tensor([1.0]), Tensor([2.0])))
    [1.+2.j]
    """

    layout = LIKE_INPUT
    vjp_rule = VjpRule(hermitian=True)

    def infer(self, real: Spec, imag: Spec) -> Spec:
        """Return the complex spec; raise TypeError unless both parts are float32 or both
        float64.
        """
        check_dtype_kind(self.name, real, "f", "real")
        check_dtype_kind(self.name, imag, "f", "imag")
        if imag.dtype != real.dtype or real.dtype.itemsize < 4:
            raise TypeError(
                f"{self.name}: real and imag must both be float32 or float64, got {real} and "
                f"{imag}."
            )
        return Spec(broadcast(self.name, real, imag), _to_complex_dtype(real.dtype))

    def kernel(self, real: np.ndarray, imag: np.ndarray, *, out: np.ndarray) -> None:
        out.real[...], out.imag[...] = real, imag

    def vjp(self, real: Tensor, imag: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return lambda: unbroadcast(Real()(dout), real), lambda: unbroadcast(Imag()(dout), imag)


class _RealValued(_Unary):
    """Base of ops that map each complex number to a real number."""

    reuse = ()

    def infer(self, x: Spec) -> Spec:
        spec = super().infer(x)
        return Spec(spec.shape, _to_real_dtype(spec.dtype))


class Real(_RealValued):
    """The real part; a real x is returned unchanged.

    >>> print(Real()(Complex()(Tensor([1.0]), Tensor([2.0]))))
    [1.]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x.real)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: Cast()(dout, x.dtype),)


class Imag(_RealValued):
    """The imaginary part; 0 for a real x.

    >>> print(Imag()(Complex()(Tensor([1.0]), Tensor([2.0]))))
    [2.]
    """

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.copyto(out, x.imag)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function for complex x; a real x has no gradient."""
        if x.dtype.kind != "c":
            return (None,)
        return (lambda: Complex()(ZerosLike()(dout), dout),)


class Angle(_RealValued):
    """The angle of a complex number; 0 or pi for a real number.

    >>> print(Angle()(Complex()(Tensor([0.0]), Tensor([2.0]))).asnumpy().round(4))
    [1.5708]
    """

    arithmetic = Arithmetic.TRANSCENDENTAL
    kinds = "fc"

    def kernel(self, x: np.ndarray, *, out: np.ndarray) -> None:
        np.arctan2(x.imag, x.real, out=out)

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        """Return the gradient function for complex x; a real x has no gradient."""
        if x.dtype.kind != "c":
            return (None,)

        def compute_x_grad() -> Tensor:
            a, b = Real()(x), Imag()(x)
            scale = dout / (a * a + b * b)
            return Complex()(-b * scale, a * scale)

        return (compute_x_grad,)


class ComplexAbs(_RealValued):
    """sqrt(real^2 + imag^2).

    >>> print(ComplexAbs()(Complex()(Tensor([3.0]), Tensor([4.0]))))
    [5.]
    """

    kinds = "c"
    ufunc = np.absolute

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        def compute_x_grad() -> Tensor:
            scale = DivNoNan()(dout, out)
            return Complex()(Real()(x) * scale, Imag()(x) * scale)

        return (compute_x_grad,)


class Conj(_Unary):
    """real - imag * 1j; a real x is returned unchanged.

    >>> print(Conj()(Complex()(Tensor([1.0]), Tensor([2.0]))))
    [1.-2.j]
    """

    ufunc = np.conjugate
    kinds = "iufVc"

    def vjp(self, x: Tensor, *, out: Tensor, dout: Tensor) -> Cotangents:
        return (lambda: Conj()(dout),)


class Polar(_Composite):
    """abs * (cos(angle) + sin(angle) * 1j).

    >>> print(Polar()(Tensor([2.0]), Tensor([0.0])))
    [2.+0.j]
    """

    def __call__(self, abs: Tensor, angle: Tensor) -> Tensor:
        return Complex()(Mul()(abs, call("Cos", angle)), Mul()(abs, call("Sin", angle)))


@method("real")
def real(input: Tensor) -> Tensor:
    """Apply :class:`Real` to ``input``."""
    return Real()(input)


@method("imag")
def imag(input: Tensor) -> Tensor:
    """Apply :class:`Imag` to ``input``."""
    return Imag()(input)


@method("conj")
def conj(input: Tensor) -> Tensor:
    """Apply :class:`Conj` to ``input``."""
    return Conj()(input)


@method("angle")
def angle(input: Tensor) -> Tensor:
    """Apply :class:`Angle` to ``input``."""
    return Angle()(input)


def polar(abs: Tensor, angle: Tensor) -> Tensor:
    """Apply :class:`Polar` to ``abs`` and ``angle``."""
    return Polar()(abs, angle)


def view_as_real(input: Tensor) -> Tensor:
    """Return the real and imaginary parts of a complex tensor along a new last axis.

    >>> print(view_as_real(Complex()(Tensor([1.0]), Tensor([2.0]))))
    [[1. 2.]]
    """
    check_tensors("view_as_real", input=input)
    if input.dtype.kind != "c":
        raise TypeError(f"view_as_real: input must be complex, got {input.dtype}.")
    return Concat(-1)(
        tuple(ExpandDims()(component, -1) for component in (real(input), imag(input)))
    )


@method("isreal")
def isreal(input: Tensor) -> Tensor:
    """Whether the imaginary part is 0."""
    return Equal()(Imag()(input), 0)


@method("sgn")
def sgn(input: Tensor) -> Tensor:
    """Return -1, 0 or 1 for a negative, zero or positive ``input``; input / |input| if complex."""
    check_tensors("sgn", input=input)
    if input.dtype.kind != "c":
        return call("Sign", input)
    magnitude = ComplexAbs()(input)
    return Complex()(
        *(DivNoNan()(component, magnitude) for component in (real(input), imag(input)))
    )


__all__ = [
    "Angle",
    "Complex",
    "ComplexAbs",
    "Conj",
    "Imag",
    "Polar",
    "Real",
    "angle",
    "conj",
    "imag",
    "isreal",
    "polar",
    "real",
    "sgn",
    "view_as_real",
]
