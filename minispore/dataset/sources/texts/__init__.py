"""Sources of texts in folders, one family per module; all read through ``corpus``."""

from minispore.dataset.sources.texts.classified import AGNewsDataset as AGNewsDataset
from minispore.dataset.sources.texts.classified import AmazonReviewDataset as AmazonReviewDataset
from minispore.dataset.sources.texts.classified import DBpediaDataset as DBpediaDataset
from minispore.dataset.sources.texts.classified import SogouNewsDataset as SogouNewsDataset
from minispore.dataset.sources.texts.classified import SST2Dataset as SST2Dataset
from minispore.dataset.sources.texts.classified import YahooAnswersDataset as YahooAnswersDataset
from minispore.dataset.sources.texts.classified import YelpReviewDataset as YelpReviewDataset
from minispore.dataset.sources.texts.questions import SQuADDataset as SQuADDataset
from minispore.dataset.sources.texts.running import EnWik9Dataset as EnWik9Dataset
from minispore.dataset.sources.texts.running import PennTreebankDataset as PennTreebankDataset
from minispore.dataset.sources.texts.running import WikiTextDataset as WikiTextDataset
from minispore.dataset.sources.texts.tagged import CoNLL2000Dataset as CoNLL2000Dataset
from minispore.dataset.sources.texts.tagged import UDPOSDataset as UDPOSDataset
from minispore.dataset.sources.texts.translations import IWSLT2016Dataset as IWSLT2016Dataset
from minispore.dataset.sources.texts.translations import IWSLT2017Dataset as IWSLT2017Dataset
from minispore.dataset.sources.texts.translations import Multi30kDataset as Multi30kDataset
from minispore.foundation.docstrings import attach_docstrings as _describe

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "CoNLL2000Dataset",
    "DBpediaDataset",
    "EnWik9Dataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "Multi30kDataset",
    "PennTreebankDataset",
    "SQuADDataset",
    "SST2Dataset",
    "SogouNewsDataset",
    "UDPOSDataset",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]

_describe(__name__)
