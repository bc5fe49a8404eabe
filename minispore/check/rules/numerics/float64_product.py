"""Report float64 products, for which an Ascend has no kernel."""

from minispore.check.rule import NUMERICS, Rule

RULE = Rule(
    name="float64-product",
    says="An Ascend has no kernels for float64 products and convolutions. NumPy arrays are "
    "float64 by default, so give a dtype.",
    bad="x = Tensor(np.random.rand(2, 3))",
    good="x = Tensor(np.random.rand(2, 3), ms.float32)",
    strict="",
    about=NUMERICS,
    around="LINES\nops.matmul(x, x.T)\n",
)
