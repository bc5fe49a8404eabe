"""Checkpoint file formats: MindSpore's own and safetensors, encrypted or not."""
