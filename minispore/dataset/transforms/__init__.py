"""Transforms of any column: TypeCast, OneHot, Compose, ..."""

from minispore.dataset.transforms.array import OneHot as OneHot
from minispore.dataset.transforms.array import TypeCast as TypeCast
from minispore.dataset.transforms.compose import Compose as Compose

__all__ = ["Compose", "OneHot", "TypeCast"]
