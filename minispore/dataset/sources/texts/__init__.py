"""Sources of texts in folders, a family per file; ``corpus`` is what all of them read with."""

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
from minispore.described import describe as _describe

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "DBpediaDataset",
    "EnWik9Dataset",
    "PennTreebankDataset",
    "SQuADDataset",
    "SST2Dataset",
    "SogouNewsDataset",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
]

_describe(__name__)
