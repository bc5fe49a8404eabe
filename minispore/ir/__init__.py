"""Values, nodes and operators: the records and interfaces that all higher layers share."""
