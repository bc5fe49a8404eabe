"""Source datasets: they read rows from files, arrays and generators."""
