# Written by python -m tests.typing.stubs
from minispore.dataset import config as config
from minispore.dataset import transforms as transforms
from minispore.dataset import vision as vision
from minispore.dataset.cache import DatasetCache as DatasetCache
from minispore.dataset.callback import DSCallback as DSCallback
from minispore.dataset.callback import WaitedDSCallback as WaitedDSCallback
from minispore.dataset.class_sampler import PKSampler as PKSampler
from minispore.dataset.dataset import Dataset as Dataset
from minispore.dataset.dataset import MappableDataset as MappableDataset
from minispore.dataset.dataset import SourceDataset as SourceDataset
from minispore.dataset.derived import BatchDataset as BatchDataset
from minispore.dataset.derived import ConcatDataset as ConcatDataset
from minispore.dataset.derived import FilterDataset as FilterDataset
from minispore.dataset.derived import MapDataset as MapDataset
from minispore.dataset.derived import ProjectDataset as ProjectDataset
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
from minispore.dataset.pipeline.batching import BatchInfo as BatchInfo
from minispore.dataset.pipeline.statistics import NodeStatistics as NodeStatistics
from minispore.dataset.pipeline.statistics import PipelineStatistics as PipelineStatistics
from minispore.dataset.samplers import BuiltinSampler as BuiltinSampler
from minispore.dataset.samplers import DistributedSampler as DistributedSampler
from minispore.dataset.samplers import IterSampler as IterSampler
from minispore.dataset.samplers import RandomSampler as RandomSampler
from minispore.dataset.samplers import Sampler as Sampler
from minispore.dataset.samplers import SequentialSampler as SequentialSampler
from minispore.dataset.samplers import SubsetRandomSampler as SubsetRandomSampler
from minispore.dataset.samplers import SubsetSampler as SubsetSampler
from minispore.dataset.samplers import WeightedRandomSampler as WeightedRandomSampler
from minispore.dataset.schema import Schema as Schema
from minispore.dataset.sources.cifar import Cifar100Dataset as Cifar100Dataset
from minispore.dataset.sources.cifar import Cifar10Dataset as Cifar10Dataset
from minispore.dataset.sources.generator import GeneratorDataset as GeneratorDataset
from minispore.dataset.sources.images import CelebADataset as CelebADataset
from minispore.dataset.sources.images import ImageFolderDataset as ImageFolderDataset
from minispore.dataset.sources.memory import NumpySlicesDataset as NumpySlicesDataset
from minispore.dataset.sources.memory import PaddedDataset as PaddedDataset
from minispore.dataset.sources.mindrecord import MindDataset as MindDataset
from minispore.dataset.sources.mnist import FashionMnistDataset as FashionMnistDataset
from minispore.dataset.sources.mnist import MnistDataset as MnistDataset
from minispore.dataset.sources.records import Shuffle as Shuffle
from minispore.dataset.sources.text import CSVDataset as CSVDataset
from minispore.dataset.sources.text import TextFileDataset as TextFileDataset
from minispore.dataset.sources.tfrecord import TFRecordDataset as TFRecordDataset

__all__ = [
    "Batch",
    "BatchDataset",
    "BatchInfo",
    "BuiltinSampler",
    "CSVDataset",
    "CelebADataset",
    "Cifar100Dataset",
    "Cifar10Dataset",
    "ConcatDataset",
    "DSCallback",
    "Dataset",
    "DatasetCache",
    "DeviceIterator",
    "DictIterator",
    "DistributedSampler",
    "FashionMnistDataset",
    "FilterDataset",
    "GeneratorDataset",
    "ImageFolderDataset",
    "IterSampler",
    "MapDataset",
    "MappableDataset",
    "MindDataset",
    "MnistDataset",
    "NodeStatistics",
    "NumpySlicesDataset",
    "PKSampler",
    "PaddedDataset",
    "PipelineStatistics",
    "ProjectDataset",
    "RandomSampler",
    "RepeatDataset",
    "Sampler",
    "Schema",
    "SequentialSampler",
    "Shuffle",
    "ShuffleDataset",
    "SkipDataset",
    "SourceDataset",
    "SubsetRandomSampler",
    "SubsetSampler",
    "SyncWaitDataset",
    "TFRecordDataset",
    "TakeDataset",
    "TextFileDataset",
    "TupleIterator",
    "WaitedDSCallback",
    "WeightedRandomSampler",
    "ZipDataset",
    "config",
    "transforms",
    "vision",
    "zip",
]
