"""The command line ``clconform COMMAND``; each command only imports and calls its implementation."""

from __future__ import annotations

from typing import Any

import click

from clconform.calls import exit_codes
from clconform.harness.gc_tuning import create_permanent_objects, raise_gc_threshold
from clconform.tools import cli_verdict_commands
from clconform.tools.cli_ci import ci
from clconform.tools.driver_options import (
    DriverOptions,
    add_device_options,
    add_driver_options,
    add_program_options,
    add_result_tables_option,
    tables_option,
)
from clconform.tools.errors import CommandGroup

contents_option = click.option(
    "--contents", metavar="BYTES", type=click.IntRange(min=0), default=4096, show_default=True,
    help="record the content of transfers of at most BYTES bytes",
)  # fmt: skip
hashes_option = click.option(
    "--hashes", is_flag=True, help="also detect changes of host memory that pending commands may read (slow)"
)
my_code_option = click.option(
    "--my-code", metavar="GLOB", multiple=True,
    help="show calls at the innermost frame whose code file, source file or script matches; may repeat "
    "[default: outside of system libraries, interpreters and installed Python packages]",
)  # fmt: skip
OPENCL_VERSIONS = ("1.0", "1.1", "1.2", "2.0", "2.1", "2.2", "3.0", "3.1")
json_option = click.option("--json", "as_json", is_flag=True, help="print JSON")


@click.group(cls=CommandGroup, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="clconform", prog_name="clconform")
def cli() -> None:
    """Test an OpenCL driver against the specification and report deviations."""


for command in (
    cli_verdict_commands.run,
    cli_verdict_commands.merge,
    cli_verdict_commands.gate,
    cli_verdict_commands.known,
    ci,
):
    cli.add_command(command)


