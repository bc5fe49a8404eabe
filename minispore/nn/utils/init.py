"""no_init_parameters: builds networks without initial values."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from minispore.core.initializer.deferred import deferring


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Defer the weights of networks built inside the block.

    They come from a checkpoint, or are never read, as in an estimate.

    What an initializer would fill is filled when its content is asked for: by the first run, by
    ``init_parameters_data``, or never. Parameters made of a Tensor or an array have it at once.

    >>> from minispore import nn
    >>> with no_init_parameters():
    ...     net = nn.Dense(1 << 20, 1 << 20)  # 4 TB
    >>> net.weight.has_init
    True
    """
    with deferring():
        yield


__all__ = ["no_init_parameters"]
