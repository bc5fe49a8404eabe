"""Helpers shared by all op families: argument checks, sums, keyword aliases, transport between
ranks.
"""
