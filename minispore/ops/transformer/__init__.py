"""Ops of large language models, which MindSpore has only on Ascend devices; here they run on every
target. A family per file.
"""
