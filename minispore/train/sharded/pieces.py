"""What a rank takes of the slices that other ranks hold."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.train.sharded.strategy import Piece, Slicing, Strategy, overlap

WHOLE = Slicing((1,), ())  # on one device, all of it


class Transform:
    """What a rank of ``target`` takes from ranks of ``source``. Parameters that one of them does
    not name stay as they are, those of the rank's own place.
    """

    def __init__(self, who: str, source: Strategy, target: Strategy) -> None:
        self.who, self.source, self.target = who, source, target

    def ranks(self, rank: int) -> list[int]:
        """The ranks that hold what ``rank`` needs, the greatest first."""
        checks.integer(self.who, "rank_id", rank)
        rank = self._place(rank)
        if not 0 <= rank < self.target.devices:
            raise IndexError(
                f"{self.who}: rank_id must be below the {self.target.devices} devices of the new "
                f"strategy, got {rank}."
            )
        needed = {rank % self.source.devices}
        for name, slicing in self.target.here(rank):
            if name in self.source.slicings:
                self._choose(self.source.slicings[name], slicing.piece(rank), rank, needed)
        return sorted(needed, reverse=True)

    def _place(self, rank: int) -> int:
        """``rank``, or the only one there is: of a whole network all ranks have the same."""
        return 0 if self.target.devices == 1 else rank

    def _choose(self, held: Slicing, wanted: Piece, rank: int, needed: set[int]) -> None:
        """Add to ``needed`` one holder of each piece in which ``wanted`` lies."""
        holders: dict[Piece, list[int]] = {}
        for r in held.ranks:
            piece = held.piece(r)
            if overlap(piece, wanted):
                holders.setdefault(piece, []).append(r)
        for ranks in holders.values():
            if needed.isdisjoint(ranks):
                needed.add(max((r for r in ranks if r <= rank), default=ranks[0]))

    def contents(self, rank: int, held: Mapping[int, Mapping[str, Any]]) -> dict[str, Any]:
        """What the checkpoint of ``rank`` holds, of those of other ranks."""
        rank = self._place(rank)
        known = {*self.source.slicings, *self.target.slicings}
        if not any(name in known for contents in held.values() for name in contents):
            raise ValueError(
                f"{self.who}: a strategy must name parameters of the checkpoints, got none of "
                "theirs."
            )
        made: dict[str, Any] = {}
        for name, slicing in self.target.here(rank):
            if name in self.source.slicings:
                source = self.source.slicings[name]
                found = {r: held[r][name].asnumpy() for r in held if name in held[r]}
                if found:
                    wanted = slicing.piece(rank)
                    made[name] = cut(name, source, wanted, found.__getitem__, found)
        own = held[rank % self.source.devices]
        shared = self.source.slicings.keys() & self.target.slicings.keys()
        return made | {name: content for name, content in own.items() if name not in shared}


def cut(
    name: str,
    source: Slicing,
    wanted: Piece,
    slice_of: Callable[[int], np.ndarray],
    ranks: Iterable[int] | None = None,
) -> np.ndarray:
    """The piece ``wanted`` of the array whose slices ``slice_of`` gives."""
    pieces = {r: source.piece(r) for r in (source.ranks if ranks is None else ranks)}
    pieces = {r: piece for r, piece in pieces.items() if r in source.ranks}
    if not pieces:
        raise ValueError(f"{name}: all its slices must be given, got none.")
    first = next(iter(pieces))
    one = slice_of(first)
    rank = one.ndim
    lengths = [n * parts for n, (_, parts) in zip(one.shape, _for_axes(pieces[first], rank))]
    bounds = _bounds(name, lengths, _for_axes(wanted, rank))
    out = np.empty([high - low for low, high in bounds], one.dtype)
    missing = out.size
    for piece, holder in {piece: r for r, piece in pieces.items()}.items():
        held = _bounds(name, lengths, _for_axes(piece, rank))
        common = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(bounds, held)]
        if all(low < high for low, high in common):
            into = tuple(slice(a - low, b - low) for (a, b), (low, _) in zip(common, bounds))
            of = tuple(slice(a - low, b - low) for (a, b), (low, _) in zip(common, held))
            out[into] = slice_of(holder)[of]
            missing -= out[into].size
    if missing:
        raise ValueError(f"{name}: all its slices must be given, got {sorted(pieces)} of ranks.")
    return out


def _for_axes(piece: Piece, ndim: int) -> Piece:
    """``piece`` of an array of ``ndim`` axes; those that it does not name are whole."""
    return (*piece[:ndim], *[(0, 1)] * (ndim - len(piece)))


def _bounds(name: str, lengths: list[int], piece: Piece) -> list[tuple[int, int]]:
    for length, (_, parts) in zip(lengths, piece):
        if length % parts:
            raise RuntimeError(
                f"{name}: an axis of {length} must be a multiple of the {parts} parts into which "
                "the strategy cuts it."
            )
    return [(length // n * i, length // n * (i + 1)) for length, (i, n) in zip(lengths, piece)]
