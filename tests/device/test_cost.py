"""The cost of a program follows from shapes: tiles, lanes, bytes, kernels."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest

from minispore import Model, nn, ops
from minispore.core.primitive import Primitive
from minispore.device import Shapes
from minispore.device.model import roles
from minispore.device.model.cost import program_cost
from minispore.device.model.cube import cube_work
from minispore.device.model.predict import training_step
from minispore.device.model.records import BACKWARD, OPTIMIZER, OpRecord
from minispore.device.model.spec import device_spec
from minispore.ir.registry import registry
from minispore.ops.transformer.products import GroupedOuter, GroupedRows
from tests.device.programs import HALF, SINGLE, array, small_step

SPEC = device_spec("Ascend910")
#: Everything on one unit: 1 core at 1 MHz, so that a cycle is a microsecond.
SLOW = SPEC.replace(
    ai_cores=1,
    vector_cores=1,
    clock_mhz=1,
    l2_gbs=1e9,
    cube_efficiency=1,
    group_efficiency=1,
    product_efficiency=1,
)


def matmul(m: int, k: int, n: int, dtype: np.dtype = HALF, **attrs) -> OpRecord:
    return OpRecord("MatMul", (array("a", m, k, dtype=dtype), array("b", k, n, dtype=dtype)),
                    (array("c", m, n, dtype=dtype),), attrs)  # fmt: skip


def conv(n: int, c: int, hw: int, f: int, k: int, **attrs) -> OpRecord:
    group = attrs.get("group", 1)
    return OpRecord(
        "Conv2D", (array("x", n, c, hw, hw), array("w", f, c // group, k, k)),
        (array("y", n, f, hw, hw),), attrs,
    )  # fmt: skip


def chain(*names: str, shape: tuple[int, ...] = (64, 64), dtype: np.dtype = HALF) -> list[OpRecord]:
    values = [array(i, *shape, dtype=dtype) for i in range(len(names) + 1)]
    return [OpRecord(n, (values[i],), (values[i + 1],)) for i, n in enumerate(names)]


# -- the cube -------------------------------------------------------------------------------------


def test_one_padded_tile_takes_one_cycle() -> None:
    assert cube_work(matmul(16, 16, 16), SLOW).cycles == 1


def test_a_17_wide_layer_costs_like_32() -> None:
    assert cube_work(matmul(16, 16, 17), SLOW) == cube_work(matmul(16, 16, 32), SLOW)
    assert cube_work(matmul(16, 17, 16), SLOW).cycles == 2


def test_flops_count_the_padding() -> None:
    assert cube_work(matmul(1, 1, 1), SLOW).flops == 2 * 16**3


def test_a_transposed_product_has_the_same_tiles() -> None:
    turned = OpRecord("MatMul", (array("a", 64, 32), array("b", 64, 48)), (array("c", 32, 48),),
                      {"transpose_a": True})  # fmt: skip
    assert cube_work(turned, SLOW).flops == cube_work(matmul(32, 64, 48), SLOW).flops


@pytest.mark.parametrize("role", roles.ROLES)
def test_each_op_that_has_a_role_exists(role: str) -> None:
    assert [n for n in roles.ROLES[role].split() if n not in registry] == []


def test_each_op_that_counts_its_multiply_adds_is_work_of_the_matrix_unit() -> None:
    counting = {n: op for n, op in registry.items() if op.flops is not Primitive.flops}
    steps = {n for n, op in counting.items() if ".ops.steps." in op.__module__}
    assert [n for n in counting.keys() - steps if not roles.get_matmul_kind(n)] == []


def test_an_op_has_the_roles_of_the_op_that_it_derives_from() -> None:
    assert roles.get_matmul_kind("Conv3DBackpropFilter") == "weight gradient"
    assert roles.has_role("BatchMatMul", "product") and roles.has_role("MaxPool3D", "feature maps")
    assert not roles.has_role("Unknown", "view") and roles.get_matmul_kind("Add") == ""


def test_products_of_groups_of_rows_have_the_tiles_of_all_rows() -> None:
    ends = array("ends", 4, dtype=np.dtype(np.int64))
    rows = OpRecord(GroupedRows.name, (array("x", 256, 64), array("w", 4, 64, 48), ends),
                    (array("y", 256, 48),))  # fmt: skip
    assert cube_work(rows, SLOW).cycles == cube_work(matmul(256, 64, 48), SLOW).cycles
    outer = OpRecord(GroupedOuter.name, (array("x", 256, 64), array("dy", 256, 48), ends),
                     (array("dw", 4, 64, 48),))  # fmt: skip
    assert cube_work(outer, SLOW).cycles == 4 * cube_work(matmul(64, 256 // 4, 48), SLOW).cycles


def test_a_batched_product_has_the_tiles_of_all_its_matrices() -> None:
    one = matmul(32, 48, 64)
    many = OpRecord("BatchMatMul", (array("a", 4, 3, 32, 48), array("b", 4, 3, 48, 64)),
                    (array("c", 4, 3, 32, 64),))  # fmt: skip
    assert cube_work(many, SLOW).flops == 12 * cube_work(one, SLOW).flops


def test_a_convolution_is_a_product_over_its_window() -> None:
    # 2 * 8 * 8 pixels = 8 tiles; 32 filters = 2 tiles; 16 channels * 9 = 9 tiles deep.
    assert cube_work(conv(2, 16, 8, 32, 3), SLOW).cycles == 8 * 2 * 9


def test_the_three_ops_of_a_convolution_do_the_same_work_at_full_tiles() -> None:
    x, w, y = array("x", 2, 32, 8, 8), array("w", 64, 32, 3, 3), array("y", 2, 64, 8, 8)
    forward = OpRecord("Conv2D", (x, w), (y,))
    to_input = OpRecord("Conv2DBackpropInput", (y, w), (x,), {"input_size": x.shape})
    to_filter = OpRecord("Conv2DBackpropFilter", (y, x), (w,), {"filter_size": w.shape})
    assert len({cube_work(r, SLOW).flops for r in (forward, to_input, to_filter)}) == 1


def test_a_strided_convolution_costs_its_gradient_no_more_than_itself() -> None:
    x, w, y = array("x", 2, 32, 16, 16), array("w", 64, 32, 3, 3), array("y", 2, 64, 8, 8)
    forward = OpRecord("Conv2D", (x, w), (y,), {"stride": 2})
    to_input = OpRecord("Conv2DBackpropInput", (y, w), (x,), {"stride": 2})
    assert cube_work(to_input, SLOW).flops == cube_work(forward, SLOW).flops


def test_a_depthwise_convolution_packs_sixteen_channels_into_a_tile() -> None:
    assert cube_work(conv(1, 32, 8, 32, 3, group=32), SLOW).cycles == 4 * 2 * 9


def test_work_is_dealt_to_the_cores_in_whole_tiles() -> None:
    two = SLOW.replace(ai_cores=2)
    assert cube_work(matmul(48, 16, 16), two).cycles == 2  # three tiles on two cores
    assert cube_work(matmul(48, 16, 16), two).cores == 2


def test_a_weight_gradient_splits_its_batch_over_the_cores() -> None:
    x, w, y = array("x", 32, 16, 8, 8), array("w", 16, 16, 1, 1), array("y", 32, 16, 8, 8)
    to_filter = OpRecord("Conv2DBackpropFilter", (y, x), (w,))
    assert cube_work(to_filter, SPEC).cores == 32


# -- vectors, memory and kernels ------------------------------------------------------------------


def test_a_kernel_moves_its_inputs_and_outputs_once() -> None:
    (kernel,) = program_cost(chain("ReLU"), SPEC).kernels
    assert kernel.nbytes == 2 * 64 * 64 * 2


def test_a_tiny_kernel_costs_the_floor() -> None:
    (kernel,) = program_cost(chain("ReLU"), SPEC.replace(kernel_floor_us=16)).kernels
    assert kernel.us == 16


def test_a_large_kernel_costs_its_bytes_and_the_fixed_part() -> None:
    (kernel,) = program_cost(chain("ReLU", shape=(1 << 14, 1 << 14)), SPEC).kernels
    assert kernel.us == pytest.approx(
        SPEC.kernel_us + 2**30 / (1.2e6 * SPEC.memory_efficiency), abs=0.01
    )


def test_float16_takes_half_the_time_of_float32() -> None:
    half, single = (
        program_cost(chain("ReLU", shape=(1 << 14, 1 << 14), dtype=d), SPEC).kernels[0]
        for d in (HALF, SINGLE)
    )
    assert single.memory_us == 2 * half.memory_us


def test_a_feature_map_is_padded_to_blocks_of_sixteen_channels() -> None:
    three, sixteen = (
        program_cost(chain("AvgPool", shape=(8, c, 32, 32)), SPEC).kernels[0] for c in (3, 16)
    )
    assert three.nbytes == sixteen.nbytes


def test_a_four_dimensional_array_is_not_always_a_feature_map() -> None:
    (kernel,) = program_cost(chain("Softmax", shape=(8, 3, 32, 32)), SPEC).kernels
    assert kernel.nbytes == 2 * 8 * 3 * 32 * 32 * 2


def test_elementwise_ops_ride_in_the_kernel_that_makes_their_input() -> None:
    (kernel,) = program_cost(chain("Add", "ReLU", "Mul"), SPEC).kernels
    assert kernel.ops == ("Add", "ReLU", "Mul")
    assert kernel.nbytes == 2 * 64 * 64 * 2


def test_no_more_ops_ride_in_a_kernel_than_the_device_fuses() -> None:
    kernels = program_cost(chain(*["ReLU"] * 8), SPEC.replace(fused_ops=3)).kernels
    assert [len(k.ops) for k in kernels] == [3, 3, 2]


def relu_and_gradient(*shape: int) -> list[OpRecord]:
    x, y, dy, dx = (array(key, *shape) for key in ("x", "y", "dy", "dx"))
    return [
        OpRecord("ReLU", (x,), (y,), scope="net"),
        OpRecord("ReluGrad", (dy, y), (dx,), kind=BACKWARD, scope="Gradients.net"),
    ]


@pytest.mark.parametrize(
    ("shape", "spec", "is_masked"),
    [
        ((2, 32, 8, 8), SPEC, True),
        ((2, 2048), SPEC, False),
        ((2, 32, 8, 8), SPEC.replace(fused_ops=1), False),  # ops one by one
        ((2, 32, 8, 8), device_spec("V100"), False),
    ],
)
def test_the_derivative_of_relu_reads_a_bit_an_element_of_a_feature_map(
    shape, spec, is_masked
) -> None:
    forward, backward = program_cost(relu_and_gradient(*shape), spec).kernels
    map_bytes = 2 * math.prod(shape)
    mask_bytes = map_bytes // 16
    assert forward.nbytes == 2 * map_bytes + (mask_bytes if is_masked else 0)
    assert backward.nbytes == 2 * map_bytes + (mask_bytes if is_masked else map_bytes)


def test_a_mask_of_relu_has_two_bytes_for_each_16_channels_of_a_pixel() -> None:
    forward, backward = program_cost(relu_and_gradient(2, 17, 8, 8), SPEC).kernels
    assert forward.nbytes == backward.nbytes == 2 * 8 * 8 * (2 * 17 * 2 + 2 * 2)


def test_masks_of_relu_change_no_kernel(monkeypatch) -> None:
    """The gradient of a matrix becomes a feature map before ReluGrad, which has its layout."""
    layers = [nn.Conv2d(3, 16, 3), nn.ReLU(), nn.Flatten(), nn.Dense(16 * 64, 4)]
    net = nn.SequentialCell(*layers)
    model = Model(net, nn.MSELoss(), nn.SGD(net.trainable_params()))
    step = training_step(model, Shapes([((2, 3, 8, 8), "float32"), ((2, 4), "float32")]))
    names = [k.name for k in program_cost(step.records, SPEC).kernels]
    monkeypatch.setattr("minispore.device.model.grouping.use_relu_masks", list)
    assert names == [k.name for k in program_cost(step.records, SPEC).kernels]


def test_what_someone_else_reads_is_written_though_it_rides() -> None:
    a, b, c, d = (array(i, 64, 64) for i in range(4))
    records = [
        OpRecord("Add", (a,), (b,)),
        OpRecord("ReLU", (b,), (c,)),
        OpRecord("Softmax", (b,), (d,)),
    ]
    first = program_cost(records, SPEC).kernels[0]
    assert first.nbytes == 3 * 64 * 64 * 2  # a in; b and c out


def test_views_are_free() -> None:
    records = chain("Reshape", "ReLU")
    assert [k.op_type for k in program_cost(records, SPEC).kernels] == ["ReLU"]


def test_a_feature_map_that_becomes_a_matrix_changes_its_layout() -> None:
    x, flat = array("x", 8, 16, 4, 4), array("flat", 8, 256)
    op_record = OpRecord("MaxPool", (array("in", 8, 16, 8, 8),), (x,))
    kernels = program_cost([op_record, OpRecord("Reshape", (x,), (flat,))], SPEC).kernels
    assert [k.op_type for k in kernels] == ["MaxPool", "TransData"]


def test_the_cube_takes_float16_so_float32_passes_through_casts() -> None:
    wide = conv(8, 16, 8, 16, 3)
    wide = replace(
        wide,
        inputs=tuple(o._replace(dtype=SINGLE) for o in wide.inputs),
        outputs=(wide.outputs[0]._replace(dtype=SINGLE),),
    )
    kernels = program_cost([wide], SPEC).kernels
    assert [(k.op_type, k.inserted) for k in kernels] == [
        ("Cast", True), ("Cast", True), ("Conv2D", False), ("Cast", True),
    ]  # fmt: skip


def test_a_product_of_float32_runs_without_casts_and_slowly() -> None:
    (kernel,) = program_cost([matmul(64, 64, 64, SINGLE)], SPEC).kernels
    assert kernel.op_type == "MatMul"
    assert kernel.compute_us == SPEC.product_float32_us


def test_an_input_is_cast_once_however_often_it_is_read() -> None:
    w, x = array("w", 64, 64, dtype=SINGLE), array("x", 64, 64, dtype=SINGLE)
    y, z = array("y", 64, 64), array("z", 64, 64)
    kernels = program_cost(
        [OpRecord("MatMul", (x, w), (y,)), OpRecord("MatMul", (y, w), (z,))], SPEC
    ).kernels
    assert [k.op_type for k in kernels].count("Cast") == 2


def test_a_device_with_a_float32_cube_needs_no_casts() -> None:
    kernels = program_cost([matmul(64, 64, 64, SINGLE)], device_spec("Ascend910B2")).kernels
    assert [k.op_type for k in kernels] == ["MatMul"]


def test_batch_norm_after_a_convolution_reads_its_input_once() -> None:
    x, w, y, z = (
        array("x", 32, 64, 56, 56),
        array("w", 64, 64, 3, 3),
        array("y", 32, 64, 56, 56),
        array("z", 32, 64, 56, 56),
    )
    fused = [
        OpRecord("ReLU", (array("in", 32, 64, 56, 56),), (x,)),
        OpRecord("Conv2D", (x, w), (y,)),
        OpRecord("BatchNorm", (y,), (z,)),
    ]
    single = [OpRecord("Softmax", (x,), (y,)), OpRecord("BatchNorm", (y,), (z,))]
    size = 32 * 64 * 56 * 56 * 2
    assert program_cost(fused, SPEC).kernels[-1].nbytes == 2 * size
    assert program_cost(single, SPEC).kernels[-1].nbytes == 3 * size


def test_a_gather_reads_the_rows_that_it_hands_out() -> None:
    table, ids, out = (
        array("t", 1_000_000, 64),
        array("i", 32, dtype=np.dtype(np.int32)),
        array("o", 32, 64),
    )
    (kernel,) = program_cost([OpRecord("Gather", (table, ids), (out,))], SPEC).kernels
    assert kernel.nbytes == 32 * 64 * 2 * 2 + 32 * 4


def test_an_array_that_just_passed_the_l2_cache_is_read_faster() -> None:
    a, b, c = array("a", 1 << 20), array("b", 1 << 20), array("c", 1 << 20)
    near = [OpRecord("Softmax", (a,), (b,)), OpRecord("Softmax", (b,), (c,))]
    near_us = program_cost(near, SPEC).kernels[1].memory_us
    far_us = program_cost(near, SPEC.replace(l2_bytes=1)).kernels[1].memory_us
    assert near_us < far_us


def test_an_unknown_op_is_a_vector_op() -> None:
    (kernel,) = program_cost(chain("SomethingNew"), SPEC).kernels
    assert (kernel.op_type, kernel.lane) == ("SomethingNew", "AI Core")


def test_random_ops_run_on_the_ai_cpu() -> None:
    (kernel,) = program_cost(chain("StandardNormal"), SPEC).kernels
    assert kernel.lane == "AI CPU"


def test_getnext_is_no_kernel_of_the_program() -> None:
    records = [OpRecord("GetNext", (), (array("x", 4),)), *chain("ReLU")]
    assert program_cost(records, SPEC).launches == 1


def test_gradients_are_ready_in_the_order_of_the_kernels_that_make_them() -> None:
    records, batch = small_step()
    cost = program_cost(records, SPEC, batch=batch)
    assert [size for _, size in cost.gradients] == [32 * 16 * 4]
    update = next(k for k in cost.kernels if k.kind == OPTIMIZER)
    turned = cost.kernels[-2]  # into the layout of the weight
    assert turned.op_type == "TransData"
    assert cost.gradients[0][0] == cost.device_us - update.us - turned.us
    assert {k.kind for k in cost.kernels} == {"forward", BACKWARD, OPTIMIZER}


def test_the_same_program_costs_the_same_to_the_last_digit() -> None:
    records, batch = small_step()
    assert program_cost(records, SPEC, batch=batch) == program_cost(records, SPEC, batch=batch)


def test_a_program_reports_its_kernels_by_type_longest_first() -> None:
    records, batch = small_step(rows=1 << 16)
    table = program_cost(records, SPEC, batch=batch).sum_kernel_types()
    times = [us for _, us in table.values()]
    assert times == sorted(times, reverse=True)
    assert table["ApplyMomentum"][0] == 1


def test_each_op_knows_its_kernel() -> None:
    records = [
        *chain("Add", "ReLU"),
        *[OpRecord("Softmax", (array(2, 64, 64),), (array(9, 64, 64),))],
    ]
    assert program_cost(records, SPEC).op_kernels == (0, 0, 1)


# -- kernels that no op asked for ------------------------------------------------------------------


def types(*records: OpRecord, spec=SPEC) -> list[str]:
    return [k.op_type for k in program_cost(records, spec).kernels]


def a_weights_gradient() -> OpRecord:
    """dw = x' dy, with the weight beside it."""
    x, dy = array("x", 32, 64), array("dy", 32, 16)
    return OpRecord("MatMul", (x, dy), (array("dw", 64, 16),), {"transpose_a": True}, BACKWARD)


