"""Run a command in this process with a deadline, and describe how it failed."""

from __future__ import annotations

import contextlib
import io
import signal
import sys
import traceback
from pathlib import Path
from typing import TYPE_CHECKING

from clconform.calls import exit_codes
from clconform.tools.errors import CommandGroup

if TYPE_CHECKING:
    import types
    from collections.abc import Iterator

    import click

MAX_CHARACTERS = 4000
"""The number of characters of a command's output that a description of its failure contains."""


class DeadlineExceededError(BaseException):
    """A command took longer than its deadline. Handlers of ``Exception`` do not catch this class."""


def find_failure(command: click.Command, words: list[str], deadline: float) -> str:
    """Run a command with these arguments; return a description of its failure, or an empty string.

    ``command``: the group of all commands, with a command's name as first argument, or a single command. Failures are:
    an exception, exit code 3 or an undocumented one, a control character in the output, and more than ``deadline``
    seconds.
    """
    group = command
    if not isinstance(command, CommandGroup):
        group, words = CommandGroup(commands={command.name or "": command}), [command.name or "", *words]
    printed = io.TextIOWrapper(io.BytesIO(), encoding="utf-8", errors="surrogatepass", write_through=True)
    code: object = None
    try:
        with _limit_time(deadline), contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            group.main(words)
    except SystemExit as end:
        code = end.code or 0
    except DeadlineExceededError:
        where = "".join(traceback.format_exception(*sys.exc_info())[-MAX_CHARACTERS:])
        return f"no end within {deadline:g} s\n{where[-MAX_CHARACTERS:]}"
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            raise
        return f"an exception left the command\n{traceback.format_exc()[-MAX_CHARACTERS:]}"
    text = printed.buffer.getvalue().decode("utf-8", "backslashreplace")
    if code not in exit_codes.MEANINGS or code == exit_codes.INTERNAL_ERROR:
        return f"exit code {code}\n{text[-MAX_CHARACTERS:]}{_read_traceback(text)}"
    odd = {letter for letter in text if not letter.isprintable() and letter != "\n"}
    return f"prints {sorted(map(ascii, odd))}\n{ascii(text)[-MAX_CHARACTERS:]}" if odd else ""


def _read_traceback(text: str) -> str:
    """Return the traceback in the file that an internal error names, and remove the file."""
    path = Path(text.rpartition(" please report it with ")[2].strip())
    try:
        kept = path.read_text(encoding="utf-8")
        path.unlink()
    except (OSError, ValueError):
        return ""
    return f"\n{kept[-MAX_CHARACTERS:]}"


@contextlib.contextmanager
def _limit_time(seconds: float) -> Iterator[None]:
    def too_late(_number: int, _frame: types.FrameType | None) -> None:
        raise DeadlineExceededError

    before = signal.signal(signal.SIGALRM, too_late)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
