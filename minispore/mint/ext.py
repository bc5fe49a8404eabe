"""Alias module: functions with the arguments of ``mint``, under their names at ``ops.function``."""

from minispore.mint import acos as acos_ext
from minispore.mint import acosh as acosh_ext
from minispore.mint import addbmm as addbmm_ext
from minispore.mint import addcmul as addcmul_ext
from minispore.mint import addmm as addmm_ext
from minispore.mint import addmv as addmv_ext
from minispore.mint import amax as amax_ext
from minispore.mint import amin as amin_ext
from minispore.mint import arange as arange_ext
from minispore.mint import arccos as arccos_ext
from minispore.mint import arccosh as arccosh_ext
from minispore.mint import arcsin as arcsin_ext
from minispore.mint import arcsinh as arcsinh_ext
from minispore.mint import arctan as arctan_ext
from minispore.mint import arctan2 as arctan2_ext
from minispore.mint import argmax as argmax_ext
from minispore.mint import argmin as argmin_ext
from minispore.mint import argsort as argsort_ext
from minispore.mint import asin as asin_ext
from minispore.mint import asinh as asinh_ext
from minispore.mint import atan as atan_ext
from minispore.mint import atan2 as atan2_ext
from minispore.mint import baddbmm as baddbmm_ext
from minispore.mint import bernoulli as bernoulli_ext
from minispore.mint import bincount as bincount_ext
from minispore.mint import bitwise_and as bitwise_and_ext
from minispore.mint import bitwise_or as bitwise_or_ext
from minispore.mint import bitwise_xor as bitwise_xor_ext
from minispore.mint import bmm as bmm_ext
from minispore.mint import chunk as chunk_ext
from minispore.mint import cummin as cummin_ext
from minispore.mint import cumsum as cumsum_ext
from minispore.mint import diag as diag_ext
from minispore.mint import diff as diff_ext
from minispore.mint import einsum as einsum_ext
from minispore.mint import flatten as flatten_ext
from minispore.mint import float_power as float_power_ext
from minispore.mint import frac as frac_ext
from minispore.mint import full as full_ext
from minispore.mint import full_like as full_like_ext
from minispore.mint import gather as gather_ext
from minispore.mint import histc as histc_ext
from minispore.mint import index_select as index_select_ext
from minispore.mint import inverse as inverse_ext
from minispore.mint import inverse as matrix_inverse_ext
from minispore.mint import isnan as isnan_ext
from minispore.mint import isneginf as isneginf_ext
from minispore.mint import linspace as linspace_ext
from minispore.mint import log2 as log2_ext
from minispore.mint import log10 as log10_ext
from minispore.mint import logaddexp as logaddexp_ext
from minispore.mint import logsumexp as logsumexp_ext
from minispore.mint import matmul as matmul_ext
from minispore.mint import max as max_ext
from minispore.mint import median as median_ext
from minispore.mint import meshgrid as meshgrid_ext
from minispore.mint import min as min_ext
from minispore.mint import mm as mm_ext
from minispore.mint import mul as mul_ext
from minispore.mint import multinomial as multinomial_ext
from minispore.mint import norm as norm_ext
from minispore.mint import normal as normal_ext
from minispore.mint import ones_like as ones_like_ext
from minispore.mint import outer as outer_ext
from minispore.mint import pow as pow_ext
from minispore.mint import rand as rand_ext
from minispore.mint import rand_like as rand_like_ext
from minispore.mint import randint as randint_ext
from minispore.mint import randint_like as randint_like_ext
from minispore.mint import randn as randn_ext
from minispore.mint import randn_like as randn_like_ext
from minispore.mint import randperm as randperm_ext
from minispore.mint import remainder as remainder_ext
from minispore.mint import scatter_add as scatter_add_ext
from minispore.mint import split as split_ext
from minispore.mint import stack as stack_ext
from minispore.mint import std as std_ext
from minispore.mint import std_mean as std_mean_ext
from minispore.mint import t as t_ext
from minispore.mint import topk as topk_ext
from minispore.mint import trace as trace_ext
from minispore.mint import tril as tril_ext
from minispore.mint import unbind as unbind_ext
from minispore.mint import unique as unique_ext
from minispore.mint import var as var_ext
from minispore.mint import var_mean as var_mean_ext
from minispore.mint import zeros_like as zeros_like_ext
from minispore.mint.linalg import matrix_norm as matrix_norm_ext
from minispore.mint.linalg import vector_norm as vector_norm_ext
from minispore.mint.nn.functional import adaptive_avg_pool2d as adaptive_avg_pool2d_ext
from minispore.mint.nn.functional import adaptive_avg_pool3d as adaptive_avg_pool3d_ext
from minispore.mint.nn.functional import avg_pool1d as avg_pool1d_ext
from minispore.mint.nn.functional import avg_pool2d as avg_pool2d_ext
from minispore.mint.nn.functional import avg_pool3d as avg_pool3d_ext
from minispore.mint.nn.functional import batch_norm as batch_norm_ext
from minispore.mint.nn.functional import conv2d as conv2d_ext
from minispore.mint.nn.functional import conv_transpose2d as conv_transpose2d
from minispore.mint.nn.functional import cross_entropy as cross_entropy_ext
from minispore.mint.nn.functional import dropout as dropout_ext
from minispore.mint.nn.functional import dropout2d as dropout2d_ext
from minispore.mint.nn.functional import elu as elu_ext
from minispore.mint.nn.functional import fold as fold_ext
from minispore.mint.nn.functional import glu as glu_ext
from minispore.mint.nn.functional import interpolate as interpolate_ext
from minispore.mint.nn.functional import kl_div as kl_div_ext
from minispore.mint.nn.functional import l1_loss as l1_loss_ext
from minispore.mint.nn.functional import leaky_relu as leaky_relu_ext
from minispore.mint.nn.functional import logsigmoid as logsigmoid_ext
from minispore.mint.nn.functional import max_pool2d as max_pool2d_ext
from minispore.mint.nn.functional import max_unpool2d as max_unpool2d_ext
from minispore.mint.nn.functional import mish as mish_ext
from minispore.mint.nn.functional import mse_loss as mse_loss_ext
from minispore.mint.nn.functional import nll_loss as nll_loss_ext
from minispore.mint.nn.functional import one_hot as one_hot_ext
from minispore.mint.nn.functional import pad as pad_ext
from minispore.mint.nn.functional import selu as selu_ext
from minispore.mint.nn.functional import softmax as softmax_ext
from minispore.mint.nn.functional import softplus as softplus_ext
from minispore.mint.nn.functional import unfold as unfold_ext
from minispore.mint.positional import add_ext as add_ext
from minispore.mint.positional import log_softmax_ext as log_softmax_ext
from minispore.mint.positional import mean_ext as mean_ext
from minispore.mint.positional import prod_ext as prod_ext
from minispore.mint.positional import repeat_interleave_ext as repeat_interleave_ext
from minispore.mint.positional import sort_ext as sort_ext
from minispore.mint.positional import sub_ext as sub_ext
from minispore.mint.positional import sum_ext as sum_ext

