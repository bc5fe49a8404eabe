"""Alias module: what gives rows, at ``mindspore.dataset.engine.iterators``."""

from minispore.dataset.iterator import ITERATORS_LIST as ITERATORS_LIST
from minispore.dataset.iterator import DictIterator as DictIterator
from minispore.dataset.iterator import Iterator as Iterator
from minispore.dataset.iterator import TupleIterator as TupleIterator
from minispore.dataset.iterator import _cleanup as _cleanup
from minispore.dataset.iterator import _unset_iterator_cleanup as _unset_iterator_cleanup
