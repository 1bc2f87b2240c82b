"""The commands ``ci``: one part of a run in a job of a CI system, and the verdict on all parts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from clconform.tools.cli_verdict_commands import EXIT_CODES, run
from clconform.tools.errors import CommandGroup, StrictCommand


@click.group(cls=CommandGroup)
def ci() -> None:
    """Run conformance tests in parallel jobs of a CI system."""


class PartCommand(StrictCommand):
    """A command whose options are those of ``clconform run``."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Take the first two arguments, and keep all others for ``clconform run``."""
        ctx.meta["options_of_run"] = args[2:] if args[:1] not in (["--help"], ["-h"]) else []
        return super().parse_args(ctx, args[:2])


@ci.command(cls=PartCommand, epilog=EXIT_CODES, options_metavar="")
@click.argument("part", metavar="K/N")
@click.argument("out", metavar="DIR")
@click.pass_context
def part(ctx: click.Context, part: str, out: str) -> int:
    """Run part K of N of the tests, and write its results to DIR.

    The options after DIR are those of `clconform run`. If an earlier attempt of the job has left a journal in DIR, the
    command continues that run. The exit code is 0 if the part came to its end, whatever it has found.
    """
    options = ctx.meta["options_of_run"]
    with run.make_context("run", ["--shard", part, "--out", out, *options], parent=ctx) as whole:
        if not _has_journal(Path(out)):
            return _invoke(whole)
        given = whole.params
    words = ["--resume", out, *(("-n", given["workers"]) if given["workers"] != "0" else ())]
    words += ["--budget", given["budget"]] if given["budget"] else []
    with run.make_context("run", words, parent=ctx) as resumed:
        return _invoke(resumed)


def _has_journal(folder: Path) -> bool:
    """Return whether an earlier attempt of a job has left a journal with lines in its folder."""
    from clconform.reports.compression import packed_path
    from clconform.runner.journal.writer import JOURNAL_FILE

    path = folder / JOURNAL_FILE
    return any(each.is_file() and each.stat().st_size > 0 for each in (path, packed_path(path)))


def _invoke(context: click.Context) -> int:
    code: Any = run.invoke(context)
    return int(code)


@ci.command(cls=StrictCommand, epilog=EXIT_CODES)
@click.argument("known", metavar="KNOWN")
@click.argument("out", metavar="DIR")
@click.argument("parts", metavar="PART...", nargs=-1, required=True)
def verdict(known: str, out: str, parts: tuple[str, ...]) -> int:
    """Merge all parts of a run into DIR, and check them against a file.

    KNOWN is the file of known deviations, PART a folder that `clconform ci part` has written. In a job of GitHub
    Actions, the command also writes the summary of the job.
    """
    from clconform.tools import ci_summary

    return ci_summary.merge_parts(parts, out, known)
