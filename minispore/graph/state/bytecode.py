"""What the bytecode of a function says: the names that it uses, and on which lines."""

from __future__ import annotations

import dis
import functools
import types

_CHANGES = frozenset({
    "append", "appendleft", "add", "extend", "insert", "pop", "popleft", "popitem", "remove",
    "clear", "update", "setdefault", "discard", "sort", "reverse", "fill", "rotate",
})  # fmt: skip


class Code:
    """What the bytecode of a function says, that of functions inside it included."""

    def __init__(self) -> None:
        self.names: set[str] = set()  # attributes, and text that may name one
        self.texts: set[str] = set()  # that may name an attribute
        self.chains: set[tuple[str, ...]] = set()  # ("np", "random", "rand")
        self.imports: dict[str, int] = {}
        self.lines: dict[str, tuple[int, int]] = {}  # name: (how likely, line)

    @property
    def roots(self) -> set[str]:
        return {chain[0] for chain in self.chains}

    def mention(self, name: str, rank: int, line: int) -> None:
        if self.lines.get(name, (-1, 0))[0] < rank:
            self.lines[name] = rank, line


@functools.lru_cache(maxsize=4096)
def read(code: types.CodeType) -> Code:
    """The names that ``code`` uses, and where."""
    found = Code()
    chain: list[str] = []
    on_line: list[str] = []
    line = code.co_firstlineno

    def end_line() -> None:
        for name in on_line:
            found.mention(name, 1, line)
        on_line.clear()

    def end_chain() -> None:
        if chain:
            found.chains.add(tuple(chain))
        chain.clear()

    changing = False
    for ins in dis.get_instructions(code):
        if ins.starts_line is not None and ins.starts_line is not False:
            at = getattr(ins, "line_number", None) or ins.starts_line
            if at != line:
                end_line() if changing else on_line.clear()
                line, changing = at, False
        op, name = ins.opname, ins.argval
        if op in ("LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"):
            end_chain()
            chain.append(name)
        elif op in ("LOAD_ATTR", "LOAD_METHOD", "LOAD_SUPER_ATTR"):
            found.names.add(name)
            if chain:
                chain.append(name)
            changing = changing or name in _CHANGES
        else:
            end_chain()
            if op.startswith(("FORMAT_", "CONVERT_")) or ins.argrepr in ("%", "%="):
                found.names.add("format")
            if op == "IMPORT_NAME":
                found.imports[name] = line
            elif op == "MATCH_CLASS":
                found.names.add("__match_args__")
            elif op in ("STORE_SUBSCR", "DELETE_SUBSCR", "STORE_SLICE"):
                changing = True
            elif op in ("STORE_GLOBAL", "DELETE_GLOBAL", "STORE_DEREF"):
                found.chains.add((name,))
            elif op in ("STORE_ATTR", "DELETE_ATTR", "IMPORT_FROM"):
                found.names.add(name)
        if isinstance(name, str) and op not in ("LOAD_CONST", "RETURN_CONST"):
            stores = op.startswith(("STORE_", "DELETE_")) and op != "STORE_FAST"
            found.mention(name, 2 if stores else 0, line)
            on_line.append(name)
    end_chain()
    if changing:
        end_line()
    for const in code.co_consts:
        if isinstance(const, types.CodeType):
            _join(found, read(const))
        for text in const if isinstance(const, tuple) else (const,):
            if isinstance(text, str) and text.replace(".", "_").isidentifier():
                found.texts.update(text.split("."))
    found.names |= found.texts
    return found


def _join(into: Code, other: Code) -> None:
    into.names |= other.names
    into.texts |= other.texts
    into.chains |= other.chains
    into.imports |= other.imports
    for name, (rank, line) in other.lines.items():
        into.mention(name, rank, line)


__all__ = ["Code", "read"]
