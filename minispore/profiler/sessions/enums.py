"""Define the enumerations that select what a session collects."""

from __future__ import annotations

from enum import Enum


class ProfilerLevel(Enum):
    """The level of detail on the device: LevelNone has no kernels, the others have all kernels.

    Level1 and above also have AI Core metrics.
    """

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """The source of collected data: NPU and GPU are the modelled device, CPU is this computer."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """The group of AI Core metrics that is written for each kernel."""

    PipeUtilization = "PipeUtilization"
    ArithmeticUtilization = "ArithmeticUtilization"
    Memory = "Memory"
    MemoryL0 = "MemoryL0"
    MemoryUB = "MemoryUB"
    ResourceConflictRatio = "ResourceConflictRatio"
    L2Cache = "L2Cache"
    MemoryAccess = "MemoryAccess"
    AiCoreNone = "None"


class ExportType(Enum):
    """The format of the files: Text for CSV and JSON; Db is not supported."""

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """The metrics of the host system; minispore does not collect them."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


__all__ = ["AicoreMetrics", "ExportType", "HostSystem", "ProfilerActivity", "ProfilerLevel"]
