"""Builds the hostile drivers: one library whose behaviour the environment variable HOSTILE selects."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.spec_tables import load

if TYPE_CHECKING:
    from collections.abc import Iterator

COMPILER, OBJCOPY = shutil.which("cc"), shutil.which("objcopy")
HERE = Path(__file__).parent
LIBRARY = "libhostile.so"
_VISIBLE = ("clIcdGetPlatformIDsKHR", "clGetExtensionFunctionAddress")
"""Functions that the library exports in any case."""
_DEFINED = re.compile(r"^(?:int |object \*|void \*)(cl\w+)\(", re.MULTILINE)


_EXPORTS = """
#include <dlfcn.h>
#include <unistd.h>
#define EXPORT(name) __attribute__((visibility("default"))) void name(void) { _exit(9); }
__attribute__((constructor)) static void show(void) {
  Dl_info found;
  if (dladdr((void *)show, &found)) dlopen(found.dli_fname, RTLD_NOW | RTLD_NOLOAD | RTLD_GLOBAL);
}
"""
"""The beginning of a source file whose functions end the process, and are visible to all libraries of the process."""


def build_library(folder: Path, *, exports: bool = False) -> Path:
    """Build the library in a folder and return its path. Raises CalledProcessError if the compiler fails.

    ``exports``: the library also exports all functions of the tables, which end the process; its dispatch table has
    the same functions as without this option.
    """
    (folder / "tables.h").write_text("\n".join(_header_lines()) + "\n", encoding="ascii")
    library = folder / LIBRARY
    warnings = ("-Wall", "-Wextra", "-Wno-unused-result", "-Wno-free-nonheap-object", "-Wno-format-truncation")
    sources = sorted(map(str, HERE.glob("*.c")))
    flags = ("-O1", "-g", "-D_GNU_SOURCE", "-fPIC", "-fvisibility=hidden", f"-I{folder}", f"-I{HERE}", "-pthread")
    if exports:
        sources = _hide_symbols([COMPILER or "cc", *flags, *warnings, *sources], folder)
    command = [COMPILER or "cc", "-shared", *flags, *warnings, *sources, "-lm", "-o", str(library)]
    subprocess.run(command, check=True)
    return library


def _hide_symbols(compile_words: list[str], folder: Path) -> list[str]:
    """Compile the sources into one object without visible functions; return it and a source that exports functions."""
    objects, exporting = folder / "base.o", folder / "exporting.c"
    subprocess.run([*compile_words, "-r", "-nostdlib", "-o", str(objects)], check=True)
    subprocess.run([OBJCOPY or "objcopy", "--localize-hidden", str(objects)], check=True)
    names = (name for name in load().functions if name not in _VISIBLE)
    exporting.write_text(_EXPORTS + "\n".join(f"EXPORT({name})" for name in names) + "\n", encoding="ascii")
    return [str(objects), str(exporting)]


def declared_behaviours() -> set[str]:
    """Return the names of all behaviours that the C sources declare."""
    declared = re.compile(r"^(?:BEFORE|INSTEAD)\((\w+),", re.MULTILINE)
    return {name for source in HERE.glob("*.c") for name in declared.findall(source.read_text(encoding="utf-8"))}


def _header_lines() -> Iterator[str]:
    """Yield the lines of a header with the constants of the tables and the indices of dispatch table entries."""
    tables = load()
    defined = set(_DEFINED.findall((HERE / "base.c").read_text(encoding="utf-8")))
    for name, known in tables.enumerants.items():
        if isinstance(known.value, int):
            end = "ll" if known.value < 0 or known.value < 1 << 31 else "ull"
            yield f"#define {name} ({known.value}{end if abs(known.value) >= 1 << 31 else ''})"
    yield "#define ENTRY_NAMES " + ", ".join(f'"{name}"' for name in tables.dispatch)
    entries = ((place, name) for place, name in enumerate(tables.dispatch) if name in defined)
    yield "#define BASE_ENTRIES " + " ".join(f"ENTRY({place}, {name})" for place, name in entries)
