"""Switches of the graph compiler, set as attributes of this module, as in MindSpore 2.10.

>>> from minispore.graph._parse import compile_config
>>> compile_config.COMPILE_PROFILE
''
"""

from __future__ import annotations

from typing import Any

#: 1: print how long each stage of a compile took. Any other value: don't.
COMPILE_PROFILE: Any = ""
