"""Repairs names that the text rendering of a specification splits at soft line breaks.

The rendering splits a name in code type after its first part. ``CL_INVALID_`` is on a line of its own. The following
line contains the words after the name, and then the rest of the name (``DEVICE_ PARTITION_ COUNT``), before the next
name or item mark. The known names determine which rest belongs to which first part.
"""

from __future__ import annotations

import dataclasses
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_BEGINNING = re.compile(r"(?:^|(?<=[^A-Z_0-9]))((?:CL|cl|__opencl)_(?:[A-Za-z0-9]+_)*)$")
DECLARATION = re.compile(r"(?:const )?[a-z]\w*\*? +(cl[A-Z]\w+)\(")
"""Matches the first line of a prototype; the rendering does not split names in listings."""

_ALONE = re.compile(r"(?:NULL|CL_\w+|cl_\w+|__opencl_\w+)$")


@dataclasses.dataclass(slots=True)
class TextPiece:
    """A paragraph, or an item of a list if ``item`` is set."""

    text: str
    item: bool


class NameParts:
    """The known names by their possible beginnings, because a rendering may break a name after an underscore."""

    def __init__(self, names: Iterable[str]) -> None:
        self._rests: dict[str, set[str]] = {}
        for name in names:
            first, _, rest = name.removeprefix("__opencl_").partition("_")
            parts = rest.split("_")
            if name.startswith("__opencl_") or not rest:
                continue
            for cut in range(1, len(parts)):
                beginning = "_".join((first, *parts[:cut])) + "_"
                self._rests.setdefault(beginning, set()).add("_ ".join(parts[cut:]))

    def find_rest(self, beginning: str, line: str) -> tuple[int, str] | None:
        """Return the position and the text of the longest rest of a name in a line, or None if there is none."""
        best: tuple[int, str] | None = None
        for rest in self._rests.get(beginning, ()):
            for match in re.finditer(re.escape(rest) + r"(?= |$)", line):
                glued = match.start() == 0 or line[match.start() - 1] != " "
                if glued and (best is None or len(rest) > len(best[1])):
                    best = (match.start(), rest)
        return best


def repair_pieces(lines: Iterable[str], names: NameParts) -> Iterator[TextPiece]:
    """Yield the paragraphs and items of a rendering in order, with repaired names."""
    return _NameJoiner(names).run(lines)


class _NameJoiner:
    """Reads a rendering line by line, and joins the parts of names."""

    def __init__(self, names: NameParts) -> None:
        self._names = names
        self._parts: list[str] = []
        self._item = False
        self._waiting: tuple[int, str] | None = None
        self._complete = False

    def run(self, lines: Iterable[str]) -> Iterator[TextPiece]:
        for raw in lines:
            line = raw.strip()
            if line == "-":
                yield from self._end(item=True)
            elif line.startswith("•"):
                yield from self._end(item=True)
                yield from self._line(line[1:].strip())
            elif line:
                yield from self._line(line)
        yield from self._end(item=False)

    def _line(self, line: str) -> Iterator[TextPiece]:
        goes_on = _ALONE.match(line) and not self._ends_a_sentence()
        if (self._complete and not goes_on) or DECLARATION.match(line):
            yield from self._end(item=False)
        self._complete = False
        following = line
        if self._waiting:
            position, beginning = self._waiting
            found = self._names.find_rest(beginning, line)
            if found is not None:
                start, rest = found
                self._parts[position] = beginning + rest.replace(" ", "")
                self._parts.append(line[:start])
                self._waiting = None
                following = line[start + len(rest) :].strip()
                if not following:
                    self._complete = True
                    return
        if following == "-":
            yield from self._end(item=True)
            return
        ends = following.endswith(" -")
        yield from self._text(following.removesuffix(" -").strip(), ends=ends)

    def _ends_a_sentence(self) -> bool:
        return bool(self._parts) and self._parts[-1].endswith((".", ":"))

    def _text(self, text: str, *, ends: bool) -> Iterator[TextPiece]:
        beginning = _BEGINNING.search(text)
        if beginning and not self._waiting:
            self._parts.append(text[: beginning.start()])
            self._waiting = (len(self._parts), beginning[1])
            self._parts.append(beginning[1])
        else:
            self._parts.append(text)
        if ends:
            yield from self._end(item=True)
        else:
            self._complete = not self._waiting and not _is_code(text)

    def _end(self, *, item: bool) -> Iterator[TextPiece]:
        text = " ".join(part for part in self._parts if part)
        if text:
            yield TextPiece(text, self._item)
        self._parts, self._waiting, self._complete = [], None, False
        self._item = item


def _is_code(text: str) -> bool:
    """Return whether a line ends with a word in code type, which does not end its sentence."""
    return bool(re.search(r"(?:^|\W|[a-z])(?:NULL|CL_[A-Z_0-9]+|cl_[a-z_]+|0|[1-9]\d*)$", text))
