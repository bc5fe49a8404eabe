"""Arrays from and to other frameworks."""

import numpy as np
import pytest

import minispore as ms
from minispore.utils import from_dlpack, to_dlpack


@pytest.mark.parametrize(
    "dtype", ["bool_", "int8", "uint8", "int64", "float16", "float32", "complex64"]
)
@pytest.mark.parametrize("shape", [(), (0, 2), (2, 3)])
def test_a_tensor_comes_back_as_it_was(dtype, shape):
    x = ms.Tensor(np.arange(np.prod(shape, dtype=int)).reshape(shape), getattr(ms, dtype))
    back = from_dlpack(to_dlpack(x))
    assert back.dtype == x.dtype and back.shape == x.shape
    np.testing.assert_array_equal(back.asnumpy(), x.asnumpy())


def test_what_the_other_side_writes_does_not_change_the_tensor():
    x = ms.Tensor([1.0, 2.0])
    theirs = np.array([5.0, 6.0], np.float32)
    ours = from_dlpack(theirs)
    theirs[0] = 9.0
    to_dlpack(x)
    assert ours.asnumpy().tolist() == [5.0, 6.0] and x.asnumpy().tolist() == [1.0, 2.0]


def test_a_capsule_can_be_consumed_only_once():
    capsule = to_dlpack(ms.Tensor([1.0]))
    from_dlpack(capsule)
    with pytest.raises(TypeError, match="nobody took in yet"):
        from_dlpack(capsule)


@pytest.mark.parametrize("value", [3, "x", None, [1.0]])
def test_what_is_no_capsule_is_refused(value):
    with pytest.raises(TypeError, match="from_dlpack: dlpack must be"):
        from_dlpack(value)


def test_to_dlpack_refuses_arrays_and_dtypes_without_a_dlpack_code():
    with pytest.raises(TypeError, match="to_dlpack: tensor must be"):
        to_dlpack(np.zeros(2))
    with pytest.raises(TypeError, match=r"Cast it to mindspore\.float32"):
        to_dlpack(ms.Tensor([1.0], ms.bfloat16))


def test_a_tensor_has_both_as_methods_and_the_package_as_functions():
    x = ms.Tensor([1.0, 2.0])
    for output in (
        ms.Tensor.from_dlpack(x.to_dlpack()),
        x.from_dlpack(ms.Tensor.to_dlpack(x)),
        ms.from_dlpack(ms.to_dlpack(ms.Parameter(x))),
    ):
        assert type(output) is ms.Tensor and output.asnumpy().tolist() == [1.0, 2.0]
