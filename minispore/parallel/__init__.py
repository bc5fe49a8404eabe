"""How a run is spread over devices: the settings of the search for strategies.

``_auto_parallel_context`` and ``_utils`` are the paths by which scripts ask what is set.
"""

from __future__ import annotations

from minispore.parallel._algo_parameters import get_algo_parameters as get_algo_parameters
from minispore.parallel._algo_parameters import reset_algo_parameters as reset_algo_parameters
from minispore.parallel._algo_parameters import set_algo_parameters as set_algo_parameters

__all__ = ["get_algo_parameters", "reset_algo_parameters", "set_algo_parameters"]
