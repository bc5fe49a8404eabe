"""The constants of all devices, each with its unit, its source and a tag that says how reliable it
is.

The tags are ``S`` vendor specification or documentation, ``M`` a published measurement, ``C`` read
from source code or a configuration file, ``D`` derived by arithmetic, ``A`` assumed, and ``given``
for a value that the user set. None of them is measured by minispore: times computed from these
numbers are a model.

>>> spec = device_spec("Ascend910")
>>> int(spec.ai_cores), spec["ai_cores"].tag
(32, 'S')
>>> spec.replace(ai_cores=16)["ai_cores"]
Constant(value=16, unit='cores', source='given by the user', tag='given')
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from minispore.device.model.constants import GIB as GIB
from minispore.device.model.constants import KIB as KIB
from minispore.device.model.constants import MIB as MIB
from minispore.device.model.constants import Constant as Constant
from minispore.device.model.constants import DeviceSpec as DeviceSpec
from minispore.device.model.devices import ascend, other
from minispore.errors import did_you_mean

SPECS: Mapping[str, DeviceSpec] = MappingProxyType(
    {
        name: DeviceSpec(name, target, MappingProxyType(constants))
        for name, target, constants in (
            ("Ascend910", "Ascend", ascend.ASCEND910),
            ("Ascend910B2", "Ascend", ascend.ASCEND910B2),
            ("Ascend910B3", "Ascend", ascend.ASCEND910B3),
            ("Ascend310", "Ascend", ascend.ASCEND310),
            ("Ascend310P3", "Ascend", ascend.ASCEND310P3),
            ("V100", "GPU", other.V100),
            ("A100", "GPU", other.A100),
            ("CPU", "CPU", other.CPU),
        )
    }
)

#: The default device of each target, and aliases of others. "910B" means an Atlas A2; as the name
#: of a SoC, "Ascend910B" was once a version of the first 910.
OTHER_NAMES: Mapping[str, str] = MappingProxyType(
    {
        "Ascend": "Ascend910",
        "GPU": "V100",
        "910": "Ascend910",
        "910A": "Ascend910",
        "Ascend910A": "Ascend910",
        "910B": "Ascend910B2",
        "Ascend910B": "Ascend910B2",
        "310": "Ascend310",
        "310P": "Ascend310P3",
        "Ascend310P": "Ascend310P3",
    }
)


def device_spec(name: str = "Ascend910") -> DeviceSpec:
    """Return the spec called ``name``; a target ("Ascend") means its default device.

    >>> device_spec("GPU").name, device_spec("310P").name
    ('V100', 'Ascend310P3')

    Raises:
        ValueError: the name is neither.
    """
    spec = SPECS.get(OTHER_NAMES.get(name, name))
    if spec is None:
        raise ValueError(
            f"device_spec: name must be one of {', '.join(SPECS)}, got {name!r}."
            f"{did_you_mean(name, SPECS)}"
        )
    return spec
