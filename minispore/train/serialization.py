"""Checkpoints: parameters to files and back into networks."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import context as context  # scripts take it from here
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.device import dryrun
from minispore.errors import did_you_mean, warn
from minispore.foundation import checks, files
from minispore.foundation.lazy_import import make_lazy_attributes
from minispore.nn.cell import Cell
from minispore.train.files import checkpoint_file, cipher, safetensors_file
from minispore.train.files.async_saving import async_ckpt_thread_status as async_ckpt_thread_status
from minispore.train.files.async_saving import save_in_thread
from minispore.train.files.checkpoint_file import Content
from minispore.train.interchange.exporting import export as export
from minispore.train.interchange.exporting import load as load
from minispore.train.together import content_of

_FORMATS = {"ckpt": checkpoint_file, "safetensors": safetensors_file}

Choice = Callable[[str], bool]


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: Choice | None = None,
    crc_check: bool = True,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Write the parameters of a network to a file, whole or not at all.

    Of an optimizer whose state ranks share (``enable_parallel_optimizer``) all ranks must save, to
    different files; each gets all of it.

    Args:
        save_obj: a Cell; a list of Parameters or of ``{"name": ..., "data": ...}``; or a dict of
            Parameters by name, such as :func:`load_checkpoint` returns.
        ckpt_file_name: the file; ``.ckpt`` is added where it is missing.
        integrated_save: kept for MindSpore's sake; no parameter is split here.
        async_save: write in a thread of its own; the parameters are copied first. If that fails,
            the next save raises it, or the end of the training, or of Python.
        append_dict: more to save: numbers, bools, texts, Tensors, Parameters.
        enc_key: encrypt the file with it: 16, 24 or 32 bytes. Needs the extra ``crypto``.
        enc_mode: "AES-GCM", "AES-CBC" or "SM4-CBC" (16 bytes).
        choice_func: says by name which parameters to save.
        crc_check: end the file with a check sum, which is compared when it is read; an encrypted
            file has none.
        format: "ckpt" or "safetensors".
        kwargs: kept for MindSpore's sake.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: one has a value that can't be.
        IsADirectoryError: the name is that of a folder.
        OSError: the file can't be written.
    """
    who = "save_checkpoint"
    path = _path_to_write(who, save_obj, ckpt_file_name, format)
    checks.boolean(who, "integrated_save", integrated_save)
    checks.boolean(who, "crc_check", crc_check)
    as_async_save(who, async_save)
    keys = _keys(who, "enc_key", enc_key, enc_mode, format)
    if dryrun.level() is not None:
        print(f"DryRun: {path} is not written, since there are no results")
        return
    contents = {
        name: _content_of(data)
        for name, data in _parameters_of(save_obj)
        if choice_func is None or choice_func(name)
    }
    contents |= _appended(who, append_dict)
    write = _FORMATS[format].write
    if not async_save:
        write(path, contents, crc_check, *keys)
        return
    save_in_thread(path, lambda: write(path, contents, crc_check, *keys))


def hand_over(network: Cell, *args: Any, **kwargs: Any) -> None:
    """Give what this rank alone keeps of a network to the rank that saves it, which is told of
    the file and the rest.
    """
    for p in network.get_parameters():
        if p.owner_rank_ is not None:
            content_of(p)


