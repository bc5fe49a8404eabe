"""The operators, as primitives (``ops.Concat``) and functions (``ops.concat``), one file per
family.
"""
# ruff: noqa: F401, F403  each family says in its __all__ what is public

from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.ops.extended import look_ops as __getattr__
from minispore.ops.extended import names_ops as __dir__
from minispore.ops.vocabulary import *

_describe(__name__)
