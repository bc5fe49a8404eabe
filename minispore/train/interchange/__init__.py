"""Networks as model files: MindIR, which MindSpore reads and writes, and ONNX.

``inference`` traces a network into MindSpore's own ops; ``mindir_ops`` and ``onnx_ops`` are the
tables of how each op is written. The messages are defined in ``mindir_proto`` and ``onnx_proto``.
"""
