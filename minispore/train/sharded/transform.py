"""Slices of parameters: merged, and cut anew for another strategy."""

from __future__ import annotations

import glob
import os
from collections.abc import Callable
from typing import Any

import numpy as np

from minispore import context
from minispore.core.parameter import Parameter
from minispore.core.tensor import Tensor
from minispore.foundation import checks
from minispore.foundation.files import replacing
from minispore.nn.cell import Cell
from minispore.train.node_strategy_pb2 import ParallelGroupMap, ParallelLayouts
from minispore.train.serialization import load_checkpoint, load_param_into_net
from minispore.train.sharded.folders import arrays, files_by_rank, save
from minispore.train.sharded.pieces import WHOLE, Transform, cut
from minispore.train.sharded.strategy import (
    Slicing,
    Strategy,
    layouts_of,
    merged,
    read_bytes,
    read_map,
)


def build_searched_strategy(strategy_filename: str) -> dict[str, ParallelLayouts] | None:
    """What a strategy file says of each parameter, by name; None for no file.

    Args:
        strategy_filename: a file that MindSpore wrote (``strategy_ckpt_save_file``).

    Raises:
        TypeError: the name is no str, or the file holds something else.
        ValueError: there is no such file, or nothing in it.
    """
    if strategy_filename is None:
        return None
    return layouts_of("build_searched_strategy", "strategy_filename", strategy_filename)


def merge_sliced_parameter(
    sliced_parameters: list[Parameter], strategy: dict[str, Any] | None = None
) -> Parameter:
    """The whole parameter of the slices that ranks hold.

    Args:
        sliced_parameters: one slice of each rank, in their order.
        strategy: how it was cut, from :func:`build_searched_strategy`; None: along axis 0.

    Raises:
        TypeError: an argument, or a slice, has the wrong type.
        ValueError: there is no slice, or their number, names or shapes don't fit.
        KeyError: the strategy does not know the name.

    >>> halves = [Parameter(Tensor([1.0, 2.0]), name="w"), Parameter(Tensor([3.0]), name="w")]
    >>> print(merge_sliced_parameter(halves).asnumpy())
    [1. 2. 3.]
    """
    who = "merge_sliced_parameter"
    checks.instance(who, "sliced_parameters", sliced_parameters, list)
    if not sliced_parameters:
        raise ValueError(f"{who}: sliced_parameters must hold the slices of all ranks, got [].")
    checks.instance(who, "strategy", strategy, dict, or_none=True)
    for p in sliced_parameters:
        checks.instance(who, "sliced_parameters", p, Parameter)
    one = sliced_parameters[0]
    for p in sliced_parameters:
        if p.name != one.name or p.ndim != one.ndim or p.shape[1:] != one.shape[1:]:
            raise ValueError(
                f"{who}: sliced_parameters must be alike but for axis 0, got {one.name} "
                f"{one.shape} and {p.name} {p.shape}."
            )
    slices = [p.asnumpy() for p in sliced_parameters]
    if strategy is None:
        made = np.concatenate(slices)
    elif one.name not in strategy:
        raise KeyError(f"{who}: strategy must know each parameter, got none of {one.name!r}.")
    else:
        slicing = Slicing.of(strategy[one.name])
        if len(slices) != slicing.devices:
            raise ValueError(
                f"{who}: sliced_parameters must be one of each of the {slicing.devices} ranks, "
                f"got {len(slices)}."
            )
        made = cut(one.name, slicing, WHOLE.piece(0), slices.__getitem__)
    return Parameter(
        Tensor(made.astype(slices[0].dtype)),
        name=one.name,
        requires_grad=one.requires_grad,
        layerwise_parallel=one.layerwise_parallel,
    )


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """The ranks whose checkpoints hold what ``rank_id`` has under another strategy.

    Args:
        rank_id: a rank of the new strategy.
        src_strategy_file: how the checkpoints are cut; None: not at all.
        dst_strategy_file: how ``rank_id`` is to have it; None: whole.

    Raises:
        TypeError: ``rank_id`` is no int, or a name no str.
        ValueError: there is no such file, or nothing in it.
        IndexError: the new strategy has no such rank.
    """
    who = "rank_list_for_transform"
    source, target = _strategies(who, src_strategy_file, dst_strategy_file)
    return Transform(who, source, target).ranks(rank_id)


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Write the checkpoint of one rank under another strategy.

    Args:
        rank_id: a rank of the new strategy.
        checkpoint_files_map: the files of the ranks that :func:`rank_list_for_transform` names.
        save_checkpoint_file_name: the file to write.
        src_strategy_file: how the checkpoints are cut; None: not at all.
        dst_strategy_file: how ``rank_id`` is to have it; None: whole.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a file or the checkpoint of a rank is missing, or the new name does not end
            with .ckpt.
        RuntimeError: an array can't be cut as the strategy says.
    """
    who = "transform_checkpoint_by_rank"
    checks.instance(who, "checkpoint_files_map", checkpoint_files_map, dict)
    checks.instance(who, "save_checkpoint_file_name", save_checkpoint_file_name, str)
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(
            f"{who}: save_checkpoint_file_name must end with .ckpt, got "
            f"{save_checkpoint_file_name!r}."
        )
    for rank, path in checkpoint_files_map.items():
        if not os.path.isfile(path):
            raise ValueError(
                f"{who}: checkpoint_files_map must name files, got {path!r} of {rank}."
            )
    source, target = _strategies(who, src_strategy_file, dst_strategy_file)
    transform = Transform(who, source, target)
    ranks = transform.ranks(rank_id)
    for rank in ranks:
        if rank not in checkpoint_files_map:
            raise ValueError(
                f"{who}: checkpoint_files_map must name the checkpoint of rank {rank}, got those "
                f"of {sorted(checkpoint_files_map)}."
            )
    held = {rank: arrays(checkpoint_files_map[rank]) for rank in ranks}
    save(transform.contents(rank_id, held), save_checkpoint_file_name, "ckpt")


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Write the checkpoints of all ranks under another strategy.

    Args:
        src_checkpoints_dir: has a folder ``rank_0``, ``rank_1``, ... for each rank, of which the
            last file counts.
        dst_checkpoints_dir: gets such folders.
        ckpt_prefix: how the new files' names begin.
        src_strategy_file: how the checkpoints are cut; None: not at all.
        dst_strategy_file: how they are to be cut; None: not at all.
        process_num: kept for MindSpore's sake.
        output_format: "ckpt", or "safetensors" where that is what is read.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a file is missing, or ``output_format`` is another.
        RuntimeError: an array can't be cut as the strategy says.
    """
    who = "transform_checkpoints"
    checks.instance(who, "ckpt_prefix", ckpt_prefix, str)
    source, target = _strategies(who, src_strategy_file, dst_strategy_file)
    found = files_by_rank(who, src_checkpoints_dir)
    if output_format not in ("ckpt", "safetensors"):
        raise ValueError(
            f"{who}: output_format must be 'ckpt' or 'safetensors', got {output_format!r}."
        )
    if output_format == "safetensors" and not found[min(found)].endswith(output_format):
        raise ValueError(
            f"{who}: output_format must be 'ckpt', as the checkpoints, got safetensors."
        )
    transform = Transform(who, source, target)
    needed = {rank: transform.ranks(rank) for rank in range(target.devices)}
    missing = {r for ranks in needed.values() for r in ranks} - found.keys()
    if missing:
        raise ValueError(
            f"{who}: src_checkpoints_dir must have a checkpoint of rank {max(missing)}, got those "
            f"of {sorted(found)}."
        )
    for rank, ranks in needed.items():
        contents = transform.contents(rank, {r: arrays(found[r]) for r in ranks})
        folder = os.path.join(dst_checkpoints_dir, f"rank_{rank}")
        os.makedirs(folder, exist_ok=True)
        save(contents, os.path.join(folder, f"{ckpt_prefix}{rank}.{output_format}"), output_format)


