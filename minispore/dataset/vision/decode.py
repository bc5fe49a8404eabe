"""Encoded images: bytes of JPEG, PNG, BMP, ... to arrays and back. Needs Pillow."""

from __future__ import annotations

import io
import os
import warnings
from typing import Any, ClassVar

import numpy as np

from minispore.dataset import check
from minispore.dataset.formats import bounds
from minispore.dataset.transforms.base import Transform, make_spec
from minispore.dataset.vision.enums import ImageReadMode
from minispore.dataset.vision.resized_crop import RandomResizedCrop
from minispore.dataset.vision.support.coded import (
    apply_orientation,
    check_format,
    to_array,
    to_gray,
    to_rgb,
    to_rgb_as_opencv,
)
from minispore.dataset.vision.support.image import is_pil
from minispore.dataset.vision.support.pillow import import_pillow
from minispore.foundation.files import check_regular_file
from minispore.ir.value import Spec


def open_image(
    name: str, data: Any, error_type: type[Exception] = RuntimeError, gray: bool = False
) -> Any:
    """Decode the bytes of an image file to a PIL image, and load its pixels.

    Args:
        name (str): the function to name in errors.
        data (bytes): the content of an image file.
        error_type (type): class of the error if decoding fails.
        gray (bool): whether only the luma of a JPEG file is decoded.

    Raises:
        ImportError: Pillow is not installed.
        ``error_type``: the bytes are not an image, or a damaged one, or the image is too large for
            their number.
    """
    pillow_image = import_pillow(name)
    try:
        with warnings.catch_warnings():
            # Pillow warns about large images; the size is checked below.
            warnings.simplefilter("ignore")
            image = pillow_image.open(io.BytesIO(data))
        size = image.width * image.height * len(image.getbands())
        if size > bounds.get_max_decoded_bytes(len(data)):
            raise ValueError(
                f"{len(data)} bytes must not become an image of {image.width} x {image.height} "
                "pixels"
            )
        if gray and image.mode in ("RGB", "YCbCr"):
            image.draft("L", image.size)
        image.load()
    except (OSError, SyntaxError, ValueError, pillow_image.DecompressionBombError) as error:
        raise error_type(
            f"{name}: data must be an encoded image (JPEG, PNG, BMP, ...), "
            f"got {len(data)} bytes that can't be decoded: {error}."
        ) from error
    return image


def check_encoded(transform: Transform, data: Any) -> np.ndarray:
    """Return an encoded image, bytes or an array of them, as a vector; else raise TypeError."""
    if isinstance(data, bytes):
        return np.frombuffer(data, np.uint8)
    if isinstance(data, np.ndarray) and data.dtype.kind == "S" and data.size == 1:
        return np.frombuffer(data.tobytes(), np.uint8)  # bytes as read from MindRecord files
    if not isinstance(data, np.ndarray) or data.ndim != 1 or data.dtype.kind in "USO":
        if isinstance(data, np.ndarray):
            description = f"{data.dtype} of shape {data.shape}"
        else:
            description = type(data).__name__
        raise TypeError(
            f"{transform.name}: image must be encoded, bytes or a vector of uint8, got "
            f"{description}. An image that is decoded already needs no Decode."
        )
    return data


class Decode(Transform):
    """Decode a vector of bytes to an RGB image.

    Args:
        to_pil (bool): whether to return a PIL image, else an array (H, W, 3). Default: ``False``.

    Raises:
        TypeError: ``to_pil`` is not a bool, or the input is not a vector of bytes.
        ImportError: Pillow is not installed.
        RuntimeError: the bytes are not an image; a ValueError with ``to_pil``.

    Example:
        >>> from minispore.dataset import vision
        >>> vision.Decode(to_pil=True)
        Decode(to_pil=True)
    """

    in_python = True

    to_pil: bool = False

    @property
    def is_python_only_in_mindspore(self) -> bool:
        return self.to_pil

    def check(self) -> None:
        check.boolean(self, "to_pil", self.to_pil)

    def convert_column(self, value: Any) -> Any:
        return value

    def transform_row(self, data: Any) -> Any:
        """Return the RGB image of the bytes, a PIL image with ``to_pil``.

        Raises:
            TypeError: ``data`` is not a vector of bytes.
            RuntimeError, ValueError: the bytes are not an image; a ValueError with ``to_pil``.
        """
        # As in MindSpore, whose two implementations raise different errors.
        error_type = ValueError if self.to_pil else RuntimeError
        image = open_image(self.name, check_encoded(self, data).tobytes(), error_type)
        if self.to_pil:
            return image.convert("RGB")
        check_format(self.name, image)
        return to_rgb(image)


