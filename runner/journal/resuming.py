"""A run that goes on with an earlier journal: what is done already, and whether it may go on at all."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from clconform.reports.escaping import visible
from clconform.reports.reading import Journal, parse_journal, read_journal
from clconform.runner.journal.header import header_differences, platform_differences

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from clconform.calls.journal import PlatformLine, RunHeader


class OtherRunError(Exception):
    """Runs do not belong together; the message is one line that says in what they differ."""


class Earlier:
    """The journal of a run that goes on. ``finished``: items that ended; they are not run again."""

    def __init__(self, path: Path, journal: Journal) -> None:
        self.path, self.journal = path, journal
        self.finished = frozenset(journal.items)

    @property
    def seconds(self) -> float:
        """How long the run has taken so far; of one that was killed, what its finished items took."""
        end = self.journal.end
        return end.seconds if end else sum(item.seconds for item in self.journal.items.values())

    def check_header(self, header: RunHeader) -> None:
        """Raise OtherRunError where the run that goes on would not be the same."""
        self._refuse(header_differences(header, self.journal.run))

    def check_platform(self, line: PlatformLine) -> None:
        """Raise OtherRunError where another platform answers than before."""
        if self.journal.platform is not None:
            self._refuse(platform_differences(line, self.journal.platform))

    def _refuse(self, found: Iterable[tuple[str, Any, Any]]) -> None:
        told = "; ".join(f"{name}: {shown(then)} then, {shown(now)} now" for name, now, then in found)
        if told:
            raise OtherRunError(
                f"{self.path}: a run goes on only as it began ({told}); start a new one in another folder"
            )


def earlier_run(path: Path) -> Earlier:
    """Return the run whose journal lies there, without a last line that was torn; a JournalError where none does."""
    kept = read_journal(path).whole
    return Earlier(path, parse_journal(path.read_bytes()[:kept], str(path)))


def shown(value: Any) -> str:
    """Return a value as messages about runs that differ show it."""
    text = " ".join(value) if isinstance(value, list) else str(value)
    return visible(text, limit=100) or "none"
