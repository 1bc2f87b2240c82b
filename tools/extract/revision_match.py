"""Checks whether the main document and the registry have the same revision, by the names that they contain."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.tools.extract.safe_reading import ExtractError, escape_path, excerpt, read_document

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.tools.extract.document_blocks import SourceDocument
    from clconform.tools.extract.xml_registry import XmlRegistry

MAX_NAME_DIFFERENCES = 3
"""Maximum number of names that only the document or only the registry may contain; known revisions have none."""

_MIN_FUNCTIONS = 20
"""Names are compared only if the document or the registry has more than this number of functions."""
_MAX_NAMES_SHOWN = 2
_ANCHOR = re.compile(r"""\bid=["']?((?:CL_[A-Z0-9]|cl[A-Z])\w*)""")
_INVISIBLE = re.compile(r"</?wbr ?/?>|&#8203;|\u200b")
_VERSION = re.compile(r"[0-9]+(?:\.[0-9]+)+")


def version_in(text: str) -> str:
    """Return the version in the name of a file, or at the beginning of a document's revision."""
    found = _VERSION.search(text)
    return found[0] if found else ""


def check_main_document(main: Path, source: SourceDocument) -> None:
    """Raise ExtractError if a document does not identify itself as the main document."""
    title = next((block.text for block in source.blocks if block.kind == "heading"), "")
    if "OpenCL" not in title or not source.revision:
        what = f"its title is {excerpt(title)!r}" if source.revision else "it states no revision"
        raise ExtractError(
            f"{escape_path(main)}: is not the OpenCL API specification ({what}); it is published on "
            "registry.khronos.org/OpenCL"
        )


def check_same_revision(main: Path, source: SourceDocument, path: Path, registry: XmlRegistry) -> None:
    """Raise ExtractError if the registry and the main document have different revisions.

    The registry does not contain its revision, so names are compared. Each definition in the document has an anchor
    with its name. The document mentions every extension of the registry with its names, and the names of the latest
    version. Names of older versions may be in another document.
    """
    text = _INVISIBLE.sub("", read_document(main).text)
    words = frozenset(match[0] for match in re.finditer(r"\w+", text))
    if len(registry.functions) > _MIN_FUNCTIONS and not registry.functions.keys() & words:
        raise ExtractError(
            f"{escape_path(main)}: has none of the functions in {escape_path(path.name)}; give the OpenCL "
            f"API specification, not "
            "another one"
        )
    anchors = frozenset(_ANCHOR.findall(text))
    functions = sum(not name.startswith("CL_") for name in anchors)
    older, newer = sorted(anchors - registry.names), sorted(_expected_names(registry, words) - words)
    tells = max(functions, len(registry.functions)) > _MIN_FUNCTIONS
    theirs = version_in(path.stem)
    if theirs in ("", version_in(source.revision)) and not (tells and len(older) + len(newer) > MAX_NAME_DIFFERENCES):
        return
    named = f"revision {theirs}" if theirs else f"of another one, up to OpenCL {registry.newest}"
    raise ExtractError(
        f"{escape_path(main)}: is revision {source.revision}, and {escape_path(path.name)} is {named} (only"
        f" the document has "
        f"{_list_some(older)}, only the registry {_list_some(newer)}); give a document and a registry of "
        f"the same revision"
    )


def _expected_names(registry: XmlRegistry, words: frozenset[str]) -> frozenset[str]:
    """Return the names that the document must mention.

    If the document does not describe an extension, only the name of the extension is expected.
    """
    parts = registry.provided.items()
    return frozenset().union(*(names if part in words or part[:3] != "cl_" else {part} for part, names in parts))


def _list_some(names: list[str]) -> str:
    more = f" and {len(names) - _MAX_NAMES_SHOWN} more" if len(names) > _MAX_NAMES_SHOWN else ""
    return ", ".join(names[:_MAX_NAMES_SHOWN]) + more if names else "no name"
