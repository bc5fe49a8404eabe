"""Trainings on many ranks, planned without them."""
