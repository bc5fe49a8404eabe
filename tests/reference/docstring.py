"""Parse a docstring into parts, and write parts as a docstring."""

from __future__ import annotations

import inspect
import re
import textwrap
from dataclasses import dataclass, field

_HEAD = re.compile(
    r"(?P<head>Args|Attributes|Returns|Yields|Raises|Shape|Source|Examples?|Note)s?::?"
    r"(?:\s+(?P<rest>\S.*))?$"
)
_ENTRY = re.compile(
    r"(?P<names>\*{0,2}\w+(?:, \*{0,2}\w+)*)(?: \((?P<type>[^)]*)\))?: *(?P<text>.*)"
)
_ROLE = re.compile(r":(?:class|func|meth|attr|mod|data|exc|obj):`~?([^`]+)`")
WIDTH = 96


@dataclass
class Docstring:
    """The parts of a docstring. ``args`` maps a name to its type and description."""

    lead: str = ""
    args: dict[str, tuple[str, str]] = field(default_factory=dict)
    inputs: dict[str, tuple[str, str]] = field(default_factory=dict)  # of an op that is made first
    returns: str = ""
    raises: list[tuple[str, str]] = field(default_factory=list)
    shape: list[str] = field(default_factory=list)
    source: str = ""
    note: str = ""
    example: str = ""
    attributes: str = ""  # of a record, in place of its arguments

    def text(self) -> str:
        """The docstring."""
        parts = [_replace_roles(self.lead.strip())]
        if self.args:
            parts.append("Args:\n" + "\n".join(_format_entry(n, *e) for n, e in self.args.items()))
        if self.inputs:
            parts.append(
                "Inputs:\n" + "\n".join(_format_entry(n, *e) for n, e in self.inputs.items())
            )
        if self.returns:
            parts.append("Returns:\n" + _wrap_text(self.returns, "    ", "    "))
        if self.raises:
            parts.append("Raises:\n" + "\n".join(_format_entry(k, "", t) for k, t in self.raises))
        if self.shape:
            parts.append(
                "Shape:\n" + "\n".join(_wrap_text(s, "    ", "        ") for s in self.shape)
            )
        if self.note:
            parts.append("Note:\n" + _wrap_text(self.note, "    ", "    "))
        if self.source:
            parts.append("Source:\n" + _wrap_text(self.source, "    ", "    "))
        if self.example:
            parts.append("Example:\n" + textwrap.indent(self.example.rstrip(), "    "))
        return "\n\n".join(parts) + "\n"


def _format_entry(name: str, kind: str, text: str) -> str:
    head = f"{name} ({kind}): " if kind else f"{name}: "
    return _wrap_text(head + text, "    ", "        ")


def _wrap_text(text: str, first: str, rest: str) -> str:
    return textwrap.fill(
        " ".join(_replace_roles(text).split()), WIDTH, initial_indent=first, subsequent_indent=rest,
        break_long_words=False, break_on_hyphens=False,
    )  # fmt: skip


def _replace_roles(text: str) -> str:
    """Replace each role by a literal, since readers of ``help`` see roles unrendered."""
    return _ROLE.sub(r"``\1``", text)


def parse(text: str | None) -> Docstring:
    """Parse a docstring as the sources write it."""
    docstring = Docstring()
    if not text:
        return docstring
    lines = inspect.cleandoc(text).split("\n")
    lead: list[str] = []
    examples: list[str] = []
    i = 0
    while i < len(lines):
        head = _HEAD.match(lines[i])
        if head:
            body, i = _read_body(lines, i + 1, has_text=bool(head["rest"]))
            _store_section(docstring, head["head"], head["rest"] or "", body, examples)
        elif lines[i].startswith(">>>"):
            start = i
            while i < len(lines) and lines[i].strip():
                i += 1
            examples.append("\n".join(lines[start:i]))
        elif lines[i].rstrip().endswith("::") and _is_code(lines, i + 1):
            # a quoted program: stays as it is
            lead.append(lines[i])
            i += 1
        else:
            lead.append(lines[i])
            i += 1
    docstring.lead = re.sub(r"\n{3,}", "\n\n", "\n".join(lead)).strip()
    docstring.example = "\n".join(examples)
    return docstring


def _is_code(lines: list[str], i: int) -> bool:
    return any(line.startswith("    ") for line in lines[i : i + 2])


def _read_body(lines: list[str], i: int, has_text: bool) -> tuple[list[str], int]:
    """Return the lines of a section, which are indented or continue its first line, and the
    next index.
    """
    body = []
    while has_text and i < len(lines) and re.match(r"(?!>>>)\S", lines[i]):
        if _HEAD.match(lines[i]):
            break
        body.append(f" {lines[i]}")
        i += 1
    while i < len(lines) and (not lines[i].strip() or lines[i].startswith(" ")):
        body.append(lines[i])
        i += 1
    while body and not body[-1].strip():
        body.pop()
    return textwrap.dedent("\n".join(body)).split("\n"), i


def _store_section(
    actual: Docstring, head: str, rest: str, body: list[str], examples: list[str]
) -> None:
    message = "\n".join([rest, *body]).strip() if rest else "\n".join(body).strip("\n")
    if head in ("Args", "Raises"):
        for names, kind, text in _parse_entries(body if not rest else [rest, *body]):
            if head == "Raises":
                actual.raises.append((names, text))
            else:
                for name in names.split(", "):
                    actual.args[name] = (kind, text)
    elif head in ("Example", "Examples"):
        examples.append(message)
    elif head in ("Returns", "Yields"):
        actual.returns = message
    elif head == "Shape":
        actual.shape = [" ".join(message.split())] if message else []
    elif head == "Source":
        actual.source = message
    elif head == "Attributes":
        actual.attributes = message
    else:
        actual.note = message


def _parse_entries(body: list[str]) -> list[tuple[str, str, str]]:
    results: list[list[str]] = []
    for line in body:
        entry = _ENTRY.match(line)
        if entry and not line.startswith(" "):
            results.append([entry["names"], entry["type"] or "", entry["text"]])
        elif results:
            results[-1][2] += " " + line.strip()
    return [(a, b, " ".join(c.split())) for a, b, c in results]
