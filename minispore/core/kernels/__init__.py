"""How kernels run: as other primitives (steps), with what others made before (saved), and with
calls that were bound before (bound).
"""
