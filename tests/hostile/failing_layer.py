"""Builds a driver that passes all calls to another driver, and fails them as environment variables state.

So a real driver, with a compiler and kernels, loses its resources in the middle of a run. The variables:

LAYER_DRIVER: the path of the other driver. LAYER_FAIL: ``CODE:FUNCTION,FUNCTION``, the error code and the functions
that fail with it; ``*`` for all functions that have an error code. LAYER_AFTER: the number of calls in a process after
which they fail. LAYER_CRASH: ``FUNCTION#N``; its N-th call in a process ends the process by SIGSEGV, and creates the
file LAYER_MARK; ``FUNCTION#N!SIGNAL`` uses another signal. LAYER_MARK: a file; functions fail only while it exists, and
no call ends a process while it exists. LAYER_LOCK: a file; only one process at a time holds contexts, and in all
others their creation fails with CL_OUT_OF_RESOURCES.
"""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.spec_tables import load

from . import building

if TYPE_CHECKING:
    from collections.abc import Iterator

LIBRARY = "liblayer.so"
HERE = Path(__file__).parent


def build_layer(folder: Path) -> Path:
    """Build the library in a folder and return its path. Raises CalledProcessError if the compiler fails."""
    (folder / "entries.h").write_text("\n".join(_entry_lines()) + "\n", encoding="ascii")
    library = folder / LIBRARY
    flags = ("-O1", "-D_GNU_SOURCE", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-result", f"-I{folder}")
    source = HERE / "layer" / "layer.c"
    subprocess.run([building.COMPILER or "cc", "-shared", *flags, str(source), "-ldl", "-o", str(library)], check=True)
    return library


def _entry_lines() -> Iterator[str]:
    """Yield a macro call for each function: index, name, place of ``errcode_ret`` or -1, and parameters.

    The place is -2 for a function without an error code.
    """
    tables = load()
    for index, name in enumerate(tables.dispatch):
        function = tables.functions.get(name)
        if function is None or name == "clGetPlatformIDs":
            continue
        names = [parameter.name for parameter in function.parameters]
        error = names.index("errcode_ret") if "errcode_ret" in names else -1 if function.returns == "cl_int" else -2
        words = ", ".join(f"intptr_t w{place}" for place in range(len(names)))
        passed = ", ".join(f"w{place}" for place in range(len(names)))
        where = f"(int32_t *)w{error}" if error >= 0 else "NULL"
        yield f"ENTRY({index}, {name}, {error}, {where}, ({words}), ({passed}))"
