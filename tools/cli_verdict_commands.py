"""The commands that decide on a verdict: run, merge, gate and known."""

from __future__ import annotations

import argparse
import os
import re
from typing import Any

import click
from click.core import ParameterSource

from clconform.calls import exit_codes, run_verdict
from clconform.runner.pytest_plugin import tiers
from clconform.tools.driver_options import DriverOptions, add_driver_options, add_result_tables_option, tables_option
from clconform.tools.errors import StrictCommand

PROCESSES_PER_CORE, MIN_PROCESS_LIMIT = 8, 32
"""Maximum number of processes per core, and a lower bound for the maximum on machines with few cores."""
JOURNALS = ("brief", "full")
EXIT_CODES = (
    "\b\nExit codes:\n"
    + "\n".join(f"{code:5}  {meaning}" for code, meaning in exit_codes.MEANINGS.items())
    + f"\n\n{run_verdict.PRECEDENCE_TEXT}"
)


class PassthroughCommand(StrictCommand):
    """A command that passes all arguments after ``--`` to pytest."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Remove the arguments after ``--``, and parse the remaining arguments."""
        ctx.meta["passed_on"] = args[args.index("--") + 1 :] if "--" in args else []
        return super().parse_args(ctx, args[: args.index("--")] if "--" in args else args)


def parse_processes(_ctx: click.Context, _option: click.Parameter, text: str) -> str:
    """Return a number of processes, or ``auto``; BadParameter if the number is too large for this machine."""
    if text == "auto":
        return text
    cores = len(os.sched_getaffinity(0))
    most = max(MIN_PROCESS_LIMIT, PROCESSES_PER_CORE * cores)
    if not re.fullmatch(r"0*[0-9]{1,9}", text):
        raise click.BadParameter(f"{text!r} is not a number of processes; give 0 to {most}, or auto")
    if int(text) > most:
        raise click.BadParameter(
            f"{int(text)} processes are too many for the {cores} cores of this machine; give {most} at most, or auto"
        )
    return str(int(text))


def parse_workers(ctx: click.Context, option: click.Parameter, text: str) -> int:
    """Return a number of processes of at least 1; BadParameter if it is invalid or too large for this machine."""
    if text == "auto" or int(parse_processes(ctx, option, text)) == 0:
        raise click.BadParameter(f"{text} is not a number of processes from 1")
    return int(text)


def _parse_duration(_ctx: click.Context, _option: click.Parameter, text: str) -> str:
    from clconform.runner.pytest_plugin.time_budget import parse_duration

    try:
        return f"{parse_duration(text)}s" if text else ""
    except argparse.ArgumentTypeError as error:
        raise click.BadParameter(str(error)) from None


def _parse_scale(_ctx: click.Context, _option: click.Parameter, text: str) -> float:
    from clconform.runner.pytest_plugin.time_budget import parse_scale

    try:
        return parse_scale(text)
    except argparse.ArgumentTypeError as error:
        raise click.BadParameter(str(error)) from None


@click.command(cls=PassthroughCommand, epilog=EXIT_CODES)
@add_driver_options
@click.option(
    "--requirement",
    "requirements",
    metavar="GLOB",
    multiple=True,
    help="run only tests of matching requirements; may repeat",
)
@click.option(
    "--quick", is_flag=True, help="run only tests of --requirement, or the failed tests of the last run in --out"
)
@click.option(
    "--tier",
    type=click.Choice(tiers.TIERS),
    default=tiers.DEFAULT,
    show_default=True,
    help=f"set the amount of testing: {tiers.TIER_HELP}",
)
@click.option("--seed", metavar="N", type=click.IntRange(0), help="set the run's seed [default: random, printed]")
@click.option("--examples", metavar="N", type=click.IntRange(1), help="set the number of examples of each random test")
@click.option("-n", "workers", metavar="N", default="0", callback=parse_processes,
              help="set the number of worker processes; auto: one per processor, or fewer if the driver creates one "
              "context after the other; 0: run in this process")  # fmt: skip
@click.option(
    "--out", metavar="DIR", default="clconform-out", show_default=True, help="write journal and reports to this folder"
)
@click.option("--minimise-seconds", metavar="S", type=click.FloatRange(0), default=10.0, show_default=True,
              help="limit the time for minimising one failing sequence; less if there are many")  # fmt: skip
@click.option("--deadline-scale", metavar="F", default="1", show_default=True, callback=_parse_scale,
              help="multiply all deadlines of the driver, for startup and calls, by F (0.1 to 100)")  # fmt: skip
