"""Lowerings of convolutions and pools to products of matrices.

NumPy has no convolution. Each one is therefore lowered: replaced by a few primitives ("steps") that
copy, transform and multiply, in a graph as well as in its own kernel. The forward pass and the
gradients then share the intermediates that both need, and BLAS does the arithmetic. For a
convolution of C to F channels with K taps, P = OH * OW * N output positions and images of H x W, a
batch of N::

    module      chosen for                   product                             copies of the input
    columns     everything else              (F, C*K) @ (C*K, P)                 K
    planes      few channels, stride 1       (F*B, KH*C*(KW+B-1)) @ rows         (KW+B-1) / B
    winograd    3x3, stride 1, float32       (m+2) x (F, 3*C) @ (3*C, P/m)       (m+2) / m
    depthwise   one filter for each channel  (B, M*KW) @ (M*KW, OW*N)            KW
    phases      input gradient, stride > 1   (C, A*B*F) @ (A*B*F, J*N)           KW / stride

The docstring of each module derives its product, with a picture and the paper where there is one.
``lowering`` chooses one of them. ``window`` holds the geometry of windows, ``products`` the matrix
products with their operands in the order that BLAS multiplies fastest, and ``pools`` the 2x2
pooling of planes. ``half_precision`` holds the casts around a float16 or bfloat16 convolution,
which is computed in float32.
"""
