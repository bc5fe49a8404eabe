"""The constants of the Ascends."""

from __future__ import annotations

from minispore.device.model.constants import GIB, KIB, MIB, Constant

AAN = "anandtech 14756 (Hot Chips 31)"
INI = "product configuration file"
CANN = "hiascend documentation"
DERIVED = "from published rows, benchmarks/device.py"
PROFILE = "profile of an AlexNet on a 910, mindinsight tests/utils/resource"
ASSUMED = "no published number found"
LIMITS = {
    "max_streams": Constant(2048, "streams", f"{CANN} aclcppdevg_03_0065", "S"),
    "max_events": Constant(65535, "events", f"{CANN} aclcppdevg_03_0072", "S"),
    "stream_nodes": Constant(350, "kernels/stream", "MindSpore ascend_stream_assign.cc", "C"),
    "aicpu_limit_us": Constant(28e6, "us", f"{CANN} aclcppdevg_03_0132", "S"),
    "aicore_limit_us": Constant(68e6, "us", f"{CANN} aclcppdevg_03_0132", "S"),
    "op_timeout_us": Constant(900e6, "us", "MindSpore 2.10 context", "C"),
    "channel_batches": Constant(100, "batches", "MindSpore data_queue_op.cc", "C"),
    "channel_bytes": Constant(2 * GIB, "B", "MindSpore data_queue_op.cc", "C"),
}

ASCEND910 = {
    "ai_cores": Constant(32, "cores", AAN, "S"),
    "cube_macs": Constant(4096, "MAC/cycle", f"{AAN}: 16x16x16 float16", "S"),
    "cube_macs_float32": Constant(0, "MAC/cycle", "the cube takes float16 and int8 only", "S"),
    "cube_tile": Constant(16, "elements", "MindSpore performance_profiling_ascend.md", "S"),
    "channel_block": Constant(16, "elements", "NC1HWC0 keeps C in blocks of 16", "S"),
    "vector_cores": Constant(32, "cores", AAN, "S"),
    "vector_bytes": Constant(256, "B/cycle", "vengineer 2019-09-06: 2048 bit", "S"),
    "clock_mhz": Constant(976.5625, "MHz", "256 TFLOPS / (32 * 4096 * 2)", "D"),
    "memory_bytes": Constant(32 * GIB, "B", "CANN error texts", "S"),
    "memory_gbs": Constant(1200, "GB/s", AAN, "S"),
    "memory_efficiency": Constant(0.85, "of memory_gbs", ASSUMED, "A"),
    "cube_efficiency": Constant(0.33, "of peak", DERIVED, "A"),
    "group_efficiency": Constant(
        0.03, "of peak", "grouped convolutions, of Xception in MindCV's table", "D"
    ),
    "product_efficiency": Constant(0.32, "of peak", "two BERTs, benchmarks/device_fit.py", "D"),
    "l2_bytes": Constant(32 * MIB, "B", INI, "C"),
    "l2_gbs": Constant(3437.5, "GB/s", "110 B/cycle and core, product configuration file", "D"),
    "l1_bytes": Constant(MIB, "B", INI, "C"),
    "l0a_bytes": Constant(64 * KIB, "B", INI, "C"),
    "l0c_bytes": Constant(256 * KIB, "B", INI, "C"),
    "ub_bytes": Constant(256 * KIB, "B", "EB0000: bound 2 097 152 bits", "S"),
    "fused_ops": Constant(6, "ops/kernel", "MindSpore fusion_base_pass.h", "C"),
    "kernel_us": Constant(1.3, "us/kernel", f"{PROFILE}: duration less core time", "M"),
    "kernel_floor_us": Constant(1.2, "us/kernel", f"{PROFILE}: the least of 137", "M"),
    "product_float32_us": Constant(
        101, "us/product", "mean of 8 in the LeNet's profile there, which take 22 to 543", "M"
    ),
    "row_us": Constant(
        0.13, "us/row and core", "a small copy, one after another: DeepFM, Wide & Deep", "D"
    ),
    "weight_blocks": Constant(
        1, "TransData/product", f"{PROFILE}: of each product's weight and its gradient", "M"
    ),
    "partial_sums": Constant(1, "fills/kernel", f"{PROFILE}: a MemSet before each", "M"),
    "aicpu_kernel_us": Constant(50, "us/kernel", ASSUMED, "A"),
    "control_us": Constant(5, "us/task", "switch, send, receive: " + ASSUMED, "A"),
    "host_launch_us": Constant(80, "us/kernel", "eager call floor of torch on 910B2", "M"),
    "host_execute_us": Constant(100, "us/call", ASSUMED, "A"),
    "host_feed_us": Constant(200, "us/step", "iterator and tensors of one step: " + ASSUMED, "A"),
    "host_copy_gbs": Constant(
        10, "GB/s", "one thread fills the tensors of a step: " + ASSUMED, "A"
    ),
    "host_sync_us": Constant(20, "us/call", "stream synchronize: " + ASSUMED, "A"),
    "copy_us": Constant(20, "us/copy", ASSUMED, "A"),
    "h2d_gbs": Constant(24.9, "GB/s", "FlagPerf interconnect-h2d, Atlas 800T A2", "M"),
    "d2h_gbs": Constant(19.7, "GB/s", "Hixl A2 benchmark, RDMA device to host", "M"),
    "server_devices": Constant(8, "devices", "models README tables", "S"),
    "max_devices": Constant(4096, "devices", f"{CANN} hccl_test", "S"),
    "hccl_latency_us": Constant(450, "us/all_reduce", f"{PROFILE}: small ones 300 to 600", "M"),
    "hccl_us_per_mb": Constant(
        39.4, "us/MB", f"{PROFILE}: 224.7 MB over 8 devices in 9.30 ms, less the latency", "D"
    ),
    "hccl_hop_us": Constant(200, "us/doubling", "between servers: " + ASSUMED, "A"),
    "roce_gbs": Constant(25, "GB/s", f"{AAN}: 2 x 100 Gbit/s RoCE v2", "S"),
    "memory_share": Constant(15 / 16, "of free memory", "MindSpore ascend_memory_adapter.cc", "C"),
    "memory_round_bytes": Constant(2 * MIB, "B", "MindSpore ascend_memory_adapter.cc", "C"),
    "memory_reserve_bytes": Constant(10 * MIB, "B", "MindSpore ascend_memory_adapter.cc", "C"),
    "memory_block_bytes": Constant(512, "B", "MindSpore ascend_memory_adapter.cc", "C"),
    **LIMITS,
}

