"""The site's reference.

As a hook of mkdocs this module adds its pages, and puts the editor into the page to try programs
on. As an extension of griffe it gives each name the docstring and signature that ``help`` shows.
"""

from __future__ import annotations

import inspect
import re
from importlib import import_module
from pathlib import Path
from typing import Any

import griffe
import markup  # beside this file
from mkdocs.structure.files import File

from minispore.foundation.alias_table import AliasModule, read_alias_table
from minispore.foundation.version import __version__

_HERE = Path(__file__).resolve().parent
_EDITOR = re.compile(r"<!-- editor -->.*<!-- /editor -->", re.S)


def on_config(config: Any) -> Any:
    """Add the pages of the reference to the navigation."""
    modules: dict[str, list[dict[str, str]]] = {}
    for path, title, _ in markup.make_pages():
        module, _, names = title.partition(": ")
        modules.setdefault(module, []).append({names or module: path})
    sections = [{name: pages} if len(pages) > 1 else pages[0] for name, pages in modules.items()]
    config.nav.append({"Reference": sections})
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """Add the pages of the reference, and the module that programs in the browser import."""
    for path, _, text in markup.make_pages():
        files.append(File.generated(config, path, content=text))
    digits = _HERE.parent / "examples" / "digits.py"
    files.append(File.generated(config, "try/digits.py", abs_src_path=str(digits)))
    return files


def make_editor() -> str:
    """Return the editor of the page to try programs on; ``make docs`` puts the wheel beside it."""
    page = (_HERE / "try" / "page.html").read_text(encoding="utf-8")
    return page.replace("WHEEL", f"minispore-{__version__}-py3-none-any.whl")


def on_page_markdown(markdown: str, *, page: Any, **_: Any) -> str:
    """Add a link to its notebook to each tutorial, and the editor to its page."""
    markdown = _EDITOR.sub(lambda _: make_editor(), markdown)
    folder, _, file = page.file.src_uri.rpartition("/")
    if folder != "tutorials":
        return markdown
    notebook = f"../notebooks/{file.removesuffix('.md')}.ipynb"
    return f"{markdown}\n\n[This page as a notebook]({notebook})\n"


def _add_alias_modules(package: griffe.Module) -> None:
    """Add the alias modules of the reference, which have no files, with their names as aliases."""
    documented = markup.read_docstrings()
    for path, entry in read_alias_table().items():
        if not any(f"{module}.".startswith(f"{path}.") for module in documented):
            continue
        parent, _, leaf = path.removeprefix("minispore.").rpartition(".")
        module = griffe.Module(leaf, filepath=package.filepath)
        (package[parent] if parent else package).set_member(leaf, module)
        for name in documented.get(path, ()):
            if "." not in name:
                module.set_member(name, griffe.Alias(name, _find_source(entry, name)))


def _find_source(entry: AliasModule, name: str) -> str:
    """Return the path of the object that an alias module calls ``name``."""
    for alias in entry.names:
        if alias.name == name:
            return f"{alias.source}.{alias.original}"
        if alias.name == "*" and hasattr(import_module(alias.source), name):
            return f"{alias.source}.{name}"
    raise KeyError(f"{entry.path}.{name}: the alias table lacks it")


class Described(griffe.Extension):
    """Extension of griffe that gives public names the docstrings of ``help``, as Markdown."""

    def __init__(self) -> None:
        self._described: set[int] = set()

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Replace the docstrings of public names, when the package has been read."""
        if pkg.path != "minispore":
            return
        _add_alias_modules(pkg)
        classes: list[griffe.Class] = []
        for module, docstrings in markup.read_docstrings().items():
            for name, text in docstrings.items():
                try:
                    documented: Any = loader.modules_collection[f"{module}.{name}"]
                    documented = documented.final_target if documented.is_alias else documented
                except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError):
                    raise KeyError(f"{module}.{name}: make stubs says where it is") from None
                documented.docstring = griffe.Docstring(
                    markup.escape_markdown(text),
                    parent=documented,
                    parser=loader.docstring_parser,
                    parser_options=loader.docstring_options,
                )
                if documented.is_class:
                    _set_parameters(documented, getattr(import_module(module), name))
                    classes.append(documented)
                self._described.add(id(documented))
        for documented in classes:  # at the end, since griffe finds inherited names by the bases
            documented.bases = [b for b in documented.bases if not _is_private(str(b))]

    def on_object(self, *, obj: griffe.Object, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Escape any other docstring, of a method for example, when it has been read."""
        if obj.docstring and id(obj) not in self._described:
            obj.docstring.value = markup.escape_markdown(markup.add_heads(obj.docstring.value))


def _set_parameters(documented: griffe.Class, cls: type) -> None:
    """Give an op or a transform, whose source declares fields, its constructor's parameters."""
    if not hasattr(cls, "__signature__"):
        return
    parameters = griffe.Parameters(griffe.Parameter("self"))
    for name, parameter in inspect.signature(cls).parameters.items():
        has_default = parameter.default is not inspect.Parameter.empty
        parameters.add(
            griffe.Parameter(
                name,
                annotation=parameter.annotation,
                default=repr(parameter.default) if has_default else None,
                kind=griffe.ParameterKind.positional_or_keyword,
            )
        )
    documented.set_member("__init__", griffe.Function("__init__", parameters=parameters))


def _is_private(path: str) -> bool:
    return any(part.startswith("_") for part in path.split("."))
