"""Ranks and groups: a single process, or several started by a launcher.

A script that calls ``init()`` and reads its rank runs as rank 0 of 1, as on one card. With
``python -m minispore --ranks 8 script.py`` it runs as eight ranks on this machine, which exchange
their tensors over sockets; ``mpirun``, ``srun`` and ``msrun`` are supported, too.
"""

from minispore.communication.management import HCCL_WORLD_COMM_GROUP as HCCL_WORLD_COMM_GROUP
from minispore.communication.management import MCCL_WORLD_COMM_GROUP as MCCL_WORLD_COMM_GROUP
from minispore.communication.management import NCCL_WORLD_COMM_GROUP as NCCL_WORLD_COMM_GROUP
from minispore.communication.management import GlobalComm as GlobalComm
from minispore.communication.management import create_group as create_group
from minispore.communication.management import destroy_group as destroy_group
from minispore.communication.management import (
    get_group_rank_from_world_rank as get_group_rank_from_world_rank,
)
from minispore.communication.management import get_group_size as get_group_size
from minispore.communication.management import get_local_rank as get_local_rank
from minispore.communication.management import get_local_rank_size as get_local_rank_size
from minispore.communication.management import get_process_group_ranks as get_process_group_ranks
from minispore.communication.management import get_rank as get_rank
from minispore.communication.management import (
    get_world_rank_from_group_rank as get_world_rank_from_group_rank,
)
from minispore.communication.management import init as init
from minispore.communication.management import release as release
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later

__getattr__, __dir__ = _later(__name__, {"comm_func": f"{__name__}.comm_func"})

_describe(__name__)
