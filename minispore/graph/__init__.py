"""The graph compiler: trace -> verify -> passes -> plan -> program.

A function is traced once with placeholder values. The verifier checks the graph, passes rewrite
it, the planner gives each value its memory, and a program runs the bound NumPy calls. Importing
this package makes it the compiler of GRAPH_MODE.
"""

from minispore.graph import compiler as compiler
from minispore.graph.check import check_modes as check_modes
from minispore.graph.dynamic import enable_dynamic as enable_dynamic
from minispore.graph.ir import Graph as Graph
from minispore.graph.program import Program as Program
from minispore.graph.staging import JitConfig as JitConfig
from minispore.graph.staging import jit as jit
from minispore.graph.staging import jit_class as jit_class
from minispore.graph.staging import lazy_inline as lazy_inline
from minispore.graph.staging import ms_function as ms_function
from minispore.graph.staging import no_inline as no_inline
from minispore.graph.staging import program_of as program_of
from minispore.ir.runtime import install_compiler

install_compiler(compiler.compiler)
