"""Resumes a run from its journal: determines the finished items, and checks that the resumed run is the same run."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.escaping import escape_unprintable
from clconform.reports.journal_reader import JournalContents, journal_bytes, parse_journal
from clconform.runner.journal.header import header_differences, platform_differences

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.calls.journal import PlatformLine, RunHeader


class RunMismatchError(Exception):
    """Two runs do not belong together; the message is one line with their differences."""


class EarlierRun:
    """The journal of a run to resume; ``finished``: ids of the items that are not run again."""

    def __init__(self, path: Path, journal: JournalContents) -> None:
        self.path, self.journal = path, journal
        self.finished = frozenset(journal.items)

    @property
    def duration_seconds(self) -> float:
        """The duration of the run so far in seconds; if the run was killed, the duration of its finished items."""
        end = self.journal.end
        return end.seconds if end else sum(item.seconds for item in self.journal.items.values())

    def check_header(self, header: RunHeader) -> None:
        """Raise RunMismatchError if the options or the code differ from those of the earlier run."""
        self._raise_differences(header_differences(header, self.journal.run))

    def check_platform(self, line: PlatformLine) -> None:
        """Raise RunMismatchError if the platform differs from that of the earlier run."""
        if self.journal.platform is not None:
            self._raise_differences(platform_differences(line, self.journal.platform))

    def _raise_differences(self, found: Iterable[tuple[str, Any, Any]]) -> None:
        told = "; ".join(f"{name}: {format_value(then)} then, {format_value(now)} now" for name, now, then in found)
        if told:
            raise RunMismatchError(
                f"{escape_unprintable(str(self.path))}: a run can only be resumed unchanged ({told}); "
                "start a new one in another folder"
            )


def read_earlier_run(path: Path) -> EarlierRun:
    """Read the journal of a run, without an incomplete last line; JournalError if the file is unreadable."""
    content = journal_bytes(path)
    kept = parse_journal(content, str(path)).whole
    return EarlierRun(path, parse_journal(content[:kept], str(path)))


def format_value(value: Any) -> str:
    """Return a value as text for messages about differences between runs."""
    text = " ".join(value) if isinstance(value, list) else str(value)
    return escape_unprintable(text, limit=100) or "none"
