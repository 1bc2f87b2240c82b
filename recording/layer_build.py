"""Builds the loader layer with the local C compiler, once for each version of its source."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from clconform.harness.build_cache import build_once, cache_folder
from clconform.harness.c_compiler import CompilerError, find_compiler, run_compiler
from clconform.recording.layer_source import generate_layer

if TYPE_CHECKING:
    from pathlib import Path

    from clconform.spec_tables import Tables

FLAGS = ("-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic", "-Wl,-z,nodelete")
_PRODUCT = "the layer that records calls"


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
    name = f"layer-{hashlib.sha256(source.encode()).hexdigest()[:16]}.so"
    try:
        return build_once((folder or cache_folder()) / name, lambda target: _compile_layer(source, target))
    except CompilerError as error:
        raise LayerError(str(error)) from None
    except OSError as error:
        raise LayerError(
            f"cannot write the layer to {error.filename or 'the cache folder'}: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can be written"
        ) from None


def _compile_layer(source: str, target: Path) -> None:
    file = target.with_suffix(".c")
    file.write_text(source, encoding="ascii")
    run_compiler(find_compiler(_PRODUCT), [*FLAGS, "-o", target, file, "-lpthread"], _PRODUCT)
