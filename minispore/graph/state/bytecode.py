"""The names that the bytecode of a function uses, and the lines on which it uses them."""

from __future__ import annotations

import dis
import functools
import types

_MUTATING_METHODS = frozenset({
    "append", "appendleft", "add", "extend", "insert", "pop", "popleft", "popitem", "remove",
    "clear", "update", "setdefault", "discard", "sort", "reverse", "fill", "rotate",
})  # fmt: skip


class CodeSummary:
    """The names in the bytecode of a function, and of the functions inside it; made by
    :func:`summarize_code`.
    """

    def __init__(self) -> None:
        self.names: set[str] = set()  # attributes, and string constants that may be attribute names
        self.identifier_texts: set[str] = set()  # string constants that may be attribute names
        # A name and its attributes: ("np", "random", "rand")
        self.attribute_chains: set[tuple[str, ...]] = set()
        self.imports: dict[str, int] = {}  # modules and the lines that import them
        # (rank, line) of each name; a higher rank is a more likely change.
        self.lines: dict[str, tuple[int, int]] = {}

    @property
    def roots(self) -> set[str]:
        """The first name of each chain of attributes."""
        return {chain[0] for chain in self.attribute_chains}

    def note_line(self, name: str, rank: int, line: int) -> None:
        """Record the line and rank of ``name``, unless a line of the same or a higher rank is
        recorded.
        """
        if self.lines.get(name, (-1, 0))[0] < rank:
            self.lines[name] = rank, line


@functools.lru_cache(maxsize=4096)
def summarize_code(code: types.CodeType) -> CodeSummary:
    """Return the names that ``code`` and the functions inside it use, and on which lines.

    Names rank by how likely the line changes the object: 2 for a store to the name, 1 for a line
    with a store to an item or a mutating method, 0 for any other line. The results are cached.
    """
    summary = CodeSummary()
    chain: list[str] = []
    line_names: list[str] = []
    line = code.co_firstlineno

    def rank_line_names() -> None:
        """Raise the rank of all names on the current line, which mutates something."""
        for name in line_names:
            summary.note_line(name, 1, line)

    def end_chain() -> None:
        """Add the current chain of attributes to the summary, if it has any names, and start a new
        one.
        """
        if chain:
            summary.attribute_chains.add(tuple(chain))
        chain.clear()

    # A load of a name begins a chain, which loads of attributes extend; any other instruction ends
    # it. The rank of a line's names is known only at the end of the line.
    is_mutating = False
    for instruction in dis.get_instructions(code):
        if instruction.starts_line is not None and instruction.starts_line is not False:
            new_line = getattr(instruction, "line_number", None) or instruction.starts_line
            if new_line != line:
                if is_mutating:
                    rank_line_names()
                line_names.clear()
                line, is_mutating = new_line, False
        op, name = instruction.opname, instruction.argval
        if op in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"):
            end_chain()
            chain.append(name)
        elif op in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            summary.names.add(name)
            if chain:
                chain.append(name)
            is_mutating = is_mutating or name in _MUTATING_METHODS
        else:
            end_chain()
            if op.startswith(("FORMAT_", "CONVERT_")) or instruction.argrepr in ("%", "%="):
                summary.names.add("format")
            if op == "IMPORT_NAME":
                summary.imports[name] = line
            elif op == "MATCH_CLASS":
                summary.names.add("__match_args__")
            elif op in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"):
                is_mutating = True
            elif op in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF"):
                summary.attribute_chains.add((name,))
            elif op in ("STORE_ATTR", "DELETE_ATTR", "IMPORT_FROM"):
                summary.names.add(name)
        if isinstance(name, str) and op not in ("LOAD_CONST", "RETURN_CONST"):
            is_store = op.startswith(("STORE_", "DELETE_")) and op != "STORE_FAST"
            summary.note_line(name, 2 if is_store else 0, line)
            line_names.append(name)
    end_chain()
    if is_mutating:
        rank_line_names()
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            _merge_code(summary, summarize_code(const))
        for text in const if isinstance(const, tuple) else (const,):
            if isinstance(text, str) and text.replace(".", "_").isidentifier():
                summary.identifier_texts.update(text.split("."))
    summary.names |= summary.identifier_texts
    return summary


def _merge_code(target: CodeSummary, other: CodeSummary) -> None:
    """Add the names and lines of ``other``, the code of an inner function, to ``target``."""
    target.names |= other.names
    target.identifier_texts |= other.identifier_texts
    target.attribute_chains |= other.attribute_chains
    target.imports |= other.imports
    for name, (rank, line) in other.lines.items():
        target.note_line(name, rank, line)


__all__ = ["CodeSummary", "summarize_code"]
