"""Conversion of the pieces of parameters on the ranks from one strategy to another."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import numpy as np

from minispore.foundation import checks
from minispore.train.sharded.strategy import Piece, Slicing, Strategy, pieces_overlap

UNSPLIT = Slicing((1,), ())  # one device has the full parameter


class CheckpointTransform:
    """The conversion of checkpoints from the strategy ``source`` to the strategy ``target``.

    Parameters that one of the strategies does not name are copied from the rank's own checkpoint.
    """

    def __init__(self, api_name: str, source: Strategy, target: Strategy) -> None:
        self.api_name, self.source, self.target = api_name, source, target

    def find_needed_ranks(self, rank: int) -> list[int]:
        """Return the source ranks whose checkpoints ``rank`` needs, in descending order.

        Raises:
            TypeError: ``rank`` is not an int.
            IndexError: the target strategy has no such rank.
        """
        checks.integer(self.api_name, "rank_id", rank)
        rank = self._normalize_rank(rank)
        if not 0 <= rank < self.target.devices:
            raise IndexError(
                f"{self.api_name}: rank_id must be below the {self.target.devices} devices of the "
                f"new strategy, got {rank}."
            )
        needed = {rank % self.source.devices}
        for name, slicing in self.target.slicings_on_rank(rank):
            if name in self.source.slicings:
                self._add_needed_ranks(
                    self.source.slicings[name], slicing.compute_piece(rank), rank, needed
                )
        return sorted(needed, reverse=True)

    def _normalize_rank(self, rank: int) -> int:
        """Return ``rank``, or 0 if the target is one device, since all ranks have the same content
        then.
        """
        return 0 if self.target.devices == 1 else rank

    def _add_needed_ranks(
        self, source_slicing: Slicing, target_piece: Piece, rank: int, needed: set[int]
    ) -> None:
        """Add to ``needed`` one source rank for each piece that overlaps the target piece.

        It is the last holder of the piece up to ``rank``; none is added if a needed rank holds it.
        """
        holders: dict[Piece, list[int]] = {}
        for source_rank in source_slicing.ranks:
            piece = source_slicing.compute_piece(source_rank)
            if pieces_overlap(piece, target_piece):
                holders.setdefault(piece, []).append(source_rank)
        for ranks in holders.values():
            if needed.isdisjoint(ranks):
                needed.add(
                    max(
                        (source_rank for source_rank in ranks if source_rank <= rank),
                        default=ranks[0],
                    )
                )

    def make_contents(
        self, rank: int, contents_by_rank: Mapping[int, Mapping[str, Any]]
    ) -> dict[str, Any]:
        """Make the checkpoint contents of ``rank`` from the contents of the source ranks.

        Raises:
            ValueError: no parameter is named by a strategy, or slices are missing.
        """
        rank = self._normalize_rank(rank)
        split_names = {*self.source.slicings, *self.target.slicings}
        if not any(
            name in split_names for contents in contents_by_rank.values() for name in contents
        ):
            raise ValueError(
                f"{self.api_name}: a strategy must name parameters of the checkpoints, got none of "
                "theirs."
            )
        converted: dict[str, Any] = {}
        for name, slicing in self.target.slicings_on_rank(rank):
            if name in self.source.slicings:
                source = self.source.slicings[name]
                slices = {
                    r: contents_by_rank[r][name].asnumpy()
                    for r in contents_by_rank
                    if name in contents_by_rank[r]
                }
                if slices:
                    target_piece = slicing.compute_piece(rank)
                    converted[name] = assemble_piece(
                        name, source, target_piece, slices.__getitem__, slices
                    )
        rank_contents = contents_by_rank[rank % self.source.devices]
        common_names = self.source.slicings.keys() & self.target.slicings.keys()
        return converted | {
            name: content for name, content in rank_contents.items() if name not in common_names
        }


def assemble_piece(
    name: str,
    source: Slicing,
    target_piece: Piece,
    get_slice: Callable[[int], np.ndarray],
    ranks: Iterable[int] | None = None,
) -> np.ndarray:
    """Assemble a piece of an array from the slices that ``get_slice`` returns for source ranks.

    ``ranks`` are the ranks whose slices are available: None for all of ``source``.

    Raises:
        ValueError: slices that the piece needs are missing.
        RuntimeError: an axis can't be split evenly.
    """
    pieces = {r: source.compute_piece(r) for r in (source.ranks if ranks is None else ranks)}
    pieces = {r: piece for r, piece in pieces.items() if r in source.ranks}
    if not pieces:
        raise ValueError(f"{name}: all its slices must be given, got none.")
    first_rank = next(iter(pieces))
    first_slice = get_slice(first_rank)
    ndim = first_slice.ndim
    # The length of an axis of the full array is that of a slice times the number of parts.
    first_piece = _extend_piece(pieces[first_rank], ndim)
    lengths = [n * count for n, (_, count) in zip(first_slice.shape, first_piece)]
    bounds = _compute_bounds(name, lengths, _extend_piece(target_piece, ndim))
    output = np.empty([stop - start for start, stop in bounds], first_slice.dtype)
    missing_elements = output.size
    ranks_by_piece = {piece: r for r, piece in pieces.items()}
    for piece, rank in ranks_by_piece.items():
        source_bounds = _compute_bounds(name, lengths, _extend_piece(piece, ndim))
        overlap = [(max(a, c), min(b, d)) for (a, b), (c, d) in zip(bounds, source_bounds)]
        if all(start < stop for start, stop in overlap):
            target_index = tuple(
                slice(a - start, b - start) for (a, b), (start, _) in zip(overlap, bounds)
            )
            source_index = tuple(
                slice(a - start, b - start) for (a, b), (start, _) in zip(overlap, source_bounds)
            )
            output[target_index] = get_slice(rank)[source_index]
            missing_elements -= output[target_index].size
    if missing_elements:
        raise ValueError(f"{name}: all its slices must be given, got {sorted(pieces)} of ranks.")
    return output


def _extend_piece(piece: Piece, ndim: int) -> Piece:
    """Extend a piece to ``ndim`` axes; the added axes are not split."""
    return (*piece[:ndim], *[(0, 1)] * (ndim - len(piece)))


def _compute_bounds(name: str, lengths: list[int], piece: Piece) -> list[tuple[int, int]]:
    """Return the start and stop of a piece along each axis.

    Raises:
        RuntimeError: the length of an axis is not a multiple of its number of parts.
    """
    for length, (_, count) in zip(lengths, piece):
        if length % count:
            raise RuntimeError(
                f"{name}: an axis of {length} must be a multiple of the {count} parts into which "
                "the strategy cuts it."
            )
    return [(length // n * i, length // n * (i + 1)) for length, (i, n) in zip(lengths, piece)]
