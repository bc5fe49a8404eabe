"""MindSpore's functions that merge slices of parameters and convert them to other strategies."""

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
from minispore.train.sharded.folders import find_files_by_rank, load_contents, save_contents
from minispore.train.sharded.pieces import UNSPLIT, CheckpointTransform, assemble_piece
from minispore.train.sharded.strategy import (
    Slicing,
    Strategy,
    merge_stages,
    read_layouts,
    read_nonempty_file,
    read_strategy_messages,
)


def build_searched_strategy(strategy_filename: str) -> dict[str, ParallelLayouts] | None:
    """Read the layout of each parameter from a strategy file, by name; None for no file.

    Args:
        strategy_filename: a file that MindSpore wrote (``strategy_ckpt_save_file``).

    Raises:
        TypeError: the name is not a str, or the file has other content.
        ValueError: the file does not exist or is empty.
    """
    if strategy_filename is None:
        return None
    return read_layouts("build_searched_strategy", "strategy_filename", strategy_filename)


def merge_sliced_parameter(
    sliced_parameters: list[Parameter], strategy: dict[str, Any] | None = None
) -> Parameter:
    """Merge the slices of all ranks into the full parameter.

    Args:
        sliced_parameters: one slice per rank, in rank order.
        strategy: how the parameter was split, from :func:`build_searched_strategy`; None: along
            axis 0.

    Raises:
        TypeError: an argument, or a slice, has the wrong type.
        ValueError: there are no slices, or their number, names or shapes do not match.
        KeyError: the strategy does not contain the name.

    >>> halves = [Parameter(Tensor([1.0, 2.0]), name="w"), Parameter(Tensor([3.0]), name="w")]
    >>> print(merge_sliced_parameter(halves).asnumpy())
    [1. 2. 3.]
    """
    api_name = "merge_sliced_parameter"
    checks.instance(api_name, "sliced_parameters", sliced_parameters, list)
    if not sliced_parameters:
        raise ValueError(
            f"{api_name}: sliced_parameters must hold the slices of all ranks, got []."
        )
    checks.instance(api_name, "strategy", strategy, dict, or_none=True)
    for p in sliced_parameters:
        checks.instance(api_name, "sliced_parameters", p, Parameter)
    first = sliced_parameters[0]
    for p in sliced_parameters:
        if p.name != first.name or p.ndim != first.ndim or p.shape[1:] != first.shape[1:]:
            raise ValueError(
                f"{api_name}: sliced_parameters must be alike but for axis 0, got {first.name} "
                f"{first.shape} and {p.name} {p.shape}."
            )
    slices = [p.asnumpy() for p in sliced_parameters]
    if strategy is None:
        array = np.concatenate(slices)
    elif first.name not in strategy:
        raise KeyError(
            f"{api_name}: strategy must know each parameter, got none of {first.name!r}."
        )
    else:
        slicing = Slicing.from_layout(strategy[first.name])
        if len(slices) != slicing.devices:
            raise ValueError(
                f"{api_name}: sliced_parameters must be one of each of the {slicing.devices} "
                f"ranks, got {len(slices)}."
            )
        array = assemble_piece(first.name, slicing, UNSPLIT.compute_piece(0), slices.__getitem__)
    return Parameter(
        Tensor(array.astype(slices[0].dtype)),
        name=first.name,
        requires_grad=first.requires_grad,
        layerwise_parallel=first.layerwise_parallel,
    )


def rank_list_for_transform(
    rank_id: int, src_strategy_file: str | None = None, dst_strategy_file: str | None = None
) -> list[int]:
    """Return the ranks whose checkpoints ``rank_id`` needs under another strategy, highest first.

    Args:
        rank_id: a rank of the new strategy.
        src_strategy_file: how the checkpoints are split; None: not at all.
        dst_strategy_file: how ``rank_id`` is to store the parameters; None: unsplit.

    Raises:
        TypeError: ``rank_id`` is not an int, or a name is not a str.
        ValueError: a file does not exist or is empty.
        IndexError: the new strategy has no such rank.
    """
    api_name = "rank_list_for_transform"
    source, target = _read_strategies(api_name, src_strategy_file, dst_strategy_file)
    return CheckpointTransform(api_name, source, target).find_needed_ranks(rank_id)


