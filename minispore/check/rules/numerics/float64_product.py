"""Report float64 products, for which an Ascend has no kernel."""

from minispore.check.rule import NUMERICS, Rule

RULE = Rule(
    name="float64-product",
    says="Products and convolutions of float64 have no kernel on an Ascend; NumPy makes float64 "
    "where nothing is said.",
    bad="x = Tensor(np.random.rand(2, 3))",
    good="x = Tensor(np.random.rand(2, 3), ms.float32)",
    strict="",
    about=NUMERICS,
    around="LINES\nops.matmul(x, x.T)\n",
)
