"""Reads the order of a driver's dispatch table from the C header that loaders and drivers share."""

from __future__ import annotations

import re
from pathlib import Path

from clconform.spec_tables.regular_files import read_regular_file

HEADER = Path("/usr/include/CL/cl_icd.h")
_TABLE = re.compile(r"struct _cl_icd_dispatch\s*\{(.*?)\}\s*cl_icd_dispatch\s*;", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_ENTRY = re.compile(r"(\w+)\s*\*?\s*(\w+)\s*;|\(\s*CL_API_CALL\s*\*\s*(\w+)\s*\)\s*\([^;]*;")


def newest_dispatch_order(known: list[str], header: Path = HEADER) -> list[str]:
    """Return the entries of the header, or ``known`` if the header is older.

    New entries are only added at the end, so an order is newer if it begins with the entries of the header and
    continues.
    """
    found = list(read_dispatch_order(header))
    return known if found == known[: len(found)] else found


def read_dispatch_order(header: Path = HEADER) -> tuple[str, ...]:
    """Return the entries in order, one per pointer; empty if the header is not installed or has no such table."""
    try:
        text = read_regular_file(header).decode("utf-8", "replace")
    except OSError:
        return ()
    table = _TABLE.search(_COMMENT.sub(" ", text))
    if table is None:
        return ()
    lines = [line for line in table[1].splitlines() if not line.lstrip().startswith("#")]
    return tuple(match[2] or match[3] for match in _ENTRY.finditer("\n".join(lines)))
