"""Checkpoints: saving parameters to files and loading them into networks."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import context as context  # scripts written for MindSpore import it from here
from minispore import log
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.device import dryrun
from minispore.errors import did_you_mean, warn
from minispore.foundation import checks, files
from minispore.foundation.lazy_import import make_lazy_attributes
from minispore.nn.cell import Cell
from minispore.train.cross_rank import read_param_content
from minispore.train.files import checkpoint_file, cipher, safetensors_file
from minispore.train.files.async_saving import async_ckpt_thread_status as async_ckpt_thread_status
from minispore.train.files.async_saving import save_in_thread
from minispore.train.files.checkpoint_file import Content
from minispore.train.interchange.exporting import export as export
from minispore.train.interchange.exporting import load as load

_FORMATS = {"ckpt": checkpoint_file, "safetensors": safetensors_file}

NameFilter = Callable[[str], bool]


def save_checkpoint(
    save_obj: Any,
    ckpt_file_name: str,
    integrated_save: bool = True,
    async_save: bool | str = False,
    append_dict: dict[str, Any] | None = None,
    enc_key: bytes | None = None,
    enc_mode: str = "AES-GCM",
    choice_func: NameFilter | None = None,
    crc_check: bool = True,
    format: str = "ckpt",
    **kwargs: Any,
) -> None:
    """Write the parameters of a network to a file, which is replaced only when complete.

    If ranks share an optimizer's state (``enable_parallel_optimizer``), all ranks must save, to
    different files; each file gets the complete state. On a dry run (``MS_SIMULATION_LEVEL``)
    nothing is written.

    Args:
        save_obj: a Cell; a list of Parameters or of ``{"name": ..., "data": ...}``; or a dict of
            Parameters by name, such as :func:`load_checkpoint` returns.
        ckpt_file_name: the file; ``.ckpt`` is added if it is missing.
        integrated_save: accepted for compatibility, has no effect: no parameter is split.
        async_save: write in a background thread, after copying the parameters. If writing fails,
            the error is raised by the next save, at the end of the training, or when Python exits.
        append_dict: more values to save: numbers, bools, strings, Tensors, Parameters.
        enc_key: a key of 16, 24 or 32 bytes to encrypt the file with. Needs the extra ``crypto``.
        enc_mode: "AES-GCM", "AES-CBC" or "SM4-CBC" (16 bytes).
        choice_func: called with a name; returns whether to save the parameter.
        crc_check: whether the file ends with a checksum, which is verified when it is read; an
            encrypted file has none.
        format: "ckpt" or "safetensors".
        kwargs: accepted for compatibility, have no effect.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: an argument has an invalid value.
        IsADirectoryError: ``ckpt_file_name`` names a folder.
        OSError: the file can't be written.
    """
    api_name = "save_checkpoint"
    path = _check_save_arguments(api_name, save_obj, ckpt_file_name, format)
    checks.boolean(api_name, "integrated_save", integrated_save)
    checks.boolean(api_name, "crc_check", crc_check)
    check_async_save(api_name, async_save)
    cipher_args = _check_cipher_args(api_name, "enc_key", enc_key, enc_mode, format)
    if dryrun.read_level() is not None:
        print(f"DryRun: {path} is not written, since there are no results")
        return
    contents = {
        name: _get_content(data)
        for name, data in _list_named_contents(save_obj)
        if choice_func is None or choice_func(name)
    }
    contents |= _convert_append_dict(api_name, append_dict)
    write = _FORMATS[format].write
    if not crc_check and not cipher_args:
        _warn_of_missing_checksum()
    if not async_save:
        write(path, contents, crc_check, *cipher_args)
        return
    save_in_thread(path, lambda: write(path, contents, crc_check, *cipher_args))


def contribute_to_save(network: Cell, *args: Any, **kwargs: Any) -> None:
    """Send the parameters that only this rank stores to the rank that saves the checkpoint.

    Called with the arguments of :func:`save_checkpoint` on ranks that do not write a file.
    """
    for p in network.get_parameters():
        if p.owner_rank_ is not None:
            read_param_content(p)


def load_checkpoint(
    ckpt_file_name: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: NameFilter | None = None,
    crc_check: bool = False,
    remove_redundancy: bool = False,
    format: str = "ckpt",
) -> dict[str, Any]:
    """Read a checkpoint into a dict of Parameters (strings stay strings) by name.

    Args:
        ckpt_file_name: the file.
        net: a Cell to load it into, see :func:`load_param_into_net`.
        strict_load: see :func:`load_param_into_net`.
        filter_prefix: a prefix, or several, of names to skip.
        dec_key: the key of an encrypted file. Needs the extra ``crypto``.
        dec_mode: its mode, see :func:`save_checkpoint`.
        specify_prefix: a prefix, or several, to which the names are restricted.
        choice_func: called with a name, if no prefix is given; returns whether to load the
            parameter.
        crc_check: verify the checksum, if there is one; that of minispore's files is always
            verified.
        remove_redundancy: accepted for compatibility, has no effect.
        format: "ckpt" or "safetensors".

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: the file does not exist, is damaged, or contains none of the requested
            parameters.
    """
    api_name = "load_checkpoint"
    if format not in _FORMATS:
        raise ValueError(f"{api_name}: format must be 'ckpt' or 'safetensors', got {format!r}.")
    if not isinstance(ckpt_file_name, str | os.PathLike):
        raise TypeError(f"{api_name}: ckpt_file_name must be a str, got {ckpt_file_name!r}.")
    path = os.path.realpath(files.resolve_read_path(ckpt_file_name))
    if not path.endswith(format):
        raise ValueError(f"{api_name}: ckpt_file_name must end with .{format}, got {path!r}.")
    if not os.path.isfile(path):
        raise ValueError(f"{api_name}: ckpt_file_name must be an existing file, got {path!r}.")
    included_prefixes = _check_prefixes(api_name, "specify_prefix", specify_prefix)
    excluded_prefixes = _check_prefixes(api_name, "filter_prefix", filter_prefix)
    checks.boolean(api_name, "crc_check", crc_check)
    checks.boolean(api_name, "remove_redundancy", remove_redundancy)
    cipher_args = _check_cipher_args(api_name, "dec_key", dec_key, dec_mode, format)

    def is_requested(name: str) -> bool:
        """Whether the arguments of ``load_checkpoint`` request the entry ``name``.

        Prefixes take precedence over ``choice_func``; entries of the training's progress are never
        loaded.
        """
        # Read only by Model.train(resume_from=...).
        if name.startswith(checkpoint_file.PROGRESS_PREFIX):
            return False
        if included_prefixes is None and excluded_prefixes is None:
            return choice_func is None or _call_choice_func(api_name, choice_func, name)
        is_included = included_prefixes is None or name.startswith(included_prefixes)
        is_excluded = excluded_prefixes is not None and name.startswith(excluded_prefixes)
        return is_included and not is_excluded

    contents = _FORMATS[format].read(path, is_requested, crc_check, *cipher_args)
    if not contents:
        raise ValueError(f"{api_name}: nothing in {path!r} was asked for. Check the prefixes.")
    loaded = {
        name: content if isinstance(content, str) else Parameter(content, name=name)
        for name, content in contents.items()
    }
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


@functools.cache
def _warn_of_missing_checksum() -> None:
    """Log once that files are written without a checksum."""
    log.warning(
        "save_checkpoint: crc_check is False, so that a file whose bytes change on disk may be "
        "loaded with other values, unnoticed. Leave it out to write a check sum."
    )


def _call_choice_func(api_name: str, choice_func: NameFilter, name: str) -> bool:
    """Return whether ``choice_func`` accepts a name.

    Raises:
        ValueError: ``choice_func`` raised an exception.
    """
    try:
        return choice_func(name)
    except Exception as exc:
        raise ValueError(
            f"{api_name}: choice_func must take each name, got {exc} for {name!r}."
        ) from exc


def load_param_into_net(
    net: Cell,
    parameter_dict: dict[str, Any],
    strict_load: bool = False,
    remove_redundancy: bool = False,
) -> tuple[list[str], list[str]]:
    """Load parameters into a network by name, after checking all shapes and dtypes; warn of missing
    ones.

    Args:
        net: the network.
        parameter_dict: the result of :func:`load_checkpoint`.
        strict_load: if true, convert no dtypes and do not search for a common prefix of names.
        remove_redundancy: accepted for compatibility, has no effect.

    Returns:
        The network's names that are missing from the dict, and the dict's names that are not in the
        network; as in MindSpore, the latter include names that were loaded after removing a prefix.

    Raises:
        TypeError: ``net`` is not a Cell, or ``parameter_dict`` is invalid.
        RuntimeError: a parameter has a different shape, or a dtype that can't be converted.
    """
    api_name = "load_param_into_net"
    checks.instance(api_name, "net", net, Cell)
    checks.instance(api_name, "parameter_dict", parameter_dict, dict)
    checks.boolean(api_name, "strict_load", strict_load)
    checks.boolean(api_name, "remove_redundancy", remove_redundancy)
    for name, value in parameter_dict.items():
        if not isinstance(name, str) or not isinstance(value, Parameter | str):
            raise TypeError(
                f"{api_name}: parameter_dict must map str to Parameter, got {name!r}: {value!r}."
            )
    net_params = [p for _, p in net.parameters_and_names()]
    # First compute all new contents: if one does not fit, no parameter has been changed.
    updates, used_names = [], set()
    missing = [p for p in net_params if not isinstance(parameter_dict.get(p.name), Parameter)]
    for p in net_params:
        source = parameter_dict.get(p.name)
        if isinstance(source, Parameter):
            updates.append((p, _convert_content(p, source, strict_load)))
            used_names.add(p.name)
    if missing and not strict_load:
        prefix = _find_common_prefix([p.name for p in missing], parameter_dict)
        for p in list(missing) if prefix else []:
            source = parameter_dict.get(f"{prefix}{p.name}")
            if isinstance(source, Parameter):
                updates.append((p, _convert_content(p, source, strict_load)))
                missing.remove(p)
    for p, data in updates:
        p.set_data(Tensor(data))
    unused = [name for name in parameter_dict if name not in used_names]
    if missing:
        listed = ", ".join(f"{p.name}{_format_similar_name(p.name, unused)}" for p in missing[:5])
        warn(
            f"{api_name}: {len(missing)} parameters of the network are not in the dict: {listed}"
            f"{', ...' if len(missing) > 5 else ''}."
        )
    return [p.name for p in missing], unused


def _format_similar_name(name: str, candidates: list[str]) -> str:
    """Return a hint, in parentheses, at the candidate most similar to ``name``; "" if there is
    none.
    """
    hint = did_you_mean(name, candidates).strip()
    return f" ({hint[0].lower()}{hint[1:]})" if hint else ""


# -- contents to save ------------------------------------------------------------------------------


def _check_save_arguments(api_name: str, save_obj: Any, name: Any, format: str) -> str:
    """Check the object, name and format to save, and return the real path with its extension.

    Raises:
        TypeError: ``save_obj`` or the name has the wrong type.
        ValueError: the format is unknown.
        IsADirectoryError: the name is that of an existing folder.
    """
    if format not in _FORMATS:
        raise ValueError(f"{api_name}: format must be 'ckpt' or 'safetensors', got {format!r}.")
    if not isinstance(save_obj, Cell | list | dict):
        raise TypeError(
            f"{api_name}: save_obj must be a Cell, list or dict, got {type(save_obj).__name__}."
        )
    if not isinstance(name, str | os.PathLike):
        raise TypeError(f"{api_name}: ckpt_file_name must be a str, got {name!r}.")
    files.check_path(f"{api_name}: ckpt_file_name", name)
    path = os.path.realpath(files.resolve_write_path(name))
    if os.path.isdir(path):
        raise IsADirectoryError(
            f"{api_name}: ckpt_file_name must be a file, got the folder {path!r}."
        )
    return path if path.endswith(format) else f"{path}.{format}"


def check_async_save(api_name: str, value: Any) -> bool | str:
    """Check a value of ``async_save`` and return it: a bool, "thread" or "process" (a thread too).

    Raises:
        TypeError: it is neither bool nor str.
        ValueError: it is any other str.
    """
    if not isinstance(value, bool | str):
        raise TypeError(f"{api_name}: async_save must be a bool or str, got {value!r}.")
    if isinstance(value, str) and value not in ("process", "thread"):
        raise ValueError(f"{api_name}: async_save must be 'process' or 'thread', got {value!r}.")
    return value


def _check_cipher_args(
    api_name: str, name: str, key: Any, mode: Any, format: str
) -> tuple[Any, ...]:
    """Check a key and its mode, and return both as arguments of a file's read or write; () without
    a key.

    Raises ValueError for a key with a format other than ckpt.
    """
    checks.instance(api_name, name, key, bytes, or_none=True)
    checks.instance(api_name, f"{name[:3]}_mode", mode, str)
    if key is None:
        return ()
    if format != "ckpt":
        raise ValueError(f"{api_name}: {name} must be None for the format {format!r}, got a key.")
    cipher.check_key(api_name, name, key, mode)
    return key, mode


def _list_named_contents(save_obj: Any) -> list[tuple[str, Any]]:
    """Return the pairs of name and data in a Cell, dict or list to save.

    Raises:
        TypeError: the dict or list holds other objects.
    """
    api_name = "save_checkpoint"
    if isinstance(save_obj, Cell):
        return [(p.name, p) for _, p in save_obj.parameters_and_names()]
    if isinstance(save_obj, dict):
        for name, value in save_obj.items():
            if not isinstance(name, str) or not isinstance(value, Tensor | np.ndarray | str):
                raise TypeError(
                    f"{api_name}: save_obj must map str to Parameter, got {name!r}: {value!r}."
                )
        return list(save_obj.items())
    named_contents = []
    for element in save_obj:
        if isinstance(element, Parameter):
            named_contents.append((element.name, element))
        elif isinstance(element, dict) and isinstance(element.get("name"), str):
            if not isinstance(element.get("data"), Tensor | str):
                raise TypeError(
                    f"{api_name}: 'data' of {element['name']!r} must be a Tensor, got {element!r}."
                )
            named_contents.append((element["name"], element["data"]))
        else:
            raise TypeError(
                f"{api_name}: a list must hold Parameters, or dicts of 'name' and 'data', got "
                f"{element!r}."
            )
    return named_contents


def _get_content(data: Any) -> Content:
    """Return the array or string to write for a value; all ranks must call it for Parameters, which
    one rank may broadcast.
    """
    if isinstance(data, str):
        return data
    if isinstance(data, Parameter):
        return read_param_content(data)
    return data.asnumpy() if isinstance(data, Tensor) else np.array(data)


def _convert_append_dict(api_name: str, append_dict: Any) -> dict[str, Content]:
    """Check ``append_dict`` and convert its values to arrays or strings.

    Raises:
        TypeError: a name is not a str, or a value has an unsupported type.
    """
    checks.instance(api_name, "append_dict", append_dict, dict, or_none=True)
    additions = append_dict or {}
    for name, value in additions.items():
        if not isinstance(name, str) or not isinstance(value, int | float | bool | str | Tensor):
            raise TypeError(
                f"{api_name}: append_dict must map str to int, float, bool, str or Tensor, got "
                f"{name!r}: {value!r}."
            )
    return {n: v if isinstance(v, str) else Tensor(v).asnumpy() for n, v in additions.items()}


# -- conversion for a network ----------------------------------------------------------------------


def _check_prefixes(api_name: str, name: str, value: Any) -> tuple[str, ...] | None:
    """Check a prefix or a list of them, and return it as a tuple; None stays None.

    Raises:
        TypeError: it has the wrong type.
        ValueError: it is empty, or contains the empty str.
    """
    if value is None:
        return None
    if not isinstance(value, str | list | tuple):
        raise TypeError(
            f"{api_name}: {name} must be a str, or a list or tuple of str, got {value!r}."
        )
    prefixes = (value,) if isinstance(value, str) else tuple(value)
    if not prefixes:
        raise ValueError(f"{api_name}: {name} must not be empty.")
    for prefix in prefixes:
        if not isinstance(prefix, str):
            raise TypeError(f"{api_name}: {name} must hold str, got {prefix!r}.")
        if not prefix:
            raise ValueError(f"{api_name}: {name} must not hold the empty str.")
    return prefixes


def _update_param(param: Parameter, new_param: Parameter, strict_load: bool) -> None:
    """Set ``param`` to the content of ``new_param``, converted to its shape and dtype; raises the
    same errors as :func:`_convert_content`.
    """
    param.set_data(Tensor(_convert_content(param, new_param, strict_load)))


def _convert_content(param: Parameter, source: Parameter, strict: bool) -> np.ndarray:
    """Return the content of ``source`` in the shape and dtype of ``param``.

    Trailing axes of length 1 are dropped; without ``strict``, float dtypes are converted to other
    float dtypes, and int dtypes to other int dtypes.

    Raises:
        RuntimeError: the shape differs in other ways, or the dtype can't be converted.
    """
    data = source.asnumpy()
    required_shape = param.shape
    if data.shape != required_shape:
        # (12, 2048, 1, 1) for (12, 2048): shapes that some backends write.
        extra_axes = data.shape[len(required_shape) :]
        if data.shape[: len(required_shape)] != required_shape or any(n != 1 for n in extra_axes):
            raise RuntimeError(
                f"load_param_into_net: {param.name!r} must have the shape {required_shape}, got "
                f"{data.shape} in parameter_dict. Is it a checkpoint of this network?"
            )
        data = data.reshape(required_shape)
    if source.dtype is not param.dtype:
        if strict or {source.dtype.kind, param.dtype.kind} not in ({"f"}, {"i"}):
            raise RuntimeError(
                f"load_param_into_net: {param.name!r} must be {param.dtype}, got {source.dtype} in "
                f"parameter_dict{', and strict_load is on' if strict else ''}."
            )
        data = data.astype(param.value_.spec.dtype)
    return data


def _find_common_prefix(names: list[str], parameter_dict: dict[str, Any]) -> str:
    """Find the prefix, such as ``network.``, that one of ``names`` has in the dict's keys; "" if
    there is none.
    """
    for name in names:
        for key in parameter_dict:
            if key.endswith(name) and key != name:
                return key[: -len(name)]
    return ""


__all__ = [
    "async_ckpt_thread_status",
    "export",
    "load",
    "load_checkpoint",
    "load_param_into_net",
    "save_checkpoint",
]
_SHARDED_NAMES = """_load_dismatch_prefix_params build_searched_strategy ckpt_to_safetensors
    load_checkpoint_async load_distributed_checkpoint merge_sliced_parameter safetensors_to_ckpt"""
_ENTRY_NAMES = "Checkpoint _exec_save _parse_ckpt_proto tensor_to_ms_type tensor_to_np_type"
_LAZY_MODULES = dict.fromkeys(_SHARDED_NAMES.split(), "minispore.train.sharded")
_LAZY_MODULES |= dict.fromkeys(_ENTRY_NAMES.split(), "minispore.train.files.entries")
__getattr__, __dir__ = make_lazy_attributes(__name__, _LAZY_MODULES)
