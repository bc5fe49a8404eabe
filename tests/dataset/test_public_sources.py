"""The layouts of public datasets: rows as the real MindSpore gives them of the same files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import minispore.dataset as ds
from minispore.dataset.formats import mat
from tests.dataset.files import idx
from tests.golden.source_files import CASES, build, outcome

GOLDEN = json.loads(
    (Path(__file__).parents[1] / "golden" / "sources.json").read_text(encoding="utf-8")
)


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sources")
    build(folder)
    return folder


@pytest.mark.parametrize(
    "number", range(len(CASES)), ids=[f"{name}-{i}" for i, (name, _, _) in enumerate(CASES)]
)
def test_a_source_gives_the_rows_of_the_real_one(root, number):
    assert outcome(ds, root, CASES[number]) == GOLDEN[number]


def test_the_columns_of_a_crowd_are_those_of_its_format(tmp_path):
    text = tmp_path / "wider_face_split" / "wider_face_train_bbx_gt.txt"
    text.parent.mkdir()
    text.write_text("a.jpg\n1\n10 20 30 40 1 0 1 7 2 9\n")
    images = tmp_path / "WIDER_train" / "images"
    images.mkdir(parents=True)
    (images / "a.jpg").write_bytes(b"a")
    data = ds.WIDERFaceDataset(str(tmp_path), "train")
    row = next(iter(data.create_dict_iterator(num_epochs=1, output_numpy=True)))
    assert {name: row[name].tolist() for name in ("invalid", "occlusion", "pose")} == {
        "invalid": [7],
        "occlusion": [2],
        "pose": [9],
    }


def test_a_scene_has_one_label_in_all_usages(root):
    data = ds.LSUNDataset(str(root / "lsun"), "all", shuffle=False)
    rows = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [int(row["label"]) for row in rows] == [0, 0, 0, 0, 1, 1, 1, 1]


@pytest.mark.parametrize("task", ["Segmentation", "Detection"])
def test_the_file_name_of_a_picture_is_hidden_until_it_is_renamed(root, task):
    data = ds.VOCDataset(str(root / "voc"), task, shuffle=False, extra_metadata=True)
    assert data.get_col_names()[-1] == "_meta-filename"
    (row,) = data.take(1).create_dict_iterator(num_epochs=1)
    assert "_meta-filename" not in row
    (row,) = data.take(1).create_tuple_iterator(["image", "_meta-filename"], num_epochs=1)
    assert len(row) == 1
    renamed = data.rename("_meta-filename", "file")
    rows = renamed.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [str(row["file"]) for row in rows] == ["2", "1", "3"]


def test_classes_have_their_names(root):
    objects = ds.VOCDataset(str(root / "voc"), "Detection")
    assert objects.get_class_indexing() == {"car": 0, "cat": 1, "dog": 2}
    things = ds.CocoDataset(str(root / "coco/images"), str(root / "coco/panoptic.json"), "Panoptic")
    assert things.get_class_indexing() == {"ant": [2, 1], "bee": [9, 0]}
    assert ds.ManifestDataset(str(root / "manifest/all.manifest")).num_classes() == 2
    flowers = ds.Flowers102Dataset(str(root / "flowers")).get_class_indexing()
    assert len(flowers) == 102 and flowers["sunflower"] == 53


def test_qmnist_classes_are_its_digits_with_full_labels(tmp_path):
    labels = np.arange(40).reshape(5, 8)
    labels[:, 0] = [2, 0, 1, 0, 2]
    (tmp_path / "xnist-images-idx3-ubyte").write_bytes(idx(np.zeros((5, 28, 28), np.uint8)))
    head = b"\0\0\x0c\x02" + np.array(labels.shape, ">i4").tobytes()
    (tmp_path / "xnist-labels-idx2-int").write_bytes(head + labels.astype(">i4").tobytes())
    sampler = ds.PKSampler(2, class_column="label")
    data = ds.QMnistDataset(str(tmp_path), "nist", compat=False, sampler=sampler)
    rows = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [row["label"][0] for row in rows] == [0, 0, 1, 1, 2, 2]


@pytest.mark.parametrize("usage", [None, "all"])
def test_emnist_names_the_missing_file_of_a_part(tmp_path, usage):
    def write(part, kind, array):
        (tmp_path / f"emnist-digits-{part}-{kind}-ubyte").write_bytes(idx(array))

    images, labels = np.zeros((2, 28, 28), np.uint8), np.array([4, 7], np.uint8)
    write("train", "images-idx3", images)
    write("train", "labels-idx1", labels)
    data = ds.EMnistDataset(str(tmp_path), "digits", usage, shuffle=False)
    rows = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [int(row["label"]) for row in rows] == [4, 7]  # a folder may hold one part only
    write("test", "labels-idx1", labels)
    with pytest.raises(RuntimeError, match=r"must hold emnist-digits-test-images-idx3-ubyte\. "):
        ds.EMnistDataset(str(tmp_path), "digits", usage).get_dataset_size()


def test_fake_images_repeat_with_a_seed_and_have_the_requested_shape():
    def read_images(seed):
        data = ds.FakeImageDataset(3, (4, 5, 3), 7, seed, shuffle=False)
        rows = data.create_tuple_iterator(num_epochs=1, output_numpy=True)
        return [(image.shape, image.tobytes(), int(label)) for image, label in rows]

    assert read_images(1) == read_images(1) != read_images(2)
    assert {shape for shape, _, _ in read_images(1)} == {(4, 5, 3)}


def test_random_rows_have_the_columns_of_the_schema():
    schema = ds.Schema()
    schema.add_column("image", "uint8", [2, 3])
    schema.add_column("label", "float32", [1])
    data = ds.RandomDataset(total_rows=6, schema=schema, num_samples=4)
    assert len(data) == 4 and data.output_shapes() == [[2, 3], [1]]
    assert data.output_types() == [np.uint8, np.float32]


def test_patches_are_cut_out_of_their_files_row_by_row(tmp_path):
    image = pytest.importorskip("PIL.Image", reason="decoding images needs Pillow")
    place = tmp_path / "liberty"
    place.mkdir()
    whole = np.arange(1024 * 1024, dtype=np.uint32).reshape(1024, 1024) // 7 % 251
    image.fromarray(whole.astype(np.uint8)).save(place / "patches0000.bmp")
    (place / "info.txt").write_text("0 0\n" * 20)
    (place / "m50_100000_100000_0.txt").write_text("0 5 0 17 5 0 0\n17 5 0 1 6 0 0\n")
    data = ds.PhotoTourDataset(str(tmp_path), "liberty", "test", shuffle=False)
    first, second = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    np.testing.assert_array_equal(first["image2"][..., 0], whole[64:128, 64:128])
    np.testing.assert_array_equal(second["image2"][..., 0], whole[:64, 64:128])
    assert [int(first["matches"]), int(second["matches"])] == [1, 0]
    assert len(ds.PhotoTourDataset(str(tmp_path), "liberty")) == 20
    pairs = ds.PhotoTourDataset(str(tmp_path), "liberty", "test", sampler=ds.PKSampler(2))
    rows = pairs.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert [int(row["matches"]) for row in rows] == [0, 0, 1, 1]


def test_sources_require_a_bool_decode_and_their_label_files(tmp_path):
    (tmp_path / "jpg").mkdir()
    with pytest.raises(ValueError, match=r"must hold setid\.mat, .* does not exist"):
        ds.Flowers102Dataset(str(tmp_path))
    (tmp_path / "data_object_image_2/testing/image_2").mkdir(parents=True)
    (tmp_path / "data_object_image_2/testing/image_2/0.png").write_bytes(b"1")
    with pytest.raises(TypeError, match="decode must be a bool, got 123"):
        ds.KITTIDataset(str(tmp_path), usage="test", decode=123)


def test_outlines_and_contours_come_from_the_mat_files(tmp_path, monkeypatch):
    mask = np.arange(6.0).reshape(2, 3)
    options = {
        "GTcls": {"Segmentation": mask, "Boundaries": np.array([[mask, mask + 1]], object)},
        "obj_contour": mask,
    }
    monkeypatch.setattr(mat, "read", lambda path: options)
    (tmp_path / "img").mkdir()
    (tmp_path / "train.txt").write_text("1\n")
    (tmp_path / "img" / "1.jpg").write_bytes(b"1")
    kind = tmp_path / "101_ObjectCategories" / "ant"
    kind.mkdir(parents=True)
    (kind / "image_0001.jpg").write_bytes(b"1")

    def shapes(data):
        return data.output_shapes()[1:], [str(kind) for kind in data.output_types()[1:]]

    path = str(tmp_path)
    assert shapes(ds.SBDataset(path, "Segmentation", "train")) == ([[2, 3]], ["uint8"])
    assert shapes(ds.Caltech101Dataset(path, "all")) == ([[], [2, 3]], ["int64", "int64"])
    for contradiction in ({"shuffle": False}, {"num_samples": 1}, {"num_shards": 2, "shard_id": 0}):
        for sampler in (ds.SequentialSampler(), [0]):
            with pytest.raises(RuntimeError, match="cannot be specified at the same time"):
                ds.Caltech101Dataset(path, "all", sampler=sampler, **contradiction)
    with pytest.raises(RuntimeError, match="shard_id must be given together"):
        ds.Caltech101Dataset(path, "all", num_shards=2)
    with pytest.raises(ValueError, match="must not be a PKSampler"):
        ds.Caltech101Dataset(path, "all", sampler=ds.PKSampler(1))


@pytest.mark.parametrize(
    ("name", "arguments", "kind"),
    [
        ("CocoDataset", ("coco/images", "none.json"), ValueError),
        ("VOCDataset", ("voc", "Detection", "none"), ValueError),
        ("VOCDataset", ("voc", "Segmentation", "train", {"a": 1}), ValueError),
        ("LSUNDataset", ("lsun", "train", "tower"), TypeError),
        ("LSUNDataset", ("lsun", "train", ["kitchen"]), RuntimeError),
        ("SVHNDataset", ("voc",), FileNotFoundError),
        ("SVHNDataset", ("voc", "train"), ValueError),
        ("USPSDataset", ("lsun", "none"), ValueError),
        ("FlickrDataset", ("flickr", "none.token"), ValueError),
        ("ManifestDataset", ("manifest/none",), ValueError),
    ],
)
def test_a_source_says_what_it_lacks(root, name, arguments, kind):
    with pytest.raises(kind, match=name):
        len(getattr(ds, name)(str(root / arguments[0]), *arguments[1:]))


@pytest.mark.parametrize("damage", [b"", b"x" * 200, b"MATLAB".ljust(126) + b"IM" + b"\x0e" * 40])
def test_a_damaged_mat_file_is_refused(tmp_path, damage):
    (tmp_path / "x.mat").write_bytes(damage)
    with pytest.raises(RuntimeError, match=r"x\.mat"):
        mat.read(tmp_path / "x.mat")


@pytest.mark.parametrize(
    "name, error, missing",
    [
        ("SBUDataset", ValueError, "SBU_captioned_photo_dataset_urls.txt"),
        ("SBDataset", FileNotFoundError, "train.txt"),
        ("Caltech101Dataset", FileNotFoundError, "101_ObjectCategories"),
        ("CelebADataset", RuntimeError, "list_attr_celeba.txt"),
    ],
)
def test_a_missing_part_of_a_folder_is_named_with_mindspores_error(
    tmp_path: Path, name: str, error: type[Exception], missing: str
) -> None:
    with pytest.raises(error, match=missing):
        next(getattr(ds, name)(str(tmp_path)).create_tuple_iterator())
