"""Elements by number: subscripts, gather and scatter, masks, segments, embeddings."""
