"""The files of checkpoints: MindSpore's own and safetensors, encrypted or not."""
