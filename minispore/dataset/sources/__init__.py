"""Source datasets: they read files, arrays, generators."""
