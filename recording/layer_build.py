"""Builds the loader layer with a C compiler for the machine of the programs, once for each version of its source."""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from clconform.harness.build_cache import build_once, cache_folder
from clconform.harness.c_compiler import CompilerError, find_compiler, run_compiler
from clconform.harness.errors import HarnessError
from clconform.harness.remote.worker_files import TRIPLES, find_cross_compiler
from clconform.harness.type_layout import THIS_MACHINE
from clconform.harness.worker_executable import platform_name
from clconform.recording.layer_source import generate_layer

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from clconform.spec_tables import Tables

FLAGS = ("-std=gnu11", "-O2", "-shared", "-fPIC", "-fvisibility=hidden", "-Wl,-Bsymbolic", "-Wl,-z,nodelete")
POINTER_BYTES = {
    "linux_x86_64": 8,
    "linux_i686": 4,
    "linux_aarch64": 8,
    "linux_armv7l": 4,
    "linux_riscv64": 8,
}
"""Maps the platforms with a layer to the size of a pointer."""
LAYER_TARGETS = [target for target, platform in TRIPLES.items() if platform in POINTER_BYTES]
"""The names of these platforms for compilers."""
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
    source = generate_layer(tables, documents_digest(tables), THIS_MACHINE.pointer_bytes)
    return _build_source(source, "", lambda: find_compiler(_PRODUCT), folder)


def build_layer_for(tables: Tables, platform: str, folder: Path | None = None) -> Path:
    """Return the path of the layer's library for a platform, such as ``linux_aarch64``, as ``build_layer`` does.

    LayerError: also if there is no C compiler for the platform, or no layer for its system.
    """
    if platform == platform_name():
        return build_layer(tables, folder)
    target = next((name for name, each in TRIPLES.items() if each == platform), "")
    if platform not in POINTER_BYTES:
        raise LayerError(f"there is no layer for {target or platform}; known are {', '.join(LAYER_TARGETS)}")
    source = generate_layer(tables, documents_digest(tables), POINTER_BYTES[platform])
    return _build_source(source, target, lambda: find_cross_compiler(target), folder)


def _build_source(source: str, target: str, find: Callable[[], list[str]], folder: Path | None) -> Path:
    """Return the library of a source for a target, which is empty for this machine; ``find``: finds its compiler."""
    name = f"layer-{hashlib.sha256((source + target).encode()).hexdigest()[:16]}.so"
    try:
        return build_once((folder or cache_folder()) / name, lambda path: _compile_layer(source, find(), path))
    except HarnessError as error:
        raise LayerError(f"the layer for {target} must be built here, but {error}") from None
    except CompilerError as error:
        raise LayerError(str(error)) from None
    except OSError as error:
        raise LayerError(
            f"cannot write the layer to {error.filename or 'the cache folder'}: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can be written"
        ) from None


def _compile_layer(source: str, compiler: Sequence[str], target: Path) -> None:
    file = target.with_suffix(".c")
    file.write_text(source, encoding="ascii")
    run_compiler(compiler, [*FLAGS, "-o", target, file, "-lpthread"], _PRODUCT)
