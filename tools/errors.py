"""Converts errors of commands into one line and an exit code.

An internal error also writes a traceback to a file.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from contextlib import suppress
from typing import Any

import click
from click.core import ParameterSource

from clconform.calls import exit_codes
from clconform.harness.inherited_settings import exclude_current_folder, restore_signals
from clconform.runner.gate.stop_signals import StopRequest, handle_stop_signals
from clconform.tools.standard_output import replace_standard_streams

MAX_MESSAGE_LENGTH = 4000
"""Maximum number of characters of an error message."""


class CommandError(click.ClickException):
    """A command cannot be carried out; ``code``: the exit code."""

    def __init__(self, message: str, code: int = exit_codes.BAD_USAGE) -> None:
        super().__init__(message)
        self.code = code


class InterruptedCommandError(Exception):
    """The command was interrupted; for a KeyboardInterrupt, click would print an empty line."""


class StrictCommand(click.Command):
    """A command that rejects empty options and arguments: an unset variable in CI must not select the default."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; BadParameter if one of them is empty."""
        rest = super().parse_args(ctx, args)
        for parameter in self.params:
            name = parameter.name or ""
            value = ctx.params.get(name)
            if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE and _is_empty(value):
                raise click.BadParameter(
                    "it is empty, as if from an unset variable; give it a value, or omit it", ctx=ctx, param=parameter
                )
        return rest


def _is_empty(value: object) -> bool:
    values = value if isinstance(value, tuple) else (value,)
    return any(isinstance(each, str) and not each.strip() for each in values)


class CommandGroup(click.Group):
    """A group of commands that prints each error as one line on stderr, and exits with a code of ``exit_codes``."""

    command_class = StrictCommand

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Parse the arguments; without arguments, print the help."""
        return super().parse_args(ctx, args or ["--help"])

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command that the arguments name; UsageError for an unknown name, or for one of an inner group."""
        if self.get_command(ctx, args[0]) is None:
            for each in self.commands.values():
                if isinstance(each, click.Group) and each.get_command(ctx, args[0]):
                    ctx.fail(f"no such command {args[0]!r}; did you mean: {ctx.command_path} {each.name} {args[0]}?")
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        """Run a command; InterruptedCommandError in place of KeyboardInterrupt."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            raise InterruptedCommandError from None

    def main(self, *args: Any, **extra: Any) -> Any:
        """Run a command and exit with the code that it returns."""
        given = args[0] if args else extra.pop("args", None)
        words = list(sys.argv[1:] if given is None else given)
        extra |= {"prog_name": "clconform", "standalone_mode": False}
        replace_standard_streams()
        restore_signals()
        exclude_current_folder()
        with handle_stop_signals() as stop:
            code = self._run(words, stop, **extra)
        with suppress(OSError):
            sys.stdout.flush()
        sys.exit(code or 0)

    def _run(self, words: list[str], stop: StopRequest, **extra: Any) -> int:
        """Run a command and return its exit code; convert an exception into one line on stderr and an exit code."""
        code: int
        try:
            code = super().main(words, **extra)
        except (click.Abort, KeyboardInterrupt, InterruptedCommandError):
            code = _print_error(f"stopped by {stop.signal_name or 'Ctrl-C'}", stop.exit_code)
        except click.UsageError as error:
            code = _print_error(f"{error.format_message()} ({_help_hint(error)})", exit_codes.BAD_USAGE)
        except CommandError as error:
            code = _print_error(error.format_message(), error.code)
        except click.ClickException as error:
            code = _print_error(error.format_message(), exit_codes.BAD_USAGE)
        except Exception as error:  # noqa: BLE001 (the last resort: everything else is a bug)
            code = _print_error(*_message_and_code(error))
        return code


def _help_hint(error: click.UsageError) -> str:
    return f"see: {error.ctx.command_path if error.ctx else 'clconform'} --help"


def _print_error(message: str, code: int) -> int:
    from clconform.reports.escaping import escape_unprintable
    from clconform.tools.output_text import print_text

    print_text(f"clconform: {escape_unprintable(' '.join(message.split()), limit=MAX_MESSAGE_LENGTH)}", err=True)
    return code


def _message_and_code(error: Exception) -> tuple[str, int]:
    """Return the message and the exit code for an exception that no command caught."""
    from clconform.harness import HarnessError
    from clconform.harness.host_shortages import find_shortage
    from clconform.reports import JournalError, KnownDeviationsError, ReportError, ResultError
    from clconform.reports.c_values import CProgramError
    from clconform.runner.journal.writer import JournalWriteError
    from clconform.spec_tables import TablesError

    short = find_shortage(error)
    if short and not isinstance(error, JournalError):
        return short, exit_codes.NO_RESOURCES
    if isinstance(error, ReportError):
        return str(error), exit_codes.NO_RESOURCES
    if isinstance(error, JournalWriteError):
        return str(error), exit_codes.NO_RESOURCES
    if isinstance(error, HarnessError):
        return str(error), exit_codes.NO_SUCH_PLATFORM
    if isinstance(error, (KnownDeviationsError, JournalError, ResultError, CProgramError)):
        return str(error), exit_codes.BAD_USAGE
    if isinstance(error, TablesError):
        return str(error), exit_codes.INTERNAL_ERROR
    kept = keep_traceback("".join(traceback.format_exception(error)))
    report_it = f"please report it with {kept}" if kept else "its traceback could not be written to a file"
    return f"internal error: {type(error).__name__}: {error}; {report_it}", exit_codes.INTERNAL_ERROR


def keep_traceback(text: str) -> str:
    """Write a traceback to a file and return the path of the file; empty if no file can be written."""
    try:
        with tempfile.NamedTemporaryFile("w", prefix="clconform-failure-", suffix=".txt", delete=False) as file:
            file.write(text)
    except OSError:
        return ""
    return file.name