def uses_the_weight() -> OpRecord:
    weight = array("w", 64, 16)._replace(param=True)
    return OpRecord("MatMul", (array("x", 32, 64), weight), (array("y", 32, 16),))


def test_a_weight_of_a_product_is_turned_and_its_gradient_is_filled_and_turned_back() -> None:
    assert types(uses_the_weight(), a_weights_gradient()) == [
        "TransData", "MatMul", "MemSet", "MatMul", "TransData",
    ]  # fmt: skip


def test_a_gpu_neither_fills_nor_turns() -> None:
    both = uses_the_weight(), a_weights_gradient()
    assert types(*both, spec=device_spec("GPU")) == ["MatMul", "MatMul"]


def test_a_filter_s_gradient_is_filled_and_stays_as_it_is() -> None:
    weight = array("w", 16, 16, 3, 3)._replace(param=True)
    forward = OpRecord("Conv2D", (array("x", 8, 16, 8, 8), weight), (array("y", 8, 16, 8, 8),))
    back = OpRecord(
        "Conv2DBackpropFilter",
        (array("dy", 8, 16, 8, 8), array("x", 8, 16, 8, 8)),
        (array("dw", 16, 16, 3, 3),),
        {},
        BACKWARD,
    )
    actual = types(forward, back)
    assert "MemSet" in actual and actual[-1] == "Conv2DBackpropFilter"