def transform_checkpoint_by_rank(
    rank_id: int,
    checkpoint_files_map: dict[int, str],
    save_checkpoint_file_name: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
) -> None:
    """Convert checkpoints to another strategy and write the checkpoint of one rank.

    Args:
        rank_id: a rank of the new strategy.
        checkpoint_files_map: the files of the ranks that :func:`rank_list_for_transform` returns.
        save_checkpoint_file_name: the file to write.
        src_strategy_file: how the checkpoints are split; None: not at all.
        dst_strategy_file: how ``rank_id`` is to store the parameters; None: unsplit.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a file or the checkpoint of a rank is missing, or the new name does not end
            with .ckpt.
        RuntimeError: an array can't be split as the strategy requires.
    """
    api_name = "transform_checkpoint_by_rank"
    checks.instance(api_name, "checkpoint_files_map", checkpoint_files_map, dict)
    checks.instance(api_name, "save_checkpoint_file_name", save_checkpoint_file_name, str)
    if not save_checkpoint_file_name.endswith(".ckpt"):
        raise ValueError(
            f"{api_name}: save_checkpoint_file_name must end with .ckpt, got "
            f"{save_checkpoint_file_name!r}."
        )
    for rank, path in checkpoint_files_map.items():
        if not os.path.isfile(path):
            raise ValueError(
                f"{api_name}: checkpoint_files_map must name files, got {path!r} of {rank}."
            )
    source, target = _read_strategies(api_name, src_strategy_file, dst_strategy_file)
    transform = CheckpointTransform(api_name, source, target)
    ranks = transform.find_needed_ranks(rank_id)
    for rank in ranks:
        if rank not in checkpoint_files_map:
            raise ValueError(
                f"{api_name}: checkpoint_files_map must name the checkpoint of rank {rank}, got "
                f"those of {sorted(checkpoint_files_map)}."
            )
    contents_by_rank = {rank: load_contents(checkpoint_files_map[rank]) for rank in ranks}
    save_contents(
        transform.make_contents(rank_id, contents_by_rank), save_checkpoint_file_name, "ckpt"
    )


