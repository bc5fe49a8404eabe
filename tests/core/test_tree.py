"""One walk over nested structures: what comes back is of the same kinds, in the same order."""

from __future__ import annotations

from collections import OrderedDict, namedtuple

from hypothesis import given
from hypothesis import strategies as st

from minispore import Tensor
from minispore.core.tree import (
    leaves,
    map_leaves,
    map_tensors,
    number_leaves,
    replace_tensors,
    tensors_in,
)

Pair = namedtuple("Pair", "left right")


class Rows(list):
    """A list of one's own, with something on it."""

    title = "none"


keys = st.text("abc", min_size=1, max_size=2)
trees = st.recursive(
    st.integers() | st.none() | st.text("xy", max_size=2),
    lambda of: (
        st.lists(of, max_size=3)
        | st.lists(of, max_size=3).map(tuple)
        | st.lists(of, max_size=3).map(Rows)
        | st.tuples(of, of).map(Pair._make)
        | st.dictionaries(keys, of, max_size=3)
        | st.dictionaries(keys, of, max_size=3).map(OrderedDict)
    ),
    max_leaves=12,
)


def kinds(tree):
    if isinstance(tree, tuple | list):
        return (type(tree), *[kinds(part) for part in tree])
    if isinstance(tree, dict):
        return (type(tree), *[(key, kinds(part)) for key, part in tree.items()])
    return None


@given(trees)
def test_a_tree_mapped_by_nothing_is_the_same_in_other_containers(tree) -> None:
    same = map_leaves(lambda leaf: leaf, tree)
    assert same == tree and kinds(same) == kinds(tree)


@given(trees)
def test_leaves_come_in_the_order_in_which_they_are_mapped(tree) -> None:
    seen = []
    map_leaves(seen.append, tree)
    assert seen == leaves(tree)


@given(trees)
def test_numbered_leaves_rebuild_the_same_structure(tree) -> None:
    structure, actual = number_leaves(tree)
    second = map_leaves(actual.__getitem__, structure)
    assert second == tree and kinds(second) == kinds(tree)


def test_tree_functions_extract_and_replace_only_tensors() -> None:
    tree = {"a": [Tensor(1), 2], "b": Pair("x", (Tensor(3),))}
    assert [int(t) for t in tensors_in(tree)] == [1, 3]
    assert map_tensors(int, tree) == {"a": [1, 2], "b": Pair("x", (3,))}
    assert replace_tensors(tree, "pq") == {"a": ["p", 2], "b": Pair("x", ("q",))}