def test_a_bias_s_gradient_over_pixels_is_turned_before() -> None:
    of_maps = OpRecord("BiasAddGrad", (array("dy", 8, 16, 8, 8),), (array("db", 16),), {}, BACKWARD)
    of_rows = OpRecord("BiasAddGrad", (array("dy", 8, 16),), (array("db", 16),), {}, BACKWARD)
    assert types(of_maps) == ["MemSet", "TransData", "BiasAddGrad"]
    assert types(of_rows) == ["MemSet", "BiasAddGrad"]


def update(name: str, inputs: str, output: str) -> OpRecord:
    """An optimizer's op on arrays of one size."""
    operands = [array(key, 32, 16) for key in inputs]
    return OpRecord(name, tuple(operands), (array(output, 32, 16),), kind=OPTIMIZER)


def test_a_view_belongs_to_the_kernel_into_which_its_source_was_merged() -> None:
    ops = [
        update("Mul", "g", "a"),
        update("Mul", "h", "b"),
        update("Reshape", "a", "v"),
        update("Add", "ab", "c"),
        update("Mul", "vc", "d"),
    ]
    cost = program_cost(ops, device_spec("Ascend910"))
    assert [k.ops for k in cost.kernels] == [("Mul", "Mul", "Add", "Mul")]
    assert cost.op_kernels == (0, 0, 0, 0, 0)


