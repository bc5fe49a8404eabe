"""Minimization of functions by BFGS and LBFGS, and the line search that both use."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

import numpy as np

from minispore.core.autograd import value_and_grad
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.ir import dtype as mstype

_STEP_GROWTH = 2.0  # growth factor of the step while the function decreases


class OptimizeResults(NamedTuple):
    """The result of :func:`minimize`.

    Attributes:
        x: the minimum point, a Tensor (n,).
        success: whether the gradient at ``x`` is small enough.
        status: 0 for success, 1 after ``maxiter`` steps, 3 if the line search found no step.
        fun: the value at ``x``, a float.
        jac: the gradient at ``x``, a Tensor (n,).
        hess_inv: BFGS's estimate of the inverse Hessian, a Tensor (n, n); None for LBFGS.
        nfev: the number of calls of the function.
        njev: the number of calls of the gradient.
        nit: the number of steps.
    """

    x: Tensor
    success: bool
    status: int
    fun: float
    jac: Tensor
    hess_inv: Tensor | None
    nfev: int
    njev: int
    nit: int


class LineSearchResults(NamedTuple):
    """The result of :func:`line_search`.

    Attributes:
        failed: whether no step meets both conditions.
        nit: the number of steps tried.
        nfev: the number of calls of the function.
        ngev: the number of calls of the gradient.
        k: the same as ``nit``.
        a_k: the length of the step, a float.
        f_k: the value after the step, a float.
        g_k: the gradient after the step, a Tensor (n,).
        status: 0, or 1 if the search failed.
    """

    failed: bool
    nit: int
    nfev: int
    ngev: int
    k: int
    a_k: float
    f_k: float
    g_k: Tensor
    status: int


class _Objective:
    """The objective and its gradient as a function of NumPy vectors, which counts its calls.

    Args:
        name: the public name that error messages begin with.
        f: the function of a Tensor (n,) and of ``args``.
        jac: its gradient, or None to differentiate ``f`` automatically.
        args: further arguments of both.
        dtype: of the Tensors that ``f`` gets.

    Raises:
        TypeError: ``f`` or ``jac`` is not callable.
    """

    def __init__(self, name: str, f: Any, jac: Any, args: tuple[Any, ...], dtype: Any) -> None:
        """Check that ``f`` and ``jac``, if it is given, are functions, and store the arguments.

        Without ``jac``, f is differentiated automatically. ``args`` are passed to both after the
        point; ``name`` begins errors.
        """
        checks.function(name, "func", f)
        if jac is not None:
            checks.function(name, "jac", jac)
        self.name = name
        self.args = args
        self.dtype = dtype
        self.calls = 0
        self._f = f
        self._jac = jac
        self._value_and_grad = value_and_grad(f) if jac is None else None

    def __call__(self, x: np.ndarray) -> tuple[float, np.ndarray]:
        """Return the value and the gradient at ``x``, by ``jac`` or by automatic differentiation;
        add 1 to ``calls``.

        Raises:
            ValueError: the value is not one number, or the gradient does not have the shape of x.
        """
        self.calls += 1
        point = self.to_tensor(x)
        if self._value_and_grad is not None:
            value, gradient = self._value_and_grad(point, *self.args)
        else:
            value = self._f(point, *self.args)
            gradient = self._jac(point, *self.args)
        if np.size(_to_array(value)) != 1:
            raise ValueError(
                f"{self.name}: func must return one number, got the shape {np.shape(value)}."
            )
        gradient = _to_array(gradient).astype(np.float64)
        if gradient.shape != x.shape:
            raise ValueError(
                f"{self.name}: jac must return the shape of x {x.shape}, got {gradient.shape}."
            )
        return float(_to_array(value).reshape(())), gradient

    def to_tensor(self, x: np.ndarray) -> Tensor:
        """Convert a vector to a tensor of the starting point's dtype."""
        return Tensor(x.astype(mstype.to_numpy(self.dtype)), self.dtype)


class _LinePoint(NamedTuple):
    """A point on the search line."""

    a: float  # the distance from the start, in units of the direction
    f: float  # the value
    slope: float  # the slope along the line
    g: np.ndarray  # the gradient


def _to_array(x: Any) -> np.ndarray:
    """Convert a tensor or array-like object to a NumPy array."""
    return x.asnumpy() if isinstance(x, Tensor) else np.asarray(x)


