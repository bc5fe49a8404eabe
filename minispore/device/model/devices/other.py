"""The constants of GPUs and of a CPU."""

from __future__ import annotations

from minispore.device.model.constants import GIB, KIB, MIB, Constant
from minispore.device.model.devices.ascend import ASCEND910, ASSUMED

_V100 = "NVIDIA Tesla V100 datasheet"
V100 = ASCEND910 | {
    "ai_cores": Constant(80, "SM", _V100, "S"),
    "cube_macs": Constant(512, "MAC/cycle", f"{_V100}: 8 tensor cores of 4x4x4", "S"),
    "cube_macs_float32": Constant(64, "MAC/cycle", _V100, "S"),
    "cube_tile": Constant(8, "elements", "tensor cores want multiples of 8", "S"),
    "channel_block": Constant(1, "elements", "NCHW or NHWC as it is", "S"),
    "vector_cores": Constant(80, "SM", _V100, "S"),
    "vector_bytes": Constant(256, "B/cycle", f"{_V100}: 64 lanes of 4 B", "S"),
    "clock_mhz": Constant(1530, "MHz", _V100, "S"),
    "memory_gbs": Constant(900, "GB/s", _V100, "S"),
    "l2_bytes": Constant(6 * MIB, "B", _V100, "S"),
    "l2_gbs": Constant(2500, "GB/s", ASSUMED, "A"),
    "kernel_us": Constant(2, "us/kernel", ASSUMED, "A"),
    "kernel_floor_us": Constant(4, "us/kernel", ASSUMED, "A"),
    "product_float32_us": Constant(0, "us/product", "products take float32 as they are", "S"),
    "group_efficiency": Constant(0.33, "of peak", "as other convolutions: " + ASSUMED, "A"),
    "row_us": Constant(0, "us/row and core", "many rows at a time: " + ASSUMED, "A"),
    "weight_blocks": Constant(0, "TransData/product", "weights as they are", "S"),
    "partial_sums": Constant(0, "fills/kernel", ASSUMED, "A"),
    "l0c_bytes": Constant(128 * KIB, "B", f"{_V100}: half of an SM's registers for sums", "D"),
    "aicpu_kernel_us": Constant(10, "us/kernel", "GetNext of the GPU queue: " + ASSUMED, "A"),
    "host_launch_us": Constant(5, "us/kernel", ASSUMED, "A"),
    "h2d_gbs": Constant(12, "GB/s", "PCIe 3.0 x16, 80 % of 15.75 rounded down", "D"),
    "d2h_gbs": Constant(12, "GB/s", "PCIe 3.0 x16, 80 % of 15.75 rounded down", "D"),
    "channel_batches": Constant(8, "batches", "MindSpore GPU queue", "C"),
    "channel_bytes": Constant(2 * GIB, "B", "2 threads of 1024 MB pinned memory", "C"),
    "memory_bytes": Constant(32 * GIB, "B", f"{_V100}, SXM2 32 GB", "S"),
    "product_efficiency": Constant(
        0.66, "of peak", "83 TFLOPS of cuBLAS, Markidis et al., arXiv 1803.04014", "M"
    ),
    "hccl_latency_us": Constant(50, "us/all_reduce", "NCCL within a server: " + ASSUMED, "A"),
    "hccl_us_per_mb": Constant(
        13.5, "us/MB", "NCCL over 8 NVLink devices, 130 GB/s on the bus: " + ASSUMED, "A"
    ),
    "max_streams": Constant(1 << 20, "streams", "CUDA names no bound", "A"),
}

