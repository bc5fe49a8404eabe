"""Alias module: communication order, ``mindspore.utils.runtime_execution_order_check``."""

from minispore.communication.execution_order import ExecuteOrder as ExecuteOrder
from minispore.communication.execution_order import RankFolderParser as RankFolderParser
from minispore.communication.execution_order import comm_exec_order_check as comm_exec_order_check
from minispore.communication.execution_order import detect_cycle_in_graph as detect_cycle_in_graph
from minispore.communication.execution_order import modify_execute_orders as modify_execute_orders
from minispore.communication.execution_order import parse_and_validate as parse_and_validate
from minispore.communication.execution_order import (
    runtime_execution_order_check as runtime_execution_order_check,
)

__all__ = [
    "ExecuteOrder",
    "RankFolderParser",
    "comm_exec_order_check",
    "detect_cycle_in_graph",
    "modify_execute_orders",
    "parse_and_validate",
    "runtime_execution_order_check",
]
