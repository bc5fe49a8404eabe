"""Networks as model files: MindIR, which MindSpore reads and writes, and ONNX.

``inference`` traces a network and says it in MindSpore's own ops; ``mindir_ops`` and ``onnx_ops``
are the tables of how each op is written. ``message`` is as much of protobuf as that takes.
"""
