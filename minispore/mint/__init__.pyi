# Written by python -m tests.typing.stubs
from minispore.mint import arrangement as arrangement
from minispore.mint import creation as creation
from minispore.mint import elementwise as elementwise
from minispore.mint import linalg as linalg
from minispore.mint import matrices as matrices
from minispore.mint import nn as nn
from minispore.mint import optim as optim
from minispore.mint import reduction as reduction
from minispore.mint import special as special
from minispore.mint.arrangement import cat as cat
from minispore.mint.arrangement import cat as concat
from minispore.mint.arrangement import chunk as chunk
from minispore.mint.arrangement import diag as diag
from minispore.mint.arrangement import flatten as flatten
from minispore.mint.arrangement import gather as gather
from minispore.mint.arrangement import index_add as index_add
from minispore.mint.arrangement import index_select as index_select
from minispore.mint.arrangement import narrow as narrow
from minispore.mint.arrangement import permute as permute
from minispore.mint.arrangement import repeat_interleave as repeat_interleave
from minispore.mint.arrangement import reshape as reshape
from minispore.mint.arrangement import scatter as scatter
from minispore.mint.arrangement import scatter_add as scatter_add
from minispore.mint.arrangement import select as select
from minispore.mint.arrangement import split as split
from minispore.mint.arrangement import squeeze as squeeze
from minispore.mint.arrangement import stack as stack
from minispore.mint.arrangement import t as t
from minispore.mint.arrangement import transpose as transpose
from minispore.mint.creation import bernoulli as bernoulli
from minispore.mint.creation import empty as empty
from minispore.mint.creation import empty_like as empty_like
from minispore.mint.creation import linspace as linspace
from minispore.mint.creation import meshgrid as meshgrid
from minispore.mint.creation import multinomial as multinomial
from minispore.mint.creation import normal as normal
from minispore.mint.creation import ones as ones
from minispore.mint.creation import rand as rand
from minispore.mint.creation import rand_like as rand_like
from minispore.mint.creation import randint as randint
from minispore.mint.creation import randint_like as randint_like
from minispore.mint.creation import randn as randn
from minispore.mint.creation import randn_like as randn_like
from minispore.mint.creation import randperm as randperm
from minispore.mint.creation import zeros as zeros
from minispore.mint.elementwise import add as add
from minispore.mint.elementwise import addcdiv as addcdiv
from minispore.mint.elementwise import addcmul as addcmul
from minispore.mint.elementwise import allclose as allclose
from minispore.mint.elementwise import clone as clone
from minispore.mint.elementwise import equal as equal
from minispore.mint.elementwise import frac as frac
from minispore.mint.elementwise import isnan as isnan
from minispore.mint.elementwise import item as item
from minispore.mint.elementwise import round as round
from minispore.mint.elementwise import sigmoid as sigmoid
from minispore.mint.elementwise import sqrt as sqrt
from minispore.mint.elementwise import sub as sub
from minispore.mint.elementwise import tanh as tanh
from minispore.mint.elementwise import where as where
from minispore.mint.matrices import addr_ as addr_
from minispore.mint.matrices import baddbmm as baddbmm
from minispore.mint.matrices import bmm as bmm
from minispore.mint.matrices import cdist as cdist
from minispore.mint.matrices import mv as mv
from minispore.mint.matrices import triangular_solve as triangular_solve
from minispore.mint.matrices import vdot as vdot
from minispore.mint.nn.functional.convolution import conv2d as conv2d
from minispore.mint.nn.functional.convolution import conv_tbc as conv_tbc
from minispore.mint.reduction import all as all
from minispore.mint.reduction import amax as amax
from minispore.mint.reduction import amin as amin
from minispore.mint.reduction import any as any
from minispore.mint.reduction import argmin as argmin
from minispore.mint.reduction import argsort as argsort
from minispore.mint.reduction import bincount as bincount
from minispore.mint.reduction import count_nonzero as count_nonzero
from minispore.mint.reduction import cummax as cummax
from minispore.mint.reduction import cummin as cummin
from minispore.mint.reduction import cumprod as cumprod
from minispore.mint.reduction import cumsum as cumsum
from minispore.mint.reduction import diff as diff
from minispore.mint.reduction import histc as histc
from minispore.mint.reduction import kthvalue as kthvalue
from minispore.mint.reduction import logsumexp as logsumexp
from minispore.mint.reduction import max as max
from minispore.mint.reduction import mean as mean
from minispore.mint.reduction import median as median
from minispore.mint.reduction import min as min
from minispore.mint.reduction import nansum as nansum
from minispore.mint.reduction import norm as norm
from minispore.mint.reduction import prod as prod
from minispore.mint.reduction import softmax as softmax
from minispore.mint.reduction import sort as sort
from minispore.mint.reduction import std as std
from minispore.mint.reduction import std_mean as std_mean
from minispore.mint.reduction import sum as sum
from minispore.mint.reduction import topk as topk
from minispore.mint.reduction import unique as unique
from minispore.mint.reduction import var as var
from minispore.mint.reduction import var_mean as var_mean
from minispore.ops.elementwise.arithmetic import div as div
from minispore.ops.elementwise.arithmetic import divide as divide
from minispore.ops.elementwise.arithmetic import floor_divide as floor_divide
from minispore.ops.elementwise.arithmetic import fmod as fmod
from minispore.ops.elementwise.arithmetic import mul as mul
from minispore.ops.elementwise.arithmetic import remainder as remainder
from minispore.ops.elementwise.compare import eq as eq
from minispore.ops.elementwise.compare import ge as ge
from minispore.ops.elementwise.compare import greater as greater
from minispore.ops.elementwise.compare import greater_equal as greater_equal
from minispore.ops.elementwise.compare import gt as gt
from minispore.ops.elementwise.compare import isclose as isclose
from minispore.ops.elementwise.compare import isfinite as isfinite
from minispore.ops.elementwise.compare import isinf as isinf
from minispore.ops.elementwise.compare import isneginf as isneginf
from minispore.ops.elementwise.compare import le as le
from minispore.ops.elementwise.compare import less as less
from minispore.ops.elementwise.compare import less_equal as less_equal
from minispore.ops.elementwise.compare import logical_and as logical_and
from minispore.ops.elementwise.compare import logical_not as logical_not
from minispore.ops.elementwise.compare import logical_or as logical_or
from minispore.ops.elementwise.compare import logical_xor as logical_xor
from minispore.ops.elementwise.compare import lt as lt
from minispore.ops.elementwise.compare import ne as ne
from minispore.ops.elementwise.compare import not_equal as not_equal
from minispore.ops.elementwise.complex_numbers import imag as imag
from minispore.ops.elementwise.complex_numbers import polar as polar
from minispore.ops.elementwise.complex_numbers import real as real
from minispore.ops.elementwise.error_function import erf as erf
from minispore.ops.elementwise.error_function import erfc as erfc
from minispore.ops.elementwise.error_function import erfinv as erfinv
from minispore.ops.elementwise.extremes import clamp as clamp
from minispore.ops.elementwise.extremes import clip as clip
from minispore.ops.elementwise.extremes import maximum as maximum
from minispore.ops.elementwise.extremes import minimum as minimum
from minispore.ops.elementwise.extremes import nan_to_num as nan_to_num
from minispore.ops.elementwise.integers import bitwise_and as bitwise_and
from minispore.ops.elementwise.integers import bitwise_not as bitwise_not
from minispore.ops.elementwise.integers import bitwise_or as bitwise_or
from minispore.ops.elementwise.integers import bitwise_xor as bitwise_xor
from minispore.ops.elementwise.integers import gcd as gcd
from minispore.ops.elementwise.powers import exp as exp
from minispore.ops.elementwise.powers import exp2 as exp2
from minispore.ops.elementwise.powers import expm1 as expm1
from minispore.ops.elementwise.powers import float_power as float_power
from minispore.ops.elementwise.powers import log as log
from minispore.ops.elementwise.powers import log10 as log10
from minispore.ops.elementwise.powers import log1p as log1p
from minispore.ops.elementwise.powers import log2 as log2
from minispore.ops.elementwise.powers import logaddexp as logaddexp
from minispore.ops.elementwise.powers import logaddexp2 as logaddexp2
from minispore.ops.elementwise.powers import pow as pow
from minispore.ops.elementwise.powers import rsqrt as rsqrt
from minispore.ops.elementwise.powers import xlogy as xlogy
from minispore.ops.elementwise.rounding import abs as abs
from minispore.ops.elementwise.rounding import ceil as ceil
from minispore.ops.elementwise.rounding import floor as floor
from minispore.ops.elementwise.rounding import neg as neg
from minispore.ops.elementwise.rounding import negative as negative
from minispore.ops.elementwise.rounding import reciprocal as reciprocal
from minispore.ops.elementwise.rounding import sign as sign
from minispore.ops.elementwise.rounding import square as square
from minispore.ops.elementwise.rounding import trunc as fix
from minispore.ops.elementwise.rounding import trunc as trunc
from minispore.ops.elementwise.special import sinc as sinc
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
from minispore.ops.elementwise.trigonometric import sin as sin
from minispore.ops.elementwise.trigonometric import sinh as sinh
from minispore.ops.elementwise.trigonometric import tan as tan
from minispore.ops.elementwise.weighted_sums import lerp as lerp
from minispore.ops.index.select import masked_select as masked_select
from minispore.ops.index.slice_update import take as take
from minispore.ops.linalg.diagonal import trace as trace
from minispore.ops.linalg.diagonal import tril as tril
from minispore.ops.linalg.diagonal import triu as triu
from minispore.ops.linalg.products import addmm as addmm
from minispore.ops.linalg.products import dot as dot
from minispore.ops.linalg.products import einsum as einsum
from minispore.ops.linalg.products import matmul as matmul
from minispore.ops.linalg.products import mm as mm
from minispore.ops.linalg.products import outer as outer
from minispore.ops.linalg.solving import inverse as inverse
from minispore.ops.linalg.vector_products import addbmm as addbmm
from minispore.ops.linalg.vector_products import addmv as addmv
from minispore.ops.linalg.vector_products import cross as cross
from minispore.ops.shape.create import arange as arange
from minispore.ops.shape.create import eye as eye
from minispore.ops.shape.reordering import flip as flip
from minispore.ops.shape.reordering import roll as roll
from minispore.ops.shape.split import unbind as unbind
from minispore.ops.shape.stacking import dstack as dstack
from minispore.ops.shape.stacking import hstack as hstack
from minispore.ops.shape.views import broadcast_to as broadcast_to
from minispore.ops.shape.views import ravel as ravel
from minispore.ops.shape.views import swapaxes as swapaxes
from minispore.ops.shape.views import tile as tile
from minispore.ops.shape.views import unsqueeze as unsqueeze
from minispore.ops.shape.whole import full as full
from minispore.ops.shape.whole import full_like as full_like
from minispore.ops.shape.whole import ones_like as ones_like
from minispore.ops.shape.whole import zeros_like as zeros_like
from minispore.ops.statistics.argmax import argmax as argmax
from minispore.ops.statistics.counting import nonzero as nonzero
from minispore.ops.statistics.counting import unique_consecutive as unique_consecutive
from minispore.ops.statistics.sort import searchsorted as searchsorted

