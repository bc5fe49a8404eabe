"""The reference of the site: as a hook of mkdocs this adds its pages, as an extension of griffe it
gives each name the docstring that ``help`` shows. The hook also puts the editor into its page.
"""

from __future__ import annotations

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
    """Add the pages to the navigation."""
    modules: dict[str, list[dict[str, str]]] = {}
    for path, title, _ in markup.pages():
        module, _, names = title.partition(": ")
        modules.setdefault(module, []).append({names or module: path})
    sections = [{name: pages} if len(pages) > 1 else pages[0] for name, pages in modules.items()]
    config.nav.append({"Reference": sections})
    return config


def on_files(files: Any, *, config: Any) -> Any:
    """Add the pages."""
    for path, _, text in markup.pages():
        files.append(File.generated(config, path, content=text))
    pen = _HERE.parent / "examples" / "digits.py"  # which the programs in the browser import
    files.append(File.generated(config, "try/digits.py", abs_src_path=str(pen)))
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
    """Add those of the reference, which no file holds, with their names as aliases."""
    documented = markup.entries()
    for path, entry in read_alias_table().items():
        if not any(f"{front}.".startswith(f"{path}.") for front in documented):
            continue
        parent, _, leaf = path.removeprefix("minispore.").rpartition(".")
        module = griffe.Module(leaf, filepath=package.filepath)
        (package[parent] if parent else package).set_member(leaf, module)
        for name in documented.get(path, ()):
            if "." not in name:
                module.set_member(name, griffe.Alias(name, _find_source(entry, name)))


def _find_source(entry: AliasModule, name: str) -> str:
    """Return the path of what an alias module calls ``name``."""
    for alias in entry.names:
        if alias.name == name:
            return f"{alias.source}.{alias.original}"
        if alias.name == "*" and hasattr(import_module(alias.source), name):
            return f"{alias.source}.{name}"
    raise KeyError(f"{entry.path}.{name}: the alias table lacks it")


class Described(griffe.Extension):
    """Gives each public name its whole docstring, and all others in Markdown."""

    def __init__(self) -> None:
        self._done: set[int] = set()

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Called when the package has been read."""
        if pkg.path != "minispore":
            return
        _add_alias_modules(pkg)
        for front, found in markup.entries().items():
            for name, text in found.items():
                try:
                    thing: Any = loader.modules_collection[f"{front}.{name}"]
                    thing = thing.final_target if thing.is_alias else thing
                except (KeyError, griffe.AliasResolutionError, griffe.CyclicAliasError):
                    raise KeyError(f"{front}.{name}: make stubs says where it is") from None
                thing.docstring = griffe.Docstring(
                    markup.for_markdown(text),
                    parent=thing,
                    parser=loader.docstring_parser,
                    parser_options=loader.docstring_options,
                )
                self._done.add(id(thing))

    def on_object(self, *, obj: griffe.Object, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Called for everything else: methods, say."""
        if obj.docstring and id(obj) not in self._done:
            obj.docstring.value = markup.for_markdown(markup.headed(obj.docstring.value))
