"""One rule a file; :func:`minispore.check.rule.rules` finds them."""
