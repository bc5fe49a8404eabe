"""Alias module: names of ``mindspore.rewrite``, which changes a network's source."""

from minispore.foundation.placeholders import Node as Node
from minispore.foundation.placeholders import NodeType as NodeType
from minispore.foundation.placeholders import PatternEngine as PatternEngine
from minispore.foundation.placeholders import PatternNode as PatternNode
from minispore.foundation.placeholders import Replacement as Replacement
from minispore.foundation.placeholders import ScopedValue as ScopedValue
from minispore.foundation.placeholders import SymbolTree as SymbolTree
from minispore.foundation.placeholders import ValueType as ValueType
from minispore.foundation.placeholders import VarNode as VarNode

__all__ = ["Node", "NodeType", "ScopedValue", "SymbolTree", "ValueType"]
