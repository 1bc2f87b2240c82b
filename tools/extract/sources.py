"""Finds the documents in a folder, each kind by what it looks like, not by its name alone."""

from __future__ import annotations

import hashlib
import re
from typing import TYPE_CHECKING

from clconform.spec_tables.records import Document
from clconform.tools.extract.registry import KEY, Registry, read_registry

if TYPE_CHECKING:
    from pathlib import Path

_SEVERAL = 5
_PLAIN = re.compile(rb"\s*Name Strings\s*\n[ \t]+cl_\w+")
_DECLARED = re.compile(rb"^(?:cl_\w+|void\*?) +cl[A-Z]\w+\(", re.MULTILINE)


class ExtractError(Exception):
    """The documents cannot be read; the message is one line that says what to do."""


def registry_in(documents: Path) -> tuple[Registry, Document]:
    """Read the registry (the last by name, if there are several)."""
    found = sorted(documents.glob("cl*.xml"))
    if not found:
        raise ExtractError(f"{documents}: no registry (cl.xml or cl-VERSION.xml); it is in KhronosGroup/OpenCL-Docs")
    path = found[-1]
    version = re.search(r"(\d+(?:\.\d+)+)", path.stem)
    digest = hashlib.sha256(path.read_bytes()).hexdigest()[:16]
    return read_registry(path), Document(KEY, "OpenCL API registry", version[1] if version else "", digest)


def html_in(documents: Path) -> list[Path]:
    """Return the main document (the last by name, if there are several)."""
    found = sorted(documents.glob("OpenCL_API*.html"))
    if not found:
        raise ExtractError(f"{documents}: no OpenCL_API*.html; it is published on registry.khronos.org/OpenCL")
    return found[-1:]


def extensions_in(documents: Path) -> list[Path]:
    """Return the extensions in HTML, which are named as they name themselves."""
    return sorted(documents.glob("cl_*.html"))


def texts_in(documents: Path) -> list[Path]:
    """Plain-text extensions: those that begin with the heading which all of them have, and the name indented."""
    return [path for path in sorted(documents.glob("*.txt")) if _PLAIN.match(path.read_bytes())]


def renderings_in(documents: Path) -> list[Path]:
    """Text renderings of specifications in HTML: texts that declare many functions and are not plain extensions."""
    return [
        path
        for path in sorted(documents.glob("*.txt"))
        if not _PLAIN.match(path.read_bytes()) and len(_DECLARED.findall(path.read_bytes())) > _SEVERAL
    ]


def notes_in(documents: Path) -> list[Path]:
    """Design notes: texts that declare hardly any function."""
    return [
        path
        for path in sorted(documents.glob("*.txt"))
        if not _PLAIN.match(path.read_bytes()) and len(_DECLARED.findall(path.read_bytes())) <= _SEVERAL
    ]
