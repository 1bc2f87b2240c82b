"""Tells whether the main document and the registry are of one revision, by the names that each of them has."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.tools.extract.reading import ExtractError, excerpt, read_file, shown

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.tools.extract.blocks import Source
    from clconform.tools.extract.registry import Registry

TOLERATED = 3
"""How many names one of the two may have that the other lacks; there is none in the revisions that we know."""

_FUNCTIONS = 20
"""With no more functions on either side nothing can be told from names."""
_SHOWN = 2
_ANCHOR = re.compile(r"""\bid=["']?((?:CL_[A-Z0-9]|cl[A-Z])\w*)""")
_INVISIBLE = re.compile(r"</?wbr ?/?>|&#8203;|\u200b")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+")


def version_in(text: str) -> str:
    """Return the version in a file's name, or at the beginning of what a document calls its revision."""
    found = _VERSION.search(text)
    return found[0] if found else ""


def refuse_foreign(main: Path, source: Source) -> None:
    """Refuse a main document that does not say that it is one."""
    title = next((block.text for block in source.blocks if block.kind == "heading"), "")
    if "OpenCL" not in title or not source.revision:
        what = f"its title is {excerpt(title)!r}" if source.revision else "it states no revision"
        raise ExtractError(
            f"{shown(main)}: is not the OpenCL API specification ({what}); it is published on "
            "registry.khronos.org/OpenCL"
        )


def refuse_other_revision(main: Path, source: Source, path: Path, registry: Registry) -> None:
    """Refuse a registry of another revision than the main document; the registry itself does not state its own.

    What a document defines has an anchor of that name. What a registry defines is mentioned in the document: every
    extension, its names, and those of the latest version. Those of older ones may be in another document.
    """
    text = _INVISIBLE.sub("", read_file(main).text)
    words = frozenset(match[0] for match in re.finditer(r"\w+", text))
    if len(registry.functions) > _FUNCTIONS and not registry.functions.keys() & words:
        raise ExtractError(
            f"{shown(main)}: has none of the functions in {shown(path.name)}; give the OpenCL API specification, not "
            "another one"
        )
    anchors = frozenset(_ANCHOR.findall(text))
    functions = sum(not name.startswith("CL_") for name in anchors)
    older, newer = sorted(anchors - registry.names), sorted(_told(registry, words) - words)
    tells = max(functions, len(registry.functions)) > _FUNCTIONS
    theirs = version_in(path.stem)
    if theirs in ("", version_in(source.revision)) and not (tells and len(older) + len(newer) > TOLERATED):
        return
    named = f"revision {theirs}" if theirs else f"of another one, up to OpenCL {registry.newest}"
    raise ExtractError(
        f"{shown(main)}: is revision {source.revision}, and {shown(path.name)} is {named} (only the document has "
        f"{_some(older)}, only the registry {_some(newer)}); give a document and a registry of the same revision"
    )


def _told(registry: Registry, words: frozenset[str]) -> frozenset[str]:
    """Return what the document has to mention; of an extension that it does not know, only its name."""
    parts = registry.provided.items()
    return frozenset().union(*(names if part in words or part[:3] != "cl_" else {part} for part, names in parts))


def _some(names: list[str]) -> str:
    more = f" and {len(names) - _SHOWN} more" if len(names) > _SHOWN else ""
    return ", ".join(names[:_SHOWN]) + more if names else "no name"
