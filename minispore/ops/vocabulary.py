"""All ops of all families, and what is public of the core beside them."""
# ruff: noqa: F403  each family says in its __all__ what is public

from __future__ import annotations

from minispore.core.autograd import GradOperation as GradOperation
from minispore.core.autograd import grad as grad
from minispore.core.autograd import stop_gradient as stop_gradient
from minispore.core.autograd import value_and_grad as value_and_grad
from minispore.core.primitive import Primitive as Primitive
from minispore.ops.activation import *
from minispore.ops.adaptive import *
from minispore.ops.aliases import *
from minispore.ops.argument import *
from minispore.ops.arithmetic import *
from minispore.ops.array import *
from minispore.ops.assemble import *
from minispore.ops.bands import *
from minispore.ops.bessel import *
from minispore.ops.calculus import *
from minispore.ops.circular import *
from minispore.ops.clip import *
from minispore.ops.collective import *
from minispore.ops.color import *
from minispore.ops.compare import *
from minispore.ops.complexes import *
from minispore.ops.contents import *
from minispore.ops.control import *
from minispore.ops.conv import *
from minispore.ops.convert import *
from minispore.ops.counting import *
from minispore.ops.create import *
from minispore.ops.ctc import *
from minispore.ops.derive import *
from minispore.ops.detection import *
from minispore.ops.diagonal import *
from minispore.ops.distributions import *
from minispore.ops.dropouts import *
from minispore.ops.effect import *
from minispore.ops.elementwise import *
from minispore.ops.errorfunction import *
from minispore.ops.extremes import *
from minispore.ops.factors import *
from minispore.ops.feature_norms import *
from minispore.ops.fourier import *
from minispore.ops.gather import *
from minispore.ops.grid import *
from minispore.ops.hooks import *
from minispore.ops.index import *
from minispore.ops.inplace import *
from minispore.ops.integers import *
from minispore.ops.join import *
from minispore.ops.lengths import *
from minispore.ops.linalg import *
from minispore.ops.lookup import *
from minispore.ops.loss import *
from minispore.ops.loss_classes import *
from minispore.ops.loss_pointwise import *
from minispore.ops.matrices import *
from minispore.ops.methods import *
from minispore.ops.multitype import *
from minispore.ops.norms import *
from minispore.ops.optim import *
from minispore.ops.optim_adaptive import *
from minispore.ops.optim_gradient import *
from minispore.ops.optim_sparse import *
from minispore.ops.pad import *
from minispore.ops.patches import *
from minispore.ops.place import *
from minispore.ops.pool import *
from minispore.ops.random import *
from minispore.ops.rearrange import *
from minispore.ops.recurrent import *
from minispore.ops.reduce import *
from minispore.ops.resize import *
from minispore.ops.rounding import *
from minispore.ops.sampling import *
from minispore.ops.scan import *
from minispore.ops.scatter import *
from minispore.ops.scatter_update import *
from minispore.ops.segment import *
from minispore.ops.select import *
from minispore.ops.shape import *
from minispore.ops.smooth import *
from minispore.ops.softmaxes import *
from minispore.ops.sort import *
from minispore.ops.space import *
from minispore.ops.special import *
from minispore.ops.spectrogram import *
from minispore.ops.spelling import *
from minispore.ops.statistics import *
from minispore.ops.strided import *
from minispore.ops.systems import *
from minispore.ops.transcendental import *
from minispore.ops.transducer import *
from minispore.ops.transform import *
from minispore.ops.vectors import *
from minispore.ops.watch import *
