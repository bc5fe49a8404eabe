"""Conversion of checkpoints between formats, and loading of a checkpoint in a background thread."""

from __future__ import annotations

import glob
import os
import re
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from typing import Any

from minispore.foundation import checks, process
from minispore.nn.cell import Cell
from minispore.train.serialization import NameFilter, load_checkpoint, load_param_into_net
from minispore.train.sharded.folders import load_contents, save_contents


def ckpt_to_safetensors(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert checkpoints to safetensors files, which hold arrays but no strings.

    Args:
        file_path (str): a ``.ckpt`` file, or a folder that contains folders ``rank_0``, ``rank_1``,
            ... of such files.
        save_path (str, optional): the folder of the new files. Default: ``None``, the same folder.
        name_map (dict, optional): new names of parameters. Default: ``None``, names stay unchanged.
        file_name_regex (str, optional): in a folder, convert only the files whose names match it.
        processes_num (int): accepted for compatibility; files are written one by one. Default:
            ``1``.

    Raises:
        ValueError: there is no such file or folder, or an argument is invalid.
        TypeError: a checkpoint contains a string.

    Example:
        >>> import os, tempfile
        >>> import minispore as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
        >>> ms.save_checkpoint(ms.nn.Dense(2, 3), path)
        >>> ms.ckpt_to_safetensors(path, name_map={"bias": "b"})
        >>> sorted(ms.load_checkpoint(path.replace(".ckpt", ".safetensors"), format="safetensors"))
        ['b', 'weight']
    """
    api_name = "ckpt_to_safetensors"
    _convert_files(
        api_name, "safetensors", file_path, save_path, name_map, file_name_regex, processes_num
    )


def safetensors_to_ckpt(
    file_path: str,
    save_path: str | None = None,
    name_map: dict[str, str] | None = None,
    file_name_regex: str | None = None,
    processes_num: int = 1,
) -> None:
    """Convert safetensors files to checkpoints.

    Args:
        file_path (str): a ``.safetensors`` file, or a folder that contains folders ``rank_0``,
            ``rank_1``, ... of such files.
        save_path, name_map, file_name_regex, processes_num: as for :func:`ckpt_to_safetensors`.

    Raises:
        ValueError: there is no such file or folder, or an argument is invalid.

    Example:
        >>> import os, tempfile
        >>> import minispore as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "net.safetensors")
        >>> ms.save_checkpoint(ms.nn.Dense(2, 3), path, format="safetensors")
        >>> ms.safetensors_to_ckpt(path)
        >>> sorted(ms.load_checkpoint(path.replace(".safetensors", ".ckpt")))
        ['bias', 'weight']
    """
    api_name = "safetensors_to_ckpt"
    _convert_files(api_name, "ckpt", file_path, save_path, name_map, file_name_regex, processes_num)


def _convert_files(
    api_name: str,
    target_format: str,
    source_path: Any,
    target_folder: Any,
    name_map: Any,
    pattern: Any,
    processes: Any,
) -> None:
    """Check the arguments and convert one file, or the files of all rank folders.

    The new files have the same names and subfolders, in ``target_folder`` or next to their sources.

    Raises:
        ValueError: there is no such file or folder, or an argument is invalid.
        TypeError: a string is to be written to a safetensors file.
    """
    source_suffix = ".ckpt" if target_format == "safetensors" else ".safetensors"
    checks.integer(api_name, "processes_num", processes, 1)
    if not isinstance(source_path, str) or not os.path.exists(source_path):
        raise ValueError(
            f"{api_name}: file_path must be a file or a folder that exists, got {source_path!r}."
        )
    if os.path.isfile(source_path) and not source_path.endswith(source_suffix):
        raise ValueError(
            f"{api_name}: file_path must be a {source_suffix} file, got {source_path!r}."
        )
    if target_folder is not None and (
        not isinstance(target_folder, str) or os.path.splitext(target_folder)[1]
    ):
        raise ValueError(f"{api_name}: save_path must be a folder, got {target_folder!r}.")
    if os.path.isfile(source_path):
        source_files = [source_path]
    else:
        source_files = _find_rank_files(api_name, source_path, source_suffix, pattern)
    source_folder = os.path.dirname(source_path) if os.path.isfile(source_path) else source_path
    for source_file in source_files:
        relative_path = (
            os.path.relpath(source_file, source_folder) if source_folder else source_file
        )
        target_path = os.path.splitext(
            os.path.join(source_folder if target_folder is None else target_folder, relative_path)
        )[0]
        os.makedirs(os.path.dirname(target_path) or ".", exist_ok=True)
        contents = load_contents(source_file)
        texts = [name for name, content in contents.items() if isinstance(content, str)]
        if texts and target_format == "safetensors":
            raise TypeError(
                f"{api_name}: {source_file!r} must hold arrays alone, got the texts {texts}."
            )
        save_contents(
            {(name_map or {}).get(name, name): c for name, c in contents.items()},
            target_path,
            target_format,
        )


def _find_rank_files(api_name: str, folder: str, suffix: str, pattern: Any) -> list[str]:
    """Return the files with this suffix whose names match the pattern, in the folders ``rank_0``,
    ``rank_1``, ...

    Raises:
        ValueError: there are no such folders.
    """
    rank_folders = sorted(glob.glob(os.path.join(glob.escape(folder), "rank*", "")))
    if not rank_folders:
        raise ValueError(
            f"{api_name}: file_path must be a file, or have folders rank_0, rank_1, ..., got "
            f"{folder!r}."
        )
    paths: list[str] = []
    for rank_folder in rank_folders:
        paths += sorted(glob.glob(os.path.join(glob.escape(rank_folder), f"*{suffix}")))
    return [f for f in paths if pattern is None or re.search(pattern, os.path.basename(f))]


class ParamDictFuture:
    """The result of :func:`load_checkpoint_async`: parameters that a background thread reads."""

    def __init__(self, wait: Callable[[], dict[str, Any]], net: Cell | None, strict: bool) -> None:
        self._wait, self._net, self._strict = wait, net, strict

    def result(self) -> dict[str, Any]:
        """Wait for the parameters, load them into the network (if given), and return them.

        Raises any exception of the reading thread.
        """
        loaded = self._wait()
        if self._net is not None:
            load_param_into_net(self._net, loaded, self._strict)
        return loaded


def load_checkpoint_async(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: NameFilter | None = None,
) -> ParamDictFuture:
    """Read a checkpoint in a background thread.

    Args:
        ckpt_file_name: the file.
        net: a Cell to load it into when ``result()`` is called.
        strict_load: as for :func:`load_checkpoint`, like all arguments below.
        filter_prefix: a prefix, or several, of names to skip.
        dec_key: the key of an encrypted file.
        dec_mode: its mode.
        specify_prefix: a prefix, or several, to which the names are restricted.
        choice_func: called with a name; returns whether to load the parameter.

    Returns:
        an object whose ``result()`` waits for the parameters and raises the errors of
        :func:`load_checkpoint`.

    Example:
        >>> import os, tempfile
        >>> import minispore as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "net.ckpt")
        >>> ms.save_checkpoint(ms.nn.Dense(2, 3), path)
        >>> sorted(ms.load_checkpoint_async(path).result())
        ['bias', 'weight']
    """
    load_args = (filter_prefix, dec_key, dec_mode, specify_prefix, choice_func)
    load = partial(load_checkpoint, ckpt_file_name, None, strict_load, *load_args)
    if not process.can_start_threads():
        return ParamDictFuture(cache(load), net, strict_load)
    reader = ThreadPoolExecutor(1, "load_checkpoint_async")
    future = reader.submit(load)
    reader.shutdown(wait=False)
    return ParamDictFuture(future.result, net, strict_load)
