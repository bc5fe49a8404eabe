"""What the site's reference says: the pages, and docstrings in words that Markdown leaves alone."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator
from pathlib import Path

from minispore.foundation.docstrings import ENTRY

REFERENCE = Path(__file__).resolve().parent.parent / "minispore" / "foundation" / "reference"
ON_A_PAGE = 14  # names, so that no page is large; a module with more has several pages
_HEADS = "Args|Inputs|Attributes|Returns|Raises|Shape|Note|Source|Example"
_SECTION = re.compile(rf"^({_HEADS}):\n", re.M)
_KEPT = ("Args", "Attributes", "Returns", "Raises")  # griffe makes tables of them
_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_CODE = re.compile(r"(``.+?``)", re.S)


def entries() -> dict[str, dict[str, str]]:
    """The docstring of each name, by front."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(REFERENCE.glob("*.txt"), key=lambda path: path.stem):
        read = re.findall(ENTRY, path.read_text(encoding="utf-8"))
        found[path.stem] = {f"{a}.{b}".rstrip("."): text for a, b, text in read}
    return found


# -- pages -----------------------------------------------------------------------------------------


def pages() -> Iterator[tuple[str, str, str]]:
    """The path, the title and the text of each page of the reference."""
    for front, found in entries().items():
        names = sorted({name for name in found if "." not in name}, key=str.lower)
        room = front.partition(".")[2] or "minispore"
        parts = -(-len(names) // ON_A_PAGE)
        cuts = [round(i * len(names) / parts) for i in range(parts + 1)]
        for first, end in itertools.pairwise(cuts):
            part = names[first:end]
            title = room if parts == 1 else f"{room}: {part[0]} to {part[-1]}"
            path = f"reference/{room.replace('.', '_')}{f'_{part[0]}' if first else ''}.md"
            listed = "".join(f"        - {name}\n" for name in part)
            yield path, title, f"# {title}\n\n::: {front}\n    options:\n      members:\n{listed}"


# -- docstrings ------------------------------------------------------------------------------------


def headed(docstring: str) -> str:
    """A docstring of the sources, whose examples have no head."""
    plain = _ROLE.sub(r"``\1``", docstring)
    return re.sub(r"^(?=>>>)(.+\n?)+", _as_example, plain, flags=re.M)


def _as_example(found: re.Match[str]) -> str:
    return "Example:\n" + textwrap.indent(found[0], "    ")


def for_markdown(docstring: str) -> str:
    """A docstring whose signs Markdown leaves alone.

    >>> for_markdown("Args:\\n    *x: a * b, ``a * b``.\\n\\nShape:\\n    (N, *) -> (N,)\\n")
    'Args:\\n    *x: a \\\\* b, `a * b`.\\n\\n**Shape**\\n\\n- (N, \\\\*) -> (N,)\\n'
    """
    lead, *rest = _SECTION.split(docstring)
    made = [_lead(lead)]
    for head, body in zip(rest[::2], rest[1::2]):
        if head == "Example":
            made.append(f"Examples:\n{body}")
        elif head in _KEPT:
            made.append(f"{head}:\n{_items(body)}")
        else:
            lines = re.sub(r"\n {8}", " ", body.rstrip()).split("\n")
            if head in ("Note", "Source"):
                made.append(f"**{head}**: {_plain(' '.join(' '.join(lines).split()))}\n\n")
            else:
                listed = "\n".join(f"- {_plain(line.strip())}" for line in lines)
                made.append(f"**{head}**\n\n{listed}\n\n")
    return "".join(made).rstrip() + "\n"


def _lead(text: str) -> str:
    lines = re.sub(r"::$", ":", text, flags=re.M).split("\n    ")
    return "\n    ".join([_plain(lines[0]), *lines[1:]])  # what is indented is code


def _items(body: str) -> str:
    """Entries: the names stay, the words are for reading."""
    return re.sub(
        r"^(    \S[^:\n]*:)(.*(?:\n {8}.*)*)", lambda m: m[1] + _plain(m[2]), body, flags=re.M
    )


def _plain(text: str) -> str:
    parts = _CODE.split(text)
    for i in range(0, len(parts), 2):
        words = re.sub(r"([*\[\]])|(?<!\w)(_)|(_)(?!\w)", r"\\\g<0>", parts[i])
        parts[i] = words.replace("<", "&lt;")
    return "".join(p.replace("``", "`") if i % 2 else p for i, p in enumerate(parts))
