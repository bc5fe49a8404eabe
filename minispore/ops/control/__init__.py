"""Effects and higher-order functions: assignments, hooks, loops, derivatives, collectives."""
