"""Sources of recordings in files, one family per module; all read through ``table``."""

from minispore.dataset.sources.sounds.genres import GTZANDataset as GTZANDataset
from minispore.dataset.sources.sounds.readings import CMUArcticDataset as CMUArcticDataset
from minispore.dataset.sources.sounds.readings import LibriTTSDataset as LibriTTSDataset
from minispore.dataset.sources.sounds.readings import LJSpeechDataset as LJSpeechDataset
from minispore.dataset.sources.sounds.talks import TedliumDataset as TedliumDataset
from minispore.dataset.sources.sounds.words import SpeechCommandsDataset as SpeechCommandsDataset
from minispore.dataset.sources.sounds.words import YesNoDataset as YesNoDataset
from minispore.foundation.docstrings import attach_docstrings as _describe

__all__ = [
    "CMUArcticDataset",
    "GTZANDataset",
    "LJSpeechDataset",
    "LibriTTSDataset",
    "SpeechCommandsDataset",
    "TedliumDataset",
    "YesNoDataset",
]

_describe(__name__)
