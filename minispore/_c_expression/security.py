"""Alias module: what a build forbids, at ``mindspore._c_expression.security``."""

from minispore.version import enable_security as enable_security

__all__ = ["enable_security"]
