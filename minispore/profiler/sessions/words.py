"""The words in which a session is told what to collect."""

from __future__ import annotations

from enum import Enum


class ProfilerLevel(Enum):
    """How much is collected of the device: LevelNone has no kernels, the others have them all; from
    Level1 on there are AI Core metrics, too."""

    LevelNone = "LevelNone"
    Level0 = "Level0"
    Level1 = "Level1"
    Level2 = "Level2"


class ProfilerActivity(Enum):
    """Whose doings are collected: NPU and GPU for the modelled device, CPU for this computer."""

    NPU = "NPU"
    GPU = "GPU"
    CPU = "CPU"


class AicoreMetrics(Enum):
    """Which AI Core metrics there are of each kernel."""

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
    """The form of the files: Text for CSV and JSON; there is no Db here."""

    Db = "db"
    Text = "text"


class HostSystem(Enum):
    """What could be collected of the host's system; nothing is."""

    CPU = "cpu"
    MEM = "mem"
    DISK = "disk"
    NETWORK = "network"
    OSRT = "osrt"


__all__ = ["AicoreMetrics", "ExportType", "HostSystem", "ProfilerActivity", "ProfilerLevel"]
