"""Report products with a dtype that the device's matrix unit does not support."""

from minispore.check.rule import NUMERICS, Rule

RULE = Rule(
    name="product-dtype",
    says="The device's matrix unit does not support this dtype. That of the first Ascend 910 "
    "supports float16 and int8; no Ascend supports complex numbers.",
    bad="x = Tensor(np.ones((2, 3)), ms.complex64)",
    good="x = Tensor(np.ones((2, 3)), ms.float16)",
    strict="",
    about=NUMERICS,
    around="LINES\nops.matmul(x, x.T)\n",
)
