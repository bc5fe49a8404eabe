"""Samples of connectionist temporal classification."""

from __future__ import annotations

import numpy as np

from minispore import ops as P
from tests.ops.samples import bad, floats, sample

x = floats(4, 2, 3)
logs = x - np.logaddexp.reduce(x, 2, keepdims=True)
targets, lengths, counts = np.array([[1, 2], [2, 2]]), np.array([4, 3]), np.array([1, 2])
d = floats(2, low=0.5, high=1.5)
sample(P.CTCLossV2(), logs, targets, lengths, counts, wrt=(), why_not="alpha holds log(0)")
sample(P.CTCLossV2(1, "none", True), logs, np.array([[0], [2]]), lengths, np.array([1, 1]), wrt=(),
       why_not="alpha holds log(0)")  # fmt: skip
sample(P.CTCLossV2Grad(), d, logs, targets, lengths, counts)
bad(
    P.CTCLossV2(), logs, np.array([[1]]), lengths, counts, match="targets must have the axes (2, S)"
)
bad(P.CTCLossV2(), logs, targets, np.array([4]), counts, match="input_lengths must hold 2 lengths")
bad(P.CTCLossV2(7), logs, targets, lengths, counts, match="blank must be < 3")
bad(lambda: P.CTCLossV2(0, "avg"), match="reduction must be one of", name="CTCLossV2")

places, values = np.array([[0, 0], [1, 0], [1, 1]]), np.int32([1, 0, 0])
lengths = lengths.astype(np.int32)
sample(P.CTCLoss(), x, places, values, lengths)
sample(P.CTCLoss(True), x, places, values, lengths)
sample(P.CTCLoss(False, False), x, places, values, lengths)
sample(P.CTCLoss(False, True, True), x, places, values, np.int32([4, 1]))
bad(P.CTCLoss(), x, places, values, np.int32([4, 1]), match="at least as long as its labels")
bad(P.CTCLoss(), x, places, values + 3, lengths, match="labels_values must be in [0, 2]")
bad(P.CTCLoss(), x, places[:1], values, lengths, match="labels_indices must have the shape (3, 2)")
for merge in (False, True):
    sample(P.CTCGreedyDecoder(merge), x, lengths, wrt=(), why_not="class numbers")
bad(P.CTCGreedyDecoder(), x, np.int32([9, 1]), match="sequence_length must hold 2 lengths")

acts, labels = floats(2, 3, 3, 4), np.int32([[1, 2], [3, 1]])
steps, counts = np.int32([3, 2]), np.int32([2, 1])
sample(P.RNNTLoss(), acts, labels, steps, counts)
sample(P.RNNTLoss(3), acts, np.int32([[1, 2], [0, 1]]), steps, counts)
bad(P.RNNTLoss(), acts, labels[:, :1], steps, counts, match="labels must have the shape (2, 2)")
bad(P.RNNTLoss(), acts, labels, np.int32([4, 2]), counts, match="input_lengths must be in [1, 3]")
bad(P.RNNTLoss(9), acts, labels, steps, counts, match="blank_label must be < 4")
bad(
    P.CTCLossV2(),
    logs,
    targets + 3,
    np.int64([4, 4]),
    np.int64([1, 1]),
    match="targets must be in [0, 3)",
)

said = np.array([[0, 0], [0, 1], [1, 0]]), np.float32([1, 2, 3]), np.array([2, 2])
true = np.array([[0, 0], [2, 0]]), np.float32([1, 9]), np.array([3, 1])
for normalize in (False, True):
    sample(P.EditDistance(normalize), *said, *true, wrt=(), why_not="counts")
bad(P.EditDistance(), *said[:2], np.array([2, 2, 2]), *true,
    match="hypothesis_indices must be of shape (3, 3)")  # fmt: skip
bad(P.EditDistance(), *said[:2], np.array([1, 1]), *true[:2], np.array([1, 1]),
    match="hypothesis_indices must lie in the greater of both shapes, [1]")  # fmt: skip
bad(P.EditDistance(), *said, np.array([[0, 0], [-1, 0]]), *true[1:],
    match="truth_indices must be >= 0, got -1")  # fmt: skip
bad(P.EditDistance(), *said, true[0], np.int32([1, 9]), true[2],
    match="hypothesis_values and truth_values must be of one dtype", error=TypeError)  # fmt: skip