def load_distributed_checkpoint(
    network: Cell,
    checkpoint_filenames: list[str] | None = None,
    predict_strategy: dict[str, Any] | str | None = None,
    train_strategy_filename: str | None = None,
    strict_load: bool = False,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    format: str = "ckpt",
    unified_safetensors_dir: str | None = None,
    dst_safetensors_dir: str | None = None,
    rank_id: int | None = None,
    output_format: str = "safetensors",
    name_map: dict[str, str] | None = None,
    max_process_num: int = 64,
    return_param_dict: bool = False,
) -> Any:
    """Load what many ranks saved into a network.

    Args:
        network: the network.
        checkpoint_filenames: the file of each rank, in their order.
        predict_strategy: how ``network`` is cut, a file or what :func:`build_searched_strategy`
            gave; None: not at all.
        train_strategy_filename: how the files are cut; None: what ``strategy_ckpt_load_file`` of
            the parallel settings names.
        strict_load: see :func:`load_param_into_net`.
        dec_key: the key of encrypted files.
        dec_mode: their mode.
        format: of the files, "ckpt" or "safetensors".
        unified_safetensors_dir: None; MindSpore's folders of unified files are not read.
        dst_safetensors_dir: None; nothing is written.
        rank_id: of which rank ``network`` is; None: 0.
        output_format, max_process_num: of MindSpore's unified files; they have no effect.
        name_map: other names for parameters, by those that they have in the files.
        return_param_dict: whether to answer what was loaded.

    Returns:
        True; with ``return_param_dict`` the parameters by their names.

    Raises:
        ValueError: ``network`` is no Cell, a file is missing, there is not one of each rank, or a
            folder is named.
        TypeError: another argument has the wrong type.
    """
    who = "load_distributed_checkpoint"
    if not isinstance(network, Cell):
        raise ValueError(f"{who}: network must be a Cell, got {checks.format_value(network)}.")
    for folder in (unified_safetensors_dir, dst_safetensors_dir):
        if folder is not None:
            raise ValueError(
                f"{who}: unified_safetensors_dir and dst_safetensors_dir must be None, got "
                f"{folder!r}. Name the files of the ranks in checkpoint_filenames."
            )
    names = checks.instance(who, "name_map", name_map or {}, dict)
    if (name := train_strategy_filename) is None:
        name = context.get_auto_parallel_context("strategy_ckpt_load_file")
    source = Strategy(layouts_of(who, "train_strategy_filename", name))
    if isinstance(predict_strategy, str):
        predict_strategy = layouts_of(who, "predict_strategy", predict_strategy)
    target = _unsliced(source) if predict_strategy is None else Strategy(predict_strategy)
    given = checkpoint_filenames or []
    if len(given) != source.devices:
        raise ValueError(
            f"{who}: checkpoint_filenames must be one for each of the {source.devices} ranks, got "
            f"{len(given)}."
        )
    held = {
        rank: load_checkpoint(path, dec_key=dec_key, dec_mode=dec_mode, format=format)
        for rank, path in enumerate(given)
    }
    contents = Transform(who, source, target).contents(rank_id or 0, held)
    loaded = {n: c if isinstance(c, Parameter) else Parameter(c, n) for n, c in contents.items()}
    loaded = {names.get(n, n): c for n, c in loaded.items()}
    load_param_into_net(network, loaded, strict_load)
    return loaded if return_param_dict else True


