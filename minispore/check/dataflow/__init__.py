"""Follow values through a function: which branches run, and what is read later."""