class RandomCropDecodeResize(RandomResizedCrop):
    """Decode, then RandomResizedCrop.

    Args:
        size (Union[int, Sequence[int]]): (height, width) of the result, or one int for both.
        scale (Sequence[float]): (min, max) of the area, as a fraction of the image's.
            Default: ``(0.08, 1.0)``.
        ratio (Sequence[float]): (min, max) of width / height. Default: ``(3 / 4, 4 / 3)``.
        interpolation (Inter): as for Resize. Default: ``Inter.BILINEAR``.
        max_attempts (int): how often to try to draw a fitting crop. Default: ``10``.

    Raises:
        TypeError: an argument has a wrong type, or the input is not a uint8 vector.
        ValueError: a number is out of range.
        ImportError: Pillow is not installed.
        RuntimeError: the bytes are not an image.

    Example:
        >>> from minispore.dataset import vision
        >>> vision.RandomCropDecodeResize(224, scale=(0.2, 1.0)).size
        (224, 224)
    """

    stackable: ClassVar[bool] = False  # the spec of encoded bytes does not tell the image size

    def convert_column(self, value: Any) -> Any:
        return value

    def transform_row(self, *columns: Any, rng: np.random.Generator) -> Any:  # type: ignore[override]
        """Decode the only column to an array, then crop and resize it; see the class for errors."""
        return super().transform_row(Decode().transform_row(*columns), rng=rng)


def read_file(filename: str) -> np.ndarray:
    """Read the bytes of a file as a uint8 vector.

    Raises:
        TypeError: ``filename`` is not a str.
        RuntimeError: the file can't be read.
    """
    if not isinstance(filename, str):
        raise TypeError(f"read_file: filename must be a str, got {filename!r}.")
    try:
        return np.fromfile(check_regular_file(filename), np.uint8)
    except OSError as error:
        raise RuntimeError(f"read_file: filename must be readable, got {filename!r}.") from error


def write_file(filename: str, data: np.ndarray) -> None:
    """Write a uint8 vector to a file, in place of an existing one.

    Raises:
        TypeError: ``filename`` is not a str, or ``data`` is neither an array nor a tensor.
        RuntimeError: ``data`` is not a uint8 vector, or the file can't be written.
    """
    if not isinstance(filename, str):
        detail = f"Input filename is not of type {str}, but got: {type(filename)}."
        raise TypeError(f"write_file: filename must be a str, got {filename!r}. {detail}")
    data = _to_numpy("write_file", "data", data)
    if data.dtype != np.uint8 or data.ndim != 1:
        description = f"{data.dtype} of shape {data.shape}"
        fault = "has invalid dimensions" if data.dtype == np.uint8 else "should be UINT8"
        raise RuntimeError(
            f"write_file: data must be a vector of uint8, got {description}: it {fault}."
        )
    try:
        data.tofile(filename)
    except OSError as error:
        detail = f"{error.strerror}."
        if os.path.isdir(filename):
            detail = f"Invalid file path, {filename} is not a regular file."
        raise RuntimeError(
            f"write_file: filename must be writable, got {filename!r}. {detail}"
        ) from error


def read_image(filename: str, mode: ImageReadMode = ImageReadMode.UNCHANGED) -> np.ndarray:
    """Read the image in a file as an array (H, W, C).

    Args:
        filename (str): a JPEG, PNG, BMP or TIFF file.
        mode (ImageReadMode): UNCHANGED (gray or RGB as in the file, 8 or 16 bits), GRAYSCALE (one
            channel) or COLOR (RGB); only the last two apply the EXIF orientation.

    Raises:
        TypeError: an argument has a wrong type.
        ImportError: Pillow is not installed.
        RuntimeError: the file can't be read, or is not an image.
    """
    if not isinstance(mode, ImageReadMode):
        raise TypeError(f"read_image: mode must be a member of ImageReadMode, got {mode!r}.")
    data = read_file(filename).tobytes()
    image = open_image("read_image", data, gray=mode is ImageReadMode.GRAYSCALE)
    check_format("read_image", image)
    if mode is ImageReadMode.UNCHANGED:
        array = to_array(image)
    elif mode is ImageReadMode.COLOR:
        array = apply_orientation(to_rgb_as_opencv, image)
    else:
        array = apply_orientation(to_gray, image)
    return array[..., None] if array.ndim == 2 else array


def encode_jpeg(image: Any, quality: int = 75) -> np.ndarray:
    """Encode a uint8 image (H, W) or (H, W, 1 or 3); return a JPEG file as a uint8 vector.

    Raises:
        TypeError: ``image`` is not an array or tensor, or ``quality`` is not an int.
        ImportError: Pillow is not installed.
        RuntimeError: ``image`` has a wrong shape or dtype, or ``quality`` is not in [1, 100].
    """
    level = _check_level("encode_jpeg", "quality", quality, 1, 100)
    return _encode_image("encode_jpeg", image, "JPEG", quality=level)


def encode_png(image: Any, compression_level: int = 6) -> np.ndarray:
    """Encode a uint8 image (H, W) or (H, W, 1 or 3); return a PNG file as a uint8 vector.

    Raises:
        TypeError: ``image`` is not an array or tensor, or ``compression_level`` is not an int.
        ImportError: Pillow is not installed.
        RuntimeError: ``image`` has a wrong shape or dtype, or the level is not in [0, 9].
    """
    level = _check_level("encode_png", "compression_level", compression_level, 0, 9)
    return _encode_image("encode_png", image, "PNG", compress_level=level)