def _search_line(
    f: _Objective,
    x: np.ndarray,
    p: np.ndarray,
    start: _LinePoint,
    c1: float,
    c2: float,
    maxiter: int,
) -> tuple[_LinePoint, bool, int]:
    """Search along p for a step that meets the strong Wolfe conditions.

    Algorithms 3.5 and 3.6 of Nocedal & Wright.

    Args:
        f: the objective.
        x: the point from which to search.
        p: the direction.
        start: ``x`` as a point on the line, with a negative slope.
        c1: minimum decrease of the value, as a fraction of step times initial slope.
        c2: maximum remaining slope, as a fraction of the initial slope.
        maxiter: maximum number of trials.

    Returns:
        The step, whether it meets the conditions, and the number of trials. A step that does not
        meet them is the best one found, or ``start`` itself.
    """

    def evaluate(a: float) -> _LinePoint:
        """Evaluate the function at step ``a`` along the line."""
        value, g = f(x + a * p)
        return _LinePoint(a, value, float(g @ p), g)

    def violates_decrease(point: _LinePoint) -> bool:
        """Whether the point lacks sufficient decrease, the first Wolfe condition."""
        return not point.f <= start.f + c1 * point.a * start.slope

    def meets_curvature(point: _LinePoint) -> bool:
        """Whether the slope is flat enough, the second Wolfe condition."""
        return abs(point.slope) <= -c2 * start.slope

    low = start
    high: _LinePoint | None = None
    tries = 0
    while tries < maxiter:
        tries += 1
        if high is None:
            trial = evaluate(_STEP_GROWTH * low.a or 1.0)
        else:
            trial = evaluate(_interpolate_step(low, high))
        if violates_decrease(trial) or (tries > 1 and trial.f >= low.f):
            high = trial
        elif meets_curvature(trial):
            return trial, True, tries
        elif high is None:
            if trial.slope >= 0:
                high = low
            low = trial
        else:
            if trial.slope * (high.a - low.a) >= 0:
                high = low
            low = trial
        if high is not None and abs(high.a - low.a) <= 1e-10 * max(abs(high.a), abs(low.a)):
            break
    return low, False, tries


def _interpolate_step(low: _LinePoint, high: _LinePoint) -> float:
    """Return the minimum of the cubic through both points and their slopes, or the midpoint if that
    is near an end or undefined.
    """
    width = high.a - low.a
    middle = low.a + 0.5 * width
    with np.errstate(all="ignore"):
        d1 = low.slope + high.slope - 3 * np.float64(high.f - low.f) / width
        d2 = np.sign(width) * np.sqrt(d1 * d1 - np.float64(low.slope) * high.slope)
        minimum = high.a - width * (high.slope + d2 - d1) / (high.slope - low.slope + 2 * d2)
    fraction = (minimum - low.a) / width
    return float(minimum) if 0.1 <= fraction <= 0.9 else middle


def line_search(
    f: Callable[..., Any],
    xk: Tensor,
    pk: Tensor,
    jac: Callable[..., Any] | None = None,
    gfk: Tensor | None = None,
    old_fval: Any = None,
    old_old_fval: Any = None,
    c1: float = 1e-4,
    c2: float = 0.9,
    maxiter: int = 20,
) -> LineSearchResults:
    """Find a step from ``xk`` along ``pk`` that meets the strong Wolfe conditions.

    If f does not decrease along ``pk``, the search fails with a step of 1.

    Args:
        f: a function of a vector that returns one number.
        xk: the starting point, floats (n,).
        pk: the direction, along which f decreases, (n,).
        jac: the gradient of f; by default f is differentiated automatically.
        gfk: the gradient at ``xk``, if it is known.
        old_fval: the value at ``xk``, if it is known.
        old_old_fval: ignored.
        c1: minimum decrease of the value, as a fraction of step times initial slope.
        c2: maximum remaining slope, as a fraction of the initial slope.
        maxiter: maximum number of step lengths to try.

    Returns:
        A record: the step ``a_k``, value ``f_k`` and gradient ``g_k`` after it, ``failed``,
        ``status`` (1 if it failed), the number of tries ``k`` and ``nit``, of calls ``nfev`` and
        ``ngev``.

    Raises:
        TypeError: ``f`` or ``jac`` is not callable, ``xk`` is not a float Tensor.
        ValueError: shapes differ; f returns several numbers.

    >>> found = line_search(lambda x: (x * x).sum(), Tensor([1.0]), Tensor([-1.0]))
    >>> print(found.a_k, found.f_k, found.failed)
    1.0 0.0 False

    Source: Nocedal & Wright, Numerical Optimization, algorithms 3.5 and 3.6.
    """
    name = "line_search"
    x, p = _check_vector(name, "xk", xk), _check_vector(name, "pk", pk)
    if x.shape != p.shape:
        raise ValueError(f"{name}: pk must have the shape of xk {x.shape}, got {p.shape}.")
    checks.integer(name, "maxiter", maxiter, 1)
    function = _Objective(name, f, jac, (), xk.dtype)
    if gfk is None or old_fval is None:
        value, g = function(x)
    else:
        value, g = float(_to_array(old_fval)), _to_array(gfk).astype(np.float64)
    start = _LinePoint(0.0, value, float(g @ p), g)
    if start.slope < 0:
        step, succeeded, tries = _search_line(function, x, p, start, c1, c2, maxiter)
    else:
        value, g = function(x + p)
        step, succeeded, tries = _LinePoint(1.0, value, float(g @ p), g), False, 1
    calls = function.calls
    return LineSearchResults(
        *(not succeeded, tries, calls, calls, tries, step.a, step.f, function.to_tensor(step.g)),
        status=int(not succeeded),
    )


