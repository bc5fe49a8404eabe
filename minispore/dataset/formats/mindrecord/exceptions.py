"""Exceptions of MindRecord files and their arguments.

All are RuntimeErrors, because MindSpore raises a plain RuntimeError in some of these cases.
"""


class MindRecordException(RuntimeError):
    """Base of all below."""


class UnknownError(MindRecordException):
    """An error without a class of its own."""


class ParamMissError(MindRecordException):
    """An argument is missing."""


class ParamTypeError(MindRecordException):
    """An argument has the wrong type."""


class ParamValueError(MindRecordException):
    """An argument is out of range."""


class PathNotExistsError(MindRecordException):
    """The path does not exist."""


class DbConnectionError(MindRecordException):
    """The index can't be opened."""


class MRMOpenError(MindRecordException):
    """A file can't be opened, or must not be overwritten."""


class MRMOpenForAppendError(MindRecordException):
    """A file can't be opened for more rows."""


class MRMCloseError(MindRecordException):
    """A file can't be closed."""


class MRMInvalidPageSizeError(MindRecordException):
    """The page size is not allowed."""


class MRMInvalidHeaderSizeError(MindRecordException):
    """The header size is not allowed."""


class MRMSetHeaderError(MindRecordException):
    """The header can't be written."""


class MRMWriteDatasetError(MindRecordException):
    """Rows can't be written."""


class MRMCommitError(MindRecordException):
    """Files can't be finished."""


class MRMLaunchError(MindRecordException):
    """A reader can't start."""


class MRMFinishError(MindRecordException):
    """A reader can't end."""


class MRMInvalidSchemaError(MindRecordException):
    """The schema is invalid."""


class MRMUnsupportedSchemaError(MindRecordException):
    """Rows of this schema can't be written."""


class MRMBuildSchemaError(MindRecordException):
    """The description can't be made into a schema."""


class MRMAddSchemaError(MindRecordException):
    """A schema already exists."""


class MRMGetMetaError(MindRecordException):
    """There is no schema yet, or no header."""


class MRMAddIndexError(MindRecordException):
    """Fields can't be made index fields."""


class MRMDefineIndexError(MindRecordException):
    """A field can't be an index field."""


class MRMIndexGeneratorError(MindRecordException):
    """The index can't be made."""


class MRMGenerateIndexError(MindRecordException):
    """The index can't be written."""


class MRMDefineBlobError(MindRecordException):
    """A field can't be a blob field."""


class MRMDefineCategoryError(MindRecordException):
    """Rows can't be grouped by this field."""


class MRMReadCategoryInfoError(MindRecordException):
    """The groups can't be read."""


class MRMFetchCandidateFieldsError(MindRecordException):
    """The fields for grouping can't be read."""


class MRMInitSegmentError(MindRecordException):
    """Groups can't be made."""


class MRMFetchDataError(MindRecordException):
    """Rows can't be read: the file is damaged."""


class MRMValidateDataError(MindRecordException):
    """A row does not fit the schema."""
