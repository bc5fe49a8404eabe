"""The reference of the site: as a hook of mkdocs this adds its pages, as an extension of griffe it
gives each name the docstring that ``help`` shows.
"""

from __future__ import annotations

from typing import Any

import griffe
import markup  # beside this file
from mkdocs.structure.files import File


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
    return files


class Described(griffe.Extension):
    """Gives each public name its whole docstring, and all others in Markdown."""

    def __init__(self) -> None:
        self._done: set[int] = set()

    def on_package(self, *, pkg: griffe.Module, loader: griffe.GriffeLoader, **_: Any) -> None:
        """Called when the package has been read."""
        if pkg.path != "minispore":
            return
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
