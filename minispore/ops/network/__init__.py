"""Layers as ops: convolution, pooling, normalisation, softmax, dropout, recurrence."""
