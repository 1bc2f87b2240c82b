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

COMPILER = shutil.which("cc")
HERE = Path(__file__).parent
LIBRARY = "libhostile.so"
_DEFINED = re.compile(r"^(?:int |object \*|void \*)(cl\w+)\(", re.MULTILINE)


def build_library(folder: Path) -> Path:
    """Build the library in a folder and return its path. Raises CalledProcessError if the compiler fails."""
    (folder / "tables.h").write_text("\n".join(_header_lines()) + "\n", encoding="ascii")
    library = folder / LIBRARY
    warnings = ("-Wall", "-Wextra", "-Wno-unused-result", "-Wno-free-nonheap-object", "-Wno-format-truncation")
    sources = sorted(map(str, HERE.glob("*.c")))
    how = (
        "-O1",
        "-g",
        "-shared",
        "-D_GNU_SOURCE",
        "-fPIC",
        "-fvisibility=hidden",
        f"-I{folder}",
        f"-I{HERE}",
        "-pthread",
    )
    subprocess.run([COMPILER or "cc", *how, *warnings, *sources, "-lm", "-o", str(library)], check=True)
    return library


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
