"""One rule per file; :func:`minispore.check.rule.all_rules` finds them."""
