"""Ops of large language models, which MindSpore has on Ascends alone; here they run everywhere."""
