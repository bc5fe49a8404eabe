"""One rule a file; :func:`minispore.check.rule.all_rules` finds them."""