def test_an_op_without_outputs_has_a_separate_kernel() -> None:
    effect = OpRecord("PyFunc", (array("a", 4),), ())
    cost = program_cost([update("Mul", "g", "a"), effect], device_spec("Ascend910"))
    assert [k.ops for k in cost.kernels] == [("Mul",), ("PyFunc",)]
    assert cost.op_kernels == (0, 1)


def test_an_op_without_arrays_takes_the_fixed_time() -> None:
    (kernel,) = program_cost([OpRecord("PyFunc", (), ())], device_spec("Ascend910")).kernels
    assert (kernel.compute_us, kernel.memory_us) == (0, 0)
    assert kernel.us > 0


# -- blocks of a product --------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("length", "teraflops"), [(1024, 98), (2048, 251), (4096, 314.5), (8192, 305)]
)
def test_square_products_of_a_910b_take_what_was_measured(length: int, teraflops: float) -> None:
    """torch-performance-test-data 109; the first two are bound by blocks, loads and the start."""
    spec = device_spec("Ascend910B2")
    us = cube_work(matmul(length, length, length), spec).cycles / spec.clock_mhz + spec.kernel_us
    assert us == pytest.approx(2 * length**3 / teraflops / 1e6, rel=0.25)


def test_a_product_of_twice_the_rows_takes_no_less_and_at_most_twice_as_long() -> None:
    spec = device_spec("Ascend910B2")
    for rows in (16, 100, 1000, 1024, 5000):
        one, two = (cube_work(matmul(n, 768, 768), spec).cycles for n in (rows, 2 * rows))
        assert one <= two <= 2 * one


def test_a_product_also_writes_its_output_transposed() -> None:
    product = matmul(64, 64, 64)
    turned = OpRecord("Transpose", product.outputs, (array("t", 64, 64),))
    kernels = program_cost([product, turned], SPEC).kernels
    assert [k.ops for k in kernels] == [("MatMul", "Transpose")]


def test_elementwise_ops_ride_in_the_kernel_of_a_softmax() -> None:
    assert len(program_cost(chain("Softmax", "Mul"), SPEC).kernels) == 1


def test_the_mask_of_a_dropout_has_a_byte_an_element() -> None:
    batch = Shapes([((8, 64), np.float32)])
    step = training_step(lambda x: ops.Dropout(0.5)(x)[0], batch)
    (record,) = (r for r in step.records if r.name == "Dropout")
    assert [o.nbytes for o in record.outputs] == [4 * 8 * 64, 8 * 64]
