"""no_init_parameters: builds networks without initializing their weights."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from minispore.core.initializer.deferred import deferring


@contextmanager
def no_init_parameters() -> Iterator[None]:
    """Defer the initialization of networks built inside the ``with`` block.

    For weights that come from a checkpoint or are never read, as in an estimate.

    Parameters with an initializer are filled when their content is first needed: by the first run,
    by ``init_parameters_data``, or never. Parameters made from a Tensor or an array have their
    content at once.

    >>> from minispore import nn
    >>> with no_init_parameters():
    ...     net = nn.Dense(1 << 20, 1 << 20)  # 4 TB
    >>> net.weight.has_init
    True
    """
    with deferring():
        yield


__all__ = ["no_init_parameters"]
