# Written by python -m tests.typing.stubs
from minispore import context as context
from minispore.dataset import audio as audio
from minispore.dataset import config as config
from minispore.dataset import core as core  # type: ignore
from minispore.dataset import debug as debug
from minispore.dataset import engine as engine  # type: ignore
from minispore.dataset import text as text
from minispore.dataset import transforms as transforms
from minispore.dataset import utils as utils  # type: ignore
from minispore.dataset import vision as vision
from minispore.dataset.cache import DatasetCache as DatasetCache
from minispore.dataset.callback import DSCallback as DSCallback
from minispore.dataset.callback import WaitedDSCallback as WaitedDSCallback
from minispore.dataset.dataset import Dataset as Dataset
from minispore.dataset.dataset import MappableDataset as MappableDataset
from minispore.dataset.dataset import SourceDataset as SourceDataset
from minispore.dataset.derived import BatchDataset as BatchDataset
from minispore.dataset.derived import BucketBatchByLengthDataset as BucketBatchByLengthDataset
from minispore.dataset.derived import ConcatDataset as ConcatDataset
from minispore.dataset.derived import FilterDataset as FilterDataset
from minispore.dataset.derived import MapDataset as MapDataset
from minispore.dataset.derived import ProjectDataset as ProjectDataset
from minispore.dataset.derived import RenameDataset as RenameDataset
from minispore.dataset.derived import RepeatDataset as RepeatDataset
from minispore.dataset.derived import ShuffleDataset as ShuffleDataset
from minispore.dataset.derived import SkipDataset as SkipDataset
from minispore.dataset.derived import SyncWaitDataset as SyncWaitDataset
from minispore.dataset.derived import TakeDataset as TakeDataset
from minispore.dataset.derived import ZipDataset as ZipDataset
from minispore.dataset.derived import zip_datasets as zip
from minispore.dataset.iterator import Batch as Batch
from minispore.dataset.iterator import DeviceIterator as DeviceIterator
from minispore.dataset.iterator import DictIterator as DictIterator
from minispore.dataset.iterator import TupleIterator as TupleIterator
from minispore.dataset.lines import LineReader as LineReader
from minispore.dataset.pipeline.batching import BatchInfo as BatchInfo
from minispore.dataset.pipeline.statistics import NodeStatistics as NodeStatistics
from minispore.dataset.pipeline.statistics import PipelineStatistics as PipelineStatistics
from minispore.dataset.random_samplers import PKSampler as PKSampler
from minispore.dataset.random_samplers import WeightedRandomSampler as WeightedRandomSampler
from minispore.dataset.samplers import BuiltinSampler as BuiltinSampler
from minispore.dataset.samplers import DistributedSampler as DistributedSampler
from minispore.dataset.samplers import IterSampler as IterSampler
from minispore.dataset.samplers import RandomSampler as RandomSampler
from minispore.dataset.samplers import Sampler as Sampler
from minispore.dataset.samplers import SequentialSampler as SequentialSampler
from minispore.dataset.samplers import Shuffle as Shuffle
from minispore.dataset.samplers import SubsetRandomSampler as SubsetRandomSampler
from minispore.dataset.samplers import SubsetSampler as SubsetSampler
from minispore.dataset.schema import Schema as Schema
from minispore.dataset.serialized import compare as compare
from minispore.dataset.serialized import deserialize as deserialize
from minispore.dataset.serialized import serialize as serialize
from minispore.dataset.serialized import show as show
from minispore.dataset.sources.cifar import Cifar100Dataset as Cifar100Dataset
from minispore.dataset.sources.cifar import Cifar10Dataset as Cifar10Dataset
from minispore.dataset.sources.clue import CLUEDataset as CLUEDataset
from minispore.dataset.sources.digits import EMnistDataset as EMnistDataset
from minispore.dataset.sources.digits import QMnistDataset as QMnistDataset
from minispore.dataset.sources.digits import STL10Dataset as STL10Dataset
from minispore.dataset.sources.digits import SVHNDataset as SVHNDataset
from minispore.dataset.sources.digits import SemeionDataset as SemeionDataset
from minispore.dataset.sources.digits import USPSDataset as USPSDataset
from minispore.dataset.sources.generator import GeneratorDataset as GeneratorDataset
from minispore.dataset.sources.memory import NumpySlicesDataset as NumpySlicesDataset
from minispore.dataset.sources.memory import PaddedDataset as PaddedDataset
from minispore.dataset.sources.mindrecord import MindDataset as MindDataset
from minispore.dataset.sources.mnist import FashionMnistDataset as FashionMnistDataset
from minispore.dataset.sources.mnist import KMnistDataset as KMnistDataset
from minispore.dataset.sources.mnist import MnistDataset as MnistDataset
from minispore.dataset.sources.pictures.boxes import KITTIDataset as KITTIDataset
from minispore.dataset.sources.pictures.boxes import WIDERFaceDataset as WIDERFaceDataset
from minispore.dataset.sources.pictures.classes import Caltech256Dataset as Caltech256Dataset
from minispore.dataset.sources.pictures.classes import LSUNDataset as LSUNDataset
from minispore.dataset.sources.pictures.classes import OmniglotDataset as OmniglotDataset
from minispore.dataset.sources.pictures.classes import RenderedSST2Dataset as RenderedSST2Dataset
from minispore.dataset.sources.pictures.coco import CocoDataset as CocoDataset
from minispore.dataset.sources.pictures.file_lists import Food101Dataset as Food101Dataset
from minispore.dataset.sources.pictures.file_lists import ManifestDataset as ManifestDataset
from minispore.dataset.sources.pictures.file_lists import Places365Dataset as Places365Dataset
from minispore.dataset.sources.pictures.file_lists import SUN397Dataset as SUN397Dataset
from minispore.dataset.sources.pictures.folders import CelebADataset as CelebADataset
from minispore.dataset.sources.pictures.folders import ImageFolderDataset as ImageFolderDataset
from minispore.dataset.sources.pictures.lfw import LFWDataset as LFWDataset
from minispore.dataset.sources.pictures.mat_annotations import Caltech101Dataset as Caltech101Dataset
from minispore.dataset.sources.pictures.mat_annotations import Flowers102Dataset as Flowers102Dataset
from minispore.dataset.sources.pictures.mat_annotations import SBDataset as SBDataset
from minispore.dataset.sources.pictures.pairs import CityscapesDataset as CityscapesDataset
from minispore.dataset.sources.pictures.pairs import DIV2KDataset as DIV2KDataset
from minispore.dataset.sources.pictures.pairs import FlickrDataset as FlickrDataset
from minispore.dataset.sources.pictures.pairs import SBUDataset as SBUDataset
from minispore.dataset.sources.pictures.patches import PhotoTourDataset as PhotoTourDataset
from minispore.dataset.sources.pictures.voc import VOCDataset as VOCDataset
from minispore.dataset.sources.reviews import IMDBDataset as IMDBDataset
from minispore.dataset.sources.sounds.genres import GTZANDataset as GTZANDataset
from minispore.dataset.sources.sounds.readings import CMUArcticDataset as CMUArcticDataset
from minispore.dataset.sources.sounds.readings import LJSpeechDataset as LJSpeechDataset
from minispore.dataset.sources.sounds.readings import LibriTTSDataset as LibriTTSDataset
from minispore.dataset.sources.sounds.talks import TedliumDataset as TedliumDataset
from minispore.dataset.sources.sounds.words import SpeechCommandsDataset as SpeechCommandsDataset
from minispore.dataset.sources.sounds.words import YesNoDataset as YesNoDataset
from minispore.dataset.sources.synthetic import FakeImageDataset as FakeImageDataset
from minispore.dataset.sources.synthetic import RandomDataset as RandomDataset
from minispore.dataset.sources.text import CSVDataset as CSVDataset
from minispore.dataset.sources.text import TextFileDataset as TextFileDataset
from minispore.dataset.sources.texts.classified import AGNewsDataset as AGNewsDataset
from minispore.dataset.sources.texts.classified import AmazonReviewDataset as AmazonReviewDataset
from minispore.dataset.sources.texts.classified import DBpediaDataset as DBpediaDataset
from minispore.dataset.sources.texts.classified import SST2Dataset as SST2Dataset
from minispore.dataset.sources.texts.classified import SogouNewsDataset as SogouNewsDataset
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
from minispore.dataset.sources.tfrecord import TFRecordDataset as TFRecordDataset