class DeveloperGroup(CommandGroup):
    """The group of the commands for developers, whose definitions are imported when one of them is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return the names of the commands, sorted."""
        from clconform.tools.dev.commands import dev

        return dev.list_commands(ctx)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command of this name; None if it does not exist."""
        from clconform.tools.dev.commands import dev

        return dev.get_command(ctx, cmd_name)


@cli.group(cls=DeveloperGroup)
def dev() -> None:
    """Commands for developers of clconform.

    They measure and test clconform itself, and extract the tables from the documents.
    """


@cli.command()
@click.option("--driver", metavar="LIB", default="", help="list only this library, through the loader and directly")
@click.option(
    "--simulated",
    metavar="TOPOLOGY",
    default="",
    help="list the simulated platform of this topology; list: all of them",
)
@click.option(
    "--verbose", "-v", is_flag=True, help="also list libraries and every query result of each platform and device"
)
@click.option("--faults", is_flag=True, help="list the faults that --fault can inject instead")
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
@json_option
def platforms(driver: str, simulated: str, verbose: bool, faults: bool, tables: str, as_json: bool) -> int:  # noqa: FBT001 (click passes them by name)
    """List the available platforms.

    They are installed, embedded or simulated. Query results of simulated platforms are printed only with --simulated. A
    source that fails is listed with its error; the exit code is 6 if no platform is available.
    """
    from clconform.harness.orphans import end_orphans
    from clconform.tools import platforms as listing
    from clconform.tools import revision_option

    revision_option.select_tables(tables)
    if faults:
        return listing.print_faults(as_json=as_json)
    with end_orphans():
        return listing.print_platforms(driver, simulated, verbose=verbose, as_json=as_json)


@cli.group(cls=CommandGroup)
def programs() -> None:
    """Build programs for devices without a compiler."""


@programs.command(name="list")
@click.option(
    "--opencl", metavar="V", type=click.Choice(OPENCL_VERSIONS), default="3.0", show_default=True,
    help="list the programs for devices of this OpenCL version",
)  # fmt: skip
@click.option("--out", metavar="DIR", default="", help="write the sources to this folder, as DIGEST.cl")
def list_programs(opencl: str, out: str) -> int:
    """List the programs that the suites need.

    Each line has the digest, the kernels and the build options.

    The list lacks kernels whose text depends on the device, and the programs of tests that need a compiler.
    """
    from clconform.tools import programs

    return programs.print_programs((int(opencl[0]), int(opencl[2])), out)


@programs.command(name="build")
@add_driver_options
@click.argument("folder", metavar="DIR")
def build_programs(folder: str, **named: Any) -> int:
    """Build the programs with a driver that has a compiler.

    The binaries are written to DIR. `clconform run --program-binaries DIR` loads them on the same kind of device
    without a compiler. Programs that the driver does not build are listed. The exit code is 8 if it builds none.
    """
    from clconform.harness.orphans import end_orphans
    from clconform.tools import programs

    with end_orphans():
        return programs.build_programs(folder, DriverOptions(**named))


@programs.command(name="register")
@add_driver_options
@click.argument("folder", metavar="DIR")
def register_programs(folder: str, **named: Any) -> int:
    """Register binaries that an offline compiler has built.

    The manifest is written for the binaries in DIR and the driver's device.

    Compile each DIGEST.cl of `clconform programs list --out DIR` with its options to DIGEST.bin. Programs that are
    missing are listed. The exit code is 8 if all are.
    """
    from clconform.harness.orphans import end_orphans
    from clconform.tools import programs

    with end_orphans():
        return programs.register_programs(folder, DriverOptions(**named))


@cli.group(cls=CommandGroup)
def device() -> None:
    """Test drivers on phones, boards and Windows."""


@device.command(name="check")
@add_device_options
@click.argument("address")
def check_device(address: str, **named: Any) -> int:
    """Show the machine at ADDRESS, its link and its platforms.

    ADDRESS is ssh:HOST, adb:SERIAL, tcp:HOST:PORT or exec:'COMMAND {arguments}'. The exit code is 6 if no platform
    there can be tested.
    """
    from clconform.harness.orphans import end_orphans
    from clconform.tools import device_check

    with end_orphans():
        return device_check.check_device(DriverOptions(devices=(address,), **named))


@device.command(name="worker")
@click.option(
    "--build",
    is_flag=True,
    help="build the worker for TARGET by its C compiler, such as TARGET-gcc or zig; also the layer for recordings",
)
@click.argument("target", default="")
def locate_worker(target: str, *, build: bool) -> int:
    """Print where the worker for a target is.

    TARGET is a name such as aarch64-linux-gnu; without it, all targets are listed.

    The worker is the program that loads a driver. `clconform run --device` copies it to the machine; for tcp: and exec:
    addresses it must be there. With --build, the second line is the path of the layer that `clconform record --device`
    and `clconform validate --device` copy.
    """
    from clconform.tools import device_workers

    return device_workers.print_worker(target, build=build) if target else device_workers.list_workers()


@cli.command()
@click.option("--kind", metavar="K", default="", help="list only requirements of this kind (error-clause, query, ...)")
@click.option("--function", metavar="F", default="", help="list only requirements of this function")
@click.option("--document", metavar="D", default="", help="list only requirements of this document")
@click.option(
    "--version", metavar="V", default="", help="list only requirements that apply to this version (1.2, 3.0, ...)"
)
@click.option("--extension", metavar="E", default="", help="list only requirements that this extension adds")
@click.option("--count", "count_only", is_flag=True, help="print only the number of requirements of each kind")
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
@json_option
@click.argument("pattern", default="*")
def tables(
    as_json: bool,  # noqa: FBT001 (as above)
    count_only: bool,  # noqa: FBT001 (as above)
    tables: str,
    **filters: str,
) -> int:
    """List requirements, and count them by kind.

    The command lists the requirements whose id matches PATTERN.
    """
    from clconform.tools import revision_option
    from clconform.tools import tables as listing

    revision_option.select_tables(tables)
    return listing.print_requirements(listing.RequirementFilters(**filters), as_json=as_json, count_only=count_only)


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "-o", "--out", metavar="FILE", default="calls.clrec", show_default=True, help="write the recording to this file"
)
@contents_option
@hashes_option
@add_program_options
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def record(
    out: str,
    contents: int,
    hashes: bool,  # noqa: FBT001 (as above)
    program: tuple[str, ...],
    **place: Any,
) -> int:
    """Run a program and record its OpenCL calls.

    `clconform record -- PROGRAM` writes a recording, which `clconform validate` judges. The exit code is the program's,
    or 128 and the number of the signal that ended it.
    """
    from clconform.recording.program_launch import RecordingOptions
    from clconform.tools.program_place import ProgramPlace
    from clconform.tools.record import record_program as recording

    where = ProgramPlace(**place)
    return recording(out, program, RecordingOptions(contents, hashes, where.shim_use()), where)


@cli.command(
    epilog=cli_verdict_commands.EXIT_CODES,
    context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False},
)
@click.option(
    "--out", metavar="DIR", default="", help="also write validation.html, validation.json and junit.xml to this folder"
)
@click.option("--suppress", metavar="FILE", default="", help="suppress the findings listed in this file (TOML)")
@click.option(
    "--party", "parties", multiple=True, type=click.Choice(["program", "driver"]),
    help="set the exit code only by findings about this party; may repeat [default: both]",
)  # fmt: skip
@click.option(
    "--exit-code", type=click.Choice(["verdict", "program"]), default="verdict", show_default=True,
    help=f"program: if the program fails, return its own code instead of {exit_codes.PROGRAM_FAILED}",
)  # fmt: skip
@my_code_option
@click.option("--notes", is_flag=True, help="also print advice, and queries for unsupported features")
@click.option("--live", is_flag=True, help="judge the program while it runs; print each finding to stderr immediately")
@click.option(
    "--break", "stops", type=click.Choice(["next", "before"]), is_flag=False, flag_value="next", default=None,
    help="with --live: stop the program (SIGTRAP) at the next call after a finding; before: each call waits until its "
    "arguments are judged, so that the program also stops before this call enters the driver (slow)",
)  # fmt: skip
@tables_option("judge by the tables of this revision, or in this folder [default: 3.0.17]")
@contents_option
@hashes_option
@json_option
@add_program_options
@click.argument("given", metavar="RECORDING... | PROGRAM...", nargs=-1, required=True, type=click.UNPROCESSED)
def validate(given: tuple[str, ...], tables: str, **wanted: Any) -> int:
    """Judge the OpenCL calls of a program or of recordings.

    Each violation is attributed to the program, driver or loader. `clconform validate -- PROGRAM ...` runs the program
    first; with --live, its calls are judged while it runs. The exit code is 10 if the driver deviates, else 13 if the
    program violates a rule, else 14 if a signal ended the program or it returned another code than 0, else 8 if the
    recording is incomplete or no call was judged, else 0. Findings of a damaged
    recording do not change it. With --device, the program runs on another machine, and its calls are judged here.
    """
    with create_permanent_objects():
        from clconform.tools import program_place, revision_option, validate

        revision_option.select_tables(tables)
        validate.load_rules()
    place = program_place.ProgramPlace(**{name: wanted.pop(name) for name in program_place.ProgramPlace._fields})
    return validate.validate_calls(given, validate.ValidateOptions(**wanted, place=place))


@cli.command()
@click.option("--grep", "pattern", metavar="REGEX", default="", help="print only the lines that match")
@click.option("--stacks", is_flag=True, help="print the call stack after each call")
@my_code_option
@tables_option("judge by the tables of this revision, or in this folder [default: 3.0.17]")
@click.argument("recordings", metavar="RECORDING...", nargs=-1, required=True)
def trace(
    recordings: tuple[str, ...],
    pattern: str,
    my_code: tuple[str, ...],
    tables: str,
    stacks: bool,  # noqa: FBT001 (as above)
) -> int:
    """Print the calls of recordings, with place, thread and time.

    The calls are in the order in which they returned. A call that could not be judged has the reason. The exit code is
    8 if a recording is incomplete.
    """
    from clconform.tools import revision_option
    from clconform.tools.trace import print_calls

    revision_option.select_tables(tables)
    return print_calls(recordings, pattern, my_code, stacks=stacks)


@cli.command()
@click.option("--results", metavar="PATH", multiple=True, help="show results of a result.json, a journal or a folder; "
              "may repeat [default: clconform-out, if it exists]")  # fmt: skip
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
@json_option
@click.argument("wanted", metavar="ID")
def explain(wanted: str, results: tuple[str, ...], tables: str, as_json: bool) -> int:  # noqa: FBT001 (as above)
    """Print all information about a requirement or a deviation.

    The command prints its text, rules, tests and latest results. ID is a requirement's id, as shown by reports and
    `clconform tables`, or the id of a deviation in the results. The name of a function, query or type lists its
    requirements. Source locations refer to the package and, in a checkout, to its tests.
    """
    from clconform.tools import explain_command, revision_option

    revision_option.select_tables(tables)
    return explain_command.print_explanation(wanted, results, as_json=as_json)


@cli.command()
@add_result_tables_option
@click.option("--out", metavar="DIR", default="", help="write reports to this folder [default: the journal's; "
              "clconform-matrix for several journals]")  # fmt: skip
@click.option("--known", metavar="FILE", default="", help="show the known deviations in this file (TOML) in the report")
@click.option(
    "--faults", metavar="FILE", default="", help="show the results of `clconform dev inject --json` in the report"
)
@click.option("--verbose", "-v", is_flag=True, help="print all deviations with their calls")
@click.argument("results", metavar="JOURNAL...", nargs=-1, required=True)
def report(results: tuple[str, ...], out: str, verbose: bool, **files: str) -> int:  # noqa: FBT001 (click passes them by name)
    """Regenerate the reports of a JOURNAL, complete or not.

    Several results give a comparison matrix (requirements by platform), differences first, with the platforms that
    share each deviation. Each may be a journal, a result.json, or a folder with one of them.

    The exit code is 0 even with --known; use clconform gate for a verdict.
    """
    from clconform.tools import result_commands as rendering

    return rendering.write_report(results, out, **files, verbose=verbose)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no regressions\n"
             f"    {exit_codes.INCOMPLETE}  no regressions, but a run is incomplete or has covered nothing\n"
             f"    {exit_codes.FLAKY}  deviations that did not repeat, where requirements conformed\n"
             f"   {exit_codes.DEVIATIONS}  regressions\nothers as for: clconform run")  # fmt: skip
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="print Markdown, for a CI job summary")
@click.argument("old")
@click.argument("new")
def compare(old: str, new: str, as_json: bool, as_markdown: bool) -> int:  # noqa: FBT001 (as above)
    """Compare two runs, or two versions of a driver.

    The command reports the changes from OLD to NEW. OLD and NEW are a result.json, a journal, or a folder with one of
    them. A requirement that deviates in NEW but not in OLD is a regression, the reverse is a fix. A crash or a hang of
    a requirement that conformed is a regression even if it did not repeat. Requirements that one of the runs did not
    test, and deviations in calls that only NEW has made, are listed separately; they count as neither regressions nor
    fixes. If both runs have the same tests, the command also lists, for each deviation in both runs, the tests that
    show it only in NEW: they may hide a second bug.
    """
    from clconform.tools import compare

    if as_json and as_markdown:
        raise click.UsageError("--json and --markdown cannot be combined")
    return compare.print_comparison_of(old, new, as_json=as_json, as_markdown=as_markdown)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  found: one build, or several adjacent candidates\n"
             f"    {exit_codes.BAD_USAGE}  bad usage, or the first and last build give the same result\n"
             f"    {exit_codes.NO_SUCH_PLATFORM}  fewer than two builds can be tested")  # fmt: skip
@click.option(
    "--build",
    metavar="COMMAND",
    default="",
    help="build a revision with this command; {} stands for the revision (no shell)",
)
@click.option(
    "--revisions",
    metavar="R",
    default="",
    help="build these revisions: 1..16, or a file with one per line, oldest first",
)
@click.option("--driver", metavar="LIB", default="", help="test this library, which COMMAND produces")
@click.option("--direct", is_flag=True, help="bypass the ICD loader; call through the driver's dispatch table")
@click.option(
    "--device-index",
    "device",
    metavar="N",
    type=click.IntRange(0),
    default=None,
    help="test the OpenCL root device with this index",
)
@json_option
@click.argument("result")
@click.argument("wanted", metavar="ID")
@click.argument("drivers", metavar="DRIVER...", nargs=-1)
def bisect(result: str, wanted: str, drivers: tuple[str, ...], **options: Any) -> int:
    """Find the build that changed the results of a deviation.

    The command finds the first build that returns different results for the calls of the deviation. RESULT and ID are
    as for `clconform replay`; the DRIVERs are the builds' libraries, oldest first. Alternatively, COMMAND builds each
    revision into LIB; a revision that fails to build is skipped. The sequence is replayed on as few builds as needed,
    as in git bisect. A crash or a hang counts as a result.
    """
    from clconform.tools import bisect

    return bisect.bisect_builds(result, wanted, drivers, **options)


@cli.command()
@click.argument("result", nargs=-1)
def interpretations(result: tuple[str, ...]) -> int:
    """List the interpretations of unspecified behaviour.

    With RESULTs, the command also prints the behaviour of each RESULT's driver.
    """
    from clconform.tools import result_commands

    return result_commands.print_interpretations(result)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no longer deviates\n"
             f"   {exit_codes.DEVIATIONS}  still deviates\nothers as for: clconform run")  # fmt: skip
@add_result_tables_option
@add_driver_options
@click.option("--gdb", is_flag=True, help="run under gdb and save the backtrace next to the result")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def replay(result: str, wanted: str, gdb: bool, **named: Any) -> int:  # noqa: FBT001 (as above)
    """Replay the calls of a deviation, and judge them again.

    The command makes the minimised calls in a new process. RESULT is a result.json or its folder. ID is a deviation's
    id (or a prefix of it), its key, or a requirement that has exactly one deviation. The driver is the one named in the
    result, unless options name another.
    """
    from clconform.harness.orphans import end_orphans
    from clconform.tools import replay

    with end_orphans():
        return replay.replay_deviation(result, wanted, DriverOptions(**named), gdb=gdb)


@cli.command()
@add_result_tables_option
@click.option("--out", metavar="FILE", default="", help="write the program to this file [default: next to the result]")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def reproduce(result: str, wanted: str, out: str) -> int:
    """Write a deviation as a standalone C program.

    The command also prints how to build and run it.
    """
    from clconform.tools import result_commands

    return result_commands.write_program(result, wanted, out)


@cli.command()
@add_result_tables_option
@click.option("--for", "project", type=click.Choice(["generic", "mesa", "pocl"]), default="generic", show_default=True,
              help="use the headings of this project's bug reports")  # fmt: skip
@click.option("--result", metavar="PATH", default="clconform-out", show_default=True,
              help="read this result.json, or the one in this folder")  # fmt: skip
@click.argument("wanted", metavar="ID")
def issue(wanted: str, result: str, project: Any) -> int:
    """Print a bug report about a deviation in Markdown.

    It has the violated requirement with a link, the calls, a C program, the versions, and the commands that build and
    run the program. ID is a deviation's id, or a prefix of it.
    """
    from clconform.tools import result_commands

    return result_commands.print_bug_report(result, wanted, project)


def main() -> None:
    """Run the command line."""
    raise_gc_threshold()
    cli.main()
