"""Builds the loader layer with the local C compiler, once for each version of its source."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.recording.layer_source import generate_layer

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

COMPILERS = ("cc", "gcc", "clang")
FLAGS = ("-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic", "-Wl,-z,nodelete")
_SECONDS = 300.0
_MAX_ERROR_TEXT = 600


class LayerError(Exception):
    """The layer cannot be built; the message is one line that states what to do."""


def documents_digest(tables: Tables) -> str:
    """Return a digest of the documents that the tables were generated from."""
    told = " ".join(f"{name} {document.revision}" for name, document in sorted(tables.documents.items()))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def build_layer(tables: Tables, folder: Path | None = None) -> Path:
    """Return the path of the layer's library, which is built unless the folder has one of the same source.

    ``folder``: the folder of the libraries; by default the user's cache. LayerError: there is no C compiler, or it
    fails.
    """
    source = generate_layer(tables, documents_digest(tables))
    kept = folder or cache_folder()
    library = kept / f"layer-{hashlib.sha256(source.encode()).hexdigest()[:16]}.so"
    if library.is_file():
        return library
    compiler = next((found for name in COMPILERS if (found := shutil.which(os.environ.get("CC") or name))), None)
    if compiler is None:
        raise LayerError(
            "the layer that records calls is built by a C compiler, and none of "
            f"{', '.join(COMPILERS)} is here; install one, or set CC to its path"
        )
    try:
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=kept) as work:
            _compile_layer(compiler, source, Path(work)).replace(library)
    except OSError as error:
        raise LayerError(
            f"cannot write the layer to {kept}: {error.strerror}; set XDG_CACHE_HOME to a folder"
        ) from None
    return library


def cache_folder() -> Path:
    """Return the user's cache folder."""
    named = os.environ.get("XDG_CACHE_HOME", "")
    return (Path(named) if named.startswith("/") else Path.home() / ".cache") / "clconform"


def _compile_layer(compiler: str, source: str, work: Path) -> Path:
    file, made = work / "layer.c", work / "layer.so"
    file.write_text(source, encoding="ascii")
    words = [compiler, *FLAGS, "-o", str(made), str(file), "-lpthread"]
    try:
        ended = subprocess.run(words, capture_output=True, text=True, timeout=_SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise LayerError(f"{compiler} cannot build the layer that records calls: {error}") from None
    if ended.returncode:
        said = " ".join(ended.stderr.split())[:_MAX_ERROR_TEXT]
        raise LayerError(f"{compiler} cannot build the layer that records calls: {said}")
    return made
