"""Ops of large language models, which MindSpore has on Ascends alone; here they run on every
target. A family per file.
"""
