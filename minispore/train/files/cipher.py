"""MindSpore's encrypted files: blocks of AES or SM4, each with what it takes to open it.

::

    magic   4 bytes: GCM d8 5e 3a 7f, CBC d9..., SM4 da...
    tag     16 bytes, with GCM
    length  4 bytes, of what follows it
    iv      4 bytes with its length, 16 bytes; GCM takes the first 12
    data    4 bytes with its length, the encrypted bytes; CBC fills up the last 16 (PKCS 7)

All numbers little end first. Needs the extra ``crypto``.

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
_BLOCK_BYTES = 64 << 20
_SIDE = 16  # bytes of a tag, an iv and a block of the ciphers
_NONCE = 12
_LENGTH = struct.Struct("<I")


class CipherError(ValueError):
    """The key or the mode is not that of the file, or the file is damaged."""


def is_encrypted(data: bytes | memoryview) -> bool:
    """Whether a file begins as an encrypted one."""
    return bytes(data[:4]) in _MAGIC.values()


def check_key(who: str, name: str, key: bytes, mode: str) -> None:
    """Raise unless the key is one of the mode.

    Raises:
        ValueError: another mode, or a key of another length.
        ImportError: the extra ``crypto`` is not there.
    """
    if mode not in _MAGIC:
        raise ValueError(f"{who}: {name[:3]}_mode must be one of {', '.join(MODES)}, got {mode!r}.")
    lengths = (16,) if mode == "SM4-CBC" else (16, 24, 32)
    if len(key) not in lengths:
        raise ValueError(
            f"{who}: {name} must have {' or '.join(map(str, lengths))} bytes in mode {mode}, got "
            f"{len(key)}."
        )
    _ciphers()


def encrypted(data: bytes, key: bytes, mode: str) -> bytes:
    """The bytes of an encrypted file."""
    made = []
    for at in range(0, len(data), _BLOCK_BYTES):
        block, iv = data[at : at + _BLOCK_BYTES], os.urandom(_SIDE)
        if mode != "AES-GCM":
            missing = _SIDE - len(block) % _SIDE
            block += bytes([missing]) * missing
        encryptor = _cipher(key, mode, iv, None).encryptor()
        hidden = encryptor.update(block) + encryptor.finalize()
        body = _LENGTH.pack(_SIDE) + iv + _LENGTH.pack(len(hidden)) + hidden
        tag = encryptor.tag if mode == "AES-GCM" else b""
        made.append(_MAGIC[mode] + tag + _LENGTH.pack(len(body)) + body)
    return b"".join(made)


def decrypted(data: memoryview, key: bytes, mode: str) -> bytes:
    """What an encrypted file holds.

    Raises:
        CipherError: the key, the mode or the file is not right.
    """
    try:
        return b"".join(_opened(data, key, mode))
    except (ValueError, struct.error) as exc:
        raise CipherError("the key or the mode is not that of the file, or it is damaged") from exc


def _opened(data: memoryview, key: bytes, mode: str) -> Iterator[bytes]:
    while data:
        if data[:4] != _MAGIC[mode]:
            raise ValueError("a block of another mode")
        start = 4 + (_SIDE if mode == "AES-GCM" else 0)
        tag = bytes(data[4:start]) or None
        (size,) = _LENGTH.unpack_from(data, start)
        body, data = data[start + 4 : start + 4 + size], data[start + 4 + size :]
        (width,) = _LENGTH.unpack_from(body)
        (length,) = _LENGTH.unpack_from(body, 4 + width)
        if width != _SIDE or len(body) != 8 + width + length:
            raise ValueError("a block that is cut off")
        yield _block(_cipher(key, mode, bytes(body[4 : 4 + width]), tag), body[8 + width :], mode)


def _block(cipher: Any, hidden: memoryview, mode: str) -> bytes:
    decryptor = cipher.decryptor()
    try:
        plain = decryptor.update(hidden) + decryptor.finalize()
    except _ciphers()["InvalidTag"] as exc:
        raise ValueError("a tag that does not fit") from exc
    if mode == "AES-GCM":
        return plain
    fill = plain[-1]
    if not 1 <= fill <= _SIDE or plain[-fill:] != bytes([fill]) * fill:
        raise ValueError("no end that fills up a block")
    return plain[:-fill]


def _cipher(key: bytes, mode: str, iv: bytes, tag: bytes | None) -> Any:
    known = _ciphers()
    how = known["GCM"](iv[:_NONCE], tag) if mode == "AES-GCM" else known["CBC"](iv)
    return known["Cipher"](known[mode[:3]](key), how)


def _ciphers() -> dict[str, Any]:
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
