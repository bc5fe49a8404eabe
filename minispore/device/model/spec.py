"""What a device is, as data: each constant with its unit, its source and a tag that says how far to
trust it.

The tags are ``S`` vendor specification or documentation, ``M`` a published measurement, ``C`` read
from source code or a configuration file, ``D`` derived by arithmetic, ``A`` assumed, and ``given``
for a value that the user put in. Nothing here is measured by minispore: times made from these
numbers are a model.

>>> spec = device_spec("Ascend910")
>>> int(spec.ai_cores), spec["ai_cores"].tag
(32, 'S')
>>> spec.replace(ai_cores=16)["ai_cores"]
Constant(value=16, unit='cores', source='given by the user', tag='given')
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import NamedTuple

from minispore.errors import MissingAttribute, did_you_mean

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30


class Constant(NamedTuple):
    """One number about a device."""

    value: float
    unit: str
    source: str
    tag: str


@dataclass(frozen=True, eq=False)
class DeviceSpec(Mapping[str, Constant]):
    """The constants of one kind of device: ``spec.ai_cores`` is the number, ``spec["ai_cores"]``
    its record."""

    name: str
    target: str  # the device_target of the context: "Ascend", "GPU" or "CPU"
    constants: Mapping[str, Constant]

    def __getitem__(self, name: str) -> Constant:
        return self.constants[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.constants)

    def __len__(self) -> int:
        return len(self.constants)

    def __getattr__(self, name: str) -> float:
        try:
            return self.constants[name].value
        except KeyError:
            raise MissingAttribute(
                f"{self.name}: has no constant {name!r}.", name, lambda: self.constants
            ) from None

    def replace(self, **values: float) -> DeviceSpec:
        """The same device with some constants set by the user.

        Raises:
            ValueError: for a name that is no constant, or a value that is negative or not finite.
        """
        changed = dict(self.constants)
        for name, value in values.items():
            if name not in changed:
                raise ValueError(
                    f"{self.name}: a constant to replace must be one of its own, got {name!r}."
                    f"{did_you_mean(name, changed)} print(spec.table()) lists them."
                )
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise TypeError(
                    f"{self.name}: {name} must be a number, got {type(value).__name__}."
                )
            if not math.isfinite(value) or value < 0 or (value == 0 and changed[name].value > 0):
                raise ValueError(
                    f"{self.name}: {name} must be a positive finite number, got {value}."
                )
            changed[name] = Constant(value, changed[name].unit, "given by the user", "given")
        return DeviceSpec(self.name, self.target, MappingProxyType(changed))

    def table(self) -> str:
        """Every constant with unit, tag and source, one a line."""
        width = max(map(len, self.constants))
        lines = [f"{self.name} ({self.target}): times made from these are a model"]
        for name, (value, unit, source, tag) in self.constants.items():
            lines.append(f"  {name:<{width}}  {value:>14,.10g} {unit:<14} [{tag}] {source}")
        return "\n".join(lines)

    @property
    def peak_cube_flops(self) -> float:
        """Floating-point operations per second of all cube units together, at the dtype they are
        made for."""
        return 2 * self.ai_cores * self.cube_macs * self.clock_mhz * 1e6

    @property
    def peak_vector_flops(self) -> float:
        """Operations per second of all vector units together, float16 lanes."""
        return self.vector_cores * (self.vector_bytes / 2) * self.clock_mhz * 1e6

    @property
    def sinks(self) -> tuple[str, ...]:
        """The ways to run that this target has: see :mod:`minispore.device.model.schedule`."""
        return {
            "Ascend": ("none", "data", "graph", "loop"),
            "GPU": ("none", "data"),
            "CPU": ("none",),
        }[self.target]


_AAN = "anandtech 14756 (Hot Chips 31)"
_INI = "product configuration file"
_CANN = "hiascend documentation"
_DERIVED = "from published rows, benchmarks/device.py"
_PROFILE = "profile of an AlexNet on a 910, mindinsight tests/utils/resource"
_ASSUMED = "no published number found"
_LIMITS = {
    "max_streams": Constant(2048, "streams", f"{_CANN} aclcppdevg_03_0065", "S"),
    "max_events": Constant(65535, "events", f"{_CANN} aclcppdevg_03_0072", "S"),
    "stream_nodes": Constant(350, "kernels/stream", "MindSpore ascend_stream_assign.cc", "C"),
    "aicpu_limit_us": Constant(28e6, "us", f"{_CANN} aclcppdevg_03_0132", "S"),
    "aicore_limit_us": Constant(68e6, "us", f"{_CANN} aclcppdevg_03_0132", "S"),
    "op_timeout_us": Constant(900e6, "us", "MindSpore 2.10 context", "C"),
    "channel_batches": Constant(100, "batches", "MindSpore data_queue_op.cc", "C"),
    "channel_bytes": Constant(2 * GIB, "B", "MindSpore data_queue_op.cc", "C"),
}

_ASCEND910 = {
    "ai_cores": Constant(32, "cores", _AAN, "S"),
    "cube_macs": Constant(4096, "MAC/cycle", f"{_AAN}: 16x16x16 float16", "S"),
    "cube_macs_float32": Constant(0, "MAC/cycle", "the cube takes float16 and int8 only", "S"),
    "cube_tile": Constant(16, "elements", "MindSpore performance_profiling_ascend.md", "S"),
    "channel_block": Constant(16, "elements", "NC1HWC0 keeps C in blocks of 16", "S"),
    "vector_cores": Constant(32, "cores", _AAN, "S"),
    "vector_bytes": Constant(256, "B/cycle", "vengineer 2019-09-06: 2048 bit", "S"),
    "clock_mhz": Constant(976.5625, "MHz", "256 TFLOPS / (32 * 4096 * 2)", "D"),
    "memory_bytes": Constant(32 * GIB, "B", "CANN error texts", "S"),
    "memory_gbs": Constant(1200, "GB/s", _AAN, "S"),
    "memory_efficiency": Constant(0.85, "of memory_gbs", _ASSUMED, "A"),
    "cube_efficiency": Constant(0.33, "of peak", _DERIVED, "A"),
    "l2_bytes": Constant(32 * MIB, "B", _INI, "C"),
    "l2_gbs": Constant(3437.5, "GB/s", "110 B/cycle and core, product configuration file", "D"),
    "l1_bytes": Constant(MIB, "B", _INI, "C"),
    "l0a_bytes": Constant(64 * KIB, "B", _INI, "C"),
    "l0c_bytes": Constant(256 * KIB, "B", _INI, "C"),
    "ub_bytes": Constant(256 * KIB, "B", "EB0000: bound 2 097 152 bits", "S"),
    "fused_ops": Constant(6, "ops/kernel", "MindSpore fusion_base_pass.h", "C"),
    "kernel_us": Constant(1.3, "us/kernel", f"{_PROFILE}: duration less core time", "M"),
    "kernel_floor_us": Constant(1.2, "us/kernel", f"{_PROFILE}: the least of 137", "M"),
    "product_float32_us": Constant(
        101, "us/product", "mean of 8 in the LeNet's profile there, which take 22 to 543", "M"
    ),
    "partial_sums": Constant(1, "fills/kernel", f"{_PROFILE}: a MemSet before each", "M"),
    "aicpu_kernel_us": Constant(50, "us/kernel", _ASSUMED, "A"),
    "control_us": Constant(5, "us/task", "switch, send, receive: " + _ASSUMED, "A"),
    "host_launch_us": Constant(80, "us/kernel", "eager call floor of torch on 910B2", "M"),
    "host_execute_us": Constant(100, "us/call", _ASSUMED, "A"),
    "host_feed_us": Constant(200, "us/step", "iterator and tensors of one step: " + _ASSUMED, "A"),
    "host_copy_gbs": Constant(
        10, "GB/s", "one thread fills the tensors of a step: " + _ASSUMED, "A"
    ),
    "host_sync_us": Constant(20, "us/call", "stream synchronize: " + _ASSUMED, "A"),
    "copy_us": Constant(20, "us/copy", _ASSUMED, "A"),
    "h2d_gbs": Constant(24.9, "GB/s", "FlagPerf interconnect-h2d, Atlas 800T A2", "M"),
    "d2h_gbs": Constant(19.7, "GB/s", "Hixl A2 benchmark, RDMA device to host", "M"),
    "server_devices": Constant(8, "devices", "models README tables", "S"),
    "max_devices": Constant(4096, "devices", f"{_CANN} hccl_test", "S"),
    "hccl_latency_us": Constant(450, "us/all_reduce", f"{_PROFILE}: small ones 300 to 600", "M"),
    "hccl_us_per_mb": Constant(
        39.4, "us/MB", f"{_PROFILE}: 224.7 MB over 8 devices in 9.30 ms, less the latency", "D"
    ),
    "hccl_hop_us": Constant(200, "us/doubling", "between servers: " + _ASSUMED, "A"),
    "roce_gbs": Constant(25, "GB/s", f"{_AAN}: 2 x 100 Gbit/s RoCE v2", "S"),
    "memory_share": Constant(15 / 16, "of free memory", "MindSpore ascend_memory_adapter.cc", "C"),
    "memory_round_bytes": Constant(2 * MIB, "B", "MindSpore ascend_memory_adapter.cc", "C"),
    "memory_reserve_bytes": Constant(10 * MIB, "B", "MindSpore ascend_memory_adapter.cc", "C"),
    "memory_block_bytes": Constant(512, "B", "MindSpore ascend_memory_adapter.cc", "C"),
    **_LIMITS,
}

_ASCEND910B2 = _ASCEND910 | {
    "ai_cores": Constant(24, "cores", _INI, "C"),
    "cube_macs_float32": Constant(
        978, "MAC/cycle", "84.5 TFLOPS float32 matmul, torch-performance-test-data 109", "D"
    ),
    "vector_cores": Constant(48, "cores", _INI, "C"),
    "clock_mhz": Constant(1800, "MHz", _INI, "C"),
    "memory_bytes": Constant(64 * GIB, "B", _INI, "C"),
    "memory_gbs": Constant(640, "GB/s", "torch exp and sigmoid on 910B, limulidae README", "M"),
    "memory_efficiency": Constant(1, "of memory_gbs", "memory_gbs is measured here", "M"),
    "l2_bytes": Constant(192 * MIB, "B", _INI, "C"),
    "l2_gbs": Constant(4752, "GB/s", "110 B/cycle and core, product configuration file", "D"),
    "l1_bytes": Constant(512 * KIB, "B", "catlass arch.hpp", "C"),
    "l0c_bytes": Constant(128 * KIB, "B", "catlass arch.hpp", "C"),
    "ub_bytes": Constant(192 * KIB, "B", "catlass arch.hpp", "C"),
    "max_streams": Constant(1984, "streams", f"{_CANN} aclcppdevg_03_0065", "S"),
    "aicore_limit_us": Constant(1091e6, "us", f"{_CANN} aclcppdevg_03_0132", "S"),
}

_ASCEND310 = _ASCEND910 | {
    "ai_cores": Constant(2, "cores", "hisilicon: key information about the Ascend 310", "S"),
    "vector_cores": Constant(2, "cores", "hisilicon", "S"),
    "clock_mhz": Constant(488.28125, "MHz", "8 TFLOPS / (2 * 4096 * 2)", "D"),
    "memory_bytes": Constant(8 * GIB, "B", "LPDDR4; size: " + _ASSUMED, "A"),
    "memory_gbs": Constant(51.2, "GB/s", "LPDDR4X, 128 bit: " + _ASSUMED, "A"),
    "l2_gbs": Constant(107, "GB/s", "110 B/cycle and core as on the 910", "D"),
    "l2_bytes": Constant(8 * MIB, "B", "CANN engine test stub for the mini chip", "C"),
    "kernel_us": Constant(20, "us/kernel", _ASSUMED, "A"),
    "kernel_floor_us": Constant(50, "us/kernel", "0.075 ms with launch and sync on 310P", "D"),
    "max_streams": Constant(1024, "streams", f"{_CANN} aclcppdevg_03_0065", "S"),
    "max_events": Constant(1023, "events", f"{_CANN} aclcppdevg_03_0072", "S"),
    "aicore_limit_us": Constant(547e6, "us", f"{_CANN} aclcppdevg_03_0132", "S"),
}

_V100 = "NVIDIA Tesla V100 datasheet"
_GPU = _ASCEND910 | {
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
    "l2_gbs": Constant(2500, "GB/s", _ASSUMED, "A"),
    "kernel_us": Constant(2, "us/kernel", _ASSUMED, "A"),
    "kernel_floor_us": Constant(4, "us/kernel", _ASSUMED, "A"),
    "product_float32_us": Constant(0, "us/product", "products take float32 as they are", "S"),
    "partial_sums": Constant(0, "fills/kernel", _ASSUMED, "A"),
    "aicpu_kernel_us": Constant(10, "us/kernel", "GetNext of the GPU queue: " + _ASSUMED, "A"),
    "host_launch_us": Constant(5, "us/kernel", _ASSUMED, "A"),
    "h2d_gbs": Constant(12, "GB/s", "PCIe 3.0 x16, 80 % of 15.75 rounded down", "D"),
    "d2h_gbs": Constant(12, "GB/s", "PCIe 3.0 x16, 80 % of 15.75 rounded down", "D"),
    "channel_batches": Constant(8, "batches", "MindSpore GPU queue", "C"),
    "channel_bytes": Constant(2 * GIB, "B", "2 threads of 1024 MB pinned memory", "C"),
}

_CPU = _GPU | {
    "ai_cores": Constant(8, "cores", "a laptop: " + _ASSUMED, "A"),
    "cube_macs": Constant(32, "MAC/cycle", "two 256-bit FMA units, float16 as float32", "A"),
    "cube_macs_float32": Constant(16, "MAC/cycle", "two 256-bit FMA units", "A"),
    "cube_tile": Constant(1, "elements", "no padding", "A"),
    "vector_cores": Constant(8, "cores", "a laptop: " + _ASSUMED, "A"),
    "vector_bytes": Constant(32, "B/cycle", "256-bit vectors", "A"),
    "clock_mhz": Constant(3000, "MHz", "a laptop: " + _ASSUMED, "A"),
    "memory_bytes": Constant(16 * GIB, "B", "a laptop: " + _ASSUMED, "A"),
    "memory_gbs": Constant(40, "GB/s", "two channels of DDR4-3200: " + _ASSUMED, "A"),
    "l2_gbs": Constant(200, "GB/s", "a laptop: " + _ASSUMED, "A"),
    "l2_bytes": Constant(16 * MIB, "B", "a laptop: " + _ASSUMED, "A"),
    "fused_ops": Constant(1, "ops/kernel", "no fusion in the model", "A"),
    "kernel_us": Constant(2, "us/kernel", _ASSUMED, "A"),
    "kernel_floor_us": Constant(2, "us/kernel", _ASSUMED, "A"),
    "host_launch_us": Constant(2, "us/kernel", _ASSUMED, "A"),
    "host_execute_us": Constant(10, "us/call", _ASSUMED, "A"),
    "copy_us": Constant(0, "us/copy", "host and device are one", "A"),
    "h2d_gbs": Constant(40, "GB/s", "host and device are one", "A"),
    "d2h_gbs": Constant(40, "GB/s", "host and device are one", "A"),
}

SPECS: Mapping[str, DeviceSpec] = MappingProxyType(
    {
        name: DeviceSpec(name, target, MappingProxyType(constants))
        for name, target, constants in (
            ("Ascend910", "Ascend", _ASCEND910),
            ("Ascend310", "Ascend", _ASCEND310),
            ("Ascend910B2", "Ascend", _ASCEND910B2),
            ("GPU", "GPU", _GPU),
            ("CPU", "CPU", _CPU),
        )
    }
)

_DEFAULT_OF_TARGET = {"Ascend": "Ascend910", "GPU": "GPU", "CPU": "CPU"}


def device_spec(name: str = "Ascend910") -> DeviceSpec:
    """The spec called ``name``; a bare target ("Ascend") gives that target's default.

    Raises:
        ValueError: for a name that is neither.
    """
    found = SPECS.get(_DEFAULT_OF_TARGET.get(name, name))
    if found is None:
        raise ValueError(
            f"device_spec: name must be one of {', '.join(SPECS)}, got {name!r}."
            f"{did_you_mean(name, SPECS)}"
        )
    return found
