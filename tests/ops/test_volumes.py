"""Blocks of volumes, and max pools undone by ops: the numbers are MindSpore's."""

from __future__ import annotations

import numpy as np
import pytest

import minispore as ms
from minispore import Tensor, mint, ops

LINE = np.arange(27, dtype=np.float32).reshape(1, 1, 3, 3, 3)
PAIR = np.arange(54, dtype=np.float32).reshape(1, 2, 3, 3, 3)
VALID = ops.ExtractVolumePatches((1, 1, 2, 2, 2), (1, 1, 1, 1, 1), "VALID")


def test_a_block_has_its_places_in_order_and_at_each_its_channels() -> None:
    assert VALID(Tensor(LINE))[0, :, 0, 0, 1].asnumpy().tolist() == [1, 2, 4, 5, 10, 11, 13, 14]
    both = [0, 27, 1, 28, 3, 30, 4, 31, 9, 36, 10, 37, 12, 39, 13, 40]
    assert VALID(Tensor(PAIR))[0, :, 0, 0, 0].asnumpy().tolist() == both


def test_volume_patches_at_the_end_are_padded_with_zeros() -> None:
    output = ops.ExtractVolumePatches(2, 1, "SAME")(Tensor(LINE))
    assert output.shape == (1, 8, 3, 3, 3)
    assert output[0, :, 2, 2, 2].asnumpy().tolist() == [26, 0, 0, 0, 0, 0, 0, 0]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_each_element_counts_as_often_as_blocks_have_it(mode: int) -> None:
    ms.set_context(mode=mode)
    gradient = ms.grad(lambda x: VALID(x).sum())(Tensor(LINE)).asnumpy()
    once = np.array([1, 2, 1])
    assert np.array_equal(gradient[0, 0], once[:, None, None] * once[:, None] * once)


def test_max_unpool_restores_the_requested_size() -> None:
    x = Tensor(np.float32([[[[1, 2], [3, 4]]]]))
    where = Tensor(np.int64([[[[0, 3], [8, 11]]]]))
    expected = [[1, 0, 0, 2], [0, 0, 0, 0], [3, 0, 0, 4], [0, 0, 0, 0]]
    assert ops.MaxUnpool2D(2, 2)(x, where).asnumpy()[0, 0].tolist() == expected
    larger = ops.MaxUnpool2D(2, 2, 0, (1, 1, 4, 5))(x, where)
    assert larger.asnumpy()[0, 0].tolist()[0] == [1, 0, 0, 2, 0]
    slope = ms.grad(lambda t: (ops.MaxUnpool2D(2)(t, where) ** 2).sum())(x)
    assert slope.asnumpy()[0, 0].tolist() == [[2, 4], [6, 8]]


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("sizes", [(), (6, 5)])
def test_a_pool_is_undone_with_its_channels_last_as_with_them_first(
    mode: int, sizes: tuple[int, ...]
) -> None:
    ms.set_context(mode=mode)
    values = np.arange(24, dtype=np.float32).reshape(2, 3, 2, 2)
    places = np.broadcast_to(np.int64([[0, 3], [8, 11]]), values.shape)
    first = ops.MaxUnpool2D(2, 2, 0, (2, 3, *sizes) if sizes else ())
    last = ops.MaxUnpool2D(2, 2, 0, (2, *sizes, 3) if sizes else (), "NHWC")
    expected = first(Tensor(values), Tensor(places)).asnumpy()
    x, where = (Tensor(np.moveaxis(a, 1, -1).copy()) for a in (values, places))
    assert np.array_equal(np.moveaxis(last(x, where).asnumpy(), -1, 1), expected)
    slope = ms.grad(lambda t: (last(t, where) ** 2).sum())(x)
    assert np.array_equal(slope.asnumpy(), 2 * x.asnumpy())


def test_a_pool_of_volumes_is_undone_with_its_channels_last() -> None:
    x, where = Tensor([[[[[5.0, 6.0]]]]]), Tensor([[[[[1, 3]]]]])
    output = ops.MaxUnpool3D((1, 2, 3), data_format="NDHWC")(x, where)
    assert output.shape == (1, 1, 2, 3, 2)
    assert output[..., 0].asnumpy().ravel().tolist() == [0, 5, 0, 0, 0, 0]
    assert output[..., 1].asnumpy().ravel().tolist() == [0, 0, 0, 6, 0, 0]


@pytest.mark.parametrize("resize", [ops.UpsampleNearest3D(), ops.UpsampleTrilinear3D()])
def test_a_volume_grows_by_three_floats(resize: ops.Primitive) -> None:
    assert resize(Tensor(LINE), None, (1.0, 1.5, 2.0)).shape == (1, 1, 3, 4, 6)
    for scales in ((1, 2, 2), (2.0, 2, 2.0), 2.0):
        with pytest.raises(TypeError, match=f"{resize.name}: scales must be"):
            resize(Tensor(LINE), None, scales)
    for wrong in ((2.0, 2.0), (2.0,) * 4):
        with pytest.raises(ValueError, match=f"{resize.name}: scales must have one number"):
            resize(Tensor(LINE), None, wrong)


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
def test_of_a_line_that_shrinks_to_one_element_the_first_is_left(mode: int) -> None:
    ms.set_context(mode=mode)
    line = Tensor([[[1.0, 2.0, 3.0]]])
    assert ops.ResizeLinear1D("half_pixel")(line, (1,)) == 1
    assert ops.interpolate(line, size=1, mode="linear", align_corners=False) == 1
    shrink = mint.nn.functional.interpolate  # PyTorch's takes the middle
    assert shrink(line, 1, mode="linear", align_corners=False) == 2
    assert shrink(line, scale_factor=0.4, mode="linear") == 1.75
    assert ops.interpolate(line[:, :, None], size=(1, 1), mode="bilinear") == 2


@pytest.mark.parametrize("mode", [ms.GRAPH_MODE, ms.PYNATIVE_MODE])
@pytest.mark.parametrize("padding", ["border", "reflection"])
@pytest.mark.parametrize("how", ["bilinear", "nearest"])
def test_a_place_that_is_no_number_is_the_last_one(mode: int, padding: str, how: str) -> None:
    ms.set_context(mode=mode)
    picture = Tensor(np.arange(6, dtype=np.float32).reshape(1, 1, 2, 3))
    places = Tensor(np.float32([[[[np.nan, -1], [-1, np.nan], [np.nan, np.nan], [-1, -1]]]]))
    output = ops.grid_sample(picture, places, how, padding, align_corners=True)
    assert output.asnumpy().ravel().tolist() == [2, 3, 5, 0]
