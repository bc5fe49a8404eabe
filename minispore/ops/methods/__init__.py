"""Methods and types beyond functional ops: tensor methods, in-place changes, sparse tensors."""
