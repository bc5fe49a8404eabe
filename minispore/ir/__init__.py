"""Values, nodes and operators: the records and interfaces that all packages above share."""
