"""Datasets that read something: files, arrays, generators."""
