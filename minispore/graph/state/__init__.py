"""Tracking of the Python state that a compiled function depends on.

The problem. A trace runs Python once, and the compiled graph runs without Python. A list that the
function reads is therefore a constant of the graph, and an append to it happens only once. The
graph must not be used again after such state has changed, and a function that changes it can't be a
graph.

The idea. Find all Python state that the code can reach, take a snapshot of it, and compare.

The algorithm:

1. :class:`~minispore.graph.state.scanner.DependencyScanner` starts at the function and its
   arguments.
2. It reads the bytecode of each function of the user (:mod:`minispore.graph.state.bytecode`):
   the globals, variables of enclosing functions and attributes that the code names.
3. It visits the objects behind these names. Functions are read in turn, containers are opened.
4. An attribute is visited only when some code uses its name; until then its value is deferred.
5. Each object that can change becomes a
   :class:`~minispore.graph.state.tracked.TrackedState`: a list, a namespace, an array, a class, ...
6. Code that sees more than Python objects (files, clocks, locks) ends the scan: the function is
   untraceable and runs op by op. :mod:`minispore.graph.state.code_origin` knows which code does.
7. The compiler takes a snapshot of all states before it traces. Afterwards it compares: if the
   trace has changed a state, it restores all of them, and the function runs op by op.
8. With the program it stores snapshots that keep no object alive. Each later call compares them:
   if one differs, the function is compiled again, and the reason names the state.

An example::

    scales = [2.0]
    def scaled(x):
        return x * scales[0]

    scanner = DependencyScanner()
    scanner.scan(scaled)
    [str(s) for s in scanner.tracked_states]  # ['the list scales', 'a global', 'a function']
    snapshots = StateSnapshots(scanner.tracked_states)
    scales[0] = 3.0
    snapshots.find_changed()                  # (the ListState, 'scales')

Code of this package, of NumPy and of the standard library is not read. Cells of this package report
their own changes (``interpreter.note_change``), so their state is compared only around a trace.

* ``scanner``: the search from the function to all state that it can reach.
* ``bytecode``: the names in a function's bytecode.
* ``code_origin``: whether a module is the user's, and which code makes a function untraceable.
* ``tracked``: the base class, and states of names, containers and objects.
* ``contents``: states of Cells, tensors, arrays, weak references and random streams.
* ``definitions``: states of functions, partials, caches and classes.
"""
