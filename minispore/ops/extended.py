"""Functions whose modules are imported when a name is first used.

They are functions of ``mint``, under their names in ``ops.function`` of MindSpore, and functions of
sparse tensors.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from minispore.foundation.lazy_import import GetAttribute, ListNames, make_lazy_attributes
from minispore.ops import python_values
from minispore.ops.rare import (
    FUNCTIONS,
    GENERATED,
    IMAGE_FUNCTIONS,
    PUBLIC_NAMES,
    parse_module_table,
)


def _make_mint_lookup(
    module: str, mint_names: str, modules: Mapping[str, str] | None = None
) -> tuple[GetAttribute, ListNames]:
    """Return ``__getattr__`` and ``__dir__`` for a module that exports these names of ``mint``.

    Args:
        module: the module, without the prefix ``minispore.ops``.
        mint_names: names of ``minispore.mint.ext``, separated by blanks.
        modules: maps each further name to its module.
    """
    mint_modules = dict.fromkeys(mint_names.split(), "minispore.mint.ext")
    return make_lazy_attributes(f"minispore.ops.{module}", mint_modules | dict(modules or {}))


_GENERATED = """
    acos_ext acosh_ext adaptive_avg_pool3d_ext add_ext argmax_ext argmin_ext argsort_ext
    asin_ext asinh_ext atan_ext atan2_ext avg_pool1d_ext bincount_ext bmm_ext cummin_ext
    cumsum_ext diag_ext elu_ext flatten_ext fold_ext frac_ext histc_ext index_select_ext
    isneginf_ext l1_loss_ext leaky_relu_ext log10_ext log2_ext log_softmax_ext logaddexp_ext
    conv_transpose2d logsumexp_ext matmul_ext matrix_inverse_ext max_unpool2d_ext mean_ext
    mish_ext mm_ext mse_loss_ext outer_ext prod_ext selu_ext softplus_ext sort_ext stack_ext
    sub_ext sum_ext t_ext topk_ext trace_ext tril_ext unfold_ext
"""
_ALIASES = parse_module_table(
    """
    methods.inplace_functions bernoulli_ clamp_ conv3d_transpose deepcopy erfinv_ exponential_
    methods.inplace_functions floordiv floormod inplace_sigmoid normal_ put_ random_ reshape_ shape_
    methods.inplace_functions stop_gradient_ tanh_ typeof uniform_ zero_
    """
)
_MINT_NAMES = """
    adaptive_avg_pool2d_ext baddbmm_ext bernoulli_ext conv_transpose2d diff_ext einsum_ext
    float_power_ext isnan_ext mse_loss_ext
"""
_MINT_MODULES = dict.fromkeys(_MINT_NAMES.split(), "minispore.mint.ext")


def _select_aliases(names: str) -> dict[str, str]:
    """Return a dict from each of these aliases, separated by blanks, to its module."""
    return {name: _ALIASES[name] for name in names.split()}


_HEADS = parse_module_table(
    """
    network.heads _check_attn_mask_shape _check_kpm_shape _check_qkv_shape _in_projection
    network.heads _in_projection_packed _inner_dropout _inner_pad _interploate_ext_make_tuple
    network.heads _interpolate_ext_scale_factor_convert_size linear multi_head_attention_forward
    """
)
_GROUPED = parse_module_table("transformer.grouped_functions gmm gmm_backward gmm_backward_fusion")
look_array, names_array = _make_mint_lookup(
    "function.array_func",
    """
    arange_ext chunk_ext full_ext full_like_ext gather_ext max_ext meshgrid_ext min_ext
    one_hot_ext ones_like_ext repeat_interleave_ext scatter_add_ext sort_ext split_ext
    tril_ext unbind_ext unique_ext zeros_like_ext
    """,
    _select_aliases("deepcopy reshape_ shape_ zero_"),
)
look_math, names_math = _make_mint_lookup(
    "function.math_func",
    """
    acos_ext acosh_ext add_ext addbmm_ext addcmul_ext addmm_ext addmv_ext amax_ext amin_ext
    arccos_ext arccosh_ext arcsin_ext arcsinh_ext arctan_ext arctan2_ext argmax_ext asin_ext
    asinh_ext atan_ext atan2_ext baddbmm_ext bernoulli_ext bincount_ext bitwise_and_ext
    bitwise_or_ext bitwise_xor_ext bmm_ext diff_ext einsum_ext float_power_ext frac_ext
    histc_ext inverse_ext isnan_ext linspace_ext matrix_inverse_ext matrix_norm_ext mean_ext
    median_ext mul_ext norm_ext pow_ext remainder_ext std_ext std_mean_ext sub_ext var_ext
    var_mean_ext vector_norm_ext
    """,
    IMAGE_FUNCTIONS
    | _GROUPED
    | _select_aliases("bernoulli_ erfinv_ floordiv floormod reshape_ shape_ tanh_"),
)
look_nn, names_nn = _make_mint_lookup(
    "function.nn_func",
    """
    adaptive_avg_pool2d_ext avg_pool2d_ext avg_pool3d_ext batch_norm_ext conv2d_ext conv_transpose2d
    cross_entropy_ext dropout_ext dropout2d_ext flatten_ext gather_ext glu_ext
    interpolate_ext kl_div_ext l1_loss_ext log_softmax_ext logsigmoid_ext max_pool2d_ext
    mse_loss_ext nll_loss_ext pad_ext softmax_ext
    """,
    _HEADS | FUNCTIONS | _select_aliases("conv3d_transpose inplace_sigmoid reshape_ shape_"),
)
look_random, names_random = _make_mint_lookup(
    "function.random_func",
    """
    multinomial_ext normal_ext rand_ext rand_like_ext randint_ext randint_like_ext randn_ext
    randn_like_ext randperm_ext
    """,
    _select_aliases("exponential_ normal_ random_ reshape_ shape_ uniform_"),
)
look_other, names_other = _make_mint_lookup("function.other_func", "", FUNCTIONS)
_GENERATED_MODULES = GENERATED | _select_aliases("deepcopy inplace_sigmoid put_ shape_ tanh_ zero_")
look_clip, names_clip = _make_mint_lookup("function.clip_func", "", _select_aliases("clamp_"))
look_grad, names_grad = _make_mint_lookup(
    "function.grad.grad_func", "", _select_aliases("stop_gradient_")
)
look_generated, names_generated = _make_mint_lookup("auto_generate", _GENERATED, _GENERATED_MODULES)
look_definitions, names_definitions = _make_mint_lookup(
    "auto_generate.gen_ops_def", _GENERATED, _GENERATED_MODULES
)

_VALUE_FUNCTIONS = """
    abs acos acosh asin asinh atan atanh ceil cos cosh exp expm1 floor inv isfinite isinf isnan log
    log1p neg relu relu6 round sigmoid sin sinh softsign sqrt square tan tanh
