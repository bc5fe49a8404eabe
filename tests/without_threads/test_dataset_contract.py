"""The contract of dataset operations, where no worker can be started."""

from __future__ import annotations

import pytest

from tests.dataset.test_contract import *  # noqa: F403

pytestmark = pytest.mark.filterwarnings("ignore:dataset. this interpreter can't start processes")
