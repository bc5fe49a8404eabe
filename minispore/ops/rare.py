"""Rarely used ops, whose modules are imported when a name is first used.

``PUBLIC_NAMES`` holds the ops that MindSpore exports from ``ops``; ``INNER`` adds those of its
modules below ``ops.operations``. ``FUNCTIONS`` and ``IMAGE_FUNCTIONS`` hold functions,
``GENERATED`` the names of ``ops.auto_generate``.
"""

from __future__ import annotations

from minispore.foundation.lazy_import import GetAttribute, ListNames, make_lazy_attributes


def parse_module_table(table: str) -> dict[str, str]:
    """Parse lines of a module (below ``minispore.ops``) followed by its names into a dict from name
    to full module name.
    """
    modules: dict[str, str] = {}
    for line in table.strip().splitlines():
        module, *names = line.split()
        modules |= dict.fromkeys(names, f"minispore.ops.{module}")
    return modules


PUBLIC_NAMES = parse_module_table(
    """
    index.lookups CompareAndBitpack ComputeAccidentalHits MapUniform NoRepeatNGram SubAndFilter
    shape.formats ConjugateTranspose DataFormatVecPermute Expand Fills
    image.suppression CombinedNonMaxSuppression NonMaxSuppressionWithOverlaps
    network.dilation Dilation2D
    network.fractional_regions FractionalAvgPool FractionalMaxPool
    image.glimpse ExtractGlimpse SampleDistortedBoundingBoxV2 ScaleAndTranslate
    control.hybrid kernel
    control.elsewhere Pull Push
    sparse.coordinates Coalesce SparseSlice coalesce
    sparse.ragged RaggedRange
    sparse.row_bounds coo2csr csr2coo
    sparse.segments sparse_segment_mean
    sparse.sets DenseToDenseSetOperation DenseToSparseSetOperation
    sparse.sums SparseTensorDenseAdd
    support.deprecated DepthwiseConv2dNative
    transformer.gating GroupTopk
    """
)
FUNCTIONS = parse_module_table(
    """
    transformer.experts moe_token_permute moe_token_unpermute
    transformer.fused_inference fused_infer_attention_score
    transformer.fused_norms add_layer_norm add_rms_norm
    transformer.increment incre_flash_attention
    transformer.prompt prompt_flash_attention
    transformer.ring ring_attention_update
    transformer.routing moe_init_routing_v2
    transformer.speed_fusion speed_fusion_attention
    """
)
IMAGE_FUNCTIONS = parse_module_table(
    """
    image.multi_scale multi_scale_deformable_attn_function
    image.rotated rotated_iou
    """
)
_SERVING = parse_module_table(
    """
    image.rotated RotatedIou
    transformer.caches KVCacheScatterUpdate ReshapeAndCache
    transformer.fused_inference FusedInferAttentionScore
    transformer.increment IncreFlashAttention
    transformer.paged PagedAttention PagedAttentionMask
    transformer.positions ApplyRotaryPosEmb
    transformer.prompt PromptFlashAttention
    """
)
PUBLIC_NAMES |= _SERVING
_PRIMITIVES = _SERVING | parse_module_table(
    """
    transformer.experts MoeTokenPermute MoeTokenPermuteGrad MoeTokenUnpermute MoeTokenUnpermuteGrad
    transformer.fused_norms AddLayerNormGrad AddLayerNormV2 AddRmsNorm RmsNormGrad
    transformer.gating FusedAddTopKDiv GroupTopk MoeComputeExpertTokens MoeGatingTopKSoftmax
    transformer.gating TopKRouter
    transformer.grouped GroupedMatmul GroupedMatmulV2 GroupedMatmulV4 InplaceGroupedMatmulAdd
    transformer.routing MoeFinalizeRouting MoeInitRouting MoeInitRoutingV2
    """
)
GENERATED = _PRIMITIVES | parse_module_table(
    """
    transformer.caches kv_cache_scatter_update reshape_and_cache
    transformer.experts moe_token_permute moe_token_permute_grad moe_token_unpermute
    transformer.experts moe_token_unpermute_grad
    transformer.fused_inference fused_infer_attention_score
    transformer.fused_norms add_layer_norm_grad add_layernorm_v2 add_rms_norm
    transformer.gating fused_add_topk_div group_topk moe_compute_expert_tokens topkrouter
    transformer.grouped_functions grouped_matmul grouped_matmul_add_ grouped_matmul_v2
    transformer.grouped_functions grouped_matmul_v4
    transformer.positions apply_rotary_pos_emb_
    transformer.ring ring_attention_update
    transformer.routing moe_finalize_routing moe_init_routing
    """
)
INNER = PUBLIC_NAMES | parse_module_table(
    """
    linalg.tridiagonal SelfAdjointEig TridiagonalSolve
    loss.sparse_rows SparseSoftmaxCrossEntropyWithLogitsV2
    optim.sparse_steps SparseApplyAdagradDA SparseApplyCenteredRMSProp SparseApplyMomentum
    optim.sparse_steps SparseApplyProximalGradientDescent
    image.position_sensitive PSROIPooling
    sparse.coordinates SetSize SparseConcat SparseFillEmptyRows SparseReorder SparseReshape
    sparse.coordinates SparseSplit SparseToDenseV2
    sparse.csr CSRSparseMatrixToDense CSRSparseMatrixToSparseTensor DenseToCSRSparseMatrix
    sparse.csr SparseMatrixAdd SparseMatrixMatMul SparseMatrixNNZ SparseMatrixSoftmax
    sparse.csr SparseMatrixSparseMatMul SparseMatrixTranspose SparseTensorToCSRSparseMatrix
    sparse.ragged RaggedTensorToSparse RaggedTensorToTensor
    sparse.segments SparseSegmentMean SparseSegmentMeanWithNumSegments SparseSegmentSqrtN
    sparse.segments SparseSegmentSqrtNWithNumSegments SparseSegmentSum
    sparse.segments SparseSegmentSumWithNumSegments
    sparse.sums SparseAdd SparseAddmm SparseCountSparseOutput SparseDenseCwiseAdd
    sparse.sums SparseDenseCwiseDiv SparseDenseCwiseMul SparseSoftmax SparseSparseMaximum
    sparse.sums SparseSparseMinimum Sspaddmm
    transformer.gating TopKRouter
    """
)
_INFERENCE = parse_module_table(
    """
    transformer.gating MoeGatingTopKSoftmax
    transformer.grouped GroupedMatmul
    transformer.routing MoeFinalizeRouting
    """
)


