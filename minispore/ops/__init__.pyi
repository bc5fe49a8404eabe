# Written by python -m tests.typing.stubs
from minispore.core.autograd import GradOperation as GradOperation
from minispore.core.autograd import grad as grad
from minispore.core.autograd import stop_gradient as stop_gradient
from minispore.core.autograd import value_and_grad as value_and_grad
from minispore.core.primitive import Primitive as Primitive
from minispore.ops import aliases as aliases
from minispore.ops import auto_generate as auto_generate
from minispore.ops import composite as composite
from minispore.ops import control as control
from minispore.ops import elementwise as elementwise
from minispore.ops import function as function
from minispore.ops import functional as functional
from minispore.ops import image as image
from minispore.ops import index as index
from minispore.ops import linalg as linalg
from minispore.ops import loss as loss
from minispore.ops import methods as methods
from minispore.ops import mnp as mnp
from minispore.ops import network as network
from minispore.ops import operations as operations
from minispore.ops import optim as optim
from minispore.ops import primitive as primitive
from minispore.ops import random as random
from minispore.ops import scipy as scipy
from minispore.ops import statistics as statistics
from minispore.ops import steps as steps
from minispore.ops import support as support
from minispore.ops import vocabulary as vocabulary
from minispore.ops.control.collective import AllGather as AllGather
from minispore.ops.control.collective import AllReduce as AllReduce
from minispore.ops.control.collective import AlltoAll as AlltoAll
from minispore.ops.control.collective import Barrier as Barrier
from minispore.ops.control.collective import Broadcast as Broadcast
from minispore.ops.control.collective import CollectiveGather as CollectiveGather
from minispore.ops.control.collective import CollectiveScatter as CollectiveScatter
from minispore.ops.control.collective import Receive as Receive
from minispore.ops.control.collective import Reduce as Reduce
from minispore.ops.control.collective import ReduceOp as ReduceOp
from minispore.ops.control.collective import ReduceScatter as ReduceScatter
from minispore.ops.control.collective import Send as Send
from minispore.ops.control.derivatives import derivative as derivative
from minispore.ops.control.derivatives import get_grad as get_grad
from minispore.ops.control.derivatives import jacfwd as jacfwd
from minispore.ops.control.derivatives import jacrev as jacrev
from minispore.ops.control.derivatives import jet as jet
from minispore.ops.control.derivatives import jvp as jvp
from minispore.ops.control.derivatives import linearize as linearize
from minispore.ops.control.derivatives import vjp as vjp
from minispore.ops.control.effects import Assign as Assign
from minispore.ops.control.effects import AssignAdd as AssignAdd
from minispore.ops.control.effects import AssignSub as AssignSub
from minispore.ops.control.effects import ControlDepend as ControlDepend
from minispore.ops.control.effects import Depend as Depend
from minispore.ops.control.effects import GetNext as GetNext
from minispore.ops.control.effects import Load as Load
from minispore.ops.control.effects import Print as Print
from minispore.ops.control.effects import assign as assign
from minispore.ops.control.effects import assign_add as assign_add
from minispore.ops.control.effects import assign_sub as assign_sub
from minispore.ops.control.effects import depend as control_depend
from minispore.ops.control.effects import depend as depend
from minispore.ops.control.effects import print_ as print_
from minispore.ops.control.hooks import HookBackward as HookBackward
from minispore.ops.control.hooks import InsertGradientOf as InsertGradientOf
from minispore.ops.control.hooks import PyFunc as PyFunc
from minispore.ops.control.hyper_map import HyperMap as HyperMap
from minispore.ops.control.hyper_map import Map as Map
from minispore.ops.control.hyper_map import MultitypeFuncGraph as MultitypeFuncGraph
from minispore.ops.control.hyper_map import Partial as Partial
from minispore.ops.control.hyper_map import add_flags as add_flags
from minispore.ops.control.hyper_map import constexpr as constexpr
from minispore.ops.control.hyper_map import core as core
from minispore.ops.control.hyper_map import partial as partial
from minispore.ops.control.loops import ForiLoop as ForiLoop
from minispore.ops.control.loops import Scan as Scan
from minispore.ops.control.loops import WhileLoop as WhileLoop
from minispore.ops.control.overflow import NPUAllocFloatStatus as NPUAllocFloatStatus
from minispore.ops.control.overflow import NPUClearFloatStatus as NPUClearFloatStatus
from minispore.ops.control.overflow import NPUGetFloatStatus as NPUGetFloatStatus
from minispore.ops.control.vmap import vmap as vmap
from minispore.ops.control.watch import CheckNumerics as CheckNumerics
from minispore.ops.control.watch import FloatStatus as FloatStatus
from minispore.ops.control.watch import HistogramSummary as HistogramSummary
from minispore.ops.control.watch import ImageSummary as ImageSummary
from minispore.ops.control.watch import ScalarSummary as ScalarSummary
from minispore.ops.control.watch import TensorDump as TensorDump
from minispore.ops.control.watch import TensorSummary as TensorSummary
from minispore.ops.control.watch import tensordump as tensordump
from minispore.ops.elementwise.arithmetic import Add as Add
from minispore.ops.elementwise.arithmetic import Add as TensorAdd
from minispore.ops.elementwise.arithmetic import Div as Div
from minispore.ops.elementwise.arithmetic import DivNoNan as DivNoNan
from minispore.ops.elementwise.arithmetic import FloorDiv as FloorDiv
from minispore.ops.elementwise.arithmetic import FloorMod as FloorMod
from minispore.ops.elementwise.arithmetic import Mod as Mod
from minispore.ops.elementwise.arithmetic import Mul as Mul
from minispore.ops.elementwise.arithmetic import MulNoNan as MulNoNan
from minispore.ops.elementwise.arithmetic import RealDiv as RealDiv
from minispore.ops.elementwise.arithmetic import SquaredDifference as SquaredDifference
from minispore.ops.elementwise.arithmetic import Sub as Sub
from minispore.ops.elementwise.arithmetic import TruncateDiv as TruncateDiv
from minispore.ops.elementwise.arithmetic import TruncateMod as TruncateMod
from minispore.ops.elementwise.arithmetic import add as add
from minispore.ops.elementwise.arithmetic import add as tensor_add
from minispore.ops.elementwise.arithmetic import div as div
from minispore.ops.elementwise.arithmetic import div as tensor_div
from minispore.ops.elementwise.arithmetic import divide as divide
from minispore.ops.elementwise.arithmetic import floor_div as floor_div
from minispore.ops.elementwise.arithmetic import floor_div as tensor_floordiv
from minispore.ops.elementwise.arithmetic import floor_divide as floor_divide
from minispore.ops.elementwise.arithmetic import floor_mod as floor_mod
from minispore.ops.elementwise.arithmetic import floor_mod as tensor_mod
from minispore.ops.elementwise.arithmetic import fmod as fmod
from minispore.ops.elementwise.arithmetic import mul as mul
from minispore.ops.elementwise.arithmetic import mul as tensor_mul
from minispore.ops.elementwise.arithmetic import mul as tensor_muls
from minispore.ops.elementwise.arithmetic import multiply as multiply
from minispore.ops.elementwise.arithmetic import remainder as remainder
from minispore.ops.elementwise.arithmetic import sub as sub
from minispore.ops.elementwise.arithmetic import sub as tensor_sub
from minispore.ops.elementwise.arithmetic import subtract as subtract
from minispore.ops.elementwise.arithmetic import true_divide as true_divide
from minispore.ops.elementwise.arithmetic import truncate_div as truncate_div
from minispore.ops.elementwise.arithmetic import truncate_mod as truncate_mod
from minispore.ops.elementwise.bases import ReduceToShape as ReduceToShape
from minispore.ops.elementwise.bessel import BesselI0 as BesselI0
from minispore.ops.elementwise.bessel import BesselI0e as BesselI0e
from minispore.ops.elementwise.bessel import BesselI1 as BesselI1
from minispore.ops.elementwise.bessel import BesselI1e as BesselI1e
from minispore.ops.elementwise.bessel import BesselJ0 as BesselJ0
from minispore.ops.elementwise.bessel import BesselJ1 as BesselJ1
from minispore.ops.elementwise.bessel import BesselK0 as BesselK0
from minispore.ops.elementwise.bessel import BesselK0e as BesselK0e
from minispore.ops.elementwise.bessel import BesselK1 as BesselK1
from minispore.ops.elementwise.bessel import BesselK1e as BesselK1e
from minispore.ops.elementwise.bessel import BesselY0 as BesselY0
from minispore.ops.elementwise.bessel import BesselY1 as BesselY1
from minispore.ops.elementwise.bessel import bessel_i0 as bessel_i0
from minispore.ops.elementwise.bessel import bessel_i0e as bessel_i0e
from minispore.ops.elementwise.bessel import bessel_i1 as bessel_i1
from minispore.ops.elementwise.bessel import bessel_i1e as bessel_i1e
from minispore.ops.elementwise.bessel import bessel_j0 as bessel_j0
from minispore.ops.elementwise.bessel import bessel_j1 as bessel_j1
from minispore.ops.elementwise.bessel import bessel_k0 as bessel_k0
from minispore.ops.elementwise.bessel import bessel_k0e as bessel_k0e
from minispore.ops.elementwise.bessel import bessel_k1 as bessel_k1
from minispore.ops.elementwise.bessel import bessel_k1e as bessel_k1e
from minispore.ops.elementwise.bessel import bessel_y0 as bessel_y0
from minispore.ops.elementwise.bessel import bessel_y1 as bessel_y1
from minispore.ops.elementwise.bessel import i0 as i0
from minispore.ops.elementwise.clip import clip_by_global_norm as clip_by_global_norm
from minispore.ops.elementwise.clip import clip_by_norm as clip_by_norm
from minispore.ops.elementwise.clip import clip_by_value as clip_by_value
from minispore.ops.elementwise.compare import ApproximateEqual as ApproximateEqual
from minispore.ops.elementwise.compare import Equal as Equal
from minispore.ops.elementwise.compare import Greater as Greater
from minispore.ops.elementwise.compare import GreaterEqual as GreaterEqual
from minispore.ops.elementwise.compare import IsClose as IsClose
from minispore.ops.elementwise.compare import IsFinite as IsFinite
from minispore.ops.elementwise.compare import IsInf as IsInf
from minispore.ops.elementwise.compare import IsNan as IsNan
from minispore.ops.elementwise.compare import Less as Less
from minispore.ops.elementwise.compare import LessEqual as LessEqual
from minispore.ops.elementwise.compare import LogicalAnd as LogicalAnd
from minispore.ops.elementwise.compare import LogicalNot as LogicalNot
from minispore.ops.elementwise.compare import LogicalOr as LogicalOr
from minispore.ops.elementwise.compare import LogicalXor as LogicalXor
from minispore.ops.elementwise.compare import NotEqual as NotEqual
from minispore.ops.elementwise.compare import approximate_equal as approximate_equal
from minispore.ops.elementwise.compare import eq as eq
from minispore.ops.elementwise.compare import equal as equal
from minispore.ops.elementwise.compare import ge as ge
from minispore.ops.elementwise.compare import greater as greater
from minispore.ops.elementwise.compare import greater as tensor_gt
from minispore.ops.elementwise.compare import greater_equal as greater_equal
from minispore.ops.elementwise.compare import greater_equal as tensor_ge
from minispore.ops.elementwise.compare import gt as gt
from minispore.ops.elementwise.compare import isclose as isclose
from minispore.ops.elementwise.compare import isfinite as isfinite
from minispore.ops.elementwise.compare import isinf as isinf
from minispore.ops.elementwise.compare import isnan as isnan
from minispore.ops.elementwise.compare import isneginf as isneginf
from minispore.ops.elementwise.compare import isposinf as isposinf
from minispore.ops.elementwise.compare import le as le
from minispore.ops.elementwise.compare import less as less
from minispore.ops.elementwise.compare import less as tensor_lt
from minispore.ops.elementwise.compare import less_equal as less_equal
from minispore.ops.elementwise.compare import less_equal as tensor_le
from minispore.ops.elementwise.compare import logical_and as logical_and
from minispore.ops.elementwise.compare import logical_not as logical_not
from minispore.ops.elementwise.compare import logical_or as logical_or
from minispore.ops.elementwise.compare import logical_xor as logical_xor
from minispore.ops.elementwise.compare import lt as lt
from minispore.ops.elementwise.compare import ne as ne
from minispore.ops.elementwise.compare import not_equal as not_equal
from minispore.ops.elementwise.compare import signbit as signbit
from minispore.ops.elementwise.complex_numbers import Angle as Angle
from minispore.ops.elementwise.complex_numbers import Complex as Complex
from minispore.ops.elementwise.complex_numbers import ComplexAbs as ComplexAbs
from minispore.ops.elementwise.complex_numbers import Conj as Conj
from minispore.ops.elementwise.complex_numbers import Imag as Imag
from minispore.ops.elementwise.complex_numbers import Polar as Polar
from minispore.ops.elementwise.complex_numbers import Real as Real
from minispore.ops.elementwise.complex_numbers import angle as angle
from minispore.ops.elementwise.complex_numbers import conj as conj
from minispore.ops.elementwise.complex_numbers import imag as imag
from minispore.ops.elementwise.complex_numbers import isreal as isreal
from minispore.ops.elementwise.complex_numbers import polar as polar
from minispore.ops.elementwise.complex_numbers import real as real
from minispore.ops.elementwise.complex_numbers import sgn as sgn
from minispore.ops.elementwise.complex_numbers import view_as_real as view_as_real
from minispore.ops.elementwise.error_function import Erf as Erf
from minispore.ops.elementwise.error_function import Erfc as Erfc
from minispore.ops.elementwise.error_function import Erfinv as Erfinv
from minispore.ops.elementwise.error_function import erf as erf
from minispore.ops.elementwise.error_function import erfc as erfc
from minispore.ops.elementwise.error_function import erfinv as erfinv
from minispore.ops.elementwise.exponential_activations import CeLU as CeLU
from minispore.ops.elementwise.exponential_activations import Elu as Elu
from minispore.ops.elementwise.exponential_activations import SeLU as SeLU
from minispore.ops.elementwise.exponential_activations import celu as celu
from minispore.ops.elementwise.exponential_activations import elu as elu
from minispore.ops.elementwise.exponential_activations import selu as selu
from minispore.ops.elementwise.extremes import ClampMax as ClampMax
from minispore.ops.elementwise.extremes import ClampMin as ClampMin
from minispore.ops.elementwise.extremes import Fmax as Fmax
from minispore.ops.elementwise.extremes import Fmin as Fmin
from minispore.ops.elementwise.extremes import Heaviside as Heaviside
from minispore.ops.elementwise.extremes import Maximum as Maximum
from minispore.ops.elementwise.extremes import MaximumGrad as MaximumGrad
from minispore.ops.elementwise.extremes import Minimum as Minimum
from minispore.ops.elementwise.extremes import NanToNum as NanToNum
from minispore.ops.elementwise.extremes import clamp as clamp
from minispore.ops.elementwise.extremes import clip as clip
from minispore.ops.elementwise.extremes import fmax as fmax
from minispore.ops.elementwise.extremes import fmin as fmin
from minispore.ops.elementwise.extremes import heaviside as heaviside
from minispore.ops.elementwise.extremes import maximum as maximum
from minispore.ops.elementwise.extremes import minimum as minimum
from minispore.ops.elementwise.extremes import nan_to_num as nan_to_num
from minispore.ops.elementwise.gated_activations import GLU as GLU
from minispore.ops.elementwise.gated_activations import glu as glu
from minispore.ops.elementwise.gated_activations import swiglu as swiglu
from minispore.ops.elementwise.incomplete_gamma import Betainc as Betainc
from minispore.ops.elementwise.incomplete_gamma import Igamma as Igamma
from minispore.ops.elementwise.incomplete_gamma import Igammac as Igammac
from minispore.ops.elementwise.incomplete_gamma import igamma as igamma
from minispore.ops.elementwise.incomplete_gamma import igammac as igammac
from minispore.ops.elementwise.integers import BitwiseAnd as BitwiseAnd
from minispore.ops.elementwise.integers import BitwiseOr as BitwiseOr
from minispore.ops.elementwise.integers import BitwiseXor as BitwiseXor
from minispore.ops.elementwise.integers import Gcd as Gcd
from minispore.ops.elementwise.integers import Invert as Invert
from minispore.ops.elementwise.integers import Lcm as Lcm
from minispore.ops.elementwise.integers import LeftShift as LeftShift
from minispore.ops.elementwise.integers import PopulationCount as PopulationCount
from minispore.ops.elementwise.integers import RightShift as RightShift
from minispore.ops.elementwise.integers import bitwise_and as bitwise_and
from minispore.ops.elementwise.integers import bitwise_left_shift as bitwise_left_shift
from minispore.ops.elementwise.integers import bitwise_not as bitwise_not
from minispore.ops.elementwise.integers import bitwise_or as bitwise_or
from minispore.ops.elementwise.integers import bitwise_right_shift as bitwise_right_shift
from minispore.ops.elementwise.integers import bitwise_xor as bitwise_xor
from minispore.ops.elementwise.integers import gcd as gcd
from minispore.ops.elementwise.integers import invert as invert
from minispore.ops.elementwise.integers import lcm as lcm
from minispore.ops.elementwise.integers import population_count as population_count
from minispore.ops.elementwise.piecewise_activations import HShrink as HShrink
from minispore.ops.elementwise.piecewise_activations import HSigmoid as HSigmoid
from minispore.ops.elementwise.piecewise_activations import HSwish as HSwish
from minispore.ops.elementwise.piecewise_activations import PReLU as PReLU
from minispore.ops.elementwise.piecewise_activations import ReLU as ReLU
from minispore.ops.elementwise.piecewise_activations import ReLU6 as ReLU6
from minispore.ops.elementwise.piecewise_activations import Relu6Grad as Relu6Grad
from minispore.ops.elementwise.piecewise_activations import ReluGrad as ReluGrad
from minispore.ops.elementwise.piecewise_activations import SoftShrink as SoftShrink
from minispore.ops.elementwise.piecewise_activations import hardshrink as hardshrink
from minispore.ops.elementwise.piecewise_activations import hardsigmoid as hardsigmoid
from minispore.ops.elementwise.piecewise_activations import hardswish as hardswish
from minispore.ops.elementwise.piecewise_activations import hardtanh as hardtanh
from minispore.ops.elementwise.piecewise_activations import leaky_relu as leaky_relu
from minispore.ops.elementwise.piecewise_activations import prelu as prelu
from minispore.ops.elementwise.piecewise_activations import relu as relu
from minispore.ops.elementwise.piecewise_activations import relu6 as relu6
from minispore.ops.elementwise.piecewise_activations import rrelu as rrelu
from minispore.ops.elementwise.piecewise_activations import softshrink as soft_shrink
from minispore.ops.elementwise.piecewise_activations import softshrink as softshrink
from minispore.ops.elementwise.piecewise_activations import threshold as threshold
from minispore.ops.elementwise.powers import Exp as Exp
from minispore.ops.elementwise.powers import Expm1 as Expm1
from minispore.ops.elementwise.powers import Hypot as Hypot
from minispore.ops.elementwise.powers import Log as Log
from minispore.ops.elementwise.powers import Log1p as Log1p
from minispore.ops.elementwise.powers import NonZero01 as NonZero01
from minispore.ops.elementwise.powers import Pow as Pow
from minispore.ops.elementwise.powers import Rsqrt as Rsqrt
from minispore.ops.elementwise.powers import Sqrt as Sqrt
from minispore.ops.elementwise.powers import Xdivy as Xdivy
from minispore.ops.elementwise.powers import Xlogy as Xlogy
from minispore.ops.elementwise.powers import exp as exp
from minispore.ops.elementwise.powers import exp as tensor_exp
from minispore.ops.elementwise.powers import exp2 as exp2
from minispore.ops.elementwise.powers import expm1 as expm1
from minispore.ops.elementwise.powers import expm1 as tensor_expm1
from minispore.ops.elementwise.powers import float_power as float_power
from minispore.ops.elementwise.powers import hypot as hypot
from minispore.ops.elementwise.powers import ldexp as ldexp
from minispore.ops.elementwise.powers import log as log
from minispore.ops.elementwise.powers import log10 as log10
from minispore.ops.elementwise.powers import log1p as log1p
from minispore.ops.elementwise.powers import log2 as log2
from minispore.ops.elementwise.powers import logaddexp as logaddexp
from minispore.ops.elementwise.powers import logaddexp2 as logaddexp2
from minispore.ops.elementwise.powers import pow as pow
from minispore.ops.elementwise.powers import pows as pows
from minispore.ops.elementwise.powers import pows as tensor_pow
from minispore.ops.elementwise.powers import rsqrt as rsqrt
from minispore.ops.elementwise.powers import sqrt as sqrt
from minispore.ops.elementwise.powers import xdivy as xdivy
from minispore.ops.elementwise.powers import xlogy as xlogy
from minispore.ops.elementwise.rounding import Abs as Abs
from minispore.ops.elementwise.rounding import Ceil as Ceil
from minispore.ops.elementwise.rounding import Floor as Floor
from minispore.ops.elementwise.rounding import Inv as Inv
from minispore.ops.elementwise.rounding import Neg as Neg
from minispore.ops.elementwise.rounding import Reciprocal as Reciprocal
from minispore.ops.elementwise.rounding import Rint as Rint
from minispore.ops.elementwise.rounding import Round as Round
from minispore.ops.elementwise.rounding import Sign as Sign
from minispore.ops.elementwise.rounding import Square as Square
from minispore.ops.elementwise.rounding import Trunc as Trunc
from minispore.ops.elementwise.rounding import abs as abs
from minispore.ops.elementwise.rounding import absolute as absolute
from minispore.ops.elementwise.rounding import ceil as ceil
from minispore.ops.elementwise.rounding import floor as floor
from minispore.ops.elementwise.rounding import frac as frac
from minispore.ops.elementwise.rounding import inv as inv
from minispore.ops.elementwise.rounding import neg as neg
from minispore.ops.elementwise.rounding import negative as negative
from minispore.ops.elementwise.rounding import positive as positive
from minispore.ops.elementwise.rounding import reciprocal as reciprocal
from minispore.ops.elementwise.rounding import rint as rint
from minispore.ops.elementwise.rounding import round as round
from minispore.ops.elementwise.rounding import sign as sign
from minispore.ops.elementwise.rounding import square as square
from minispore.ops.elementwise.rounding import trunc as trunc
from minispore.ops.elementwise.smooth_activations import FastGeLU as FastGeLU
from minispore.ops.elementwise.smooth_activations import GeLU as GeLU
from minispore.ops.elementwise.smooth_activations import GeLU as Gelu
from minispore.ops.elementwise.smooth_activations import Mish as Mish
from minispore.ops.elementwise.smooth_activations import SiLU as SiLU
from minispore.ops.elementwise.smooth_activations import Sigmoid as Sigmoid
from minispore.ops.elementwise.smooth_activations import SigmoidGrad as SigmoidGrad
from minispore.ops.elementwise.smooth_activations import Softplus as Softplus
from minispore.ops.elementwise.smooth_activations import Softsign as Softsign
from minispore.ops.elementwise.smooth_activations import Tanh as Tanh
from minispore.ops.elementwise.smooth_activations import TanhGrad as TanhGrad
from minispore.ops.elementwise.smooth_activations import fast_gelu as fast_gelu
from minispore.ops.elementwise.smooth_activations import gelu as gelu
from minispore.ops.elementwise.smooth_activations import logsigmoid as logsigmoid
from minispore.ops.elementwise.smooth_activations import mish as mish
from minispore.ops.elementwise.smooth_activations import sigmoid as sigmoid
from minispore.ops.elementwise.smooth_activations import silu as silu
from minispore.ops.elementwise.smooth_activations import softplus as softplus
from minispore.ops.elementwise.smooth_activations import softsign as softsign
from minispore.ops.elementwise.smooth_activations import tanh as tanh
from minispore.ops.elementwise.smooth_activations import tanhshrink as tanhshrink
from minispore.ops.elementwise.special import CopySign as CopySign
from minispore.ops.elementwise.special import Digamma as Digamma
from minispore.ops.elementwise.special import Lgamma as Lgamma
from minispore.ops.elementwise.special import Logit as Logit
from minispore.ops.elementwise.special import Mvlgamma as Mvlgamma
from minispore.ops.elementwise.special import NextAfter as NextAfter
from minispore.ops.elementwise.special import Polygamma as Polygamma
from minispore.ops.elementwise.special import Sinc as Sinc
from minispore.ops.elementwise.special import Zeta as Zeta
from minispore.ops.elementwise.special import copysign as copysign
from minispore.ops.elementwise.special import digamma as digamma
from minispore.ops.elementwise.special import lgamma as lgamma
from minispore.ops.elementwise.special import logit as logit
from minispore.ops.elementwise.special import mvlgamma as mvlgamma
from minispore.ops.elementwise.special import nextafter as nextafter
from minispore.ops.elementwise.special import polygamma as polygamma
from minispore.ops.elementwise.special import sinc as sinc
from minispore.ops.elementwise.special import zeta as zeta
from minispore.ops.elementwise.trigonometric import ACos as ACos
from minispore.ops.elementwise.trigonometric import Acosh as Acosh
from minispore.ops.elementwise.trigonometric import Asin as Asin
from minispore.ops.elementwise.trigonometric import Asinh as Asinh
from minispore.ops.elementwise.trigonometric import Atan as Atan
from minispore.ops.elementwise.trigonometric import Atan2 as Atan2
from minispore.ops.elementwise.trigonometric import Atanh as Atanh
from minispore.ops.elementwise.trigonometric import Cos as Cos
from minispore.ops.elementwise.trigonometric import Cosh as Cosh
from minispore.ops.elementwise.trigonometric import Sin as Sin
from minispore.ops.elementwise.trigonometric import Sinh as Sinh
from minispore.ops.elementwise.trigonometric import Tan as Tan
from minispore.ops.elementwise.trigonometric import acos as acos
from minispore.ops.elementwise.trigonometric import acosh as acosh
from minispore.ops.elementwise.trigonometric import arccos as arccos
from minispore.ops.elementwise.trigonometric import arccosh as arccosh
from minispore.ops.elementwise.trigonometric import arcsin as arcsin
from minispore.ops.elementwise.trigonometric import arcsinh as arcsinh
from minispore.ops.elementwise.trigonometric import arctan as arctan
from minispore.ops.elementwise.trigonometric import arctan2 as arctan2
from minispore.ops.elementwise.trigonometric import arctanh as arctanh
from minispore.ops.elementwise.trigonometric import asin as asin
from minispore.ops.elementwise.trigonometric import asinh as asinh
from minispore.ops.elementwise.trigonometric import atan as atan
from minispore.ops.elementwise.trigonometric import atan2 as atan2
from minispore.ops.elementwise.trigonometric import atanh as atanh
from minispore.ops.elementwise.trigonometric import cos as cos
from minispore.ops.elementwise.trigonometric import cosh as cosh
from minispore.ops.elementwise.trigonometric import deg2rad as deg2rad
from minispore.ops.elementwise.trigonometric import rad2deg as rad2deg
from minispore.ops.elementwise.trigonometric import sin as sin
from minispore.ops.elementwise.trigonometric import sinh as sinh
from minispore.ops.elementwise.trigonometric import tan as tan
from minispore.ops.elementwise.weighted_sums import AccumulateNV2 as AccumulateNV2
from minispore.ops.elementwise.weighted_sums import AddN as AddN
from minispore.ops.elementwise.weighted_sums import Addcdiv as Addcdiv
from minispore.ops.elementwise.weighted_sums import Addcmul as Addcmul
from minispore.ops.elementwise.weighted_sums import Lerp as Lerp
from minispore.ops.elementwise.weighted_sums import LerpScalar as LerpScalar
from minispore.ops.elementwise.weighted_sums import accumulate_n as accumulate_n
from minispore.ops.elementwise.weighted_sums import addcdiv as addcdiv
from minispore.ops.elementwise.weighted_sums import addcmul as addcmul
from minispore.ops.elementwise.weighted_sums import addn as addn
from minispore.ops.elementwise.weighted_sums import lerp as lerp
from minispore.ops.image.color import AdjustHue as AdjustHue
from minispore.ops.image.color import AdjustSaturation as AdjustSaturation
from minispore.ops.image.color import HSVToRGB as HSVToRGB
from minispore.ops.image.color import RGBToHSV as RGBToHSV
from minispore.ops.image.detection import BoundingBoxDecode as BoundingBoxDecode
from minispore.ops.image.detection import BoundingBoxEncode as BoundingBoxEncode
from minispore.ops.image.detection import CheckValid as CheckValid
from minispore.ops.image.detection import IOU as IOU
from minispore.ops.image.detection import NMSWithMask as NMSWithMask
from minispore.ops.image.detection import NonMaxSuppressionV3 as NonMaxSuppressionV3
from minispore.ops.image.detection import bounding_box_decode as bounding_box_decode
from minispore.ops.image.detection import bounding_box_encode as bounding_box_encode
from minispore.ops.image.detection import check_valid as check_valid
from minispore.ops.image.detection import iou as iou
from minispore.ops.image.grid_sample import AffineGrid as AffineGrid
from minispore.ops.image.grid_sample import CropAndResize as CropAndResize
from minispore.ops.image.grid_sample import GridSampler2D as GridSampler2D
from minispore.ops.image.grid_sample import GridSampler3D as GridSampler3D
from minispore.ops.image.grid_sample import affine_grid as affine_grid
from minispore.ops.image.grid_sample import crop_and_resize as crop_and_resize
from minispore.ops.image.grid_sample import grid_sample as grid_sample
from minispore.ops.image.interpolate import interpolate as interpolate
from minispore.ops.image.interpolate import upsample as upsample
from minispore.ops.image.patches import Col2Im as Col2Im
from minispore.ops.image.patches import ExtractImagePatches as ExtractImagePatches
from minispore.ops.image.patches import Im2Col as Im2Col
from minispore.ops.image.patches import col2im as col2im
from minispore.ops.image.patches import fold as fold
from minispore.ops.image.patches import unfold as unfold
from minispore.ops.image.resize import ResizeArea as ResizeArea
from minispore.ops.image.resize import ResizeBicubic as ResizeBicubic
from minispore.ops.image.resize import ResizeBilinear as ResizeBilinear
from minispore.ops.image.resize import ResizeBilinearV2 as ResizeBilinearV2
from minispore.ops.image.resize import ResizeLinear1D as ResizeLinear1D
from minispore.ops.image.resize import ResizeNearestNeighbor as ResizeNearestNeighbor
from minispore.ops.image.resize import ResizeNearestNeighborV2 as ResizeNearestNeighborV2
from minispore.ops.image.resize import UpsampleNearest3D as UpsampleNearest3D
from minispore.ops.image.resize import UpsampleTrilinear3D as UpsampleTrilinear3D
from minispore.ops.image.roi_align import ROIAlign as ROIAlign
from minispore.ops.index.embedding import EmbeddingLookup as EmbeddingLookup
from minispore.ops.index.embedding import SparseTensorDenseMatmul as SparseTensorDenseMatmul
from minispore.ops.index.embedding import SparseToDense as SparseToDense
from minispore.ops.index.embedding import embedding as embedding
from minispore.ops.index.gather import Gather as Gather
from minispore.ops.index.gather import Gather as GatherV2
from minispore.ops.index.gather import Gather as SparseGatherV2
from minispore.ops.index.gather import GatherD as GatherD
from minispore.ops.index.gather import GatherNd as GatherNd
from minispore.ops.index.gather import ScatterNd as ScatterNd
from minispore.ops.index.gather import gather as gather
from minispore.ops.index.gather import gather_d as gather_d
from minispore.ops.index.gather import gather_elements as gather_elements
from minispore.ops.index.gather import gather_nd as gather_nd
from minispore.ops.index.gather import index_select as index_select
from minispore.ops.index.gather import scatter_nd as scatter_nd
from minispore.ops.index.scatter import TensorScatterAdd as TensorScatterAdd
from minispore.ops.index.scatter import TensorScatterDiv as TensorScatterDiv
from minispore.ops.index.scatter import TensorScatterElements as ScatterAddWithAxis
from minispore.ops.index.scatter import TensorScatterElements as TensorScatterElements
from minispore.ops.index.scatter import TensorScatterMax as TensorScatterMax
from minispore.ops.index.scatter import TensorScatterMin as TensorScatterMin
from minispore.ops.index.scatter import TensorScatterMul as TensorScatterMul
from minispore.ops.index.scatter import TensorScatterSub as TensorScatterSub
from minispore.ops.index.scatter import TensorScatterUpdate as TensorScatterUpdate
from minispore.ops.index.scatter import scatter as scatter
from minispore.ops.index.scatter import tensor_scatter_add as tensor_scatter_add
from minispore.ops.index.scatter import tensor_scatter_div as tensor_scatter_div
from minispore.ops.index.scatter import tensor_scatter_elements as tensor_scatter_elements
from minispore.ops.index.scatter import tensor_scatter_max as tensor_scatter_max
from minispore.ops.index.scatter import tensor_scatter_min as tensor_scatter_min
from minispore.ops.index.scatter import tensor_scatter_mul as tensor_scatter_mul
from minispore.ops.index.scatter import tensor_scatter_sub as tensor_scatter_sub
from minispore.ops.index.scatter import tensor_scatter_update as tensor_scatter_update
from minispore.ops.index.scatter_update import IndexAdd as IndexAdd
from minispore.ops.index.scatter_update import IndexAdd as InplaceIndexAdd
from minispore.ops.index.scatter_update import ScatterAdd as ScatterAdd
from minispore.ops.index.scatter_update import ScatterDiv as ScatterDiv
from minispore.ops.index.scatter_update import ScatterMax as ScatterMax
from minispore.ops.index.scatter_update import ScatterMin as ScatterMin
from minispore.ops.index.scatter_update import ScatterMul as ScatterMul
from minispore.ops.index.scatter_update import ScatterNdAdd as ScatterNdAdd
from minispore.ops.index.scatter_update import ScatterNdDiv as ScatterNdDiv
from minispore.ops.index.scatter_update import ScatterNdMax as ScatterNdMax
from minispore.ops.index.scatter_update import ScatterNdMin as ScatterNdMin
from minispore.ops.index.scatter_update import ScatterNdMul as ScatterNdMul
from minispore.ops.index.scatter_update import ScatterNdSub as ScatterNdSub
from minispore.ops.index.scatter_update import ScatterNdUpdate as ScatterNdUpdate
from minispore.ops.index.scatter_update import ScatterSub as ScatterSub
from minispore.ops.index.scatter_update import ScatterUpdate as ScatterUpdate
from minispore.ops.index.scatter_update import index_add as index_add
from minispore.ops.index.scatter_update import index_add as inplace_index_add
from minispore.ops.index.scatter_update import scatter_add as scatter_add
from minispore.ops.index.scatter_update import scatter_div as scatter_div
from minispore.ops.index.scatter_update import scatter_max as scatter_max
from minispore.ops.index.scatter_update import scatter_min as scatter_min
from minispore.ops.index.scatter_update import scatter_mul as scatter_mul
from minispore.ops.index.scatter_update import scatter_nd_add as scatter_nd_add
from minispore.ops.index.scatter_update import scatter_nd_div as scatter_nd_div
from minispore.ops.index.scatter_update import scatter_nd_max as scatter_nd_max
from minispore.ops.index.scatter_update import scatter_nd_min as scatter_nd_min
from minispore.ops.index.scatter_update import scatter_nd_mul as scatter_nd_mul
from minispore.ops.index.scatter_update import scatter_nd_sub as scatter_nd_sub
from minispore.ops.index.scatter_update import scatter_nd_update as scatter_nd_update
from minispore.ops.index.scatter_update import scatter_update as scatter_update
from minispore.ops.index.segment import SegmentMax as SegmentMax
from minispore.ops.index.segment import SegmentMean as SegmentMean
from minispore.ops.index.segment import SegmentMin as SegmentMin
from minispore.ops.index.segment import SegmentProd as SegmentProd
from minispore.ops.index.segment import SegmentSum as SegmentSum
from minispore.ops.index.segment import UnsortedSegmentMax as UnsortedSegmentMax
from minispore.ops.index.segment import UnsortedSegmentMin as UnsortedSegmentMin
from minispore.ops.index.segment import UnsortedSegmentProd as UnsortedSegmentProd
from minispore.ops.index.segment import UnsortedSegmentSum as UnsortedSegmentSum
from minispore.ops.index.segment import unsorted_segment_max as unsorted_segment_max
from minispore.ops.index.segment import unsorted_segment_min as unsorted_segment_min
from minispore.ops.index.segment import unsorted_segment_prod as unsorted_segment_prod
from minispore.ops.index.segment import unsorted_segment_sum as unsorted_segment_sum
from minispore.ops.index.select import MaskedFill as MaskedFill
from minispore.ops.index.select import MaskedSelect as MaskedSelect
from minispore.ops.index.select import OneHot as OneHot
from minispore.ops.index.select import Select as Select
from minispore.ops.index.select import masked_fill as masked_fill
from minispore.ops.index.select import masked_select as masked_select
from minispore.ops.index.select import one_hot as one_hot
from minispore.ops.index.select import select as select
from minispore.ops.index.select import where as where
from minispore.ops.index.slice_update import IndexFill as IndexFill
from minispore.ops.index.slice_update import IndexPut as IndexPut
from minispore.ops.index.slice_update import InplaceAdd as InplaceAdd
from minispore.ops.index.slice_update import InplaceSub as InplaceSub
from minispore.ops.index.slice_update import InplaceUpdate as InplaceUpdate
from minispore.ops.index.slice_update import InplaceUpdateV2 as InplaceUpdateV2
from minispore.ops.index.slice_update import MaskedScatter as MaskedScatter
from minispore.ops.index.slice_update import index_fill as index_fill
from minispore.ops.index.slice_update import inplace_add as inplace_add
from minispore.ops.index.slice_update import inplace_sub as inplace_sub
from minispore.ops.index.slice_update import inplace_update as inplace_update
from minispore.ops.index.slice_update import masked_scatter as masked_scatter
from minispore.ops.index.slice_update import narrow as narrow
from minispore.ops.index.slice_update import select_scatter as select_scatter
from minispore.ops.index.slice_update import slice_scatter as slice_scatter
from minispore.ops.index.slice_update import take as take
from minispore.ops.index.strided import StridedSlice as StridedSlice
from minispore.ops.index.strided import strided_slice as strided_slice
from minispore.ops.index.subscript import GetItem as GetItem
from minispore.ops.index.subscript import GetItemByMask as GetItemByMask
from minispore.ops.index.subscript import GetItemGrad as GetItemGrad
from minispore.ops.index.subscript import SetItem as SetItem
from minispore.ops.linalg.banded import MatrixDiagPartV3 as MatrixDiagPartV3
from minispore.ops.linalg.banded import MatrixDiagV3 as MatrixDiagV3
from minispore.ops.linalg.banded import MatrixSetDiagV3 as MatrixSetDiagV3
from minispore.ops.linalg.banded import matrix_diag as matrix_diag
from minispore.ops.linalg.banded import matrix_diag_part as matrix_diag_part
from minispore.ops.linalg.banded import matrix_set_diag as matrix_set_diag
from minispore.ops.linalg.cholesky import Cholesky as Cholesky
from minispore.ops.linalg.cholesky import CholeskyInverse as CholeskyInverse
from minispore.ops.linalg.cholesky import CholeskySolve as CholeskySolve
from minispore.ops.linalg.cholesky import cholesky as cholesky
from minispore.ops.linalg.cholesky import cholesky_inverse as cholesky_inverse
from minispore.ops.linalg.cholesky import cholesky_solve as cholesky_solve
from minispore.ops.linalg.decompositions import Eig as Eig
from minispore.ops.linalg.decompositions import Geqrf as Geqrf
from minispore.ops.linalg.decompositions import MatrixLogarithm as MatrixLogarithm
from minispore.ops.linalg.decompositions import NuclearNorm as NuclearNorm
from minispore.ops.linalg.decompositions import Orgqr as Orgqr
from minispore.ops.linalg.decompositions import Ormqr as Ormqr
from minispore.ops.linalg.decompositions import Qr as Qr
from minispore.ops.linalg.decompositions import Svd as Svd
from minispore.ops.linalg.decompositions import eig as eig
from minispore.ops.linalg.decompositions import eigvals as eigvals
from minispore.ops.linalg.decompositions import geqrf as geqrf
from minispore.ops.linalg.decompositions import orgqr as orgqr
from minispore.ops.linalg.decompositions import ormqr as ormqr
from minispore.ops.linalg.decompositions import qr as qr
from minispore.ops.linalg.decompositions import svd as svd
from minispore.ops.linalg.diagonal import Diag as Diag
from minispore.ops.linalg.diagonal import DiagPart as DiagPart
from minispore.ops.linalg.diagonal import FillDiagonal as FillDiagonal
from minispore.ops.linalg.diagonal import MatrixBandPart as MatrixBandPart
from minispore.ops.linalg.diagonal import Trace as Trace
from minispore.ops.linalg.diagonal import Tril as Tril
from minispore.ops.linalg.diagonal import Triu as Triu
from minispore.ops.linalg.diagonal import diag as diag
from minispore.ops.linalg.diagonal import diag_embed as diag_embed
from minispore.ops.linalg.diagonal import diagflat as diagflat
from minispore.ops.linalg.diagonal import diagonal as diagonal
from minispore.ops.linalg.diagonal import diagonal_scatter as diagonal_scatter
from minispore.ops.linalg.diagonal import fill_diagonal as fill_diagonal
from minispore.ops.linalg.diagonal import matrix_band_part as matrix_band_part
from minispore.ops.linalg.diagonal import trace as trace
from minispore.ops.linalg.diagonal import tril as tril
from minispore.ops.linalg.diagonal import triu as triu
from minispore.ops.linalg.eigh import Eigh as Eigh
from minispore.ops.linalg.fourier import FFTWithSize as FFTWithSize
from minispore.ops.linalg.fourier import Fourier as Fourier
from minispore.ops.linalg.fourier import fft as fft
from minispore.ops.linalg.fourier import fft2 as fft2
from minispore.ops.linalg.fourier import fftfreq as fftfreq
from minispore.ops.linalg.fourier import fftn as fftn
from minispore.ops.linalg.fourier import fftshift as fftshift
from minispore.ops.linalg.fourier import hfft as hfft
from minispore.ops.linalg.fourier import hfft2 as hfft2
from minispore.ops.linalg.fourier import hfftn as hfftn
from minispore.ops.linalg.fourier import ifft as ifft
from minispore.ops.linalg.fourier import ifft2 as ifft2
from minispore.ops.linalg.fourier import ifftn as ifftn
from minispore.ops.linalg.fourier import ifftshift as ifftshift
from minispore.ops.linalg.fourier import ihfft as ihfft
from minispore.ops.linalg.fourier import ihfft2 as ihfft2
from minispore.ops.linalg.fourier import ihfftn as ihfftn
from minispore.ops.linalg.fourier import irfft as irfft
from minispore.ops.linalg.fourier import irfft2 as irfft2
from minispore.ops.linalg.fourier import irfftn as irfftn
from minispore.ops.linalg.fourier import rfft as rfft
from minispore.ops.linalg.fourier import rfft2 as rfft2
from minispore.ops.linalg.fourier import rfftfreq as rfftfreq
from minispore.ops.linalg.fourier import rfftn as rfftn
from minispore.ops.linalg.least_squares import Lstsq as Lstsq
from minispore.ops.linalg.least_squares import LuSolve as LuSolve
from minispore.ops.linalg.least_squares import LuUnpack as LuUnpack
from minispore.ops.linalg.least_squares import RowsOfPivots as RowsOfPivots
from minispore.ops.linalg.least_squares import cond as cond
from minispore.ops.linalg.least_squares import lstsq as lstsq
from minispore.ops.linalg.least_squares import lu_solve as lu_solve
from minispore.ops.linalg.least_squares import lu_unpack as lu_unpack
from minispore.ops.linalg.least_squares import pinv as pinv
from minispore.ops.linalg.lu import Lu as Lu
from minispore.ops.linalg.matrix_powers import MatrixExp as MatrixExp
from minispore.ops.linalg.matrix_powers import MatrixPower as MatrixPower
from minispore.ops.linalg.matrix_powers import matrix_exp as matrix_exp
from minispore.ops.linalg.matrix_powers import matrix_power as matrix_power
from minispore.ops.linalg.products import BatchMatMul as BatchMatMul
from minispore.ops.linalg.products import Einsum as Einsum
from minispore.ops.linalg.products import MatMul as MatMul
from minispore.ops.linalg.products import MatMulExt as MatMulExt
from minispore.ops.linalg.products import addmm as addmm
from minispore.ops.linalg.products import baddbmm as baddbmm
from minispore.ops.linalg.products import bmm as bmm
from minispore.ops.linalg.products import dot as dot
from minispore.ops.linalg.products import einsum as einsum
from minispore.ops.linalg.products import matmul as matmul
from minispore.ops.linalg.products import mm as mm
from minispore.ops.linalg.products import mv as mv
from minispore.ops.linalg.products import outer as outer
from minispore.ops.linalg.products import tensor_dot as tensor_dot
from minispore.ops.linalg.solving import LogMatrixDeterminant as LogMatrixDeterminant
from minispore.ops.linalg.solving import MatrixDeterminant as MatrixDeterminant
from minispore.ops.linalg.solving import MatrixInverse as MatrixInverse
from minispore.ops.linalg.solving import MatrixSolve as MatrixSolve
from minispore.ops.linalg.solving import MatrixSolveLs as MatrixSolveLs
from minispore.ops.linalg.solving import MatrixTriangularSolve as MatrixTriangularSolve
from minispore.ops.linalg.solving import TridiagonalMatMul as TridiagonalMatMul
from minispore.ops.linalg.solving import det as det
from minispore.ops.linalg.solving import inverse as inverse
from minispore.ops.linalg.solving import log_matrix_determinant as log_matrix_determinant
from minispore.ops.linalg.solving import logdet as logdet
from minispore.ops.linalg.solving import matrix_determinant as matrix_determinant
from minispore.ops.linalg.solving import matrix_solve as matrix_solve
from minispore.ops.linalg.solving import slogdet as slogdet
from minispore.ops.linalg.spectrogram import STFT as STFT
from minispore.ops.linalg.spectrogram import stft as stft
from minispore.ops.linalg.vector_norms import Cdist as Cdist
from minispore.ops.linalg.vector_norms import EuclideanNorm as EuclideanNorm
from minispore.ops.linalg.vector_norms import LpNorm as LpNorm
from minispore.ops.linalg.vector_norms import PNorm as PNorm
from minispore.ops.linalg.vector_norms import Pdist as Pdist
from minispore.ops.linalg.vector_norms import Renorm as Renorm
from minispore.ops.linalg.vector_norms import SquareSumAll as SquareSumAll
from minispore.ops.linalg.vector_norms import cdist as cdist
from minispore.ops.linalg.vector_norms import dist as dist
from minispore.ops.linalg.vector_norms import matrix_norm as matrix_norm
from minispore.ops.linalg.vector_norms import norm as norm
from minispore.ops.linalg.vector_norms import pdist as pdist
from minispore.ops.linalg.vector_norms import renorm as renorm
from minispore.ops.linalg.vector_norms import vector_norm as vector_norm
from minispore.ops.linalg.vector_products import Cross as Cross
from minispore.ops.linalg.vector_products import Dense as Dense
from minispore.ops.linalg.vector_products import Ger as Ger
from minispore.ops.linalg.vector_products import addbmm as addbmm
from minispore.ops.linalg.vector_products import addmv as addmv
from minispore.ops.linalg.vector_products import addr as addr
from minispore.ops.linalg.vector_products import adjoint as adjoint
from minispore.ops.linalg.vector_products import bidense as bidense
from minispore.ops.linalg.vector_products import cross as cross
from minispore.ops.linalg.vector_products import dense as dense
from minispore.ops.linalg.vector_products import ger as ger
from minispore.ops.linalg.vector_products import inner as inner
from minispore.ops.linalg.vector_products import kron as kron
from minispore.ops.linalg.vector_products import vecdot as vecdot
from minispore.ops.linalg.windows import BartlettWindow as BartlettWindow
from minispore.ops.linalg.windows import BlackmanWindow as BlackmanWindow
from minispore.ops.linalg.windows import HammingWindow as HammingWindow
from minispore.ops.linalg.windows import bartlett_window as bartlett_window
from minispore.ops.linalg.windows import blackman_window as blackman_window
from minispore.ops.linalg.windows import hamming_window as hamming_window
from minispore.ops.linalg.windows import hann_window as hann_window
from minispore.ops.linalg.windows import kaiser_window as kaiser_window
from minispore.ops.loss.binary_cross_entropy import BCEWithLogitsLoss as BCEWithLogitsLoss
from minispore.ops.loss.binary_cross_entropy import BinaryCrossEntropy as BinaryCrossEntropy
from minispore.ops.loss.binary_cross_entropy import SigmoidCrossEntropyWithLogits as SigmoidCrossEntropyWithLogits
from minispore.ops.loss.binary_cross_entropy import binary_cross_entropy as binary_cross_entropy
from minispore.ops.loss.binary_cross_entropy import binary_cross_entropy_with_logits as binary_cross_entropy_with_logits
from minispore.ops.loss.classes import NLLLoss as NLLLoss
from minispore.ops.loss.classes import NLLLossGrad as NLLLossGrad
from minispore.ops.loss.classes import cosine_embedding_loss as cosine_embedding_loss
from minispore.ops.loss.classes import cosine_similarity as cosine_similarity
from minispore.ops.loss.classes import cross_entropy as cross_entropy
from minispore.ops.loss.classes import nll_loss as nll_loss
from minispore.ops.loss.cross_entropy import SoftmaxCrossEntropyWithLogits as SoftmaxCrossEntropyWithLogits
from minispore.ops.loss.cross_entropy import SparseSoftmaxCrossEntropyWithLogits as SparseSoftmaxCrossEntropyWithLogits
from minispore.ops.loss.ctc import CTCGreedyDecoder as CTCGreedyDecoder
from minispore.ops.loss.ctc import CTCLoss as CTCLoss
from minispore.ops.loss.ctc import CTCLossV2 as CTCLossV2
from minispore.ops.loss.ctc import CTCLossV2Grad as CTCLossV2Grad
from minispore.ops.loss.ctc import ctc_greedy_decoder as ctc_greedy_decoder
from minispore.ops.loss.ctc import ctc_loss as ctc_loss
from minispore.ops.loss.margins import MultiMarginLoss as MultiMarginLoss
from minispore.ops.loss.margins import MultilabelMarginLoss as MultilabelMarginLoss
from minispore.ops.loss.margins import TripletMarginLoss as TripletMarginLoss
from minispore.ops.loss.margins import multi_margin_loss as multi_margin_loss
from minispore.ops.loss.margins import multilabel_margin_loss as multilabel_margin_loss
from minispore.ops.loss.margins import multilabel_soft_margin_loss as multilabel_soft_margin_loss
from minispore.ops.loss.margins import triplet_margin_loss as triplet_margin_loss
from minispore.ops.loss.pointwise import KLDivLoss as KLDivLoss
from minispore.ops.loss.pointwise import L2Loss as L2Loss
from minispore.ops.loss.pointwise import SmoothL1Loss as SmoothL1Loss
from minispore.ops.loss.pointwise import SoftMarginLoss as SoftMarginLoss
from minispore.ops.loss.pointwise import gaussian_nll_loss as gaussian_nll_loss
from minispore.ops.loss.pointwise import hinge_embedding_loss as hinge_embedding_loss
from minispore.ops.loss.pointwise import huber_loss as huber_loss
from minispore.ops.loss.pointwise import kl_div as kl_div
from minispore.ops.loss.pointwise import l1_loss as l1_loss
from minispore.ops.loss.pointwise import margin_ranking_loss as margin_ranking_loss
from minispore.ops.loss.pointwise import mse_loss as mse_loss
from minispore.ops.loss.pointwise import smooth_l1_loss as smooth_l1_loss
from minispore.ops.loss.pointwise import soft_margin_loss as soft_margin_loss
from minispore.ops.loss.transducer import RNNTLoss as RNNTLoss
from minispore.ops.network.adaptive_pool import AdaptiveAvgPool2D as AdaptiveAvgPool2D
from minispore.ops.network.adaptive_pool import AdaptiveAvgPool3D as AdaptiveAvgPool3D
from minispore.ops.network.adaptive_pool import AdaptiveMaxPool2D as AdaptiveMaxPool2D
from minispore.ops.network.adaptive_pool import AdaptiveMaxPool3D as AdaptiveMaxPool3D
from minispore.ops.network.adaptive_pool import adaptive_avg_pool1d as adaptive_avg_pool1d
from minispore.ops.network.adaptive_pool import adaptive_avg_pool2d as adaptive_avg_pool2d
from minispore.ops.network.adaptive_pool import adaptive_avg_pool3d as adaptive_avg_pool3d
from minispore.ops.network.adaptive_pool import adaptive_max_pool1d as adaptive_max_pool1d
from minispore.ops.network.adaptive_pool import adaptive_max_pool2d as adaptive_max_pool2d
from minispore.ops.network.adaptive_pool import adaptive_max_pool3d as adaptive_max_pool3d
from minispore.ops.network.average_pool import AvgPool as AvgPool
from minispore.ops.network.average_pool import AvgPool3D as AvgPool3D
from minispore.ops.network.average_pool import avg_pool1d as avg_pool1d
from minispore.ops.network.average_pool import avg_pool2d as avg_pool2d
from minispore.ops.network.average_pool import avg_pool3d as avg_pool3d
from minispore.ops.network.batch_norm import BatchNorm as BatchNorm
from minispore.ops.network.batch_norm import BatchNormGrad as BatchNormGrad
from minispore.ops.network.batch_norm import BatchNormInfer as BatchNormInfer
from minispore.ops.network.batch_norm import BatchNormTrain as BatchNormTrain
from minispore.ops.network.batch_norm import MovingAverage as MovingAverage
from minispore.ops.network.batch_norm import batch_norm as batch_norm
from minispore.ops.network.bias import BiasAdd as BiasAdd
from minispore.ops.network.bias import BiasAddGrad as BiasAddGrad
from minispore.ops.network.bias import bias_add as bias_add
from minispore.ops.network.conv import Conv2D as Conv2D
from minispore.ops.network.conv import Conv2DBackpropFilter as Conv2DBackpropFilter
from minispore.ops.network.conv import Conv2DBackpropInput as Conv2DBackpropInput
from minispore.ops.network.conv import Conv2DTranspose as Conv2DTranspose
from minispore.ops.network.conv import Conv3D as Conv3D
from minispore.ops.network.conv import Conv3DBackpropFilter as Conv3DBackpropFilter
from minispore.ops.network.conv import Conv3DBackpropInput as Conv3DBackpropInput
from minispore.ops.network.conv import Conv3DTranspose as Conv3DTranspose
from minispore.ops.network.conv import conv1d as conv1d
from minispore.ops.network.conv import conv2d as conv2d
from minispore.ops.network.conv import conv3d as conv3d
from minispore.ops.network.dropout import Dropout as Dropout
from minispore.ops.network.dropout import Dropout2D as Dropout2D
from minispore.ops.network.dropout import Dropout3D as Dropout3D
from minispore.ops.network.dropout import DropoutDoMask as DropoutDoMask
from minispore.ops.network.dropout import DropoutGenMask as DropoutGenMask
from minispore.ops.network.dropout import DropoutGrad as DropoutGrad
from minispore.ops.network.dropout import dropout as dropout
from minispore.ops.network.dropout import dropout1d as dropout1d
from minispore.ops.network.dropout import dropout2d as dropout2d
from minispore.ops.network.dropout import dropout3d as dropout3d
from minispore.ops.network.feature_norm import ChannelWindowSum as ChannelWindowSum
from minispore.ops.network.feature_norm import L2Normalize as L2Normalize
from minispore.ops.network.feature_norm import LRN as LRN
from minispore.ops.network.feature_norm import LayerNorm as LayerNorm
from minispore.ops.network.feature_norm import LayerNormGrad as LayerNormGrad
from minispore.ops.network.feature_norm import RmsNorm as RmsNorm
from minispore.ops.network.feature_norm import group_norm as group_norm
from minispore.ops.network.feature_norm import layer_norm as layer_norm
from minispore.ops.network.feature_norm import lrn as lrn
from minispore.ops.network.feature_norm import rms_norm as rms_norm
from minispore.ops.network.lp_pool import lp_pool1d as lp_pool1d
from minispore.ops.network.lp_pool import lp_pool2d as lp_pool2d
from minispore.ops.network.pool import MaxPool as MaxPool
from minispore.ops.network.pool import MaxPool3D as MaxPool3D
from minispore.ops.network.pool import MaxPoolWithArgmax as MaxPoolWithArgmax
from minispore.ops.network.pool import MaxPoolWithArgmaxV2 as MaxPoolWithArgmaxV2
from minispore.ops.network.pool import max_pool2d as max_pool2d
from minispore.ops.network.pool import max_pool3d as max_pool3d
from minispore.ops.network.recurrent import DynamicGRUV2 as DynamicGRUV2
from minispore.ops.network.recurrent import DynamicRNN as DynamicRNN
from minispore.ops.network.recurrent import LSTM as LSTM
from minispore.ops.network.softmax import LogSoftmax as LogSoftmax
from minispore.ops.network.softmax import LogSoftmaxExt as LogSoftmaxExt
from minispore.ops.network.softmax import Softmax as Softmax
from minispore.ops.network.softmax import SoftmaxGrad as SoftmaxGrad
from minispore.ops.network.softmax import gumbel_softmax as gumbel_softmax
from minispore.ops.network.softmax import log_softmax as log_softmax
from minispore.ops.network.softmax import logsumexp as logsumexp
from minispore.ops.network.softmax import softmax as softmax
from minispore.ops.network.softmax import softmin as softmin
from minispore.ops.optim.adafactor import FusedAdaFactor as FusedAdaFactor
from minispore.ops.optim.adafactor import FusedAdaFactorWithGlobalNorm as FusedAdaFactorWithGlobalNorm
from minispore.ops.optim.adaptive import AdamNoUpdateParam as AdamNoUpdateParam
from minispore.ops.optim.adaptive import ApplyAdaMax as ApplyAdaMax
from minispore.ops.optim.adaptive import ApplyAdadelta as ApplyAdadelta
from minispore.ops.optim.adaptive import ApplyAdagrad as ApplyAdagrad
from minispore.ops.optim.adaptive import ApplyAdagradDA as ApplyAdagradDA
from minispore.ops.optim.adaptive import ApplyAdagradV2 as ApplyAdagradV2
from minispore.ops.optim.adaptive import ApplyAdamWithAmsgrad as ApplyAdamWithAmsgrad
from minispore.ops.optim.adaptive import ApplyAdamWithAmsgradV2 as ApplyAdamWithAmsgradV2
from minispore.ops.optim.adaptive import ApplyCenteredRMSProp as ApplyCenteredRMSProp
from minispore.ops.optim.adaptive import ApplyRMSProp as ApplyRMSProp
from minispore.ops.optim.adaptive import FusedCastAdamWeightDecay as FusedCastAdamWeightDecay
from minispore.ops.optim.gradient import ApplyAddSign as ApplyAddSign
from minispore.ops.optim.gradient import ApplyFtrl as ApplyFtrl
from minispore.ops.optim.gradient import ApplyGradientDescent as ApplyGradientDescent
from minispore.ops.optim.gradient import ApplyKerasMomentum as ApplyKerasMomentum
from minispore.ops.optim.gradient import ApplyPowerSign as ApplyPowerSign
from minispore.ops.optim.gradient import ApplyProximalAdagrad as ApplyProximalAdagrad
from minispore.ops.optim.gradient import ApplyProximalGradientDescent as ApplyProximalGradientDescent
from minispore.ops.optim.gradient import FusedWeightScaleApplyMomentum as FusedWeightScaleApplyMomentum
from minispore.ops.optim.gradient import LARSUpdate as LARSUpdate
from minispore.ops.optim.momentum_adam import Adam as Adam
from minispore.ops.optim.momentum_adam import AdamWeightDecay as AdamWeightDecay
from minispore.ops.optim.momentum_adam import ApplyMomentum as ApplyMomentum
from minispore.ops.optim.momentum_adam import SGD as SGD
from minispore.ops.optim.sparse import FusedSparseAdam as FusedSparseAdam
from minispore.ops.optim.sparse import FusedSparseFtrl as FusedSparseFtrl
from minispore.ops.optim.sparse import FusedSparseLazyAdam as FusedSparseLazyAdam
from minispore.ops.optim.sparse import FusedSparseProximalAdagrad as FusedSparseProximalAdagrad
from minispore.ops.optim.sparse import SparseApplyAdadelta as SparseApplyAdadelta
from minispore.ops.optim.sparse import SparseApplyAdagrad as SparseApplyAdagrad
from minispore.ops.optim.sparse import SparseApplyAdagradV2 as SparseApplyAdagradV2
from minispore.ops.optim.sparse import SparseApplyFtrl as SparseApplyFtrl
from minispore.ops.optim.sparse import SparseApplyFtrlV2 as SparseApplyFtrlV2
from minispore.ops.optim.sparse import SparseApplyProximalAdagrad as SparseApplyProximalAdagrad
from minispore.ops.optim.sparse import SparseApplyRMSProp as SparseApplyRMSProp
from minispore.ops.random.candidates import LogUniformCandidateSampler as LogUniformCandidateSampler
from minispore.ops.random.candidates import UniformCandidateSampler as UniformCandidateSampler
from minispore.ops.random.candidates import log_uniform_candidate_sampler as log_uniform_candidate_sampler
from minispore.ops.random.candidates import uniform_candidate_sampler as uniform_candidate_sampler
from minispore.ops.random.distributions import Cauchy as Cauchy
from minispore.ops.random.distributions import Gamma as Gamma
from minispore.ops.random.distributions import LogNormalReverse as LogNormalReverse
from minispore.ops.random.distributions import NonDeterministicInts as NonDeterministicInts
from minispore.ops.random.distributions import ParameterizedTruncatedNormal as ParameterizedTruncatedNormal
from minispore.ops.random.distributions import Poisson as Poisson
from minispore.ops.random.distributions import RandomGamma as RandomGamma
from minispore.ops.random.distributions import RandomPoisson as RandomPoisson
from minispore.ops.random.distributions import TruncatedNormal as TruncatedNormal
from minispore.ops.random.distributions import gamma as gamma
from minispore.ops.random.distributions import poisson as poisson
from minispore.ops.random.distributions import random_gamma as random_gamma
from minispore.ops.random.distributions import random_poisson as random_poisson
from minispore.ops.random.draws import StandardLaplace as StandardLaplace
from minispore.ops.random.draws import StandardNormal as StandardNormal
from minispore.ops.random.draws import UniformInt as UniformInt
from minispore.ops.random.draws import UniformReal as UniformReal
from minispore.ops.random.draws import laplace as laplace
from minispore.ops.random.draws import normal as normal
from minispore.ops.random.draws import rand as rand
from minispore.ops.random.draws import rand_like as rand_like
from minispore.ops.random.draws import randint as randint
from minispore.ops.random.draws import randint_like as randint_like
from minispore.ops.random.draws import randn as randn
from minispore.ops.random.draws import randn_like as randn_like
from minispore.ops.random.draws import standard_laplace as standard_laplace
from minispore.ops.random.draws import standard_normal as standard_normal
from minispore.ops.random.draws import uniform as uniform
from minispore.ops.random.sampling import Bernoulli as Bernoulli
from minispore.ops.random.sampling import Multinomial as Multinomial
from minispore.ops.random.sampling import MultinomialWithReplacement as MultinomialWithReplacement
from minispore.ops.random.sampling import RandomCategorical as RandomCategorical
from minispore.ops.random.sampling import RandomChoiceWithMask as RandomChoiceWithMask
from minispore.ops.random.sampling import RandomShuffle as RandomShuffle
from minispore.ops.random.sampling import Randperm as Randperm
from minispore.ops.random.sampling import RandpermV2 as RandpermV2
from minispore.ops.random.sampling import bernoulli as bernoulli
from minispore.ops.random.sampling import choice_with_mask as choice_with_mask
from minispore.ops.random.sampling import multinomial as multinomial
from minispore.ops.random.sampling import multinomial_with_replacement as multinomial_with_replacement
from minispore.ops.random.sampling import random_categorical as random_categorical
from minispore.ops.random.sampling import randperm as randperm
from minispore.ops.random.sampling import shuffle as shuffle
from minispore.ops.shape.convert import InvertPermutation as InvertPermutation
from minispore.ops.shape.convert import ScalarCast as ScalarCast
from minispore.ops.shape.convert import ScalarToArray as ScalarToArray
from minispore.ops.shape.convert import ScalarToTensor as ScalarToTensor
from minispore.ops.shape.convert import TensorShape as DynamicShape
from minispore.ops.shape.convert import TensorShape as TensorShape
from minispore.ops.shape.convert import TupleToArray as TupleToArray
from minispore.ops.shape.convert import dyn_shape as dyn_shape
from minispore.ops.shape.convert import is_complex as is_complex
from minispore.ops.shape.convert import is_floating_point as is_floating_point
from minispore.ops.shape.convert import is_nonzero as is_nonzero
from minispore.ops.shape.convert import is_tensor as is_tensor
from minispore.ops.shape.convert import make_range as make_range
from minispore.ops.shape.convert import mixed_precision_cast as mixed_precision_cast
from minispore.ops.shape.convert import move_to as move_to
from minispore.ops.shape.convert import scalar_cast as scalar_cast
from minispore.ops.shape.convert import scalar_to_array as scalar_to_array
from minispore.ops.shape.convert import scalar_to_tensor as scalar_to_tensor
from minispore.ops.shape.convert import shape_mul as shape_mul
from minispore.ops.shape.convert import tuple_len as tuple_len
from minispore.ops.shape.convert import tuple_to_array as tuple_to_array
from minispore.ops.shape.convert import type_as as type_as
from minispore.ops.shape.create import Eye as Eye
from minispore.ops.shape.create import LinSpace as LinSpace
from minispore.ops.shape.create import LogSpace as LogSpace
from minispore.ops.shape.create import Meshgrid as Meshgrid
from minispore.ops.shape.create import Range as Range
from minispore.ops.shape.create import TrilIndices as TrilIndices
from minispore.ops.shape.create import TriuIndices as TriuIndices
from minispore.ops.shape.create import arange as arange
from minispore.ops.shape.create import eye as eye
from minispore.ops.shape.create import linspace as linspace
from minispore.ops.shape.create import logspace as logspace
from minispore.ops.shape.create import meshgrid as meshgrid
from minispore.ops.shape.create import range as range
from minispore.ops.shape.create import range as tensor_range
from minispore.ops.shape.create import tril_indices as tril_indices
from minispore.ops.shape.create import triu_indices as triu_indices
from minispore.ops.shape.join import Concat as Concat
from minispore.ops.shape.join import Pad as Pad
from minispore.ops.shape.join import Slice as Slice
from minispore.ops.shape.join import Stack as Pack
from minispore.ops.shape.join import Stack as Stack
from minispore.ops.shape.join import cat as cat
from minispore.ops.shape.join import concat as concat
from minispore.ops.shape.join import concatenate as concatenate
from minispore.ops.shape.join import pick as pick
from minispore.ops.shape.join import slice as slice
from minispore.ops.shape.join import slice as tensor_slice
from minispore.ops.shape.join import stack as stack
from minispore.ops.shape.pad import MirrorPad as MirrorPad
from minispore.ops.shape.pad import PadV3 as PadV3
from minispore.ops.shape.pad import Padding as Padding
from minispore.ops.shape.pad import mirror_pad as mirror_pad
from minispore.ops.shape.pad import pad as pad
from minispore.ops.shape.pad import padding as padding
from minispore.ops.shape.reordering import ReverseSequence as ReverseSequence
from minispore.ops.shape.reordering import ReverseV2 as ReverseV2
from minispore.ops.shape.reordering import Roll as Roll
from minispore.ops.shape.reordering import flip as flip
from minispore.ops.shape.reordering import fliplr as fliplr
from minispore.ops.shape.reordering import flipud as flipud
from minispore.ops.shape.reordering import repeat_elements as repeat_elements
from minispore.ops.shape.reordering import repeat_interleave as repeat_interleave
from minispore.ops.shape.reordering import reverse as reverse
from minispore.ops.shape.reordering import reverse_sequence as reverse_sequence
from minispore.ops.shape.reordering import roll as roll
from minispore.ops.shape.reordering import rot90 as rot90
from minispore.ops.shape.space_depth import BatchToSpace as BatchToSpace
from minispore.ops.shape.space_depth import BatchToSpaceND as BatchToSpaceND
from minispore.ops.shape.space_depth import BatchToSpaceND as BatchToSpaceNDV2
from minispore.ops.shape.space_depth import ChannelShuffle as ChannelShuffle
from minispore.ops.shape.space_depth import DepthToSpace as DepthToSpace
from minispore.ops.shape.space_depth import SpaceToBatch as SpaceToBatch
from minispore.ops.shape.space_depth import SpaceToBatchND as SpaceToBatchND
from minispore.ops.shape.space_depth import SpaceToDepth as SpaceToDepth
from minispore.ops.shape.space_depth import batch_to_space_nd as batch_to_space_nd
from minispore.ops.shape.space_depth import channel_shuffle as channel_shuffle
from minispore.ops.shape.space_depth import pixel_shuffle as pixel_shuffle
from minispore.ops.shape.space_depth import pixel_unshuffle as pixel_unshuffle
from minispore.ops.shape.space_depth import space_to_batch_nd as space_to_batch_nd
from minispore.ops.shape.split import Split as Split
from minispore.ops.shape.split import SplitV as SplitV
from minispore.ops.shape.split import Unstack as Unpack
from minispore.ops.shape.split import Unstack as Unstack
from minispore.ops.shape.split import chunk as chunk
from minispore.ops.shape.split import dsplit as dsplit
from minispore.ops.shape.split import hsplit as hsplit
from minispore.ops.shape.split import split as split
from minispore.ops.shape.split import tensor_split as tensor_split
from minispore.ops.shape.split import unbind as unbind
from minispore.ops.shape.split import unstack as unstack
from minispore.ops.shape.split import vsplit as vsplit
from minispore.ops.shape.stacking import Eps as Eps
from minispore.ops.shape.stacking import IdentityN as IdentityN
from minispore.ops.shape.stacking import ParallelConcat as ParallelConcat
from minispore.ops.shape.stacking import UnravelIndex as UnravelIndex
from minispore.ops.shape.stacking import atleast_1d as atleast_1d
from minispore.ops.shape.stacking import atleast_2d as atleast_2d
from minispore.ops.shape.stacking import atleast_3d as atleast_3d
from minispore.ops.shape.stacking import block_diag as block_diag
from minispore.ops.shape.stacking import cartesian_prod as cartesian_prod
from minispore.ops.shape.stacking import column_stack as column_stack
from minispore.ops.shape.stacking import combinations as combinations
from minispore.ops.shape.stacking import dstack as dstack
from minispore.ops.shape.stacking import eps as eps
from minispore.ops.shape.stacking import hstack as hstack
from minispore.ops.shape.stacking import row_stack as row_stack
from minispore.ops.shape.stacking import sequence_mask as sequence_mask
from minispore.ops.shape.stacking import vander as vander
from minispore.ops.shape.stacking import vstack as vstack
from minispore.ops.shape.views import BroadcastTo as BroadcastTo
from minispore.ops.shape.views import ExpandDims as ExpandDims
from minispore.ops.shape.views import Flatten as Flatten
from minispore.ops.shape.views import Reshape as Reshape
from minispore.ops.shape.views import Squeeze as Squeeze
from minispore.ops.shape.views import Tile as Tile
from minispore.ops.shape.views import Transpose as Transpose
from minispore.ops.shape.views import Transpose as TransposeView
from minispore.ops.shape.views import broadcast_to as broadcast_to
from minispore.ops.shape.views import broadcast_to as expand
from minispore.ops.shape.views import expand_as as expand_as
from minispore.ops.shape.views import expand_dims as expand_dims
from minispore.ops.shape.views import flatten as flatten
from minispore.ops.shape.views import moveaxis as moveaxis
from minispore.ops.shape.views import movedim as movedim
from minispore.ops.shape.views import permute as permute
from minispore.ops.shape.views import ravel as ravel
from minispore.ops.shape.views import reshape as reshape
from minispore.ops.shape.views import squeeze as squeeze
from minispore.ops.shape.views import swapaxes as swapaxes
from minispore.ops.shape.views import swapdims as swapdims
from minispore.ops.shape.views import t as t
from minispore.ops.shape.views import tile as tile
from minispore.ops.shape.views import transpose as transpose
from minispore.ops.shape.views import unsqueeze as unsqueeze
from minispore.ops.shape.views import view_as as view_as
from minispore.ops.shape.whole import Cast as Cast
from minispore.ops.shape.whole import DType as DType
from minispore.ops.shape.whole import Fill as Fill
from minispore.ops.shape.whole import FillV2 as FillV2
from minispore.ops.shape.whole import Identity as Identity
from minispore.ops.shape.whole import Ones as Ones
from minispore.ops.shape.whole import OnesLike as OnesLike
from minispore.ops.shape.whole import Rank as Rank
from minispore.ops.shape.whole import Shape as Shape
from minispore.ops.shape.whole import Size as Size
from minispore.ops.shape.whole import StopGradient as StopGradient
from minispore.ops.shape.whole import Zeros as Zeros
from minispore.ops.shape.whole import ZerosLike as ZerosLike
from minispore.ops.shape.whole import cast as cast
from minispore.ops.shape.whole import dtype as dtype
from minispore.ops.shape.whole import fill as fill
from minispore.ops.shape.whole import fills as fills
from minispore.ops.shape.whole import full as full
from minispore.ops.shape.whole import full_like as full_like
from minispore.ops.shape.whole import identity as identity
from minispore.ops.shape.whole import numel as numel
from minispore.ops.shape.whole import ones as ones
from minispore.ops.shape.whole import ones_like as ones_like
from minispore.ops.shape.whole import rank as rank
from minispore.ops.shape.whole import shape as shape
from minispore.ops.shape.whole import size as size
from minispore.ops.shape.whole import zeros as zeros
from minispore.ops.shape.whole import zeros_like as zeros_like
from minispore.ops.statistics.argmax import ArgMaxWithValue as ArgMaxWithValue
from minispore.ops.statistics.argmax import ArgMinWithValue as ArgMinWithValue
from minispore.ops.statistics.argmax import Argmax as Argmax
from minispore.ops.statistics.argmax import Argmin as Argmin
from minispore.ops.statistics.argmax import PutAlongAxis as PutAlongAxis
from minispore.ops.statistics.argmax import argmax as argmax
from minispore.ops.statistics.argmax import argmax_with_value as argmax_with_value
from minispore.ops.statistics.argmax import argmin as argmin
from minispore.ops.statistics.argmax import argmin_with_value as argmin_with_value
from minispore.ops.statistics.argmax import max as max
from minispore.ops.statistics.argmax import min as min
from minispore.ops.statistics.calculus import diff as diff
from minispore.ops.statistics.calculus import trapz as trapz
from minispore.ops.statistics.counting import Bincount as Bincount
from minispore.ops.statistics.counting import ConfusionMatrix as ConfusionMatrix
from minispore.ops.statistics.counting import EqualCount as EqualCount
from minispore.ops.statistics.counting import Histogram as Histogram
from minispore.ops.statistics.counting import HistogramFixedWidth as HistogramFixedWidth
from minispore.ops.statistics.counting import ListDiff as ListDiff
from minispore.ops.statistics.counting import NonZero as NonZero
from minispore.ops.statistics.counting import Unique as Unique
from minispore.ops.statistics.counting import UniqueConsecutive as UniqueConsecutive
from minispore.ops.statistics.counting import UniqueWithPad as UniqueWithPad
from minispore.ops.statistics.counting import argwhere as argwhere
from minispore.ops.statistics.counting import bincount as bincount
from minispore.ops.statistics.counting import histc as histc
from minispore.ops.statistics.counting import nonzero as nonzero
from minispore.ops.statistics.counting import unique as unique
from minispore.ops.statistics.counting import unique_consecutive as unique_consecutive
from minispore.ops.statistics.counting import unique_with_pad as unique_with_pad
from minispore.ops.statistics.deviations import CountNonZero as CountNonZero
from minispore.ops.statistics.deviations import ReduceStd as ReduceStd
from minispore.ops.statistics.deviations import count_nonzero as count_nonzero
from minispore.ops.statistics.deviations import cov as cov
from minispore.ops.statistics.deviations import nanmean as nanmean
from minispore.ops.statistics.deviations import nansum as nansum
from minispore.ops.statistics.deviations import std as std
from minispore.ops.statistics.deviations import std_mean as std_mean
from minispore.ops.statistics.deviations import var as var
from minispore.ops.statistics.deviations import var_mean as var_mean
from minispore.ops.statistics.quantiles import Median as Median
from minispore.ops.statistics.quantiles import NthElement as NthElement
from minispore.ops.statistics.quantiles import Quantile as Quantile
from minispore.ops.statistics.quantiles import median as median
from minispore.ops.statistics.quantiles import nanmedian as nanmedian
from minispore.ops.statistics.quantiles import nanquantile as nanquantile
from minispore.ops.statistics.quantiles import quantile as quantile
from minispore.ops.statistics.reduce import ReduceMax as ReduceMax
from minispore.ops.statistics.reduce import ReduceMean as ReduceMean
from minispore.ops.statistics.reduce import ReduceMin as ReduceMin
from minispore.ops.statistics.reduce import ReduceProd as ReduceProd
from minispore.ops.statistics.reduce import ReduceSum as ReduceSum
from minispore.ops.statistics.reduce import amax as amax
from minispore.ops.statistics.reduce import amin as amin
from minispore.ops.statistics.reduce import aminmax as aminmax
from minispore.ops.statistics.reduce import mean as mean
from minispore.ops.statistics.reduce import prod as prod
from minispore.ops.statistics.reduce import ptp as ptp
from minispore.ops.statistics.reduce import reduce_max as reduce_max
from minispore.ops.statistics.reduce import reduce_mean as reduce_mean
from minispore.ops.statistics.reduce import reduce_min as reduce_min
from minispore.ops.statistics.reduce import reduce_prod as reduce_prod
from minispore.ops.statistics.reduce import reduce_sum as reduce_sum
from minispore.ops.statistics.reduce import sum as sum
from minispore.ops.statistics.scan import CumProd as CumProd
from minispore.ops.statistics.scan import CumSum as CumSum
from minispore.ops.statistics.scan import Cummax as Cummax
from minispore.ops.statistics.scan import Cummin as Cummin
from minispore.ops.statistics.scan import CumulativeLogsumexp as CumulativeLogsumexp
from minispore.ops.statistics.scan import WeightedScan as WeightedScan
from minispore.ops.statistics.scan import cummax as cummax
from minispore.ops.statistics.scan import cummin as cummin
from minispore.ops.statistics.scan import cumprod as cumprod
from minispore.ops.statistics.scan import cumsum as cumsum
from minispore.ops.statistics.scan import logcumsumexp as logcumsumexp
from minispore.ops.statistics.sort import Bucketize as Bucketize
from minispore.ops.statistics.sort import InTopK as InTopK
from minispore.ops.statistics.sort import LowerBound as LowerBound
from minispore.ops.statistics.sort import SearchSorted as SearchSorted
from minispore.ops.statistics.sort import Sort as Sort
from minispore.ops.statistics.sort import TopK as TopK
from minispore.ops.statistics.sort import UpperBound as UpperBound
from minispore.ops.statistics.sort import argsort as argsort
from minispore.ops.statistics.sort import bucketize as bucketize
from minispore.ops.statistics.sort import intopk as intopk
from minispore.ops.statistics.sort import msort as msort
from minispore.ops.statistics.sort import searchsorted as searchsorted
from minispore.ops.statistics.sort import sort as sort
from minispore.ops.statistics.sort import top_k as top_k
from minispore.ops.statistics.sort import topk as topk
from minispore.ops.statistics.truth import ReduceAll as ReduceAll
from minispore.ops.statistics.truth import ReduceAny as ReduceAny
from minispore.ops.statistics.truth import all as all
from minispore.ops.statistics.truth import any as any
from minispore.ops.statistics.truth import reduce_all as reduce_all
from minispore.ops.statistics.truth import reduce_any as reduce_any
from minispore.ops.support.deprecated import DenseToDenseSetOperation as DenseToDenseSetOperation
from minispore.ops.support.deprecated import DenseToSparseSetOperation as DenseToSparseSetOperation
from minispore.ops.support.deprecated import DepthwiseConv2dNative as DepthwiseConv2dNative
from minispore.ops.support.described import PrimitiveWithCheck as PrimitiveWithCheck
from minispore.ops.support.described import PrimitiveWithInfer as PrimitiveWithInfer
from minispore.ops.support.described import prim_attr_register as prim_attr_register
from minispore.ops.support.spelling import also_spelled as also_spelled

