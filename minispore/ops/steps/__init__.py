"""The lowerings of convolutions and pools: primitives for windows, columns, planes and bands.

A convolution and its two gradients are each replaced by a few primitives ("steps"), in a graph as
well as in their own kernel. ``ways`` chooses one of five lowerings: by columns (``columns``), in
the blocked layout (``planes``), for depthwise convolutions (``depthwise``), with a gradient by
phases for strided ones (``phases``), or Winograd's (``winograd``). All use the sliding windows of
``window`` and the products of ``products``.
"""
