"""The engine. It knows rows, threads and processes, and nothing of files, tensors or MindSpore.

A pipeline is a tree of immutable nodes (:mod:`.node`): a table or a stream of rows (:mod:`.source`)
at the leaves, and operations above. Rows travel in blocks of stacked columns (:mod:`.block`).

* A node is *opened* for each pass. Where any row can be asked for by its number, the pass is
  *indexed*: shuffle, repeat, take, skip, concat, zip (:mod:`.order`) and batch
  (:mod:`.batching`) translate numbers and ask below, down to the table; map (:mod:`.mapping`)
  works on what comes back, a whole block at a time where its operations can. Everything else is
  a *stream* of blocks (:mod:`.flow`).
* So a pass over an indexed tree is a list of numbers, cut into chunks. Threads take chunks in turn
  and hand over the blocks in order (:mod:`.lanes`); a user's function that has one worker is a
  turnstile, which chunks pass in order; one with several may have processes (:mod:`.workers`).
* A run (:class:`.node.Run`) is what lives as long as one iterator: seed, threads, processes,
  meters. A feed (:mod:`.feed`) gives the rows of its passes one after the other.
* A map with callbacks is a stream: it tells them of its steps in order (:mod:`.calls`).
* What is random is keyed by seed, node, pass and row (:mod:`.random`), so none of this shows.
* A row that fails ends its block; the block carries the error to where the row would have come.
"""