__all__ = [
    "abs",
    "acos",
    "acosh",
    "add",
    "addbmm",
    "addcdiv",
    "addcmul",
    "addmm",
    "addmv",
    "addr_",
    "all",
    "allclose",
    "amax",
    "amin",
    "any",
    "arange",
    "arccos",
    "arccosh",
    "arcsin",
    "arcsinh",
    "arctan",
    "arctan2",
    "arctanh",
    "argmax",
    "argmin",
    "argsort",
    "asin",
    "asinh",
    "atan",
    "atan2",
    "atanh",
    "baddbmm",
    "bernoulli",
    "bincount",
    "bitwise_and",
    "bitwise_not",
    "bitwise_or",
    "bitwise_xor",
    "bmm",
    "broadcast_to",
    "cat",
    "cdist",
    "ceil",
    "chunk",
    "clamp",
    "clip",
    "clone",
    "concat",
    "conv2d",
    "conv_tbc",
    "cos",
    "cosh",
    "count_nonzero",
    "cross",
    "cummax",
    "cummin",
    "cumprod",
    "cumsum",
    "diag",
    "diff",
    "div",
    "divide",
    "dot",
    "dstack",
    "einsum",
    "empty",
    "empty_like",
    "eq",
    "equal",
    "erf",
    "erfc",
    "erfinv",
    "exp",
    "exp2",
    "expm1",
    "eye",
    "fix",
    "flatten",
    "flip",
    "float_power",
    "floor",
    "floor_divide",
    "fmod",
    "frac",
    "full",
    "full_like",
    "gather",
    "gcd",
    "ge",
    "greater",
    "greater_equal",
    "gt",
    "histc",
    "hstack",
    "imag",
    "index_add",
    "index_select",
    "inverse",
    "isclose",
    "isfinite",
    "isinf",
    "isnan",
    "isneginf",
    "item",
    "kthvalue",
    "le",
    "lerp",
    "less",
    "less_equal",
    "linalg",
    "linspace",
    "log",
    "log10",
    "log1p",
    "log2",
    "logaddexp",
    "logaddexp2",
    "logical_and",
    "logical_not",
    "logical_or",
    "logical_xor",
    "logsumexp",
    "lt",
    "masked_select",
    "matmul",
    "max",
    "maximum",
    "mean",
    "median",
    "meshgrid",
    "min",
    "minimum",
    "mm",
    "mul",
    "multinomial",
    "mv",
    "nan_to_num",
    "nansum",
    "narrow",
    "ne",
    "neg",
    "negative",
    "nn",
    "nonzero",
    "norm",
    "normal",
    "not_equal",
    "ones",
    "ones_like",
    "optim",
    "outer",
    "permute",
    "polar",
    "pow",
    "prod",
    "rand",
    "rand_like",
    "randint",
    "randint_like",
    "randn",
    "randn_like",
    "randperm",
    "ravel",
    "real",
    "reciprocal",
    "remainder",
    "repeat_interleave",
    "reshape",
    "roll",
    "round",
    "rsqrt",
    "scatter",
    "scatter_add",
    "searchsorted",
    "select",
    "sigmoid",
    "sign",
    "sin",
    "sinc",
    "sinh",
    "softmax",
    "sort",
    "special",
    "split",
    "sqrt",
    "square",
    "squeeze",
    "stack",
    "std",
    "std_mean",
    "sub",
    "sum",
    "swapaxes",
    "t",
    "take",
    "tan",
    "tanh",
    "tile",
    "topk",
    "trace",
    "transpose",
    "triangular_solve",
    "tril",
    "triu",
    "trunc",
    "unbind",
    "unique",
    "unique_consecutive",
    "unsqueeze",
    "var",
    "var_mean",
    "vdot",
    "where",
    "xlogy",
    "zeros",
    "zeros_like",
]
