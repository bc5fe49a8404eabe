"""The pages of the site's reference, and docstrings as Markdown that renders as it reads."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from minispore.foundation.docstrings import ENTRY

REFERENCE = Path(__file__).resolve().parent.parent / "minispore" / "foundation" / "reference"
CHARACTERS_PER_PAGE = 10_000  # of docstrings, at most; a module with more has several pages
NAMES_PER_PAGE = 14
_HEADS = "Args|Inputs|Attributes|Returns|Raises|Shape|Note|Source|Example"
_SECTION = re.compile(rf"^({_HEADS}):\n", re.M)
_TABLES = ("Args", "Attributes", "Returns", "Raises")  # sections that griffe makes tables of
_ROLE = re.compile(r":\w+:`~?([^`]+)`")
_CODE = re.compile(r"(``.+?``)", re.S)


def read_docstrings() -> dict[str, dict[str, str]]:
    """Return the docstrings that ``help`` shows, by module and name."""
    docstrings: dict[str, dict[str, str]] = {}
    for path in sorted(REFERENCE.glob("*.txt"), key=lambda path: path.stem):
        entries = re.findall(ENTRY, path.read_text(encoding="utf-8"))
        docstrings[path.stem] = {f"{a}.{b}".rstrip("."): text for a, b, text in entries}
    return docstrings


# -- pages -----------------------------------------------------------------------------------------


def make_pages() -> Iterator[tuple[str, str, str]]:
    """Yield the path, the title and the Markdown of each page of the reference."""
    for module, docstrings in read_docstrings().items():
        names = sorted({name for name in docstrings if "." not in name}, key=str.lower)
        short = module.partition(".")[2] or "minispore"
        groups = list(_split_names(names, docstrings))
        for i, group in enumerate(groups):
            title = short if len(groups) == 1 else f"{short}: {group[0]} to {group[-1]}"
            path = f"reference/{short.replace('.', '_')}{f'_{group[0]}' if i else ''}.md"
            members = "".join(f"        - {name}\n" for name in group)
            yield path, title, f"# {title}\n\n::: {module}\n    options:\n      members:\n{members}"


def _split_names(names: Sequence[str], docstrings: Mapping[str, str]) -> Iterator[list[str]]:
    """Yield the names in groups for one page each, so that no page is large.

    The docstrings of a class's methods count for the class.
    """
    lengths: Counter[str] = Counter()
    for path, docstring in docstrings.items():
        lengths[path.partition(".")[0]] += len(docstring)
    group: list[str] = []
    size = 0
    for name in names:
        length = lengths[name]
        if group and (len(group) == NAMES_PER_PAGE or size + length > CHARACTERS_PER_PAGE):
            yield group
            group, size = [], 0
        group.append(name)
        size += length
    yield group


# -- docstrings ------------------------------------------------------------------------------------


def add_heads(docstring: str) -> str:
    """Return a docstring of the sources with a head above each example, and roles as code."""
    return re.sub(
        r"^(?=>>>)(.+\n?)+",
        lambda match: "Example:\n" + textwrap.indent(match[0], "    "),
        _ROLE.sub(r"``\1``", docstring),
        flags=re.M,
    )


def escape_markdown(docstring: str) -> str:
    """Return a docstring as Markdown, with its signs escaped and its sections as griffe reads them.

    >>> escape_markdown("Args:\\n    *x: a * b, ``a * b``.\\n\\nShape:\\n    (N, *) -> (N,)\\n")
    'Args:\\n    *x: a \\\\* b, `a * b`.\\n\\n**Shape**\\n\\n- (N, \\\\*) -> (N,)\\n'
    """
    summary, *sections = _SECTION.split(docstring)
    output = [_escape_summary(summary)]
    for head, body in zip(sections[::2], sections[1::2]):
        if head == "Example":
            output.append(f"Examples:\n{body}")
        elif head in _TABLES:
            output.append(f"{head}:\n{_escape_entries(body)}")
        else:
            lines = re.sub(r"\n {8}", " ", body.rstrip()).split("\n")
            if head in ("Note", "Source"):
                text = _escape(" ".join(" ".join(lines).split()))
                output.append(f"**{head}**: {text}\n\n")
            else:
                items = "\n".join(f"- {_escape(line.strip())}" for line in lines)
                output.append(f"**{head}**\n\n{items}\n\n")
    return "".join(output).rstrip() + "\n"


def _escape_summary(text: str) -> str:
    """Escape the text before the first section, up to its first indented line, which is code."""
    lines = re.sub(r"::$", ":", text, flags=re.M).split("\n    ")
    return "\n    ".join([_escape(lines[0]), *lines[1:]])


def _escape_entries(body: str) -> str:
    """Escape the descriptions of a section's entries; their names stay as they are."""
    return re.sub(
        r"^(    \S[^:\n]*:)(.*(?:\n {8}.*)*)",
        lambda match: match[1] + _escape(match[2]),
        body,
        flags=re.M,
    )


def _escape(text: str) -> str:
    """Escape the signs of Markdown and HTML outside code, and mark code by single backticks."""
    parts = _CODE.split(text)
    for i in range(0, len(parts), 2):
        words = re.sub(r"([*\[\]])|(?<!\w)(_)|(_)(?!\w)", r"\\\g<0>", parts[i])
        parts[i] = words.replace("<", "&lt;")
    return "".join(p.replace("``", "`") if i % 2 else p for i, p in enumerate(parts))
