"""Resumes a run from its journal: determines the finished items, and checks that both runs match."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.escaping import visible
from clconform.reports.reading import Journal, journal_bytes, parse_journal
from clconform.runner.journal.header import header_differences, platform_differences

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.calls.journal import PlatformLine, RunHeader


class OtherRunError(Exception):
    """Two runs do not belong together; the message is one line with their differences."""


class Earlier:
    """The journal of a resumed run. ``finished``: ids of items that are not run again."""

    def __init__(self, path: Path, journal: Journal) -> None:
        self.path, self.journal = path, journal
        self.finished = frozenset(journal.items)

    @property
    def seconds(self) -> float:
        """The duration of the run so far in seconds; if it was killed, that of its finished items."""
        end = self.journal.end
        return end.seconds if end else sum(item.seconds for item in self.journal.items.values())

    def check_header(self, header: RunHeader) -> None:
        """Raise OtherRunError if the options or the code of the resumed run differ."""
        self._refuse(header_differences(header, self.journal.run))

    def check_platform(self, line: PlatformLine) -> None:
        """Raise OtherRunError if the platform has changed."""
        if self.journal.platform is not None:
            self._refuse(platform_differences(line, self.journal.platform))

    def _refuse(self, found: Iterable[tuple[str, Any, Any]]) -> None:
        told = "; ".join(f"{name}: {shown(then)} then, {shown(now)} now" for name, now, then in found)
        if told:
            raise OtherRunError(
                f"{visible(str(self.path))}: a run can only be resumed unchanged ({told}); "
                "start a new one in another folder"
            )


def earlier_run(path: Path) -> Earlier:
    """Read the journal of a run without an incomplete last line; JournalError if that fails."""
    content = journal_bytes(path)
    kept = parse_journal(content, str(path)).whole
    return Earlier(path, parse_journal(content[:kept], str(path)))


def shown(value: Any) -> str:
    """Return a value as text for messages about different runs."""
    text = " ".join(value) if isinstance(value, list) else str(value)
    return visible(text, limit=100) or "none"
