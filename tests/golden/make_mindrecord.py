"""Make mindrecord/*: small files and their indexes, written by the real MindSpore.

Run from the root of the project with MindSpore 2.10:

    python -m tests.golden.make_mindrecord
"""

from __future__ import annotations

from pathlib import Path

from mindspore.mindrecord import FileWriter

from tests.golden import mindrecord_cases


def main() -> None:
    folder = Path(__file__).resolve().parent / "mindrecord"
    folder.mkdir(exist_ok=True)
    for name in mindrecord_cases.CASES:
        mindrecord_cases.write(FileWriter, str(folder), name)
    for file in folder.iterdir():
        file.chmod(0o644)


if __name__ == "__main__":
    main()