def write_jpeg(filename: str, image: Any, quality: int = 75) -> None:
    """Write an image to a JPEG file; raise the errors of ``encode_jpeg`` and ``write_file``."""
    write_file(filename, encode_jpeg(image, quality))


def write_png(filename: str, image: Any, compression_level: int = 6) -> None:
    """Write an image to a PNG file; raise the errors of ``encode_png`` and ``write_file``."""
    write_file(filename, encode_png(image, compression_level))


def _check_level(name: str, argument: str, value: Any, low: int, high: int) -> int:
    """Return ``value`` if it is an int in [low, high].

    Raises:
        TypeError: ``value`` is not an int.
        RuntimeError: ``value`` is out of range.
    """
    if not isinstance(value, int) or isinstance(value, bool):
        detail = f"Input {argument} is not of type {int}, but got: {type(value)}."
        raise TypeError(f"{name}: {argument} must be an int, got {value!r}. {detail}")
    if not low <= value <= high:
        raise RuntimeError(
            f"{name}: {argument} must be in [{low}, {high}], got {value}. Invalid {argument}, it "
            f"should be in range of [{low}, {high}]."
        )
    return value


def _to_numpy(name: str, argument: str, value: Any) -> np.ndarray:
    """Return an array unchanged, or the array of a Tensor; raise TypeError for other values."""
    if hasattr(value, "asnumpy"):
        value = value.asnumpy()
    if not isinstance(value, np.ndarray):
        type_name = type(value).__name__
        detail = (
            f"Input {argument} is not of type {np.ndarray} or a Tensor, but got: {type(value)}."
        )
        raise TypeError(
            f"{name}: {argument} must be a NumPy array or a Tensor, got {type_name}. {detail}"
        )
    return value


def _encode_image(name: str, image: Any, file_format: str, **options: Any) -> np.ndarray:
    """Encode a uint8 image in one of Pillow's file formats; return the file as a uint8 vector.

    Raises:
        TypeError: ``image`` is neither an array nor a tensor.
        RuntimeError: the image has a wrong shape or dtype.
        ImportError: Pillow is not installed.
    """
    image = _to_numpy(name, "image", image)
    if image.ndim == 3 and image.shape[2] == 1:
        image = image[:, :, 0]
    if image.dtype != np.uint8 or (image.ndim != 2 and image.shape[2:] != (3,)):
        description = f"{image.dtype} of shape {image.shape}"
        if image.dtype != np.uint8:
            fault = "The type of the image data is not UINT8"
        elif image.ndim == 3:
            fault = "The image has invalid channels"
        else:
            fault = "The image has invalid dimensions"
        raise RuntimeError(
            f"{name}: image must be uint8, (H, W) or (H, W, 1 or 3), got {description}. {fault}."
        )
    file = io.BytesIO()
    import_pillow(name).fromarray(image).save(file, file_format, **options)
    return np.frombuffer(file.getvalue(), np.uint8)


def get_image_size(image: Any) -> list[int]:
    """Return [height, width] of an array (..., H, W, C) or (H, W), or of a PIL image.

    Raises:
        TypeError: ``image`` is neither array nor PIL image.
        RuntimeError: the array has fewer than 2 dimensions.

    Example:
        >>> get_image_size(np.zeros((4, 5, 3), np.uint8))
        [4, 5]
    """
    spec = _get_image_spec("get_image_size", image)
    return list(spec.shape[:2] if len(spec.shape) == 2 else spec.shape[-3:-1])


def get_image_num_channels(image: Any) -> int:
    """Return the number of channels of an array (..., H, W, C) or (H, W), or of a PIL image.

    Raises:
        TypeError: ``image`` is neither array nor PIL image.
        RuntimeError: the array has fewer than 2 dimensions.

    Example:
        >>> get_image_num_channels(np.zeros((4, 5, 3), np.uint8))
        3
    """
    spec = _get_image_spec("get_image_num_channels", image)
    return 1 if len(spec.shape) == 2 else spec.shape[-1]


def _get_image_spec(name: str, image: Any) -> Spec:
    """Return the spec of an array or PIL image.

    Raises:
        TypeError: ``image`` is neither.
        RuntimeError: it has fewer than two axes.
    """
    if not isinstance(image, np.ndarray) and not is_pil(image):
        type_name = type(image).__name__
        detail = f"Input image is not of type {np.ndarray} or a PIL image, but got: {type(image)}."
        raise TypeError(
            f"{name}: image must be a NumPy array or a PIL image, got {type_name}. {detail}"
        )
    spec = make_spec(image)
    if len(spec.shape) < 2:
        raise RuntimeError(f"{name}: image must have at least 2 dimensions, got {spec.shape}.")
    return spec
