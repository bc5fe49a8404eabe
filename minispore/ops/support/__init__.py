"""Helpers of all op families: checks of static arguments, sums, keyword aliases, the transport
between ranks.
"""
