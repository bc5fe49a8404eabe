"""Text: vocabularies, word vectors, tokenizers, and transforms from words to ids."""

from minispore.dataset.text.enums import JiebaMode as JiebaMode
from minispore.dataset.text.enums import NormalizeForm as NormalizeForm
from minispore.dataset.text.jieba import JiebaTokenizer as JiebaTokenizer
from minispore.dataset.text.normal import CaseFold as CaseFold
from minispore.dataset.text.normal import NormalizeUTF8 as NormalizeUTF8
from minispore.dataset.text.normal import RegexReplace as RegexReplace
from minispore.dataset.text.script_tokenizer import (
    UnicodeScriptTokenizer as UnicodeScriptTokenizer,
)
from minispore.dataset.text.sequence import AddToken as AddToken
from minispore.dataset.text.sequence import Lookup as Lookup
from minispore.dataset.text.sequence import Ngram as Ngram
from minispore.dataset.text.sequence import SlidingWindow as SlidingWindow
from minispore.dataset.text.sequence import ToNumber as ToNumber
from minispore.dataset.text.sequence import ToVectors as ToVectors
from minispore.dataset.text.sequence import Truncate as Truncate
from minispore.dataset.text.sequence import TruncateSequencePair as TruncateSequencePair
from minispore.dataset.text.tokenizers import BasicTokenizer as BasicTokenizer
from minispore.dataset.text.tokenizers import BertTokenizer as BertTokenizer
from minispore.dataset.text.tokenizers import PythonTokenizer as PythonTokenizer
from minispore.dataset.text.tokenizers import RegexTokenizer as RegexTokenizer
from minispore.dataset.text.tokenizers import UnicodeCharTokenizer as UnicodeCharTokenizer
from minispore.dataset.text.tokenizers import WhitespaceTokenizer as WhitespaceTokenizer
from minispore.dataset.text.tokenizers import WordpieceTokenizer as WordpieceTokenizer
from minispore.dataset.text.vectors import CharNGram as CharNGram
from minispore.dataset.text.vectors import FastText as FastText
from minispore.dataset.text.vectors import GloVe as GloVe
from minispore.dataset.text.vectors import Vectors as Vectors
from minispore.dataset.text.vocab import Vocab as Vocab
from minispore.dataset.text.vocab import to_bytes as to_bytes
from minispore.dataset.text.vocab import to_str as to_str
from minispore.dataset.text.wikipedia import FilterWikipediaXML as FilterWikipediaXML
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.lazy_import import make_lazy_attributes as _later
from minispore.foundation.placeholders import SentencePieceModel as SentencePieceModel
from minispore.foundation.placeholders import SentencePieceTokenizer as SentencePieceTokenizer
from minispore.foundation.placeholders import SentencePieceVocab as SentencePieceVocab
from minispore.foundation.placeholders import SPieceTokenizerLoadType as SPieceTokenizerLoadType
from minispore.foundation.placeholders import SPieceTokenizerOutType as SPieceTokenizerOutType

__all__ = [
    "AddToken",
    "BasicTokenizer",
    "BertTokenizer",
    "CaseFold",
    "CharNGram",
    "FastText",
    "FilterWikipediaXML",
    "GloVe",
    "JiebaMode",
    "JiebaTokenizer",
    "Lookup",
    "Ngram",
    "NormalizeForm",
    "NormalizeUTF8",
    "PythonTokenizer",
    "RegexReplace",
    "RegexTokenizer",
    "SlidingWindow",
    "ToNumber",
    "ToVectors",
    "Truncate",
    "TruncateSequencePair",
    "UnicodeCharTokenizer",
    "UnicodeScriptTokenizer",
    "Vectors",
    "Vocab",
    "WhitespaceTokenizer",
    "WordpieceTokenizer",
    "to_bytes",
    "to_str",
]

_LAZY_MODULES = {
    "transforms": "minispore.dataset.text.transforms",
    "utils": "minispore.dataset.text.utils",
}
__getattr__, __dir__ = _later(__name__, _LAZY_MODULES)

_describe(__name__)
