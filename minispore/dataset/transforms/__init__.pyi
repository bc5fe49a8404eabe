# Written by python -m tests.typing.stubs
from minispore.dataset import vision as vision
from minispore.dataset.transforms import transforms as transforms  # type: ignore
from minispore.dataset.transforms.array import Duplicate as Duplicate
from minispore.dataset.transforms.array import Fill as Fill
from minispore.dataset.transforms.array import Mask as Mask
from minispore.dataset.transforms.array import OneHot as OneHot
from minispore.dataset.transforms.array import Relational as Relational
from minispore.dataset.transforms.array import TypeCast as TypeCast
from minispore.dataset.transforms.array import Unique as Unique
from minispore.dataset.transforms.base import PyTensorOperation as PyTensorOperation
from minispore.dataset.transforms.base import TensorOperation as TensorOperation
from minispore.dataset.transforms.compose import Compose as Compose
from minispore.dataset.transforms.compose import RandomApply as RandomApply
from minispore.dataset.transforms.compose import RandomChoice as RandomChoice
from minispore.dataset.transforms.compose import RandomOrder as RandomOrder
from minispore.dataset.transforms.compose import not_random as not_random
from minispore.dataset.transforms.sequence import Concatenate as Concatenate
from minispore.dataset.transforms.sequence import PadEnd as PadEnd
from minispore.dataset.transforms.sequence import Slice as Slice

__all__ = [
    "Compose",
    "Concatenate",
    "Duplicate",
    "Fill",
    "Mask",
    "OneHot",
    "PadEnd",
    "PyTensorOperation",
    "RandomApply",
    "RandomChoice",
    "RandomOrder",
    "Relational",
    "Slice",
    "TensorOperation",
    "TypeCast",
    "Unique",
    "not_random",
]
