"""Ops of large language models, one family per file.

They run on every target; MindSpore supports them only on Ascend.
"""
