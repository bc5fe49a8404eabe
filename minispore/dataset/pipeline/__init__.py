"""The data engine: it handles rows, threads and processes, but no files, tensors or MindSpore API.

A pipeline is a tree of immutable nodes (:mod:`.node`): a table or a stream of rows (:mod:`.source`)
at the leaves, and operations above. Rows travel in blocks of stacked columns (:mod:`.block`).

* A node is *opened* for each pass. Where any row can be fetched by its number, the pass is
  *indexed*: shuffle, repeat, take, skip, concat, zip (:mod:`.order`) and batch
  (:mod:`.batching`) translate numbers and ask below, down to the table; map (:mod:`.mapping`)
  works on what comes back, a whole block at a time where its operations can. Everything else is
  a *stream* of blocks (:mod:`.flow`).
* So a pass over an indexed tree is a list of numbers, cut into chunks. Threads take the chunks
  and deliver the blocks in order (:mod:`.ordered_workers`); a user's function with one worker is a
  turnstile, which chunks pass in order; one with several may have processes (:mod:`.workers`).
* A run (:class:`.run.Run`) holds what lives as long as one iterator: seed, threads, processes,
  meters. A feed (:mod:`.feed`) gives the rows of its passes one after the other.
* A map with callbacks is a stream: it calls them at its steps in order (:mod:`.map_callbacks`).
* Randomness is keyed by seed, node, pass and row (:mod:`.random`), so threads never change a row.
* A row that fails ends its block; the block carries the error to where the row would have come.
"""