_A100 = "NVIDIA A100 whitepaper"
A100 = V100 | {
    "ai_cores": Constant(108, "SM", _A100, "S"),
    "cube_macs": Constant(1024, "MAC/cycle", f"{_A100}: 312 TFLOPS float16", "S"),
    "cube_macs_float32": Constant(512, "MAC/cycle", f"{_A100}: 156 TFLOPS TF32", "S"),
    "vector_cores": Constant(108, "SM", _A100, "S"),
    "clock_mhz": Constant(1410, "MHz", _A100, "S"),
    "product_efficiency": Constant(
        0.859, "of peak", "267.9 of 312 TFLOPS, the best shape: stas00/ml-engineering", "M"
    ),
    "memory_bytes": Constant(40 * GIB, "B", _A100, "S"),
    "memory_gbs": Constant(1555, "GB/s", _A100, "S"),
    "l2_bytes": Constant(40 * MIB, "B", _A100, "S"),
    "l2_gbs": Constant(5120, "GB/s", f"{_A100}: 5120 B/cycle, at 1 GHz rounded down", "D"),
    "h2d_gbs": Constant(25, "GB/s", "PCIe 4.0 x16, 80 % of 31.5", "D"),
    "d2h_gbs": Constant(25, "GB/s", "PCIe 4.0 x16, 80 % of 31.5", "D"),
    "hccl_us_per_mb": Constant(
        7.6, "us/MB", "NCCL over 8 NVSwitch devices, 230 GB/s on the bus: " + ASSUMED, "A"
    ),
    "roce_gbs": Constant(25, "GB/s", f"{_A100}: HDR InfiniBand, 200 Gbit/s a device", "S"),
}

_MEASURED_ON = "measured on two cores of an AMD EPYC with AVX-512, NumPy 2.4 and OpenBLAS"
CPU = V100 | {
    "ai_cores": Constant(2, "cores", "a small server: two cores of an AMD EPYC", "M"),
    "cube_macs": Constant(32, "MAC/cycle", "two 512-bit FMA units; float16 as float32", "D"),
    "cube_macs_float32": Constant(32, "MAC/cycle", "two 512-bit FMA units", "D"),
    "cube_tile": Constant(1, "elements", "no padding", "A"),
    "vector_cores": Constant(2, "cores", "a small server: two cores of an AMD EPYC", "M"),
    "vector_bytes": Constant(64, "B/cycle", "512-bit vectors", "D"),
    "clock_mhz": Constant(
        4100, "MHz", f"263 GFLOP/s a core, a product of 512: {_MEASURED_ON}", "D"
    ),
    "product_efficiency": Constant(1, "of peak", "clock_mhz is that of products", "D"),
    "group_efficiency": Constant(0.4, "of peak", "as other convolutions: " + ASSUMED, "A"),
    "cube_efficiency": Constant(
        0.4, "of peak", f"74 to 122 of 263 GFLOP/s in ResNet-20's convolutions: {_MEASURED_ON}", "D"
    ),
    "memory_bytes": Constant(24 * GIB, "B", "a small server: " + ASSUMED, "A"),
    "memory_gbs": Constant(44, "GB/s", f"copy of 256 MB, one core: {_MEASURED_ON}", "M"),
    "memory_efficiency": Constant(1, "of memory_gbs", "memory_gbs is measured here", "M"),
    "l2_gbs": Constant(93, "GB/s", f"copy of 16 MB, one core: {_MEASURED_ON}", "M"),
    "l2_bytes": Constant(32 * MIB, "B", "last cache of the same: lscpu", "M"),
    "fused_ops": Constant(1, "ops/kernel", "no fusion in the model", "A"),
    "kernel_us": Constant(0.76, "us/kernel", f"a matmul call: {_MEASURED_ON}", "M"),
    "kernel_floor_us": Constant(0.23, "us/kernel", f"a ufunc call: {_MEASURED_ON}", "M"),
    "host_launch_us": Constant(2, "us/kernel", ASSUMED, "A"),
    "host_execute_us": Constant(10, "us/call", ASSUMED, "A"),
    "copy_us": Constant(0, "us/copy", "host and device are one", "A"),
    "h2d_gbs": Constant(44, "GB/s", "host and device are one", "A"),
    "d2h_gbs": Constant(44, "GB/s", "host and device are one", "A"),
}
