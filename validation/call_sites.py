"""Finds the origin of a call in the program: the code file, and the source line if debug information contains it."""

from __future__ import annotations

import bisect
import re
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.validation.findings import CallSite

if TYPE_CHECKING:
    from clconform.recording.file_format import CodeMapping

_TIMEOUT = 10.0
_LINE = re.compile(r'^ *File "(?P<file>.*)", line (?P<line>[0-9]+) in ', re.MULTILINE)
_INSTALLED = re.compile(r"/(site|dist)-packages/|/lib/python3[0-9.]*/|^<")


class CallSiteResolver:
    """Maps recorded addresses to code files."""

    def __init__(self) -> None:
        self._starts: list[int] = []
        self._mapped: list[CodeMapping] = []
        self._known: dict[int, CallSite] = {}
        self._tool = shutil.which("addr2line")

    def add(self, mapped: CodeMapping) -> None:
        """Add a mapped code file.

        Earlier code at its addresses is forgotten.
        """
        position = bisect.bisect_left(self._starts, mapped.start)
        self._starts.insert(position, mapped.start)
        self._mapped.insert(position, mapped)
        self._known.clear()

    def site_of(self, address: int, script: str = "") -> CallSite:
        """Return the call site of a return address; ``script``: the lines of a script that makes the call."""
        known = self._known.get(address)
        if known is None:
            known = self._known[address] = self._look_up(address - 1)
        line = script_line(script)
        return CallSite(known.module, known.offset, line) if line else known

    def _look_up(self, address: int) -> CallSite:
        position = bisect.bisect_right(self._starts, address) - 1
        if position < 0 or address >= self._mapped[position].end:
            return CallSite()
        found = self._mapped[position]
        offset = address - found.start + found.offset
        return CallSite(found.path, offset, self._source_line(found.path, offset))

    def _source_line(self, path: str, offset: int) -> str:
        """Return the source line of an offset in a code file as ``FILE:LINE``; empty without debug information."""
        if self._tool is None or not Path(path).is_file():
            return ""
        try:
            ended = subprocess.run(
                [self._tool, "-e", path, hex(offset)], capture_output=True, text=True, timeout=_TIMEOUT, check=False
            )
        except (OSError, subprocess.TimeoutExpired):
            return ""
        place = ended.stdout.strip().split(" ")[0]
        return "" if not place or place.startswith("?") or place.endswith((":?", ":0")) else place


def script_line(script: str) -> str:
    """Return the innermost line of a script outside installed packages, as ``FILE:LINE``.

    If all lines are in installed packages, return the innermost of them.
    """
    lines = [(match["file"], match["line"]) for match in _LINE.finditer(script)]
    own = [each for each in lines if not _INSTALLED.search(each[0])]
    return ":".join(next(iter(own or lines), ()))