def minimize(
    func: Callable[..., Any],
    x0: Tensor,
    args: tuple[Any, ...] = (),
    method: str | None = None,
    jac: Callable[..., Any] | None = None,
    hess: Any = None,
    hessp: Any = None,
    bounds: Any = None,
    constraints: Any = (),
    tol: float | None = None,
    callback: Any = None,
    options: Mapping[str, Any] | None = None,
) -> OptimizeResults:
    """Minimize ``func``, starting from ``x0``.

    Args:
        func: a function of a vector, and of ``args``, that returns one number.
        x0: the starting point, floats (n,).
        args: further arguments of ``func`` and ``jac``.
        method: "BFGS" or "LBFGS".
        jac: the gradient of func; by default func is differentiated automatically.
        hess, hessp, bounds, constraints, callback: None or (), as neither method uses them.
        tol: the ``gtol`` of the options.
        options: ``gtol`` (1e-5): the largest gradient element at which the search ends; ``maxiter``
            (200 n): maximum number of steps; ``line_search_maxiter`` (10): maximum tries per step;
            for LBFGS ``history_size`` (20): number of steps stored.

    Returns:
        A record: ``x``, with value ``fun`` and gradient ``jac``, ``success``, ``status`` (0; 1
        after maxiter steps; 3 if the line search found no step), for BFGS ``hess_inv`` (n, n), the
        number of steps ``nit``, of calls ``nfev`` and ``njev``.

    Raises:
        TypeError: ``func`` is not callable, ``x0`` is not a float Tensor, ``args`` is not a tuple,
            or an option is unknown.
        ValueError: the method is unknown; x0 is not a vector; func returns several numbers; an
            argument that neither method uses, such as bounds, is passed.

    >>> a = Tensor([1.0, 2.0])
    >>> found = minimize(lambda x: ((x - a) ** 2).sum(), Tensor([0.0, 0.0]), method="BFGS")
    >>> print(found.x, found.success)
    [1. 2.] True

    Source: Nocedal & Wright, Numerical Optimization, algorithms 6.1 and 7.5.
    """
    name = "minimize"
    method_name = _check_method(method)
    checks.instance(name, "args", args, tuple)
    unsupported = {"hess": hess, "hessp": hessp, "bounds": bounds, "callback": callback}
    for argument, value in {**unsupported, "constraints": constraints or None}.items():
        if value is not None:
            raise ValueError(f"{name}: {argument} must be None for {method_name}, got {value!r}.")
    x = _check_vector(name, "x0", x0)
    tolerance = {"gtol": tol} if tol is not None else {}
    settings = _complete_options(method_name, len(x), {**tolerance, **(options or {})})
    function = _Objective(name, func, jac, args, x0.dtype)
    inverse_hessian_estimate = (
        _DenseInverseHessian(len(x))
        if method_name == "BFGS"
        else _LimitedInverseHessian(settings["history_size"])
    )
    value, g = function(x)
    step_count, status = 0, 0
    while np.abs(g).max(initial=0.0) > settings["gtol"] or not np.isfinite(value):
        if step_count >= settings["maxiter"]:
            status = 1
            break
        p = -inverse_hessian_estimate.multiply(g)
        start = _LinePoint(0.0, value, float(g @ p), g)
        tries = settings["line_search_maxiter"]
        step, _, _ = _search_line(function, x, p, start, 1e-4, 0.9, tries)
        if step.a == 0.0 or not np.isfinite(step.f):
            status = 3
            break
        step_count += 1
        displacement = step.a * p
        inverse_hessian_estimate.update(displacement, step.g - g)
        x, value, g = x + displacement, step.f, step.g
    inverse_hessian = (
        inverse_hessian_estimate.matrix
        if isinstance(inverse_hessian_estimate, _DenseInverseHessian)
        else None
    )
    return OptimizeResults(
        x=function.to_tensor(x),
        success=status == 0,
        status=status,
        fun=value,
        jac=function.to_tensor(g),
        hess_inv=None if inverse_hessian is None else function.to_tensor(inverse_hessian),
        nfev=function.calls,
        njev=function.calls,
        nit=step_count,
    )


