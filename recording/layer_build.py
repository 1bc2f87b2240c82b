"""Builds the loader layer, or the shim, with a C compiler for the machine of the programs, once for each source."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from clconform.harness.build_cache import build_once, cache_folder
from clconform.harness.c_compiler import CompilerError, find_compiler, run_compiler
from clconform.harness.errors import HarnessError
from clconform.harness.remote.worker_files import TRIPLES, find_cross_compiler
from clconform.harness.type_layout import THIS_MACHINE
from clconform.harness.worker_executable import platform_name
from clconform.recording.layer_source import generate_layer
from clconform.recording.shim_source import generate_shim, generate_symbol_versions

if TYPE_CHECKING:
    from collections.abc import Sequence

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
ANDROID_TARGETS = {
    "aarch64-linux-android": "android_aarch64",
    "armv7a-linux-androideabi": "android_armv7l",
    "x86_64-linux-android": "android_x86_64",
    "i686-linux-android": "android_i686",
}
"""Maps the names of Android's targets, as the compilers of its NDK use them, to platforms."""
NDK_VARIABLES = ("ANDROID_NDK_HOME", "ANDROID_NDK_ROOT", "NDK")
"""Environment variables with the folder of the NDK, if its compilers are not on the search path."""
_FIRST_ANDROID = 24
"""The first API level of Android whose C library has all functions that the shim uses."""


class _Form(NamedTuple):
    """A form of the library that records calls: the layer of a loader, or the shim that replaces a library."""

    name: str
    is_shim: bool

    @property
    def product(self) -> str:
        return f"the {self.name} that records calls"

    def generate(self, tables: Tables, pointer_bytes: int) -> str:
        """Return the source of the library."""
        generate = generate_shim if self.is_shim else generate_layer
        return generate(tables, documents_digest(tables), pointer_bytes)


_LAYER, _SHIM = _Form("layer", is_shim=False), _Form("shim", is_shim=True)


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
    return _build(_LAYER, tables, platform_name(), folder)


def build_layer_for(tables: Tables, platform: str, folder: Path | None = None) -> Path:
    """Return the path of the layer's library for a platform, such as ``linux_aarch64``, as ``build_layer`` does.

    LayerError: also if there is no C compiler for the platform, or no layer for its system.
    """
    return _build(_LAYER, tables, platform, folder)


def build_shim(tables: Tables, folder: Path | None = None) -> Path:
    """Return the path of the shim's library, as ``build_layer`` does for the layer."""
    return _build(_SHIM, tables, platform_name(), folder)


def build_shim_for(tables: Tables, platform: str, folder: Path | None = None) -> Path:
    """Return the path of the shim's library for a platform, as ``build_layer_for`` does; also for those of Android."""
    return _build(_SHIM, tables, platform, folder)


def _build(form: _Form, tables: Tables, platform: str, folder: Path | None) -> Path:
    """Return the library for a platform in one of its forms."""
    is_here = platform == platform_name()
    is_android = platform in ANDROID_TARGETS.values()
    targets = {each: name for name, each in (ANDROID_TARGETS if is_android else TRIPLES).items()}
    target = "" if is_here else targets.get(platform, "")
    pointer_bytes = POINTER_BYTES.get(platform.replace("android_", "linux_"))
    if not is_here and (pointer_bytes is None or (is_android and not form.is_shim)):
        raise LayerError(f"there is no {form.name} for {target or platform}; known are {', '.join(LAYER_TARGETS)}")
    source = form.generate(tables, pointer_bytes if pointer_bytes and not is_here else THIS_MACHINE.pointer_bytes)
    versions = generate_symbol_versions(tables) if form.is_shim else ""
    digest = hashlib.sha256((source + versions + target).encode()).hexdigest()[:16]

    def compile_library(path: Path) -> None:
        compiler = _find_compiler(form, target)
        file, script = path.with_suffix(".c"), path.with_suffix(".map")
        file.write_text(source, encoding="ascii")
        script.write_text(versions, encoding="ascii")
        options = [] if target in ANDROID_TARGETS else ["-lpthread"]
        options += ["-lunwind"] if _is_zig(compiler) else []  # it does not link gcc's library with the unwinder
        options += _shim_options(compiler, script, target) if form.is_shim else []
        run_compiler(compiler, [*FLAGS, "-o", path, file, *options], form.product)

    try:
        return build_once((folder or cache_folder()) / f"{form.name}-{digest}.so", compile_library)
    except HarnessError as error:
        raise LayerError(f"the {form.name} for {target} must be built here, but {error}") from None
    except CompilerError as error:
        raise LayerError(str(error)) from None
    except OSError as error:
        raise LayerError(
            f"cannot write the {form.name} to {error.filename or 'the cache folder'}: {error.strerror}; "
            "set XDG_CACHE_HOME to a folder that can be written"
        ) from None


def _find_compiler(form: _Form, target: str) -> list[str]:
    """Return the command of the compiler for a target; empty: for this machine."""
    if not target:
        return find_compiler(form.product)
    return _find_ndk_compiler(target) if target in ANDROID_TARGETS else find_cross_compiler(target)


def _is_zig(compiler: Sequence[str]) -> bool:
    return any("zig" in Path(word).name for word in compiler)


def _shim_options(compiler: Sequence[str], script: Path, target: str) -> list[str]:
    """Return the compiler's options for the shim; ``script``: the versions of its symbols."""
    options = [f"-Wl,--version-script={script}", "-Wl,--hash-style=both", "-ldl"]
    if not _is_zig(compiler):  # its linker separates code from constants by default
        options.append("-Wl,-z,separate-code")
    return [*options, "-Wl,-z,max-page-size=16384"] if target in ANDROID_TARGETS else options


def _find_ndk_compiler(target: str) -> list[str]:
    """Return the command of the NDK's compiler for the first suitable version of Android; HarnessError without one."""
    roots = [Path(os.environ[name]) for name in NDK_VARIABLES if os.environ.get(name)]
    folders = [each for root in roots for each in sorted(root.glob("toolchains/llvm/prebuilt/*/bin"))]
    folders += [Path(each) for each in os.environ.get("PATH", "").split(os.pathsep) if each]
    for folder in folders:
        named = {each: re.fullmatch(rf"{target}([0-9]+)-clang", each.name) for each in folder.glob(f"{target}*-clang")}
        levels = {int(found[1]): each for each, found in named.items() if found and shutil.which(each)}
        suitable = [level for level in levels if level >= _FIRST_ANDROID]
        if suitable:
            return [str(levels[min(suitable)])]
    raise HarnessError(
        f"there is no {target}{_FIRST_ANDROID}-clang or newer: set {NDK_VARIABLES[0]} to the folder of Android's NDK"
    )
