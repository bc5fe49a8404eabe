"""Plans of trainings on many ranks, made on one machine."""
