"""The compiler: trace -> verify -> passes -> plan -> program.

Importing this package makes it the compiler of GRAPH_MODE.
"""

from minispore.core.runtime import install_compiler
from minispore.graph import compiler as compiler
from minispore.graph.check import check_modes as check_modes
from minispore.graph.compiler import JitConfig as JitConfig
from minispore.graph.compiler import jit as jit
from minispore.graph.compiler import jit_class as jit_class
from minispore.graph.compiler import ms_function as ms_function
from minispore.graph.compiler import program_of as program_of
from minispore.graph.ir import Graph as Graph
from minispore.graph.program import Program as Program

install_compiler(compiler.compiler)
