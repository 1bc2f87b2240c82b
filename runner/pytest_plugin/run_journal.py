"""Writes the journal of a run: its first lines, its selected items, and the file of all calls."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from clconform.calls import exit_codes
from clconform.calls.journal import BUDGET_SPENT, Resumed, Selection
from clconform.reports import JournalReader
from clconform.reports.compression import packed_path
from clconform.runner.gate import finish
from clconform.runner.journal.full_log import CALLS_FILE, FullLog
from clconform.runner.journal.header import create_header, create_platform_lines, utc_now
from clconform.runner.journal.safe_copy import SafeCopy
from clconform.runner.journal.writer import JOURNAL_FILE, JournalWriteError, JournalWriter

if TYPE_CHECKING:
    from clconform.calls.line_kinds import JournalLine
    from clconform.harness import Target
    from clconform.runner.pytest_plugin.item_selection import ItemSelection
    from clconform.runner.pytest_plugin.run_context import RunContext
    from clconform.runner.session.session import Session
    from clconform.spec_tables import Tables


class _CopyUpdates:
    """A plugin that updates the copy of the journal when a worker of pytest-xdist reports an item."""

    def __init__(self, copy: SafeCopy) -> None:
        self._copy = copy

    def pytest_runtest_logreport(self) -> None:
        """Copy the new lines."""
        self._copy.update()


class RunJournal:
    """The journal of a run in one process; nothing is written if the run has no output folder.

    ``writer`` and ``reader``: of the journal's file, or None. ``full_log``: the file of all calls, or None. ``copy``: a
    copy of the journal in the controlling process, or None. ``has_header``: the journal contains its first line.
    """

    def __init__(self, context: RunContext) -> None:
        """Open no file yet."""
        self._context, self._options = context, context.options
        self.writer: JournalWriter | None = None
        self.reader: JournalReader | None = None
        self.full_log: FullLog | None = None
        self.copy: SafeCopy | None = None
        self.has_header = False
        self._selection: Selection | None = None
        self._selected_by_workers = -1
        self._unreached: list[tuple[str, ...]] = []

    def open(self) -> None:
        """Open the files in the output folder; end pytest if they cannot be written."""
        path, earlier = Path(self._options.cl_out) / JOURNAL_FILE, self._context.plan.earlier
        is_worker = self._context.is_worker
        keep = earlier.journal.whole if earlier else 0  # truncate, never replace: a worker may have the file open
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self.writer = JournalWriter(path, keep=None if is_worker else keep)
            self.reader = JournalReader(path)
            if not is_worker:
                packed_path(path).unlink(missing_ok=True)
                self.copy = SafeCopy(path)
                if self._context.is_controller:  # without workers, the plugin updates the copy after each item
                    self._context.config.pluginmanager.register(_CopyUpdates(self.copy))
            if self._options.cl_journal == "full":
                self.full_log = FullLog(
                    self._create_call_writer(path.with_name(CALLS_FILE), resumed=earlier is not None)
                )
            elif not is_worker and earlier is None:
                path.with_name(CALLS_FILE).unlink(missing_ok=True)
        except BlockingIOError:
            message = f"clconform: another run is writing {path}; wait for it, or choose another folder with --out"
            pytest.exit(message, returncode=exit_codes.BAD_USAGE)
        except OSError as error:
            message = f"clconform: cannot write {path} ({error.strerror}); choose another folder with --out"
            pytest.exit(message, returncode=exit_codes.BAD_USAGE)

    def _create_call_writer(self, path: Path, *, resumed: bool) -> JournalWriter:
        """Return the writer for the file of all calls; in a resumed run it appends to the file."""
        return JournalWriter(
            path, keep=None if self._context.is_worker else path.stat().st_size if resumed and path.exists() else 0
        )

    def replace_damaged(self) -> str:
        """Continue with a copy in a new folder if another process has removed, moved or changed the journal.

        Return, as one line, what has happened and where the copy is; empty if the journal is as it was written.
        """
        if self.copy is None or self.writer is None or self.reader is None:
            return ""
        reason = self.copy.find_damage(self.reader)
        if not reason:
            return ""
        try:
            path = self.copy.save()
            writer = JournalWriter(path)
        except OSError as error:
            return f"{reason}; the results cannot be saved elsewhere ({error.strerror})"
        self.writer.close()
        self.writer, self.reader = writer, JournalReader(path)
        self._options.cl_out = str(path.parent)
        return f"{reason}; the results are saved in {path.parent}"

    def close(self) -> None:
        """Close the files."""
        if self.copy is not None:
            self.copy.close()
            self.copy = None
        if self.writer is not None:
            self.writer.close()
            self.writer = None
        if self.full_log is not None:
            self.full_log.close()
            self.full_log = None

    @property
    def write_error(self) -> str:
        """Why a file could not be written, as one line, or empty."""
        journal_error = self.writer.write_error if self.writer is not None else ""
        return journal_error or (self.full_log.write_error if self.full_log is not None else "")

    def write(self, *lines: JournalLine) -> None:
        """Write lines to the journal, if there is a journal; if that fails, stop starting items."""
        try:
            if self.writer is not None:
                self.writer.write(*lines)
        except JournalWriteError as error:
            self._context.stop_reason = str(error)

    # the first lines

    def write_opening(self, target: Target, session: Session) -> None:
        """Write the first lines, if there is a journal.

        JournalWriteError if that fails. RunMismatchError if the run to resume has tested something else.
        """
        if self.writer is None:
            return
        self.has_header = True
        header, earlier = create_header(self._context.config, target, session.tables), self._context.plan.earlier
        platform, reported = create_platform_lines(session)
        if earlier is None:
            self.writer.write(header)
        else:
            earlier.check_header(header)
            earlier.check_platform(platform)
            self.writer.write(Resumed(utc_now()))
        finish.remove_reports(self.writer.path.parent)
        if earlier is None or earlier.journal.platform is None:
            self.writer.write(platform)
        if earlier is None or not earlier.journal.capabilities:
            self.writer.write(reported)

    def write_opening_without_session(self, target: Target, tables: Tables) -> None:
        """Write the header of a run whose driver does not start, if there is a journal."""
        if self.writer is None:
            return
        self.has_header = True
        if not self._context.is_worker and self._context.plan.earlier is None:
            self.write(create_header(self._context.config, target, tables))
            finish.remove_reports(self.writer.path.parent)

    # the selected items

    def write_selection(self, choice: ItemSelection) -> None:
        """Write the requirements that only omitted items target, each with the reason."""
        self._selection = Selection(len(choice.kept) + len(choice.finished), choice.omitted_requirements())
        if not self._context.is_worker:
            self.write_pending_selection()

    def write_worker_selection(self, items: int) -> None:
        """Write, once in the controlling process, the number of items that the workers of pytest-xdist will run."""
        if self._selected_by_workers != items:
            self._selected_by_workers = items
            self.write(Selection(items + len(self._context.plan.finished)))

    def write_pending_selection(self) -> None:
        """Write the selection once.

        A worker of pytest-xdist writes it at its first item, after the header.
        """
        if self.writer is not None and self._selection is not None:
            self.write(self._selection)
        self._selection = None

    def note_unreached(self, requirements: tuple[str, ...]) -> None:
        """Note the requirements of an item that is not started within the budget."""
        self._unreached.append(requirements)

    def write_unreached(self) -> None:
        """Write the requirements of the items that were not started within the budget.

        This is the last line about items that this process writes.
        """
        if self.writer is not None and self._unreached:
            self.write_pending_selection()
            aimed = {requirement for aims in self._unreached for requirement in aims}
            self.write(Selection(0, dict.fromkeys(sorted(aimed), BUDGET_SPENT), len(self._unreached)))
