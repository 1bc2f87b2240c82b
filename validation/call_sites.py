"""Finds the place of a call in the program: the innermost frame of its call stack that belongs to the program."""

from __future__ import annotations

import bisect
import re
from fnmatch import fnmatchcase
from pathlib import PurePath
from typing import TYPE_CHECKING

import msgspec

from clconform.validation.findings import CallSite
from clconform.validation.source_lines import SourceLines

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.recording.file_format import CodeMapping
    from clconform.validation.pending_call import PendingCall

_LINE = re.compile(r'^ *File "(?P<file>.*)", line (?P<line>[0-9]+) in (?P<function>.*)$', re.MULTILINE)
_INSTALLED = re.compile(r"/(site|dist)-packages/|/lib/python3[0-9.]*/|^<")
"""Scripts of an interpreter's library and of installed packages."""
_LIBRARY = re.compile(
    r"^(?!/)|^/memfd:|^/(usr/)?(local/)?lib(32|64|x32|exec)?/|/(libOpenCL|libffi|(layer|shim)-[0-9a-f]{16}\.so)[^/]*$"
    r"|/(site|dist)-packages/|/lib/python3[0-9.]*/"
)
"""Code files that are libraries, of the system, an interpreter or the OpenCL loader; the layer; code without a file."""
_HEADER = re.compile(r"^/usr/(local/)?(include|lib|src)/")
"""Source files of libraries: their code is part of the program if it is inlined or instantiated there."""
_INTERPRETER = re.compile(r"/(libpython3[^/]*|python[0-9.]*t?(-dbg)?)$")
_STARTER = re.compile(r"/(libc\.so|libc-)[^/]*$")
"""The code file whose function calls ``main``."""
_MAX_POSITIONS = 65536
_Position = tuple[int, tuple[int, ...], str]


class CallSiteResolver:
    """Maps recorded addresses and lines of scripts to places.

    ``my_code``: patterns of code files, source files and scripts, or of their names; the place of a call is the
    innermost frame that matches one of them. ``is_remote``: the code files are on another machine, so that those at
    their paths here are not read. ``lines``: looks up source lines; it must be closed.
    """

    def __init__(self, my_code: Sequence[str] = (), *, is_remote: bool = False) -> None:
        self.lines, self._is_remote = SourceLines(), is_remote
        self._my_code = my_code
        self._starts: list[int] = []
        self._mapped: list[CodeMapping] = []
        self._known: dict[_Position, CallSite] = {}
        self._program = ""

    def add(self, mapped: CodeMapping) -> None:
        """Add a mapped code file.

        Earlier code at its addresses is forgotten.
        """
        position = bisect.bisect_left(self._starts, mapped.start)
        self._starts.insert(position, mapped.start)
        self._mapped.insert(position, mapped)
        self._known.clear()

    def site_of(self, begun: PendingCall) -> CallSite:
        """Return the place of a call."""
        position = (begun.entered.site, begun.frames, begun.script)
        known = self._known.get(position)
        if known is None:
            if len(self._known) >= _MAX_POSITIONS:
                self._known.clear()
            known = self._known[position] = self._find_place(position)
        return known

    def stack_of(self, begun: PendingCall) -> list[CallSite]:
        """Return the call stack of a call, the innermost frame first.

        It ends with the outermost frame outside libraries. If a script makes the call, it has no frames of libraries.
        """
        stack = list(self._frames(begun.entered.site, begun.frames, begun.script))
        own = [at for at, each in enumerate(stack) if self._is_own(each)]
        if begun.script:
            return [stack[at] for at in own]
        return stack[: own[-1] + 1] if own else stack

    def _find_place(self, position: _Position) -> CallSite:
        """Return the innermost frame that matches a pattern, else that outside libraries, else the innermost one.

        The place in a script has the code file that makes the call.
        """
        address, callers, script = position
        has_lines = _LINE.search(script) is not None
        innermost = self._locate(address - 1)
        own = first = None
        for each in self._frames(address, callers, script):
            is_known = bool(each.source) or not has_lines
            if self._my_code and self._is_mine(each):
                own = each
                break
            if own is None and is_known and self._is_own(each):
                own = each
                if not self._my_code:
                    break
            first = first or (each if each.source else None)
        found = own or first or next(self._resolve(innermost))
        return (
            found if found.module else msgspec.structs.replace(found, module=innermost.module, offset=innermost.offset)
        )

    def _is_mine(self, frame: CallSite) -> bool:
        paths = [frame.source.rpartition(":")[0], "" if _HEADER.search(frame.source) else frame.module]
        return any(
            fnmatchcase(path, each) or fnmatchcase(PurePath(path).name, each)
            for each in self._my_code
            for path in paths
            if path
        )

    def _is_own(self, frame: CallSite) -> bool:
        if frame.module:
            return not self._is_library(frame.module) and not _HEADER.search(frame.source)
        return bool(frame.source) and not _INSTALLED.search(frame.source)

    def _is_library(self, module: str) -> bool:
        """Return whether a code file is a library or an interpreter; the program itself may be in their folders."""
        return bool(_INTERPRETER.search(module) or (_LIBRARY.search(module) and module != self._program))

    def _frames(self, address: int, callers: Sequence[int], script: str) -> Iterator[CallSite]:
        """Yield the frames of a call, the innermost first.

        The lines of a script are in the place of the interpreter that runs it. Code that the interpreter calls is
        before them only if its source lines are known.
        """
        native = [self._locate(each - 1) for each in (address, *callers)]
        if len(native) > 1 and _STARTER.search(native[-2].module) and not _STARTER.search(native[-1].module):
            self._program = native.pop().module  # its start
        lines = list(script_frames(script))
        inner = next((at for at, each in enumerate(native) if _INTERPRETER.search(each.module)), 0) if lines else 0
        for each in native[:inner]:
            yield from (frame for frame in self._resolve_own(each) if frame.source)
        yield from lines
        for each in native[inner:]:
            yield from self._resolve_own(each)

    def _locate(self, address: int) -> CallSite:
        position = bisect.bisect_right(self._starts, address) - 1
        if position < 0 or address >= self._mapped[position].end:
            return CallSite()
        found = self._mapped[position]
        return CallSite(found.path, address - found.start + found.offset)

    def _resolve_own(self, frame: CallSite) -> Iterator[CallSite]:
        """Yield the source lines of a frame, also those of inlined functions; only the frame if it is in a library."""
        is_wanted = not self._is_library(frame.module) or self._is_mine(frame)
        yield from self._resolve(frame) if is_wanted else (frame,)

    def _resolve(self, frame: CallSite) -> Iterator[CallSite]:
        found = [] if self._is_remote else self.lines.lines_at(frame.module, frame.offset)
        for line in found:
            yield msgspec.structs.replace(frame, source=line.source, function=line.function)
        if not found:
            yield frame


def script_frames(script: str) -> Iterator[CallSite]:
    """Yield the lines of a script as the interpreter prints them, the innermost first."""
    for match in _LINE.finditer(script):
        yield CallSite(source=f"{match['file']}:{match['line']}", function=match["function"])