@click.option("--journal", type=click.Choice(JOURNALS), default="brief", show_default=True,
              help="full: also keep every call in calls.jsonl, for clconform dev rejudge")  # fmt: skip
@click.option("--robustness", is_flag=True, help="also pass valid handles of another object type")
@click.option(
    "--known", metavar="FILE", default="", help="check the run against the known deviations in this file (TOML)"
)
@click.option("--shard", metavar="K/N", default="", help="run shard K of N; clconform merge joins them")
@click.option("--budget", metavar="TIME", default="", callback=_parse_duration,
              help="start no test after this time (90s, 10m, 1.5h); least-covered requirements run first")  # fmt: skip
@tables_option("judge by the tables of this revision, or in this folder; auto: the newest revision that is "
               "not above the platform's version [default: 3.0.17]")  # fmt: skip
@click.option("--program-binaries", metavar="DIR", default="",
              help="on a device without a compiler, load programs from the binaries in this folder")  # fmt: skip
@click.option("--resume", metavar="JOURNAL", default="", help="continue an interrupted run (journal or folder)")
@click.option("--verbose", "-v", is_flag=True, help="print all deviations with their calls at the end")
@click.argument("paths", nargs=-1)
@click.pass_context
def run(ctx: click.Context, /, **given: Any) -> int:
    """Run the suites on a driver and write the reports.

    Without an option that names a driver, the embedded one is tested: the PoCL from PyPI. If it is not installed, the
    first installed platform is tested, but never a simulated one. PATHS are suites or tests (a
    folder such as suites/chapters/partition, a suite's name such as partition.trees, or a test's id as in the reports);
    the default is all suites. Arguments after -- are passed to pytest: clconform run -- -x

    --resume needs no other option: the run continues with its original options.

    --quick is for work on a driver: it uses driver, tier and seed of the last run, reports each test immediately as
    fixed or still failing, and repeats a deviation only once.
    """
    from clconform.harness.orphans import end_orphans
    from clconform.tools import run

    given["workers"] = "" if given["workers"] == "0" else given["workers"]
    said = frozenset(name for name in given if ctx.get_parameter_source(name) is ParameterSource.COMMANDLINE)
    named = DriverOptions(**{field: given.pop(field) for field in DriverOptions.__dataclass_fields__})
    wanted = run.RunOptions(**given, passed_on=tuple(ctx.meta["passed_on"]), from_command_line=said)
    with end_orphans():
        return run.run_suites(named, wanted)


@click.command(cls=StrictCommand, epilog=EXIT_CODES)
@click.option("--out", metavar="DIR", required=True, help="write the merged journal and its reports to this folder")
@click.option(
    "--known", metavar="FILE", default="", help="check the run against the known deviations in this file (TOML)"
)
@click.option("--minimise-seconds", metavar="S", type=click.FloatRange(0), default=10.0, show_default=True,
              help="limit the time for minimising each failing sequence that no shard minimised")  # fmt: skip
@add_result_tables_option
@click.argument("journals", metavar="JOURNAL...", nargs=-1, required=True)
def merge(journals: tuple[str, ...], out: str, known: str, minimise_seconds: float) -> int:
    """Merge the shards of a run, and give the whole verdict.

    JOURNAL is a journal or its folder. The parts must belong to one run: the same driver, seed, tables and code, and
    every shard. Parts that are not shards may run different suites.
    """
    from clconform.tools import merge

    return merge.merge_results(journals, out, known, minimise_seconds)


@click.command(cls=StrictCommand, epilog=EXIT_CODES)
@click.option("--known", metavar="FILE", required=True, help="check against the known deviations in this file (TOML)")
@click.argument("result")
def gate(result: str, known: str) -> int:
    """Check a result against a file of known deviations.

    The command reports the deviations that are new, worse, fixed or stale. RESULT is a result.json or its folder.
    `clconform run --known` does the same at the end of a run.
    """
    from clconform.tools import gate

    return gate.check_result(result, known)


@click.command(cls=StrictCommand)
@click.option("--from", "result", metavar="RESULT", required=True, help="read this result.json or folder")
@click.option("--out", metavar="FILE", default="", help="write to this new file")
@click.option("--add-to", metavar="FILE", default="", help="add the deviations that this file does not accept")
def known(result: str, out: str, add_to: str) -> int:
    """Write a file of known deviations, or add to one.

    The command lists every deviation in RESULT, or adds those that the file does not accept.
    """
    from clconform.tools import gate

    if out and add_to:
        raise click.UsageError("--out and --add-to cannot be combined")
    return gate.add_known_deviations(result, add_to) if add_to else gate.write_known_deviations(result, out)
