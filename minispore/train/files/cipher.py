"""MindSpore's encrypted files: blocks encrypted by AES or SM4, each with its tag and initialization
vector.

::

    magic   4 bytes: GCM d8 5e 3a 7f, CBC d9..., SM4 da...
    tag     16 bytes, with GCM
    length  4 bytes, of the remaining fields
    iv      4 bytes with its length, 16 bytes; GCM uses the first 12
    data    4 bytes with its length, the encrypted bytes; CBC pads the last 16 (PKCS 7)

All numbers are little endian. Needs the extra ``crypto``.

Source: files of MindSpore 2.10.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from typing import Any

_MAGIC = {
    "AES-GCM": b"\xd8\x5e\x3a\x7f",
    "AES-CBC": b"\xd9\x5e\x3a\x7f",
    "SM4-CBC": b"\xda\x5e\x3a\x7f",
}
MODES = tuple(_MAGIC)
_CHUNK_BYTES = 64 << 20
_CIPHER_BLOCK_BYTES = 16  # bytes of a tag, an iv and a block of the ciphers
_NONCE_BYTES = 12
_MAGIC_BYTES = 4
_LENGTH = struct.Struct("<I")


class CipherError(ValueError):
    """The error for a wrong key or mode, or a damaged file."""


def is_encrypted(data: bytes | memoryview) -> bool:
    """Whether the data begins with the magic bytes of an encrypted file."""
    return bytes(data[:_MAGIC_BYTES]) in _MAGIC.values()


def check_key(api_name: str, name: str, key: bytes, mode: str) -> None:
    """Check that a key is valid for its mode and that the ``cryptography`` package is installed.

    Raises:
        ValueError: the mode is unknown, or the key has the wrong length.
        ImportError: the extra ``crypto`` is missing.
    """
    if mode not in _MAGIC:
        raise ValueError(
            f"{api_name}: {name[:3]}_mode must be one of {', '.join(MODES)}, got {mode!r}."
        )
    lengths = (16,) if mode == "SM4-CBC" else (16, 24, 32)
    if len(key) not in lengths:
        raise ValueError(
            f"{api_name}: {name} must have {' or '.join(map(str, lengths))} bytes in mode {mode}, "
            f"got {len(key)}."
        )
    _import_ciphers()


def encrypt(data: bytes, key: bytes, mode: str) -> bytes:
    """Encrypt data into the bytes of an encrypted file, in chunks with random initialization
    vectors.
    """
    chunks = []
    for offset in range(0, len(data), _CHUNK_BYTES):
        block, iv = data[offset : offset + _CHUNK_BYTES], os.urandom(_CIPHER_BLOCK_BYTES)
        if mode != "AES-GCM":
            padding_bytes = _CIPHER_BLOCK_BYTES - len(block) % _CIPHER_BLOCK_BYTES
            block += bytes([padding_bytes]) * padding_bytes
        encryptor = _make_cipher(key, mode, iv, None).encryptor()
        ciphertext = encryptor.update(block) + encryptor.finalize()
        body = _LENGTH.pack(_CIPHER_BLOCK_BYTES) + iv + _LENGTH.pack(len(ciphertext)) + ciphertext
        tag = encryptor.tag if mode == "AES-GCM" else b""
        chunks.append(_MAGIC[mode] + tag + _LENGTH.pack(len(body)) + body)
    return b"".join(chunks)


def decrypt(data: memoryview, key: bytes, mode: str) -> bytes:
    """Decrypt the bytes of an encrypted file.

    Raises:
        CipherError: the key or the mode is wrong, or the file is damaged.
    """
    try:
        return b"".join(_decrypt_chunks(data, key, mode))
    except (ValueError, struct.error) as exc:
        raise CipherError("the key or the mode is not that of the file, or it is damaged") from exc


def _decrypt_chunks(data: memoryview, key: bytes, mode: str) -> Iterator[bytes]:
    """Yield the decrypted content of each block of an encrypted file.

    Raises:
        ValueError: a block has another mode, is truncated or fails verification.
    """
    while data:
        if data[:_MAGIC_BYTES] != _MAGIC[mode]:
            raise ValueError("a block of another mode")
        tag_end = _MAGIC_BYTES + (_CIPHER_BLOCK_BYTES if mode == "AES-GCM" else 0)
        tag = bytes(data[_MAGIC_BYTES:tag_end]) or None
        (body_bytes,) = _LENGTH.unpack_from(data, tag_end)
        start = tag_end + _LENGTH.size
        body, data = data[start : start + body_bytes], data[start + body_bytes :]
        (iv_bytes,) = _LENGTH.unpack_from(body)
        iv, ciphertext = body[_LENGTH.size :][:iv_bytes], body[2 * _LENGTH.size + iv_bytes :]
        (ciphertext_bytes,) = _LENGTH.unpack_from(body, _LENGTH.size + iv_bytes)
        if iv_bytes != _CIPHER_BLOCK_BYTES or len(ciphertext) != ciphertext_bytes:
            raise ValueError("a block that is cut off")
        yield _decrypt_chunk(_make_cipher(key, mode, bytes(iv), tag), ciphertext, mode)


def _decrypt_chunk(cipher: Any, ciphertext: memoryview, mode: str) -> bytes:
    """Decrypt one block and remove its padding (AES-GCM has none).

    Raises:
        ValueError: its tag or padding is invalid.
    """
    decryptor = cipher.decryptor()
    try:
        plaintext = decryptor.update(ciphertext) + decryptor.finalize()
    except _import_ciphers()["InvalidTag"] as exc:
        raise ValueError("a tag that does not fit") from exc
    if mode == "AES-GCM":
        return plaintext
    padding_bytes = plaintext[-1]  # PKCS 7: each byte of the padding is its length
    is_length = 1 <= padding_bytes <= _CIPHER_BLOCK_BYTES
    if not is_length or plaintext[-padding_bytes:] != bytes([padding_bytes]) * padding_bytes:
        raise ValueError("no end that fills up a block")
    return plaintext[:-padding_bytes]


def _make_cipher(key: bytes, mode: str, iv: bytes, tag: bytes | None) -> Any:
    """Make the cipher for one block; GCM uses the first 12 bytes of ``iv``, and the tag."""
    classes = _import_ciphers()
    cipher_mode = (
        classes["GCM"](iv[:_NONCE_BYTES], tag) if mode == "AES-GCM" else classes["CBC"](iv)
    )
    return classes["Cipher"](classes[mode[:3]](key), cipher_mode)


def _import_ciphers() -> dict[str, Any]:
    """Import the classes of the ``cryptography`` package, by short name.

    Raises:
        ImportError: it is not installed.
    """
    try:
        from cryptography.exceptions import InvalidTag
        from cryptography.hazmat.primitives.ciphers import Cipher, modes
        from cryptography.hazmat.primitives.ciphers.algorithms import AES, SM4
    except ImportError:
        raise ImportError(
            "Encrypted checkpoints need cryptography. Install it with: pip install "
            "'minispore[crypto]'"
        ) from None
    return {
        "AES": AES,
        "SM4": SM4,
        "GCM": modes.GCM,
        "CBC": modes.CBC,
        "Cipher": Cipher,
        "InvalidTag": InvalidTag,
    }