__all__ = [
    "AGNewsDataset",
    "AmazonReviewDataset",
    "Batch",
    "BatchDataset",
    "BatchInfo",
    "BucketBatchByLengthDataset",
    "BuiltinSampler",
    "CLUEDataset",
    "CMUArcticDataset",
    "CSVDataset",
    "Caltech101Dataset",
    "Caltech256Dataset",
    "CelebADataset",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "CityscapesDataset",
    "CoNLL2000Dataset",
    "CocoDataset",
    "ConcatDataset",
    "DBpediaDataset",
    "DIV2KDataset",
    "DSCallback",
    "Dataset",
    "DatasetCache",
    "DeviceIterator",
    "DictIterator",
    "DistributedSampler",
    "EMnistDataset",
    "EnWik9Dataset",
    "FakeImageDataset",
    "FashionMnistDataset",
    "FilterDataset",
    "FlickrDataset",
    "Flowers102Dataset",
    "Food101Dataset",
    "GTZANDataset",
    "GeneratorDataset",
    "IMDBDataset",
    "IWSLT2016Dataset",
    "IWSLT2017Dataset",
    "ImageFolderDataset",
    "IterSampler",
    "KITTIDataset",
    "KMnistDataset",
    "LFWDataset",
    "LJSpeechDataset",
    "LSUNDataset",
    "LibriTTSDataset",
    "LineReader",
    "ManifestDataset",
    "MapDataset",
    "MappableDataset",
    "MindDataset",
    "MnistDataset",
    "Multi30kDataset",
    "NodeStatistics",
    "NumpySlicesDataset",
    "OmniglotDataset",
    "PKSampler",
    "PaddedDataset",
    "PennTreebankDataset",
    "PhotoTourDataset",
    "PipelineStatistics",
    "Places365Dataset",
    "ProjectDataset",
    "QMnistDataset",
    "RandomDataset",
    "RandomSampler",
    "RenameDataset",
    "RenderedSST2Dataset",
    "RepeatDataset",
    "SBDataset",
    "SBUDataset",
    "SQuADDataset",
    "SST2Dataset",
    "STL10Dataset",
    "SUN397Dataset",
    "SVHNDataset",
    "Sampler",
    "Schema",
    "SemeionDataset",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SogouNewsDataset",
    "SourceDataset",
    "SpeechCommandsDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TFRecordDataset",
    "TakeDataset",
    "TedliumDataset",
    "TextFileDataset",
    "TupleIterator",
    "UDPOSDataset",
    "USPSDataset",
    "VOCDataset",
    "WIDERFaceDataset",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "WikiTextDataset",
    "YahooAnswersDataset",
    "YelpReviewDataset",
    "YesNoDataset",
    "ZipDataset",
    "audio",
    "compare",
    "config",
    "debug",
    "deserialize",
    "serialize",
    "show",
    "text",
    "transforms",
    "vision",
    "zip",
]