def load_segmented_checkpoints(
    ckpt_file_dir: str,
    net: Cell | None = None,
    strict_load: bool = False,
    filter_prefix: Any = None,
    dec_key: bytes | None = None,
    dec_mode: str = "AES-GCM",
    specify_prefix: Any = None,
    choice_func: Callable[[str], bool] | None = None,
) -> dict[str, Any]:
    """Read all checkpoints of a folder as one.

    Args:
        ckpt_file_dir: the folder.
        net: a Cell to load it into.
        strict_load: see :func:`load_param_into_net`.
        filter_prefix: leave out names that begin so.
        dec_key: the key of encrypted files.
        dec_mode: their mode.
        specify_prefix: only names that begin so.
        choice_func: says by name which parameters to load.

    Raises:
        TypeError: ``ckpt_file_dir`` is no str.
        ValueError: there is no such folder, or nothing in it was asked for.
    """
    who = "load_segmented_checkpoints"
    checks.instance(who, "ckpt_file_dir", ckpt_file_dir, str)
    paths = sorted(glob.glob(os.path.join(glob.escape(ckpt_file_dir), "*.ckpt")))
    if not paths:
        raise ValueError(
            f"{who}: ckpt_file_dir must be a folder with .ckpt files, got {ckpt_file_dir!r}."
        )
    loaded: dict[str, Any] = {}
    for path in paths:
        loaded |= load_checkpoint(
            path,
            filter_prefix=filter_prefix,
            dec_key=dec_key,
            dec_mode=dec_mode,
            specify_prefix=specify_prefix,
            choice_func=choice_func,
        )
    if net is not None:
        load_param_into_net(net, loaded, strict_load)
    return loaded


def merge_pipeline_strategys(src_strategy_dirs: str, dst_strategy_file: str) -> None:
    """Write the strategy files of all pipeline stages, which are in one folder, as one file.

    Args:
        src_strategy_dirs: the folder.
        dst_strategy_file: the file to write.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: a file in it is empty.
    """
    who = "merge_pipeline_strategys"
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(
            f"{who}: src_strategy_dirs must be a folder, got {src_strategy_dirs!r}."
        )
    paths = sorted(glob.glob(os.path.join(glob.escape(src_strategy_dirs), "*.ckpt")))
    made = merged([read_map(who, "src_strategy_dirs", path) for path in paths])
    with replacing(dst_strategy_file) as file:
        file.write(made.SerializeToString())


def restore_group_info_list(group_info_file_name: str) -> list[int]:
    """The ranks that a file of group information names: those that hold the same.

    Args:
        group_info_file_name: a file that MindSpore wrote (``group_ckpt_save_file``).

    Raises:
        TypeError: the name is no str.
        ValueError: there is no such file, or nothing in it.
    """
    who = "restore_group_info_list"
    data = read_bytes(who, "group_info_file_name", group_info_file_name, "file")
    return list(ParallelGroupMap.FromString(data).ckpt_restore_rank_list.dim)


# -- from one strategy to another ------------------------------------------------------------------


def _unsliced(like: Strategy) -> Strategy:
    """The strategy of one device that has all parameters of ``like``."""
    whole = Strategy({})
    whole.slicings, whole.devices = dict.fromkeys(like.slicings, WHOLE), 1
    return whole


def _strategies(who: str, source: str | None, target: str | None) -> tuple[Strategy, Strategy]:
    """Both strategies; a file that is None leaves all parameters of the other whole."""
    read = [
        None if path is None else Strategy(layouts_of(who, name, path))
        for name, path in (("src_strategy_file", source), ("dst_strategy_file", target))
    ]
    given, wanted = read
    return given or _unsliced(wanted or Strategy({})), wanted or _unsliced(given or Strategy({}))