ASCEND910B2 = ASCEND910 | {
    "ai_cores": Constant(24, "cores", INI, "C"),
    "cube_macs_float32": Constant(
        978, "MAC/cycle", "84.5 TFLOPS float32 matmul, torch-performance-test-data 109", "D"
    ),
    "vector_cores": Constant(48, "cores", INI, "C"),
    "clock_mhz": Constant(1800, "MHz", INI, "C"),
    "memory_bytes": Constant(64 * GIB, "B", INI, "C"),
    "memory_gbs": Constant(
        1382.4, "GB/s", "32 B/cycle and core to the HBM, product configuration file", "D"
    ),
    "l2_bytes": Constant(192 * MIB, "B", INI, "C"),
    "l2_gbs": Constant(4752, "GB/s", "110 B/cycle and core, product configuration file", "D"),
    "l1_bytes": Constant(512 * KIB, "B", "catlass arch.hpp", "C"),
    "l0c_bytes": Constant(128 * KIB, "B", "catlass arch.hpp", "C"),
    "ub_bytes": Constant(192 * KIB, "B", "catlass arch.hpp", "C"),
    "max_streams": Constant(1984, "streams", f"{CANN} aclcppdevg_03_0065", "S"),
    "aicore_limit_us": Constant(1091e6, "us", f"{CANN} aclcppdevg_03_0132", "S"),
    "hccl_us_per_mb": Constant(13.9, "us/MB", "all_reduce at 72 GB/s of 8 cards, torch", "M"),
    "product_efficiency": Constant(
        0.88, "of peak", "products of 1,024 to 8,192, torch-performance-test-data 109", "D"
    ),
    "kernel_us": Constant(
        9, "us/kernel", "a product of 1,024 beside larger ones, the same measurement", "D"
    ),
    "cube_efficiency": Constant(0.48, "of peak", "VGG-13 in MindCV's table", "D"),
    "weight_blocks": Constant(0, "TransData/product", "DataCopy Nd2Nz blocks while it reads", "S"),
    "partial_sums": Constant(0, "fills/kernel", "a block is written once: " + ASSUMED, "A"),
    "product_float32_us": Constant(0, "us/product", "products take float32 as they are", "S"),
}

ASCEND910B3 = ASCEND910B2 | {
    "ai_cores": Constant(20, "cores", "catlass arch.hpp", "C"),
    "vector_cores": Constant(40, "cores", "catlass arch.hpp", "C"),
}

ASCEND310 = ASCEND910 | {
    "ai_cores": Constant(2, "cores", "hisilicon: key information about the Ascend 310", "S"),
    "vector_cores": Constant(2, "cores", "hisilicon", "S"),
    "clock_mhz": Constant(488.28125, "MHz", "8 TFLOPS / (2 * 4096 * 2)", "D"),
    "memory_bytes": Constant(8 * GIB, "B", "LPDDR4; size: " + ASSUMED, "A"),
    "memory_gbs": Constant(51.2, "GB/s", "LPDDR4X, 128 bit: " + ASSUMED, "A"),
    "l2_gbs": Constant(107, "GB/s", "110 B/cycle and core as on the 910", "D"),
    "l2_bytes": Constant(8 * MIB, "B", "CANN engine test stub for the mini chip", "C"),
    "kernel_us": Constant(20, "us/kernel", ASSUMED, "A"),
    "kernel_floor_us": Constant(50, "us/kernel", "0.075 ms with launch and sync on 310P", "D"),
    "max_streams": Constant(1024, "streams", f"{CANN} aclcppdevg_03_0065", "S"),
    "max_events": Constant(1023, "events", f"{CANN} aclcppdevg_03_0072", "S"),
    "aicore_limit_us": Constant(547e6, "us", f"{CANN} aclcppdevg_03_0132", "S"),
}

_PRO = "Atlas 300I Pro product page: 140 TOPS int8, 204.8 GB/s, 24 GB"
ASCEND310P3 = ASCEND310 | {
    "ai_cores": Constant(8, "cores", INI, "C"),
    "vector_cores": Constant(8, "cores", f"{INI}; one in each AI core", "C"),
    "clock_mhz": Constant(1068.115234375, "MHz", f"70 TFLOPS / (8 * 4096 * 2), {_PRO}", "D"),
    "memory_bytes": Constant(24 * GIB, "B", _PRO, "S"),
    "memory_gbs": Constant(204.8, "GB/s", _PRO, "S"),
    "l2_bytes": Constant(16 * MIB, "B", INI, "C"),
    "l2_gbs": Constant(940, "GB/s", "110 B/cycle and core as on the 910", "D"),
    "kernel_us": Constant(1.3, "us/kernel", "as on the 910: " + ASSUMED, "A"),
    "kernel_floor_us": Constant(1.2, "us/kernel", "as on the 910: " + ASSUMED, "A"),
    "host_launch_us": Constant(
        75, "us/kernel", "ascend-rs appendix F, a tiny kernel with launch and wait", "M"
    ),
}