__all__ = [
    "ACos",
    "Abs",
    "AccumulateNV2",
    "Acosh",
    "Adam",
    "AdamNoUpdateParam",
    "AdamWeightDecay",
    "AdaptiveAvgPool2D",
    "AdaptiveAvgPool3D",
    "AdaptiveMaxPool2D",
    "AdaptiveMaxPool3D",
    "Add",
    "AddN",
    "Addcdiv",
    "Addcmul",
    "AdjustHue",
    "AdjustSaturation",
    "AffineGrid",
    "AllGather",
    "AllReduce",
    "AlltoAll",
    "Angle",
    "ApplyAdaMax",
    "ApplyAdadelta",
    "ApplyAdagrad",
    "ApplyAdagradDA",
    "ApplyAdagradV2",
    "ApplyAdamWithAmsgrad",
    "ApplyAdamWithAmsgradV2",
    "ApplyAddSign",
    "ApplyCenteredRMSProp",
    "ApplyFtrl",
    "ApplyGradientDescent",
    "ApplyKerasMomentum",
    "ApplyMomentum",
    "ApplyPowerSign",
    "ApplyProximalAdagrad",
    "ApplyProximalGradientDescent",
    "ApplyRMSProp",
    "ApproximateEqual",
    "ArgMaxWithValue",
    "ArgMinWithValue",
    "Argmax",
    "Argmin",
    "Asin",
    "Asinh",
    "Assign",
    "AssignAdd",
    "AssignSub",
    "Atan",
    "Atan2",
    "Atanh",
    "AvgPool",
    "AvgPool3D",
    "BCEWithLogitsLoss",
    "Barrier",
    "BartlettWindow",
    "BatchMatMul",
    "BatchNorm",
    "BatchNormGrad",
    "BatchNormInfer",
    "BatchNormTrain",
    "BatchToSpace",
    "BatchToSpaceND",
    "BatchToSpaceNDV2",
    "Bernoulli",
    "BesselI0",
    "BesselI0e",
    "BesselI1",
    "BesselI1e",
    "BesselJ0",
    "BesselJ1",
    "BesselK0",
    "BesselK0e",
    "BesselK1",
    "BesselK1e",
    "BesselY0",
    "BesselY1",
    "Betainc",
    "BiasAdd",
    "BiasAddGrad",
    "BinaryCrossEntropy",
    "Bincount",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "BlackmanWindow",
    "BoundingBoxDecode",
    "BoundingBoxEncode",
    "Broadcast",
    "BroadcastTo",
    "Bucketize",
    "CTCGreedyDecoder",
    "CTCLoss",
    "CTCLossV2",
    "CTCLossV2Grad",
    "Cast",
    "Cauchy",
    "Cdist",
    "CeLU",
    "Ceil",
    "ChannelShuffle",
    "ChannelWindowSum",
    "CheckNumerics",
    "CheckValid",
    "Cholesky",
    "CholeskyInverse",
    "CholeskySolve",
    "ClampMax",
    "ClampMin",
    "Col2Im",
    "CollectiveGather",
    "CollectiveScatter",
    "Complex",
    "ComplexAbs",
    "Concat",
    "ConfusionMatrix",
    "Conj",
    "ControlDepend",
    "Conv2D",
    "Conv2DBackpropFilter",
    "Conv2DBackpropInput",
    "Conv2DTranspose",
    "Conv3D",
    "Conv3DBackpropFilter",
    "Conv3DBackpropInput",
    "Conv3DTranspose",
    "CopySign",
    "Cos",
    "Cosh",
    "CountNonZero",
    "CropAndResize",
    "Cross",
    "CumProd",
    "CumSum",
    "Cummax",
    "Cummin",
    "CumulativeLogsumexp",
    "DType",
    "Dense",
    "DenseToDenseSetOperation",
    "DenseToSparseSetOperation",
    "Depend",
    "DepthToSpace",
    "DepthwiseConv2dNative",
    "Diag",
    "DiagPart",
    "Digamma",
    "Div",
    "DivNoNan",
    "Dropout",
    "Dropout2D",
    "Dropout3D",
    "DropoutDoMask",
    "DropoutGenMask",
    "DropoutGrad",
    "DynamicGRUV2",
    "DynamicRNN",
    "DynamicShape",
    "Eig",
    "Eigh",
    "Einsum",
    "Elu",
    "EmbeddingLookup",
    "Eps",
    "Equal",
    "EqualCount",
    "Erf",
    "Erfc",
    "Erfinv",
    "EuclideanNorm",
    "Exp",
    "ExpandDims",
    "Expm1",
    "ExtractImagePatches",
    "Eye",
    "FFTWithSize",
    "FastGeLU",
    "Fill",
    "FillDiagonal",
    "FillV2",
    "Flatten",
    "FloatStatus",
    "Floor",
    "FloorDiv",
    "FloorMod",
    "Fmax",
    "Fmin",
    "ForiLoop",
    "Fourier",
    "FusedAdaFactor",
    "FusedAdaFactorWithGlobalNorm",
    "FusedCastAdamWeightDecay",
    "FusedSparseAdam",
    "FusedSparseFtrl",
    "FusedSparseLazyAdam",
    "FusedSparseProximalAdagrad",
    "FusedWeightScaleApplyMomentum",
    "GLU",
    "Gamma",
    "Gather",
    "GatherD",
    "GatherNd",
    "GatherV2",
    "Gcd",
    "GeLU",
    "Gelu",
    "Geqrf",
    "Ger",
    "GetItem",
    "GetItemByMask",
    "GetItemGrad",
    "GetNext",
    "GradOperation",
    "Greater",
    "GreaterEqual",
    "GridSampler2D",
    "GridSampler3D",
    "HSVToRGB",
    "HShrink",
    "HSigmoid",
    "HSwish",
    "HammingWindow",
    "Heaviside",
    "Histogram",
    "HistogramFixedWidth",
    "HistogramSummary",
    "HookBackward",
    "HyperMap",
    "Hypot",
    "IOU",
    "Identity",
    "IdentityN",
    "Igamma",
    "Igammac",
    "Im2Col",
    "Imag",
    "ImageSummary",
    "InTopK",
    "IndexAdd",
    "IndexFill",
    "IndexPut",
    "InplaceAdd",
    "InplaceIndexAdd",
    "InplaceSub",
    "InplaceUpdate",
    "InplaceUpdateV2",
    "InsertGradientOf",
    "Inv",
    "Invert",
    "InvertPermutation",
    "IsClose",
    "IsFinite",
    "IsInf",
    "IsNan",
    "KLDivLoss",
    "L2Loss",
    "L2Normalize",
    "LARSUpdate",
    "LRN",
    "LSTM",
    "LayerNorm",
    "LayerNormGrad",
    "Lcm",
    "LeftShift",
    "Lerp",
    "LerpScalar",
    "Less",
    "LessEqual",
    "Lgamma",
    "LinSpace",
    "ListDiff",
    "Load",
    "Log",
    "Log1p",
    "LogMatrixDeterminant",
    "LogNormalReverse",
    "LogSoftmax",
    "LogSoftmaxExt",
    "LogSpace",
    "LogUniformCandidateSampler",
    "LogicalAnd",
    "LogicalNot",
    "LogicalOr",
    "LogicalXor",
    "Logit",
    "LowerBound",
    "LpNorm",
    "Lstsq",
    "Lu",
    "LuSolve",
    "LuUnpack",
    "Map",
    "MaskedFill",
    "MaskedScatter",
    "MaskedSelect",
    "MatMul",
    "MatMulExt",
    "MatrixBandPart",
    "MatrixDeterminant",
    "MatrixDiagPartV3",
    "MatrixDiagV3",
    "MatrixExp",
    "MatrixInverse",
    "MatrixLogarithm",
    "MatrixPower",
    "MatrixSetDiagV3",
    "MatrixSolve",
    "MatrixSolveLs",
    "MatrixTriangularSolve",
    "MaxPool",
    "MaxPool3D",
    "MaxPoolWithArgmax",
    "MaxPoolWithArgmaxV2",
    "Maximum",
    "MaximumGrad",
    "Median",
    "Meshgrid",
    "Minimum",
    "MirrorPad",
    "Mish",
    "Mod",
    "MovingAverage",
    "Mul",
    "MulNoNan",
    "MultiMarginLoss",
    "MultilabelMarginLoss",
    "Multinomial",
    "MultinomialWithReplacement",
    "MultitypeFuncGraph",
    "Mvlgamma",
    "NLLLoss",
    "NLLLossGrad",
    "NMSWithMask",
    "NPUAllocFloatStatus",
    "NPUClearFloatStatus",
    "NPUGetFloatStatus",
    "NanToNum",
    "Neg",
    "NextAfter",
    "NonDeterministicInts",
    "NonMaxSuppressionV3",
    "NonZero",
    "NonZero01",
    "NotEqual",
    "NthElement",
    "NuclearNorm",
    "OneHot",
    "Ones",
    "OnesLike",
    "Orgqr",
    "Ormqr",
    "PNorm",
    "PReLU",
    "Pack",
    "Pad",
    "PadV3",
    "Padding",
    "ParallelConcat",
    "ParameterizedTruncatedNormal",
    "Partial",
    "Pdist",
    "Poisson",
    "Polar",
    "Polygamma",
    "PopulationCount",
    "Pow",
    "Primitive",
    "PrimitiveWithCheck",
    "PrimitiveWithInfer",
    "Print",
    "PutAlongAxis",
    "PyFunc",
    "Qr",
    "Quantile",
    "RGBToHSV",
    "RNNTLoss",
    "ROIAlign",
    "RandomCategorical",
    "RandomChoiceWithMask",
    "RandomGamma",
    "RandomPoisson",
    "RandomShuffle",
    "Randperm",
    "RandpermV2",
    "Range",
    "Rank",
    "ReLU",
    "ReLU6",
    "Real",
    "RealDiv",
    "Receive",
    "Reciprocal",
    "Reduce",
    "ReduceAll",
    "ReduceAny",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceOp",
    "ReduceProd",
    "ReduceScatter",
    "ReduceStd",
    "ReduceSum",
    "ReduceToShape",
    "Relu6Grad",
    "ReluGrad",
    "Renorm",
    "Reshape",
    "ResizeArea",
    "ResizeBicubic",
    "ResizeBilinear",
    "ResizeBilinearV2",
    "ResizeLinear1D",
    "ResizeNearestNeighbor",
    "ResizeNearestNeighborV2",
    "ReverseSequence",
    "ReverseV2",
    "RightShift",
    "Rint",
    "RmsNorm",
    "Roll",
    "Round",
    "RowsOfPivots",
    "Rsqrt",
    "SGD",
    "STFT",
    "ScalarCast",
    "ScalarSummary",
    "ScalarToArray",
    "ScalarToTensor",
    "Scan",
    "ScatterAdd",
    "ScatterAddWithAxis",
    "ScatterDiv",
    "ScatterMax",
    "ScatterMin",
    "ScatterMul",
    "ScatterNd",
    "ScatterNdAdd",
    "ScatterNdDiv",
    "ScatterNdMax",
    "ScatterNdMin",
    "ScatterNdMul",
    "ScatterNdSub",
    "ScatterNdUpdate",
    "ScatterSub",
    "ScatterUpdate",
    "SeLU",
    "SearchSorted",
    "SegmentMax",
    "SegmentMean",
    "SegmentMin",
    "SegmentProd",
    "SegmentSum",
    "Select",
    "Send",
    "SetItem",
    "Shape",
    "SiLU",
    "Sigmoid",
    "SigmoidCrossEntropyWithLogits",
    "SigmoidGrad",
    "Sign",
    "Sin",
    "Sinc",
    "Sinh",
    "Size",
    "Slice",
    "SmoothL1Loss",
    "SoftMarginLoss",
    "SoftShrink",
    "Softmax",
    "SoftmaxCrossEntropyWithLogits",
    "SoftmaxGrad",
    "Softplus",
    "Softsign",
    "Sort",
    "SpaceToBatch",
    "SpaceToBatchND",
    "SpaceToDepth",
    "SparseApplyAdadelta",
    "SparseApplyAdagrad",
    "SparseApplyAdagradV2",
    "SparseApplyFtrl",
    "SparseApplyFtrlV2",
    "SparseApplyProximalAdagrad",
    "SparseApplyRMSProp",
    "SparseGatherV2",
    "SparseSoftmaxCrossEntropyWithLogits",
    "SparseTensorDenseMatmul",
    "SparseToDense",
    "Split",
    "SplitV",
    "Sqrt",
    "Square",
    "SquareSumAll",
    "SquaredDifference",
    "Squeeze",
    "Stack",
    "StandardLaplace",
    "StandardNormal",
    "StopGradient",
    "StridedSlice",
    "Sub",
    "Svd",
    "Tan",
    "Tanh",
    "TanhGrad",
    "TensorAdd",
    "TensorDump",
    "TensorScatterAdd",
    "TensorScatterDiv",
    "TensorScatterElements",
    "TensorScatterMax",
    "TensorScatterMin",
    "TensorScatterMul",
    "TensorScatterSub",
    "TensorScatterUpdate",
    "TensorShape",
    "TensorSummary",
    "Tile",
    "TopK",
    "Trace",
    "Transpose",
    "TransposeView",
    "TridiagonalMatMul",
    "Tril",
    "TrilIndices",
    "TripletMarginLoss",
    "Triu",
    "TriuIndices",
    "Trunc",
    "TruncateDiv",
    "TruncateMod",
    "TruncatedNormal",
    "TupleToArray",
    "UniformCandidateSampler",
    "UniformInt",
    "UniformReal",
    "Unique",
    "UniqueConsecutive",
    "UniqueWithPad",
    "Unpack",
    "UnravelIndex",
    "UnsortedSegmentMax",
    "UnsortedSegmentMin",
    "UnsortedSegmentProd",
    "UnsortedSegmentSum",
    "Unstack",
    "UpperBound",
    "UpsampleNearest3D",
    "UpsampleTrilinear3D",
    "WeightedScan",
    "WhileLoop",
    "Xdivy",
    "Xlogy",
    "Zeros",
    "ZerosLike",
    "Zeta",
    "abs",
    "absolute",
    "accumulate_n",
    "acos",
    "acosh",
    "adaptive_avg_pool1d",
    "adaptive_avg_pool2d",
    "adaptive_avg_pool3d",
    "adaptive_max_pool1d",
    "adaptive_max_pool2d",
    "adaptive_max_pool3d",
    "add",
    "add_flags",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addn",
    "addr",
    "adjoint",
    "affine_grid",
    "all",
    "also_spelled",
    "amax",
    "amin",
    "aminmax",
    "angle",
    "any",
    "approximate_equal",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmax_with_value",
    "argmin",
    "argmin_with_value",
    "argsort",
    "argwhere",
    "asin",
    "asinh",
    "assign",
    "assign_add",
    "assign_sub",
    "atan",
    "atan2",
    "atanh",
    "atleast_1d",
    "atleast_2d",
    "atleast_3d",
    "avg_pool1d",
    "avg_pool2d",
    "avg_pool3d",
    "baddbmm",
    "bartlett_window",
    "batch_norm",
    "batch_to_space_nd",
    "bernoulli",
    "bessel_i0",
    "bessel_i0e",
    "bessel_i1",
    "bessel_i1e",
    "bessel_j0",
    "bessel_j1",
    "bessel_k0",
    "bessel_k0e",
    "bessel_k1",
    "bessel_k1e",
    "bessel_y0",
    "bessel_y1",
    "bias_add",
    "bidense",
    "binary_cross_entropy",
    "binary_cross_entropy_with_logits",
    "bincount",
    "bitwise_and",
    "bitwise_left_shift",
    "bitwise_not",
    "bitwise_or",
    "bitwise_right_shift",
    "bitwise_xor",
    "blackman_window",
    "block_diag",
    "bmm",
    "bounding_box_decode",
    "bounding_box_encode",
    "broadcast_to",
    "bucketize",
    "cartesian_prod",
    "cast",
    "cat",
    "cdist",
    "ceil",
    "celu",
    "channel_shuffle",
    "check_valid",
    "choice_with_mask",
    "cholesky",
    "cholesky_inverse",
    "cholesky_solve",
    "chunk",
    "clamp",
    "clip",
    "clip_by_global_norm",
    "clip_by_norm",
    "clip_by_value",
    "col2im",
    "column_stack",
    "combinations",
    "concat",
    "concatenate",
    "cond",
    "conj",
    "constexpr",
    "control_depend",
    "conv1d",
    "conv2d",
    "conv3d",
    "copysign",
    "core",
    "cos",
    "cosh",
    "cosine_embedding_loss",
    "cosine_similarity",
    "count_nonzero",
    "cov",
    "crop_and_resize",
    "cross",
    "cross_entropy",
    "ctc_greedy_decoder",
    "ctc_loss",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "deg2rad",
    "dense",
    "depend",
    "derivative",
    "det",
    "diag",
    "diag_embed",
    "diagflat",
    "diagonal",
    "diagonal_scatter",
    "diff",
    "digamma",
    "dist",
    "div",
    "divide",
    "dot",
    "dropout",
    "dropout1d",
    "dropout2d",
    "dropout3d",
    "dsplit",
    "dstack",
    "dtype",
    "dyn_shape",
    "eig",
    "eigvals",
    "einsum",
    "elu",
    "embedding",
    "eps",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expand",
    "expand_as",
    "expand_dims",
    "expm1",
    "eye",
    "fast_gelu",
    "fft",
    "fft2",
    "fftfreq",
    "fftn",
    "fftshift",
    "fill",
    "fill_diagonal",
    "fills",
    "flatten",
    "flip",
    "fliplr",
    "flipud",
    "float_power",
    "floor",
    "floor_div",
    "floor_divide",
    "floor_mod",
    "fmax",
    "fmin",
    "fmod",
    "fold",
    "frac",
    "full",
    "full_like",
    "gamma",
    "gather",
    "gather_d",
    "gather_elements",
    "gather_nd",
    "gaussian_nll_loss",
    "gcd",
    "ge",
    "gelu",
    "geqrf",
    "ger",
    "get_grad",
    "glu",
    "grad",
    "greater",
    "greater_equal",
    "grid_sample",
    "group_norm",
    "gt",
    "gumbel_softmax",
    "hamming_window",
    "hann_window",
    "hardshrink",
    "hardsigmoid",
    "hardswish",
    "hardtanh",
    "heaviside",
    "hfft",
    "hfft2",
    "hfftn",
    "hinge_embedding_loss",
    "histc",
    "hsplit",
    "hstack",
    "huber_loss",
    "hypot",
    "i0",
    "identity",
    "ifft",
    "ifft2",
    "ifftn",
    "ifftshift",
    "igamma",
    "igammac",
    "ihfft",
    "ihfft2",
    "ihfftn",
    "imag",
    "index_add",
    "index_fill",
    "index_select",
    "inner",
    "inplace_add",
    "inplace_index_add",
    "inplace_sub",
    "inplace_update",
    "interpolate",
    "intopk",
    "inv",
    "inverse",
    "invert",
    "iou",
    "irfft",
    "irfft2",
    "irfftn",
    "is_complex",
    "is_floating_point",
    "is_nonzero",
    "is_tensor",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "isposinf",
    "isreal",
    "jacfwd",
    "jacrev",
    "jet",
    "jvp",
    "kaiser_window",
    "kl_div",
    "kron",
    "l1_loss",
    "laplace",
    "layer_norm",
    "lcm",
    "ldexp",
    "le",
    "leaky_relu",
    "lerp",
    "less",
    "less_equal",
    "lgamma",
    "linearize",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "log_matrix_determinant",
    "log_softmax",
    "log_uniform_candidate_sampler",
    "logaddexp",
    "logaddexp2",
    "logcumsumexp",
    "logdet",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logit",
    "logsigmoid",
    "logspace",
    "logsumexp",
    "lp_pool1d",
    "lp_pool2d",
    "lrn",
    "lstsq",
    "lt",
    "lu_solve",
    "lu_unpack",
    "make_range",
    "margin_ranking_loss",
    "masked_fill",
    "masked_scatter",
    "masked_select",
    "matmul",
    "matrix_band_part",
    "matrix_determinant",
    "matrix_diag",
    "matrix_diag_part",
    "matrix_exp",
    "matrix_norm",
    "matrix_power",
    "matrix_set_diag",
    "matrix_solve",
    "max",
    "max_pool2d",
    "max_pool3d",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mirror_pad",
    "mish",
    "mixed_precision_cast",
    "mm",
    "move_to",
    "moveaxis",
    "movedim",
    "mse_loss",
    "msort",
    "mul",
    "multi_margin_loss",
    "multilabel_margin_loss",
    "multilabel_soft_margin_loss",
    "multinomial",
    "multinomial_with_replacement",
    "multiply",
    "mv",
    "mvlgamma",
    "nan_to_num",
    "nanmean",
    "nanmedian",
    "nanquantile",
    "nansum",
    "narrow",
    "ne",
    "neg",
    "negative",
    "nextafter",
    "nll_loss",
    "nonzero",
    "norm",
    "normal",
    "not_equal",
    "numel",
    "one_hot",
    "ones",
    "ones_like",
    "orgqr",
    "ormqr",
    "outer",
    "pad",
    "padding",
    "partial",
    "pdist",
    "permute",
    "pick",
    "pinv",
    "pixel_shuffle",
    "pixel_unshuffle",
    "poisson",
    "polar",
    "polygamma",
    "population_count",
    "positive",
    "pow",
    "pows",
    "prelu",
    "prim_attr_register",
    "print_",
    "prod",
    "ptp",
    "qr",
    "quantile",
    "rad2deg",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "random_categorical",
    "random_gamma",
    "random_poisson",
    "randperm",
    "range",
    "rank",
    "ravel",
    "real",
    "reciprocal",
    "reduce_all",
    "reduce_any",
    "reduce_max",
    "reduce_mean",
    "reduce_min",
    "reduce_prod",
    "reduce_sum",
    "relu",
    "relu6",
    "remainder",
    "renorm",
    "repeat_elements",
    "repeat_interleave",
    "reshape",
    "reverse",
    "reverse_sequence",
    "rfft",
    "rfft2",
    "rfftfreq",
    "rfftn",
    "rint",
    "rms_norm",
    "roll",
    "rot90",
    "round",
    "row_stack",
    "rrelu",
    "rsqrt",
    "scalar_cast",
    "scalar_to_array",
    "scalar_to_tensor",
    "scatter",
    "scatter_add",
    "scatter_div",
    "scatter_max",
    "scatter_min",
    "scatter_mul",
    "scatter_nd",
    "scatter_nd_add",
    "scatter_nd_div",
    "scatter_nd_max",
    "scatter_nd_min",
    "scatter_nd_mul",
    "scatter_nd_sub",
    "scatter_nd_update",
    "scatter_update",
    "searchsorted",
    "select",
    "select_scatter",
    "selu",
    "sequence_mask",
    "sgn",
    "shape",
    "shape_mul",
    "shuffle",
    "sigmoid",
    "sign",
    "signbit",
    "silu",
    "sin",
    "sinc",
    "sinh",
    "size",
    "slice",
    "slice_scatter",
    "slogdet",
    "smooth_l1_loss",
    "soft_margin_loss",
    "soft_shrink",
    "softmax",
    "softmin",
    "softplus",
    "softshrink",
    "softsign",
    "sort",
    "space_to_batch_nd",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "standard_laplace",
    "standard_normal",
    "std",
    "std_mean",
    "stft",
    "stop_gradient",
    "strided_slice",
    "sub",
    "subtract",
    "sum",
    "svd",
    "swapaxes",
    "swapdims",
    "swiglu",
    "t",
    "take",
    "tan",
    "tanh",
    "tanhshrink",
    "tensor_add",
    "tensor_div",
    "tensor_dot",
    "tensor_exp",
    "tensor_expm1",
    "tensor_floordiv",
    "tensor_ge",
    "tensor_gt",
    "tensor_le",
    "tensor_lt",
    "tensor_mod",
    "tensor_mul",
    "tensor_muls",
    "tensor_pow",
    "tensor_range",
    "tensor_scatter_add",
    "tensor_scatter_div",
    "tensor_scatter_elements",
    "tensor_scatter_max",
    "tensor_scatter_min",
    "tensor_scatter_mul",
    "tensor_scatter_sub",
    "tensor_scatter_update",
    "tensor_slice",
    "tensor_split",
    "tensor_sub",
    "tensordump",
    "threshold",
    "tile",
    "top_k",
    "topk",
    "trace",
    "transpose",
    "trapz",
    "tril",
    "tril_indices",
    "triplet_margin_loss",
    "triu",
    "triu_indices",
    "true_divide",
    "trunc",
    "truncate_div",
    "truncate_mod",
    "tuple_len",
    "tuple_to_array",
    "type_as",
    "unbind",
    "unfold",
    "uniform",
    "uniform_candidate_sampler",
    "unique",
    "unique_consecutive",
    "unique_with_pad",
    "unsorted_segment_max",
    "unsorted_segment_min",
    "unsorted_segment_prod",
    "unsorted_segment_sum",
    "unsqueeze",
    "unstack",
    "upsample",
    "value_and_grad",
    "vander",
    "var",
    "var_mean",
    "vecdot",
    "vector_norm",
    "view_as",
    "view_as_real",
    "vjp",
    "vmap",
    "vsplit",
    "vstack",
    "where",
    "xdivy",
    "xlogy",
    "zeros",
    "zeros_like",
    "zeta",
]
