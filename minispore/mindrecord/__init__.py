"""Alias module: MindRecord files, written by FileWriter, read by FileReader and ``MindDataset``."""

from minispore.dataset.formats.mindrecord.exceptions import DbConnectionError as DbConnectionError
from minispore.dataset.formats.mindrecord.exceptions import (
    MindRecordException as MindRecordException,
)
from minispore.dataset.formats.mindrecord.exceptions import MRMAddIndexError as MRMAddIndexError
from minispore.dataset.formats.mindrecord.exceptions import MRMAddSchemaError as MRMAddSchemaError
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMBuildSchemaError as MRMBuildSchemaError,
)
from minispore.dataset.formats.mindrecord.exceptions import MRMCloseError as MRMCloseError
from minispore.dataset.formats.mindrecord.exceptions import MRMCommitError as MRMCommitError
from minispore.dataset.formats.mindrecord.exceptions import MRMDefineBlobError as MRMDefineBlobError
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMDefineCategoryError as MRMDefineCategoryError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMDefineIndexError as MRMDefineIndexError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMFetchCandidateFieldsError as MRMFetchCandidateFieldsError,
)
from minispore.dataset.formats.mindrecord.exceptions import MRMFetchDataError as MRMFetchDataError
from minispore.dataset.formats.mindrecord.exceptions import MRMFinishError as MRMFinishError
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMGenerateIndexError as MRMGenerateIndexError,
)
from minispore.dataset.formats.mindrecord.exceptions import MRMGetMetaError as MRMGetMetaError
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMIndexGeneratorError as MRMIndexGeneratorError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMInitSegmentError as MRMInitSegmentError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMInvalidHeaderSizeError as MRMInvalidHeaderSizeError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMInvalidPageSizeError as MRMInvalidPageSizeError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMInvalidSchemaError as MRMInvalidSchemaError,
)
from minispore.dataset.formats.mindrecord.exceptions import MRMLaunchError as MRMLaunchError
from minispore.dataset.formats.mindrecord.exceptions import MRMOpenError as MRMOpenError
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMOpenForAppendError as MRMOpenForAppendError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMReadCategoryInfoError as MRMReadCategoryInfoError,
)
from minispore.dataset.formats.mindrecord.exceptions import MRMSetHeaderError as MRMSetHeaderError
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMUnsupportedSchemaError as MRMUnsupportedSchemaError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMValidateDataError as MRMValidateDataError,
)
from minispore.dataset.formats.mindrecord.exceptions import (
    MRMWriteDatasetError as MRMWriteDatasetError,
)
from minispore.dataset.formats.mindrecord.exceptions import ParamMissError as ParamMissError
from minispore.dataset.formats.mindrecord.exceptions import ParamTypeError as ParamTypeError
from minispore.dataset.formats.mindrecord.exceptions import ParamValueError as ParamValueError
from minispore.dataset.formats.mindrecord.exceptions import PathNotExistsError as PathNotExistsError
from minispore.dataset.formats.mindrecord.exceptions import UnknownError as UnknownError
from minispore.dataset.mindrecord.converter import FAILED as FAILED
from minispore.dataset.mindrecord.converter import SUCCESS as SUCCESS
from minispore.dataset.mindrecord.images import Cifar10ToMR as Cifar10ToMR
from minispore.dataset.mindrecord.images import Cifar100ToMR as Cifar100ToMR
from minispore.dataset.mindrecord.images import ImageNetToMR as ImageNetToMR
from minispore.dataset.mindrecord.images import MnistToMR as MnistToMR
from minispore.dataset.mindrecord.reader import FileReader as FileReader
from minispore.dataset.mindrecord.reader import MindPage as MindPage
from minispore.dataset.mindrecord.tables import CsvToMR as CsvToMR
from minispore.dataset.mindrecord.tables import TFRecordToMR as TFRecordToMR
from minispore.dataset.mindrecord.writer import FileWriter as FileWriter
from minispore.foundation.docstrings import attach_docstrings as _describe
from minispore.foundation.placeholders import set_dec_mode as set_dec_mode
from minispore.foundation.placeholders import set_enc_key as set_enc_key
from minispore.foundation.placeholders import set_enc_mode as set_enc_mode

__all__ = [
    "FAILED",
    "SUCCESS",
    "Cifar10ToMR",
    "Cifar100ToMR",
    "CsvToMR",
    "DbConnectionError",
    "FileReader",
    "FileWriter",
    "ImageNetToMR",
    "MRMAddIndexError",
    "MRMAddSchemaError",
    "MRMBuildSchemaError",
    "MRMCloseError",
    "MRMCommitError",
    "MRMDefineBlobError",
    "MRMDefineCategoryError",
    "MRMDefineIndexError",
    "MRMFetchCandidateFieldsError",
    "MRMFetchDataError",
    "MRMFinishError",
    "MRMGenerateIndexError",
    "MRMGetMetaError",
    "MRMIndexGeneratorError",
    "MRMInitSegmentError",
    "MRMInvalidHeaderSizeError",
    "MRMInvalidPageSizeError",
    "MRMInvalidSchemaError",
    "MRMLaunchError",
    "MRMOpenError",
    "MRMOpenForAppendError",
    "MRMReadCategoryInfoError",
    "MRMSetHeaderError",
    "MRMUnsupportedSchemaError",
    "MRMValidateDataError",
    "MRMWriteDatasetError",
    "MindPage",
    "MindRecordException",
    "MnistToMR",
    "ParamMissError",
    "ParamTypeError",
    "ParamValueError",
    "PathNotExistsError",
    "TFRecordToMR",
    "UnknownError",
]

_describe(__name__)
