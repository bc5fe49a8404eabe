"""Door: what MindSpore 2.7 and later call tools."""

from minispore.described import describe as _describe
from minispore.nn.dump import set_dump as set_dump

__all__ = ["set_dump"]

_describe(__name__)
