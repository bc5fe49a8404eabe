"""minispore: MindSpore training code on NumPy."""

from minispore.core.autograd import GradOperation as GradOperation
from minispore.core.autograd import grad as grad
from minispore.core.autograd import value_and_grad as value_and_grad
from minispore.core.dtype import *  # noqa: F403
from minispore.core.parameter import Parameter as Parameter
from minispore.core.parameter import ParameterTuple as ParameterTuple
from minispore.core.random import get_seed as get_seed
from minispore.core.random import set_seed as set_seed
from minispore.core.tensor import Tensor as Tensor
from minispore.version import __version__ as __version__
