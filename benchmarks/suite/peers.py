"""Make steps of the small networks by hand, in JAX and in tinygrad; ``WRITTEN`` lists them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.suite.work import get_batch

Step = tuple[Callable[[], Any], str]

_SMALL = ("lenet", "mlp", "lenet_infer_1", "lenet_infer_1000")
WRITTEN = {
    "make_handwritten_step": ("lenet",),
    "make_jax_step": _SMALL,
    "make_tinygrad_step": _SMALL,
}


# -- JAX ------------------------------------------------------------------------------------------


def make_jax_step(**options: Any) -> Step:
    """Make a step of JAX under jit: LeNet or the MLP, with Momentum or Adam in plain JAX."""
    import jax
    import jax.numpy as jnp
    from jax import lax

    work = options["work"]
    rng = np.random.default_rng(1)
    x, y = (jnp.asarray(a) for a in get_batch(work))

    def dense(i: int, o: int) -> tuple[Any, Any]:
        return jnp.asarray(rng.standard_normal((i, o)) * i**-0.5, jnp.float32), jnp.zeros(o)

    def forward(params: Any, x: Any) -> Any:
        if work != "mlp":
            w1, w2, *params = params
            for w in (w1, w2):
                x = lax.conv(x, w, (1, 1), "VALID")
                window = (1, 1, 2, 2)
                x = lax.reduce_window(jax.nn.relu(x), -jnp.inf, lax.max, window, window, "VALID")
            x = x.reshape(len(x), -1)
        for i, (w, b) in enumerate(params):
            x = x @ w + b
            x = x if i == len(params) - 1 else jax.nn.relu(x)
        return x

    if work == "mlp":
        params: Any = [dense(784, 512), dense(512, 512), dense(512, 10)]
    else:
        filters = [(6, 1, 5, 5), (16, 6, 5, 5)]
        params = [jnp.asarray(rng.standard_normal(s) * 0.1, jnp.float32) for s in filters]
        params += [dense(400, 120), dense(120, 84), dense(84, 10)]
    if "infer" in work:
        run = jax.jit(forward)
        return lambda: np.asarray(run(params, x)), f"JAX {jax.__version__} jit"

    def loss(params: Any) -> Any:
        logits = forward(params, x)
        return -jnp.mean(jax.nn.log_softmax(logits)[jnp.arange(len(y)), y])

    @jax.jit
    def train(params: Any, moments: Any, t: Any) -> Any:
        value, grads = jax.value_and_grad(loss)(params)
        tree = jax.tree_util.tree_map
        if work == "mlp":
            m = tree(lambda m, g: 0.9 * m + 0.1 * g, moments[0], grads)
            v = tree(lambda v, g: 0.999 * v + 0.001 * g * g, moments[1], grads)
            scale = 1e-3 * jnp.sqrt(1 - 0.999**t) / (1 - 0.9**t)
            params = tree(lambda p, m, v: p - scale * m / (jnp.sqrt(v) + 1e-8), params, m, v)
            return value, params, (m, v)
        m = tree(lambda m, g: 0.9 * m + g, moments[0], grads)
        return value, tree(lambda p, m: p - 0.01 * m, params, m), (m, moments[1])

    zeros = jax.tree_util.tree_map(jnp.zeros_like, params)
    state = [params, (zeros, zeros), 1.0]

    def step() -> float:
        value, state[0], state[1] = train(*state)
        state[2] += 1.0
        return float(value)

    return step, f"JAX {jax.__version__} jit"


# -- tinygrad -------------------------------------------------------------------------------------


def make_tinygrad_step(**options: Any) -> Step:
    """Make a step of tinygrad under TinyJit: LeNet or the MLP."""
    import tinygrad
    from tinygrad import Context, Tensor, TinyJit
    from tinygrad import nn as tnn

    work = options["work"]
    x, y = (Tensor(a).realize() for a in get_batch(work))
    if work == "mlp":
        layers: list[Any] = [tnn.Linear(784, 512), tnn.Linear(512, 512), tnn.Linear(512, 10)]
        convs: list[Any] = []
    else:
        convs = [tnn.Conv2d(1, 6, 5, bias=False), tnn.Conv2d(6, 16, 5, bias=False)]
        layers = [tnn.Linear(400, 120), tnn.Linear(120, 84), tnn.Linear(84, 10)]

    def forward(x: Any) -> Any:
        for c in convs:
            x = c(x).relu().max_pool2d((2, 2))
        x = x.flatten(1)
        for i, layer in enumerate(layers):
            x = layer(x) if i == len(layers) - 1 else layer(x).relu()
        return x

    about = f"tinygrad {getattr(tinygrad, '__version__', '')} TinyJit"
    if "infer" in work:
        run = TinyJit(lambda x: forward(x).realize())
        return lambda: run(x).numpy(), about
    params = tnn.state.get_parameters([*convs, *layers])
    if work == "mlp":
        optimizer: Any = tnn.optim.Adam(params, 1e-3)
    else:
        optimizer = tnn.optim.SGD(params, 0.01, momentum=0.9)

    @TinyJit
    def train(x: Any, y: Any) -> Any:
        with Context(TRAINING=1):
            optimizer.zero_grad()
            loss = forward(x).sparse_categorical_crossentropy(y).backward()
            optimizer.step()
            return loss.realize()

    return lambda: train(x, y).item(), about


# -- NumPy by hand --------------------------------------------------------------------------------


def make_handwritten_step(**options: Any) -> Step:
    """Make a LeNet step without any framework."""
    from benchmarks.handwritten import make_lenet_step

    step = make_lenet_step(*get_batch("lenet"))
    return step, f"NumPy {np.__version__}, see benchmarks/handwritten.py"
