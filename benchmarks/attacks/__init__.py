"""Attacks, counted: kills, faults, hostile files, full disks; what must hold, holds in all."""
