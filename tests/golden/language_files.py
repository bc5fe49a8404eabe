"""Write small folders in the layouts of public datasets of texts, and read cases of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.golden.source_files import outcome

# How many values a record of each has.
_CSV = {"agnews": 3, "amazon": 3, "dbpedia": 3, "sogou": 3, "yahoo": 4, "yelp": 2}


def _write_file(path: Path, content: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content.encode())


def _encode_record(values: list[str]) -> str:
    return ",".join('"' + value.replace('"', '""') + '"' for value in values)


def build(root: Path) -> None:
    """Write all folders below ``root``."""
    texts = ["one, two", 'said "so"', "a\nline\\n end", " blanks ", ""]
    for name, width in _CSV.items():
        for part, size in (("train", 5), ("test", 2)):
            rows = [[f"{i}", *texts[i:], *texts][:width] for i in range(size)]
            _write_file(root / name / f"{part}.csv", "\n".join(map(_encode_record, rows)) + "\n")
    for part, size in (("train", 5), ("test", 2)):
        rows = [f"{i},{part},line" for i in range(size)]
        _write_file(root / f"lined/{part}.csv", "\n".join(rows) + "\n")
    _write_file(root / "bare/train.csv", '3,"Title x",plain text\n4, b ,"c"\n')
    _write_file(root / "bare/test.csv", "7,a,b")
    message = "\n = Head = \n \n first , words \n\n\tlast\t\nend"
    for part in ("train", "valid", "test"):
        _write_file(root / f"wiki/wiki.{part}.tokens", f"{part}{message}")
        _write_file(root / f"penn/ptb.{part}.txt", f" {part} a b \n c <unk> d \n\n e ")
    _write_file(root / "enwik/enwik9", "<page>\n  <title>A</title>\n end\n")
    _write_file(
        root / "sst2tsv/train.tsv", 'sentence\tlabel\nbad film \t0\n"very ""good"" film"\t1\n'
    )
    _write_file(root / "sst2tsv/dev.tsv", "sentence\tlabel\nfine \t1\n")
    _write_file(root / "sst2tsv/test.tsv", "index\tsentence\n0\tone \n1\ttwo, three\n")
    for part, answers in (("train", [("cat", 4)]), ("dev", [("cat", 4), ("the cat", 0)])):
        options = [{"text": text, "answer_start": start} for text, start in answers]
        requests = [
            {"question": "who?", "id": "a", "answers": options},
            {"question": "why?", "id": "b", "answers": [], "is_impossible": True},
        ]
        paragraphs = [
            {"context": f"the cat of {part}", "qas": requests},
            {"context": "none", "qas": requests[:1]},
        ]
        for version in ("v1.1", "v2.0"):
            paragraphs[0]["qas"] = requests[:1] if version == "v1.1" else requests
            titles = [{"paragraphs": paragraphs}, {"paragraphs": paragraphs[1:]}]
            text = json.dumps({"version": version, "data": titles})
            _write_file(root / f"squad{version[1]}/{part}-{version}.json", text)

    _write_translations(root)
    sentence = "He PRP B-NP\nruns VBZ B-VP\n. . O\n\n"
    for part in ("train", "test"):
        _write_file(root / f"conll/{part}.txt", f"{sentence}\n{part} NN B-NP\n\n")
        _write_file(
            root / f"udpos/en-ud-tag.v2.{part}.txt", f"{sentence}{part} X Y\n\n".replace(" ", "\t")
        )
    _write_file(root / "udpos/en-ud-tag.v2.dev.txt", "One\tNUM\tCD\n\n")


def _write_translations(root: Path) -> None:
    for name in ("training/train", "validation/val", "mmt16_task1_test/test"):
        for language in ("en", "de"):
            lines = [f"{language} of {name}", f" {language} ", "last"]
            _write_file(root / f"multi30k/{name}.{language}", "\n".join(lines) + "\n")
    head = "<url>u</url>\n<doc docid=1>\n<title>T</title>\n<reviewer></reviewer>\n"
    places = (
        ("iwslt16/texts/de/en/de-en", "IWSLT16", "de-en"),
        (
            "iwslt17/texts/DeEnItNlRo/DeEnItNlRo/DeEnItNlRo-DeEnItNlRo",
            "IWSLT17",
            "it-ro",
        ),
    )
    for place, year, pair in places:
        for of in pair.split("-"):
            text = f"{head} {of} one & two \n</doc>\n{of} <b>three</b>\n"
            _write_file(root / place / f"train.tags.{pair}.{of}", text)
            for name in ("dev2010", "tst2010", "tst2013", "tst2014"):
                segments = f'<seg id="1"> {of} {name} a &amp; b </seg>\n<seg id="2">{of}</seg>'
                text = f"<mteval><srcset><doc><title>T</title>{segments}</doc></srcset></mteval>"
                _write_file(root / place / f"{year}.TED.{name}.{pair}.{of}.xml", text)


# Name, folder below the root, the others.
CASES: list[tuple[str, str, dict[str, Any]]] = [
    *[
        (f"{name}Dataset", folder, {"usage": usage})
        for name, folder in zip(
            ("AGNews", "AmazonReview", "DBpedia", "SogouNews", "YahooAnswers", "YelpReview"), _CSV
        )
        for usage in ("train", "all")
    ],
    ("AGNewsDataset", "agnews", {"usage": "test"}),
    ("AGNewsDataset", "agnews", {"usage": "dev"}),
    ("AGNewsDataset", "wiki", {}),
    ("AGNewsDataset", "bare", {}),
    ("AGNewsDataset", "yelp", {}),
    ("YelpReviewDataset", "agnews", {}),
    *[("WikiTextDataset", "wiki", {"usage": u}) for u in ("train", "valid", "test", "all")],
    *[("PennTreebankDataset", "penn", {"usage": u}) for u in ("train", "valid", "test", None)],
    ("EnWik9Dataset", "enwik", {}),
    ("EnWik9Dataset", "penn", {}),
    *[("SST2Dataset", "sst2tsv", {"usage": u}) for u in ("train", "dev", "test", None, "all")],
    *[("SQuADDataset", f"squad{v}", {"usage": u}) for v in "12" for u in ("train", "dev", "all")],
]

# How the files, one or several, are shuffled and shared.
PICKED: list[dict[str, Any]] = [
    {"num_samples": 3},
    {"shuffle": "GLOBAL"},
    {"shuffle": "FILES"},
    {"shuffle": None, "num_samples": 2},
    *[{"shuffle": how, "num_shards": 2, "shard_id": i} for how in (False, True) for i in (0, 1)],
]
CASES += [
    (f"{name}Dataset", folder, picked)
    for name, folder in (("DBpedia", "lined"), ("WikiText", "wiki"), ("SQuAD", "squad2"))
    for picked in PICKED
]
_TURNED = {"language_pair": ("it", "ro")}
CASES += [
    *[("Multi30kDataset", "multi30k", {"usage": u}) for u in ("train", "valid", "test")],
    ("Multi30kDataset", "multi30k", {"language_pair": ["de", "en"]}),
    ("Multi30kDataset", "multi30k", {"language_pair": ["de"]}),
    ("Multi30kDataset", "multi30k", {"language_pair": "de"}),
    *[
        ("Multi30kDataset", "multi30k", picked)
        for picked in PICKED
        if picked.get("shuffle") not in ("GLOBAL", "FILES")
    ],
    *[("IWSLT2016Dataset", "iwslt16", {"usage": u}) for u in ("train", "valid", "test", None)],
    ("IWSLT2016Dataset", "iwslt16", {"valid_set": "tst2010", "test_set": "tst2010"}),
    ("IWSLT2016Dataset", "iwslt16", {"valid_set": "tst2012"}),
    ("IWSLT2016Dataset", "iwslt16", {"valid_set": "tst2015"}),
    ("IWSLT2016Dataset", "iwslt16", {"language_pair": ("en", "de")}),
    ("IWSLT2016Dataset", "iwslt16", {"language_pair": ("de", "fr")}),
    *[("IWSLT2016Dataset", "iwslt16", picked) for picked in PICKED],
    *[("IWSLT2017Dataset", "iwslt17", {"usage": u, **_TURNED}) for u in ("train", "valid", "test")],
    ("IWSLT2017Dataset", "iwslt17", _TURNED),
    ("IWSLT2017Dataset", "iwslt17", {}),
    ("IWSLT2017Dataset", "iwslt17", {"language_pair": ("it", "it")}),
]
_TAGGED = [{"usage": "train"}, {"usage": "valid"}, {}, *PICKED[:3]]
CASES += [("CoNLL2000Dataset", "conll", picked) for picked in _TAGGED]
CASES += [("UDPOSDataset", "udpos", picked) for picked in _TAGGED]
CASES += [("EnWik9Dataset", "enwik", picked) for picked in PICKED]


def read_case(ds: Any, root: Path, case: tuple[str, str, dict[str, Any]]) -> dict[str, Any]:
    """Return what a case gives under seed 3, read by two."""
    name, first, options = case
    inputs = {"num_parallel_workers": 2, **options}
    if isinstance(inputs.get("shuffle"), str):
        inputs["shuffle"] = ds.Shuffle[inputs["shuffle"]]
    ds.config.set_seed(3)
    return outcome(ds, root, (name, first, inputs))