"""
_COMPONENT_FUNCTIONS = """
    coo_tensor_get_dense_shape coo_tensor_get_indices coo_tensor_get_values
    csr_tensor_get_dense_shape csr_tensor_get_indices csr_tensor_get_indptr csr_tensor_get_values
    dense_to_sparse_coo dense_to_sparse_csr
"""
_SPARSE = """
    coo_add coo_concat csr_add csr_div csr_gather csr_mm csr_mul csr_mv csr_reduce_sum csr_softmax
    csr_to_coo csr_to_dense
"""


def _make_sparse_lookup(
    module: str, submodules: Sequence[str] = ()
) -> tuple[GetAttribute, ListNames]:
    """Return ``__getattr__`` and ``__dir__`` for ``module``, a full module name.

    They look up the functions of sparse tensors, the rare ops, the aliases and ``submodules``, and
    import their modules then.
    """
    modules = {name: f"{module}.{name}" for name in submodules}
    value_functions = [
        f"{layout}_{name}" for layout in ("coo", "csr") for name in _VALUE_FUNCTIONS.split()
    ]
    value_functions += _COMPONENT_FUNCTIONS.split()
    modules |= dict.fromkeys(value_functions, "minispore.ops.methods.sparse_values")
    modules |= dict.fromkeys(_SPARSE.split(), "minispore.ops.methods.sparse_functions")
    modules |= PUBLIC_NAMES | FUNCTIONS | IMAGE_FUNCTIONS | _ALIASES
    return make_lazy_attributes(module, modules)


_look_ops, names_ops = _make_sparse_lookup(
    "minispore.ops",
    ("auto_generate", "composite", "function", "functional", "operations", "primitive"),
)
_look_function, names_function = _make_sparse_lookup("minispore.ops.function")
_look_functional, names_functional = _make_sparse_lookup("minispore.ops.functional")
look_sparse, names_sparse = _make_sparse_lookup("minispore.ops.function.sparse_func")
# These functions are documented in mint, so dir(ops) does not list them.
_look_mint, _ = make_lazy_attributes("minispore.ops", _MINT_MODULES, cached=False)


def look_ops(name: str) -> object:
    """Return a lazily imported attribute of ``ops``.

    These include operations on Python values, which MindSpore does not document, and functions that
    are documented in ``mint``. An unknown name raises an AttributeError.
    """
    if name in python_values.__all__:
        return getattr(python_values, name)
    return _look_mint(name) if name in _MINT_MODULES else _look_ops(name)


def look_function(name: str) -> object:
    """Return a lazily imported attribute of ``ops.function``, functions of ``mint`` included.

    Raises an AttributeError for an unknown name.
    """
    return _look_mint(name) if name in _MINT_MODULES else _look_function(name)


def look_functional(name: str) -> object:
    """Return a lazily imported attribute of ``ops.functional``, functions of ``mint`` included.

    Raises an AttributeError for an unknown name.
    """
    return _look_mint(name) if name in _MINT_MODULES else _look_functional(name)