class _DenseInverseHessian:
    """The inverse Hessian of BFGS as a matrix (n, n), the identity at first, updated after each
    step.
    """

    def __init__(self, n: int) -> None:
        """Start with the identity matrix of size ``n``."""
        self.matrix = np.eye(n)

    def multiply(self, g: np.ndarray) -> np.ndarray:
        """Return the inverse Hessian times ``g``."""
        return np.asarray(self.matrix @ g)

    def update(self, displacement: np.ndarray, gradient_change: np.ndarray) -> None:
        """Apply the BFGS update of one step; skip a step without positive curvature."""
        curvature = float(displacement @ gradient_change)
        if curvature > 0:  # otherwise the matrix would no longer be positive definite
            identity = np.eye(len(displacement))
            factor = identity - np.outer(displacement, gradient_change) / curvature
            step_term = np.outer(displacement, displacement) / curvature
            self.matrix = factor @ self.matrix @ factor.T + step_term


class _LimitedInverseHessian:
    """The inverse Hessian of LBFGS, represented by the last ``count`` steps; the identity at
    first.
    """

    def __init__(self, count: int) -> None:
        """Start with the identity; the last ``count`` steps are stored."""
        self._steps: deque[tuple[np.ndarray, np.ndarray, float]] = deque(maxlen=count)

    def multiply(self, g: np.ndarray) -> np.ndarray:
        """Return the inverse Hessian times ``g``, by the two-loop recursion over the last steps."""
        coefficients = []
        for displacement, gradient_change, curvature in reversed(self._steps):
            coefficients.append(float(displacement @ g) / curvature)
            g = g - coefficients[-1] * gradient_change
        if self._steps:
            _, gradient_change, curvature = self._steps[-1]
            g = g * (curvature / float(gradient_change @ gradient_change))
        for displacement, gradient_change, curvature in self._steps:
            g = g + (coefficients.pop() - float(gradient_change @ g) / curvature) * displacement
        return g

    def update(self, displacement: np.ndarray, gradient_change: np.ndarray) -> None:
        """Append one step, dropping the oldest if the history is full; skip a step without positive
        curvature.
        """
        curvature = float(displacement @ gradient_change)
        if curvature > 0:
            self._steps.append((displacement, gradient_change, curvature))


def _check_method(method: Any) -> str:
    """Return the method's name in upper case; raise ValueError unless it is BFGS or LBFGS, and
    TypeError unless it is a string.
    """
    if method is None:
        raise ValueError("minimize: method must be 'BFGS' or 'LBFGS', got None.")
    method_name = checks.string("minimize", "method", method).upper()
    if method_name not in ("BFGS", "LBFGS"):
        raise ValueError(
            f"minimize: method must be 'BFGS' or 'LBFGS', got {method!r}. For constraints add "
            "them to func, with a weight."
        )
    return method_name


def _complete_options(method_name: str, n: int, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options, completed by the method's defaults for ``n`` variables; None means the
    default.

    Raises:
        TypeError: an option is unknown, or has the wrong type.
        ValueError: an option is out of range.
    """
    completed = {"gtol": 1e-5, "maxiter": 200 * n, "line_search_maxiter": 10}
    if method_name == "LBFGS":
        completed["history_size"] = 20
    for option in options:
        if option not in completed:
            raise TypeError(f"minimize: options must be of {list(completed)}, got {option!r}.")
    completed |= {k: v for k, v in options.items() if v is not None}
    checks.number("minimize", "gtol", completed["gtol"], 0)
    for option in set(completed) - {"gtol"}:
        checks.integer("minimize", option, completed[option], 1)
    return completed


def _check_vector(api_name: str, argument: str, x: Any) -> np.ndarray:
    """Return the vector ``x``, a float Tensor, as a float64 array.

    Raises:
        TypeError: ``x`` is not a float Tensor.
        ValueError: it does not have one axis.
    """
    if not isinstance(x, Tensor) or x.dtype.kind != "f":
        raise TypeError(
            f"{api_name}: {argument} must be a Tensor of floats, got {checks.format_value(x)}."
        )
    if x.ndim != 1:
        raise ValueError(f"{api_name}: {argument} must be a vector, got the shape {x.shape}.")
    return x.asnumpy().astype(np.float64)


__all__ = ["line_search", "minimize"]
