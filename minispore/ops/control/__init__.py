"""Effects and functions over functions: assignments, hooks, loops, derivatives, collectives."""