def transform_checkpoints(
    src_checkpoints_dir: str,
    dst_checkpoints_dir: str,
    ckpt_prefix: str,
    src_strategy_file: str | None = None,
    dst_strategy_file: str | None = None,
    process_num: int = 1,
    output_format: str = "ckpt",
) -> None:
    """Convert checkpoints to another strategy and write the checkpoints of all ranks.

    Args:
        src_checkpoints_dir: contains a folder ``rank_0``, ``rank_1``, ... for each rank; the last
            file in each is used.
        dst_checkpoints_dir: the folder to write, with the same structure.
        ckpt_prefix: the prefix of the new file names.
        src_strategy_file: how the checkpoints are split; None: not at all.
        dst_strategy_file: how to split them; None: not at all.
        process_num: accepted for compatibility, has no effect.
        output_format: "ckpt", or "safetensors" if the source files are in that format.

    Raises:
        TypeError: an argument has the wrong type.
        ValueError: a file is missing, or ``output_format`` differs.
        RuntimeError: an array can't be split as the strategy requires.
    """
    api_name = "transform_checkpoints"
    checks.instance(api_name, "ckpt_prefix", ckpt_prefix, str)
    source, target = _read_strategies(api_name, src_strategy_file, dst_strategy_file)
    files_of_ranks = find_files_by_rank(api_name, src_checkpoints_dir)
    if output_format not in ("ckpt", "safetensors"):
        raise ValueError(
            f"{api_name}: output_format must be 'ckpt' or 'safetensors', got {output_format!r}."
        )
    if output_format == "safetensors" and not files_of_ranks[min(files_of_ranks)].endswith(
        output_format
    ):
        raise ValueError(
            f"{api_name}: output_format must be 'ckpt', as the checkpoints, got safetensors."
        )
    transform = CheckpointTransform(api_name, source, target)
    needed = {rank: transform.find_needed_ranks(rank) for rank in range(target.devices)}
    missing = {r for ranks in needed.values() for r in ranks} - files_of_ranks.keys()
    if missing:
        raise ValueError(
            f"{api_name}: src_checkpoints_dir must have a checkpoint of rank {max(missing)}, got "
            f"those of {sorted(files_of_ranks)}."
        )
    for rank, ranks in needed.items():
        contents = transform.make_contents(
            rank, {r: load_contents(files_of_ranks[r]) for r in ranks}
        )
        folder = os.path.join(dst_checkpoints_dir, f"rank_{rank}")
        os.makedirs(folder, exist_ok=True)
        save_contents(
            contents, os.path.join(folder, f"{ckpt_prefix}{rank}.{output_format}"), output_format
        )


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
    """Load the checkpoints that many ranks saved into a network.

    Args:
        network: the network.
        checkpoint_filenames: the file of each rank, in rank order.
        predict_strategy: how ``network`` is split: a file or a result of
            :func:`build_searched_strategy`; None: not at all.
        train_strategy_filename: how the files are split; None: the file that
            ``strategy_ckpt_load_file`` of the parallel settings names.
        strict_load: see :func:`load_param_into_net`.
        dec_key: the key of encrypted files.
        dec_mode: their mode.
        format: the format of the files, "ckpt" or "safetensors".
        unified_safetensors_dir: must be None; MindSpore's folders of unified files are not
            supported.
        dst_safetensors_dir: must be None; nothing is written.
        rank_id: the rank of ``network``; None: 0.
        output_format, max_process_num: concern MindSpore's unified files; they have no effect.
        name_map: maps names of parameters in the files to their names in the network.
        return_param_dict: whether to return the loaded parameters.

    Returns:
        True; with ``return_param_dict``, the parameters by name.

    Raises:
        ValueError: ``network`` is not a Cell, a file is missing, there is not one file per rank, or
            a folder is given.
        TypeError: another argument has the wrong type.
    """
    api_name = "load_distributed_checkpoint"
    if not isinstance(network, Cell):
        raise ValueError(f"{api_name}: network must be a Cell, got {checks.format_value(network)}.")
    for folder in (unified_safetensors_dir, dst_safetensors_dir):
        if folder is not None:
            raise ValueError(
                f"{api_name}: unified_safetensors_dir and dst_safetensors_dir must be None, got "
                f"{folder!r}. Name the files of the ranks in checkpoint_filenames."
            )
    names = checks.instance(api_name, "name_map", name_map or {}, dict)
    if (name := train_strategy_filename) is None:
        name = context.get_auto_parallel_context("strategy_ckpt_load_file")
    source = Strategy(read_layouts(api_name, "train_strategy_filename", name))
    if isinstance(predict_strategy, str):
        predict_strategy = read_layouts(api_name, "predict_strategy", predict_strategy)
    target = (
        _make_unsplit_strategy(source) if predict_strategy is None else Strategy(predict_strategy)
    )
    filenames = checkpoint_filenames or []
    if len(filenames) != source.devices:
        raise ValueError(
            f"{api_name}: checkpoint_filenames must be one for each of the {source.devices} ranks, "
            f"got {len(filenames)}."
        )
    contents_by_rank = {
        rank: load_checkpoint(path, dec_key=dec_key, dec_mode=dec_mode, format=format)
        for rank, path in enumerate(filenames)
    }
    contents = CheckpointTransform(api_name, source, target).make_contents(
        rank_id or 0, contents_by_rank
    )
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
    """Read all ``.ckpt`` files of a folder into one dict of Parameters (and strings) by name.

    If several files have a name, the last file counts.

    Args:
        ckpt_file_dir: the folder.
        net: a Cell to load it into.
        strict_load: see :func:`load_param_into_net`.
        filter_prefix: a prefix, or several, of names to skip.
        dec_key: the key of encrypted files.
        dec_mode: their mode.
        specify_prefix: a prefix, or several, to which the names are restricted.
        choice_func: called with a name; returns whether to load the parameter.

    Raises:
        TypeError: ``ckpt_file_dir`` is not a str.
        ValueError: the folder does not exist, or contains none of the requested parameters.
    """
    api_name = "load_segmented_checkpoints"
    checks.instance(api_name, "ckpt_file_dir", ckpt_file_dir, str)
    paths = sorted(glob.glob(os.path.join(glob.escape(ckpt_file_dir), "*.ckpt")))
    if not paths:
        raise ValueError(
            f"{api_name}: ckpt_file_dir must be a folder with .ckpt files, got {ckpt_file_dir!r}."
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
    """Merge the strategy files of all pipeline stages, the ``.ckpt`` files of a folder, into one.

    Args:
        src_strategy_dirs: the folder.
        dst_strategy_file: the file to write.

    Raises:
        NotADirectoryError: there is no such folder.
        ValueError: a file in it is empty.
    """
    api_name = "merge_pipeline_strategys"
    if not os.path.isdir(src_strategy_dirs):
        raise NotADirectoryError(
            f"{api_name}: src_strategy_dirs must be a folder, got {src_strategy_dirs!r}."
        )
    paths = sorted(glob.glob(os.path.join(glob.escape(src_strategy_dirs), "*.ckpt")))
    merged_map = merge_stages(
        [read_strategy_messages(api_name, "src_strategy_dirs", path) for path in paths]
    )
    with replacing(dst_strategy_file) as file:
        file.write(merged_map.SerializeToString())


def restore_group_info_list(group_info_file_name: str) -> list[int]:
    """Read the ranks that hold the same parameters from a file of group information.

    Args:
        group_info_file_name: a file that MindSpore wrote (``group_ckpt_save_file``).

    Raises:
        TypeError: the name is not a str.
        ValueError: the file does not exist or is empty.
    """
    api_name = "restore_group_info_list"
    data = read_nonempty_file(api_name, "group_info_file_name", group_info_file_name, "file")
    return list(ParallelGroupMap.FromString(data).ckpt_restore_rank_list.dim)


# -- strategies ------------------------------------------------------------------------------------


def _make_unsplit_strategy(strategy: Strategy) -> Strategy:
    """Make the strategy in which one device has all parameters of ``strategy``."""
    unsplit = Strategy({})
    unsplit.slicings, unsplit.devices = dict.fromkeys(strategy.slicings, UNSPLIT), 1
    return unsplit


def _read_strategies(
    api_name: str, source: str | None, target: str | None
) -> tuple[Strategy, Strategy]:
    """Read both strategies; a path of None means the other's parameters, unsplit."""
    source_strategy, target_strategy = [
        None if path is None else Strategy(read_layouts(api_name, name, path))
        for name, path in (("src_strategy_file", source), ("dst_strategy_file", target))
    ]
    return (
        source_strategy or _make_unsplit_strategy(target_strategy or Strategy({})),
        target_strategy or _make_unsplit_strategy(source_strategy or Strategy({})),
    )