def _make_lookup(module: str) -> tuple[GetAttribute, ListNames]:
    """Return ``__getattr__`` and ``__dir__`` with all rare ops for a module below
    ``ops.operations``.
    """
    return make_lazy_attributes(f"minispore.ops.operations.{module}", INNER)


look_operations, names_operations = make_lazy_attributes("minispore.ops.operations", PUBLIC_NAMES)
look_arrays, names_arrays = _make_lookup("array_ops")
look_images, names_images = _make_lookup("image_ops")
look_inference, names_inference = make_lazy_attributes(
    "minispore.ops.operations._infer_ops", _INFERENCE
)
look_inner, names_inner = _make_lookup("_inner_ops")
look_maths, names_maths = _make_lookup("math_ops")
look_networks, names_networks = _make_lookup("nn_ops")
look_others, names_others = _make_lookup("other_ops")
look_sparse, names_sparse = _make_lookup("sparse_ops")
look_primitives, names_primitives = make_lazy_attributes(
    "minispore.ops.auto_generate.gen_ops_prim", _PRIMITIVES
)

_TYPES = dict.fromkeys(
    ("TensorType", "get_py_obj_dtype", "tensor_type"), "minispore.ops.methods.object_types"
)
_GROUPS = dict.fromkeys(
    ("Bool", "Float", "Int", "List", "QuantDtype", "String", "Tuple"),
    "minispore.ops.methods.object_types",
)
_OLD = {"SparseTensor": "minispore.ops.methods.old_sparse"}
_FUNCTIONS = {"_Function": "minispore.nn.function"}
look_common, names_common = make_lazy_attributes("minispore.common", _TYPES | _OLD | _FUNCTIONS)
look_dtype, names_dtype = make_lazy_attributes("minispore.common.dtype", _TYPES | _GROUPS)
look_old, names_old = make_lazy_attributes("minispore.common.sparse_tensor", _OLD)