__all__ = [
    "acos_ext",
    "acosh_ext",
    "adaptive_avg_pool2d_ext",
    "adaptive_avg_pool3d_ext",
    "add_ext",
    "addbmm_ext",
    "addcmul_ext",
    "addmm_ext",
    "addmv_ext",
    "amax_ext",
    "amin_ext",
    "arange_ext",
    "arccos_ext",
    "arccosh_ext",
    "arcsin_ext",
    "arcsinh_ext",
    "arctan2_ext",
    "arctan_ext",
    "argmax_ext",
    "argmin_ext",
    "argsort_ext",
    "asin_ext",
    "asinh_ext",
    "atan2_ext",
    "atan_ext",
    "avg_pool1d_ext",
    "avg_pool2d_ext",
    "avg_pool3d_ext",
    "baddbmm_ext",
    "batch_norm_ext",
    "bernoulli_ext",
    "bincount_ext",
    "bitwise_and_ext",
    "bitwise_or_ext",
    "bitwise_xor_ext",
    "bmm_ext",
    "chunk_ext",
    "conv2d_ext",
    "conv_transpose2d",
    "cross_entropy_ext",
    "cummin_ext",
    "cumsum_ext",
    "diag_ext",
    "diff_ext",
    "dropout2d_ext",
    "dropout_ext",
    "einsum_ext",
    "elu_ext",
    "flatten_ext",
    "float_power_ext",
    "fold_ext",
    "frac_ext",
    "full_ext",
    "full_like_ext",
    "gather_ext",
    "glu_ext",
    "histc_ext",
    "index_select_ext",
    "interpolate_ext",
    "inverse_ext",
    "isnan_ext",
    "isneginf_ext",
    "kl_div_ext",
    "l1_loss_ext",
    "leaky_relu_ext",
    "linspace_ext",
    "log2_ext",
    "log10_ext",
    "log_softmax_ext",
    "logaddexp_ext",
    "logsigmoid_ext",
    "logsumexp_ext",
    "matmul_ext",
    "matrix_inverse_ext",
    "matrix_norm_ext",
    "max_ext",
    "max_pool2d_ext",
    "max_unpool2d_ext",
    "mean_ext",
    "median_ext",
    "meshgrid_ext",
    "min_ext",
    "mish_ext",
    "mm_ext",
    "mse_loss_ext",
    "mul_ext",
    "multinomial_ext",
    "nll_loss_ext",
    "norm_ext",
    "normal_ext",
    "one_hot_ext",
    "ones_like_ext",
    "outer_ext",
    "pad_ext",
    "pow_ext",
    "prod_ext",
    "rand_ext",
    "rand_like_ext",
    "randint_ext",
    "randint_like_ext",
    "randn_ext",
    "randn_like_ext",
    "randperm_ext",
    "remainder_ext",
    "repeat_interleave_ext",
    "scatter_add_ext",
    "selu_ext",
    "softmax_ext",
    "softplus_ext",
    "sort_ext",
    "split_ext",
    "stack_ext",
    "std_ext",
    "std_mean_ext",
    "sub_ext",
    "sum_ext",
    "t_ext",
    "topk_ext",
    "trace_ext",
    "tril_ext",
    "unbind_ext",
    "unfold_ext",
    "unique_ext",
    "var_ext",
    "var_mean_ext",
    "vector_norm_ext",
    "zeros_like_ext",
]