def load_checkpoint(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Choice | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """Read a checkpoint: a dict of Parameters (texts stay texts) by name.

    Args:
        ckpt_file_name: the file.
        net: a Cell to load it into, see :func:`load_param_into_net`.
        strict_load: see :func:`load_param_into_net`.
        filter_prefix: leave out names that begin so: a str, or several.
        dec_key: the key of an encrypted file. Needs the extra ``crypto``.
        dec_mode: its mode, see :func:`save_checkpoint`.
        specify_prefix: only names that begin so: a str, or several.
        choice_func: says by name which parameters to load, if no prefix is given.
        crc_check: compare the check sum, if there is one; that of our own files always is.
        remove_redundancy: kept for MindSpore's sake.
        format: "ckpt" or "safetensors".

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: there is no such file, it is damaged, or nothing in it was asked for.
    """
    who = "load_checkpoint"
    if format not in _FORMATS:
        raise ValueError(f"{who}: format must be 'ckpt' or 'safetensors', got {format!r}.")
    if not isinstance(ckpt_file_name, str | os.PathLike):
        raise TypeError(f"{who}: ckpt_file_name must be a str, got {ckpt_file_name!r}.")
    path = os.path.realpath(files.resolve_read_path(ckpt_file_name))
    if not path.endswith(format):
        raise ValueError(f"{who}: ckpt_file_name must end with .{format}, got {path!r}.")
    if not os.path.exists(path):
        raise ValueError(f"{who}: ckpt_file_name must be an existing file, got {path!r}.")
    only = _prefixes(who, "specify_prefix", specify_prefix)
    without = _prefixes(who, "filter_prefix", filter_prefix)
    checks.boolean(who, "crc_check", crc_check)
    checks.boolean(who, "remove_redundancy", remove_redundancy)
    keys = _keys(who, "dec_key", dec_key, dec_mode, format)

    def wanted(name: str) -> bool:
        if name.startswith(checkpoint_file.PLACE):  # for Model.train(resume_from=...) alone
            return False
        if only is None and without is None:
            return choice_func is None or _chosen(who, choice_func, name)
        return (only is None or name.startswith(only)) and not (
            without is not None and name.startswith(without)
        )

    contents = _FORMATS[format].read(path, wanted, crc_check, *keys)
    if not contents:
        raise ValueError(f"{who}: nothing in {path!r} was asked for. Check the prefixes.")
    loaded = {
        name: content if isinstance(content, str) else Parameter(content, name=name)
        for name, content in contents.items()
    }
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def _chosen(who: str, choice_func: Choice, name: str) -> bool:
    try:
        return choice_func(name)
    except Exception as exc:
        raise ValueError(
            f"{who}: choice_func must take each name, got {exc} for {name!r}."
        ) from exc


def load_param_into_net(
    net: Cell,
    parameter_dict: dict[str, Any],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Put parameters into a network, by name. All are compared before the first is changed.

    Args:
        net: the network.
        parameter_dict: what :func:`load_checkpoint` returned.
        strict_load: no conversion between dtypes, and no search for a common prefix of names.
        remove_redundancy: kept for MindSpore's sake.

    Returns:
        Names of the network that were not in the dict, and names of the dict that are no names of
        the network: as in MindSpore also those that were used after a prefix was taken off.

    Raises:
        TypeError: ``net`` is no Cell, or ``parameter_dict`` is not as it should be.
        RuntimeError: a parameter has another shape, or a dtype that is not converted.
    """
    who = "load_param_into_net"
    checks.instance(who, "net", net, Cell)
    checks.instance(who, "parameter_dict", parameter_dict, dict)
    checks.boolean(who, "strict_load", strict_load)
    checks.boolean(who, "remove_redundancy", remove_redundancy)
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, Parameter | str):
            raise TypeError(
                f"{who}: parameter_dict must map str to Parameter, got {name!r}: {value!r}."
            )
    mine = [p for _, p in net.parameters_and_names()]
    pairs, used = [], set()
    missing = [p for p in mine if not isinstance(parameter_dict.get(p.name), Parameter)]
    for p in mine:
        new = parameter_dict.get(p.name)
        if isinstance(new, Parameter):
            pairs.append((p, _fitting(p, new, strict_load)))
            used.add(p.name)
    if missing and not strict_load:
        prefix = _common_prefix([p.name for p in missing], parameter_dict)
        for p in list(missing) if prefix else []:
            new = parameter_dict.get(f"{prefix}{p.name}")
            if isinstance(new, Parameter):
                pairs.append((p, _fitting(p, new, strict_load)))
                missing.remove(p)
    for p, data in pairs:
        p.set_data(Tensor(data))
    unused = [name for name in parameter_dict if name not in used]
    if missing:
        shown = ", ".join([p.name for p in missing[:5]])
        warn(
            f"{who}: {len(missing)} parameters of the network are not in the dict: {shown}"
            f"{', ...' if len(missing) > 5 else ''}.{did_you_mean(missing[0].name, unused)}",
        )
    return [p.name for p in missing], unused


# -- what there is to save -------------------------------------------------------------------------


def _path_to_write(who: str, save_obj: Any, name: Any, format: str) -> str:
    if format not in _FORMATS:
        raise ValueError(f"{who}: format must be 'ckpt' or 'safetensors', got {format!r}.")
    if not isinstance(save_obj, Cell | list | dict):
        raise TypeError(
            f"{who}: save_obj must be a Cell, list or dict, got {type(save_obj).__name__}."
        )
    if not isinstance(name, str | os.PathLike):
        raise TypeError(f"{who}: ckpt_file_name must be a str, got {name!r}.")
    path = os.path.realpath(files.resolve_write_path(name))
    if os.path.isdir(path):
        raise IsADirectoryError(f"{who}: ckpt_file_name must be a file, got the folder {path!r}.")
    return path if path.endswith(format) else f"{path}.{format}"


def as_async_save(who: str, value: Any) -> bool | str:
    """A value of ``async_save``: a bool, "thread" or "process" (a thread too).

    Raises:
        TypeError: it is neither bool nor str.
        ValueError: another str.
    """
    if not isinstance(value, bool | str):
        raise TypeError(f"{who}: async_save must be a bool or str, got {value!r}.")
    if isinstance(value, str) and value not in ("process", "thread"):
        raise ValueError(f"{who}: async_save must be 'process' or 'thread', got {value!r}.")
    return value


def _keys(who: str, name: str, key: Any, mode: Any, format: str) -> tuple[Any, ...]:
    """The key and the mode, where there is a key."""
    checks.instance(who, name, key, bytes, or_none=True)
    checks.instance(who, f"{name[:3]}_mode", mode, str)
    if key is None:
        return ()
    if format != "ckpt":
        raise ValueError(f"{who}: {name} must be None for the format {format!r}, got a key.")
    cipher.check_key(who, name, key, mode)
    return key, mode


def _parameters_of(save_obj: Any) -> list[tuple[str, Any]]:
    who = "save_checkpoint"
    if isinstance(save_obj, Cell):
        return [(p.name, p) for _, p in save_obj.parameters_and_names()]
    if isinstance(save_obj, dict):
        for name, value in save_obj.items():
            if not isinstance(name, str) or not isinstance(value, Tensor | np.ndarray | str):
                raise TypeError(
                    f"{who}: save_obj must map str to Parameter, got {name!r}: {value!r}."
                )
        return list(save_obj.items())
    pairs = []
    for item in save_obj:
        if isinstance(item, Parameter):
            pairs.append((item.name, item))
        elif isinstance(item, dict) and isinstance(item.get("name"), str):
            if not isinstance(item.get("data"), Tensor | str):
                raise TypeError(
                    f"{who}: 'data' of {item['name']!r} must be a Tensor, got {item!r}."
                )
            pairs.append((item["name"], item["data"]))
        else:
            raise TypeError(
                f"{who}: a list must hold Parameters, or dicts of 'name' and 'data', got {item!r}."
            )
    return pairs


def _content_of(data: Any) -> Content:
    if isinstance(data, str):
        return data
    if isinstance(data, Parameter):
        return content_of(data)
    return data.asnumpy() if isinstance(data, Tensor) else np.array(data)


def _appended(who: str, append_dict: Any) -> dict[str, Content]:
    checks.instance(who, "append_dict", append_dict, dict, or_none=True)
    given = append_dict or {}
    for name, value in given.items():
        if not isinstance(name, str) or not isinstance(value, int | float | bool | str | Tensor):
            raise TypeError(
                f"{who}: append_dict must map str to int, float, bool, str or Tensor, got "
                f"{name!r}: {value!r}."
            )
    return {n: v if isinstance(v, str) else Tensor(v).asnumpy() for n, v in given.items()}


# -- what fits where -------------------------------------------------------------------------------


def _prefixes(who: str, name: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    if not isinstance(value, str | list | tuple):
        raise TypeError(f"{who}: {name} must be a str, or a list or tuple of str, got {value!r}.")
    given = (value,) if isinstance(value, str) else tuple(value)
    if not given:
        raise ValueError(f"{who}: {name} must not be empty.")
    for prefix in given:
        if not isinstance(prefix, str):
            raise TypeError(f"{who}: {name} must hold str, got {prefix!r}.")
        if not prefix:
            raise ValueError(f"{who}: {name} must not hold the empty str.")
    return given


def _update_param(param: Parameter, new_param: Parameter, strict_load: bool) -> None:
    """Give ``param`` the value of ``new_param``, as :func:`load_param_into_net` does."""
    param.set_data(Tensor(_fitting(param, new_param, strict_load)))


def _fitting(mine: Parameter, new: Parameter, strict: bool) -> np.ndarray:
    """The data of ``new`` with the shape and dtype of ``mine``."""
    data = new.asnumpy()
    want = mine.shape
    if data.shape != want:
        # (12, 2048, 1, 1) for (12, 2048): shapes that some backends write.
        if data.shape[: len(want)] != want or any(d != 1 for d in data.shape[len(want) :]):
            raise RuntimeError(
                f"load_param_into_net: {mine.name!r} must have the shape {want}, got {data.shape} "
                "in parameter_dict. Is it a checkpoint of this network?"
            )
        data = data.reshape(want)
    if new.dtype is not mine.dtype:
        if strict or {new.dtype.kind, mine.dtype.kind} not in ({"f"}, {"i"}):
            raise RuntimeError(
                f"load_param_into_net: {mine.name!r} must be {mine.dtype}, got {new.dtype} in "
                f"parameter_dict{', and strict_load is on' if strict else ''}."
            )
        data = data.astype(mine.value_.spec.dtype)
    return data


def _common_prefix(names: list[str], parameter_dict: dict[str, Any]) -> str:
    """What stands before the names of the network in the dict, such as ``network.``."""
    for name in names:
        for known in parameter_dict:
            if known.endswith(name) and known != name:
                return known[: -len(name)]
    return ""


__all__ = [
    "async_ckpt_thread_status",
    "export",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "save_checkpoint",
]
_SHARDED = """_load_dismatch_prefix_params build_searched_strategy ckpt_to_safetensors
    load_checkpoint_async load_distributed_checkpoint merge_sliced_parameter safetensors_to_ckpt"""
_ENTRIES = "Checkpoint _exec_save _parse_ckpt_proto tensor_to_ms_type tensor_to_np_type"
_ROOMS = dict.fromkeys(_SHARDED.split(), "minispore.train.sharded")
_ROOMS |= dict.fromkeys(_ENTRIES.split(), "minispore.train.files.entries")
__getattr__, __dir__ = make_lazy_attributes(__name__, _ROOMS)
