"""The data engine: it handles rows, threads and processes, but no files, tensors or MindSpore API.

A pipeline is a tree of immutable nodes (:mod:`.node`): a table or a stream of rows (:mod:`.source`)
at the leaves, and operations above. Rows travel in blocks of stacked columns (:mod:`.block`).

* A node is *opened* for each pass. If any row can be fetched by its number, the pass is
  *indexed*: shuffle, repeat, take, skip, concat, zip (:mod:`.order`) and batch
  (:mod:`.batching`) translate row numbers and pass them down to the table; map (:mod:`.mapping`)
  transforms the returned rows, a whole block at a time if its operations can. Every other pass is
  a *stream* of blocks (:mod:`.flow`).
* So a pass over an indexed tree is a list of numbers, cut into chunks. Threads take the chunks
  and deliver the blocks in order (:mod:`.ordered_workers`). A user's function with one worker is a
  turnstile, which chunks pass in order; with several workers it may run in processes
  (:mod:`.workers`).
* A run (:class:`.run.Run`) holds the state of one iterator: seed, threads, processes, meters. A
  feed (:mod:`.feed`) iterates over the rows of its passes in order.
* A map with callbacks is a stream: it calls them at its steps in order (:mod:`.map_callbacks`).
* Randomness is keyed by seed, node, pass and row (:mod:`.random`), so threads never change a row.
* A row that fails ends its block; the block carries the error in place of the row.
"""
