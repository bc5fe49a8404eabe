"""The law of epochs, steps and sinks, where the device runs the pipeline itself."""

from __future__ import annotations

from tests.train.conftest import same_settings_after  # noqa: F401
from tests.train.test_sink_properties import *  # noqa: F403
