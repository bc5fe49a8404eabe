"""Attack the package and count: kills, faults, hostile files, full disks, strangers."""
