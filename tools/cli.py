"""The command line ``clconform COMMAND``; each command only imports and calls its implementation."""

from __future__ import annotations

from typing import Any

import click

from clconform.harness.gc_tuning import raise_gc_threshold
from clconform.runner.gate import exit_codes
from clconform.runner.pytest_plugin import tiers
from clconform.tools import cli_verdict_commands
from clconform.tools.driver_options import DriverOptions, add_driver_options, add_result_tables_option, tables_option
from clconform.tools.errors import CommandGroup

BENCHMARK_PARTS = ("reach", "cost", "startup", "smoke", "chapters", "parallel", "growth", "recording")
contents_option = click.option(
    "--contents", metavar="BYTES", type=click.IntRange(min=0), default=4096, show_default=True,
    help="record the content of transfers of at most BYTES bytes",
)  # fmt: skip
hashes_option = click.option(
    "--hashes", is_flag=True, help="also detect changes of host memory that pending commands may read (slow)"
)
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
):
    cli.add_command(command)


@cli.command()
@click.option("--driver", metavar="LIB", default="", help="list only this library, through the loader and directly")
@click.option("--simulated", metavar="TOPOLOGY", default="", help="list only the simulated platform of this topology")
@click.option(
    "--verbose", "-v", is_flag=True, help="also list libraries and every query result of each platform and device"
)
@click.option("--faults", is_flag=True, help="list the faults that --fault can inject instead")
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
@json_option
def platforms(driver: str, simulated: str, verbose: bool, faults: bool, tables: str, as_json: bool) -> int:  # noqa: FBT001 (click passes them by name)
    """List the available platforms: installed, embedded and simulated.

    Query results of simulated platforms are printed only with --simulated. A source that fails is listed with its
    error; the exit code is 6 if no platform is available.
    """
    from clconform.tools import platforms as listing
    from clconform.tools import revision_option

    revision_option.select_tables(tables)
    if faults:
        return listing.print_faults(as_json=as_json)
    return listing.print_platforms(driver, simulated, verbose=verbose, as_json=as_json)


@cli.command()
@click.option("--kind", metavar="K", default="", help="list only requirements of this kind (error-clause, query, ...)")
@click.option("--function", metavar="F", default="", help="list only requirements of this function")
@click.option("--document", metavar="D", default="", help="list only requirements of this document")
@click.option(
    "--version", metavar="V", default="", help="list only requirements that apply to this version (1.2, 3.0, ...)"
)
@click.option("--extension", metavar="E", default="", help="list only requirements that this extension adds")
@click.option("--count", "count_only", is_flag=True, help="print only the number of requirements of each kind")
@click.option("--markdown", is_flag=True, help="print a page with the text of each requirement, by section")
@click.option("--sentences", is_flag=True, help="print a page with the classification of the documents' sentences")
@click.option(
    "--revision", is_flag=True, help="print a page with the differences between --tables and the default tables"
)
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
@json_option
@click.argument("pattern", default="*")
def tables(
    as_json: bool,  # noqa: FBT001 (as above)
    count_only: bool,  # noqa: FBT001 (as above)
    markdown: bool,  # noqa: FBT001 (as above)
    sentences: bool,  # noqa: FBT001 (as above)
    revision: bool,  # noqa: FBT001 (as above)
    tables: str,
    **filters: str,
) -> int:
    """List the requirements whose id matches PATTERN, and count them by kind."""
    from clconform.tools import revision_option
    from clconform.tools import tables as listing

    revision_option.select_tables(tables)
    if sentences:
        return listing.print_sentences()
    if revision:
        return listing.print_revision()

    chosen = listing.RequirementFilters(**filters)
    return listing.print_requirements(chosen, as_json=as_json, count_only=count_only, markdown=markdown)


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "-o", "--out", metavar="FILE", default="calls.clrec", show_default=True, help="write the recording to this file"
)
@contents_option
@hashes_option
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def record(
    out: str,
    contents: int,
    hashes: bool,  # noqa: FBT001 (as above)
    program: tuple[str, ...],
) -> int:
    """Run PROGRAM and record its OpenCL calls for clconform validate: clconform record -- PROGRAM.

    The exit code is the program's.
    """
    from clconform.recording.program_launch import RecordingOptions
    from clconform.tools.record import record_program as recording

    return recording(out, program, RecordingOptions(contents, hashes))


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--out", metavar="DIR", default="", help="also write validation.html, validation.json and junit.xml to this folder"
)
@click.option("--suppress", metavar="FILE", default="", help="suppress the findings listed in this file (TOML)")
@click.option(
    "--party", "parties", multiple=True, type=click.Choice(["program", "driver"]),
    help="set the exit code only by findings about this party; may repeat [default: both]",
)  # fmt: skip
@click.option("--notes", is_flag=True, help="also print advice, and queries for unsupported features")
@contents_option
@hashes_option
@json_option
@click.argument("given", metavar="RECORDING... | PROGRAM...", nargs=-1, required=True, type=click.UNPROCESSED)
def validate(given: tuple[str, ...], **wanted: Any) -> int:
    """Judge the OpenCL calls of a program or of recordings; attribute each violation to the program, driver or loader.

    `clconform validate -- PROGRAM ...` runs the program first. The exit code is 13 if the program violates a rule, else
    10 if the driver deviates, else 0.
    """
    from clconform.tools import validate

    return validate.validate_calls(given, validate.ValidateOptions(**wanted))


@cli.command()
@click.option("--results", metavar="PATH", multiple=True, help="show results of a result.json, a journal or a folder; "
              "may repeat [default: clconform-out, if it exists]")  # fmt: skip
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
@json_option
@click.argument("wanted", metavar="ID")
def explain(wanted: str, results: tuple[str, ...], tables: str, as_json: bool) -> int:  # noqa: FBT001 (as above)
    """Print all information about a requirement: text, rules, tests and latest results.

    ID is a requirement's id, as shown by reports and `clconform tables`. The name of a function, query or type lists
    its requirements. Source locations refer to the package and, in a checkout, to its tests.
    """
    from clconform.tools import explain_command, revision_option

    revision_option.select_tables(tables)
    return explain_command.print_explanation(wanted, results, as_json=as_json)


@cli.command()
@click.option("--documents", metavar="DIR", required=True, help="read the specification documents in this folder")
@click.option("--out", metavar="DIR", default="", help="write the tables to this folder instead of the package")
@click.option("--check", is_flag=True, help="write nothing; compare with the existing tables")
@click.option("--against", metavar="OLD", default="", help="write nothing; list the changes since OLD")
@click.option("--unclassified", "unsorted", metavar="FILE", default="", help="write unclassified sentences, reworded "
              "error conditions and excluded sentences to FILE")  # fmt: skip
@click.option("--classified", "decided", metavar="FILE", default="", help="first store the decisions in a FILE that "
              "--unclassified wrote")  # fmt: skip
@click.option("--force", is_flag=True, help="write the tables despite parse errors")
def extract(
    documents: str,
    out: str,
    check: bool,  # noqa: FBT001 (as above)
    against: str,
    unsorted: str,
    decided: str,
    force: bool,  # noqa: FBT001 (as above)
) -> int:
    """Extract tables from the specification documents.

    Nothing is written if a sentence could not be parsed or is not classified. The command lists the ids of requirements
    that were added, removed, retired, reworded, moved to another section or given other applicability conditions. OLD
    is a folder of older documents, or of tables from an earlier extraction.
    """
    from clconform.tools import extract_command

    if against and (check or out):
        raise click.UsageError("--against cannot be combined with --out or --check")
    if (against or check) and (unsorted or decided or force):
        raise click.UsageError("--unclassified, --classified and --force cannot be combined with --against or --check")
    if against:
        return extract_command.compare_documents(documents, against)
    if check:
        return extract_command.check_tables(documents, out)
    return extract_command.extract_tables(documents, out, force=force, unclassified=unsorted, classified=decided)


@cli.command()
@add_result_tables_option
@click.option("--out", metavar="DIR", default="", help="write reports to this folder [default: the journal's; "
              "clconform-matrix for several journals]")  # fmt: skip
@click.option("--known", metavar="FILE", default="", help="show the known deviations in this file (TOML) in the report")
@click.option(
    "--faults", metavar="FILE", default="", help="show the results of `clconform inject --json` in the report"
)
@click.argument("results", metavar="JOURNAL...", nargs=-1, required=True)
def report(results: tuple[str, ...], out: str, **files: str) -> int:
    """Regenerate the reports of a JOURNAL, complete or not.

    Several results give a comparison matrix (requirements by platform), differences first, with the platforms that
    share each deviation. Each may be a journal, a result.json, or a folder with one of them.

    The exit code is 0 even with --known; use clconform gate for a verdict.
    """
    from clconform.tools import result_commands as rendering

    return rendering.write_report(results, out, **files)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no regressions\n"
             f"   {exit_codes.DEVIATIONS}  regressions\nothers as for: clconform run")  # fmt: skip
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="print Markdown, for a CI job summary")
@click.argument("old")
@click.argument("new")
def compare(old: str, new: str, as_json: bool, as_markdown: bool) -> int:  # noqa: FBT001 (as above)
    """Compare two runs, or two versions of a driver: report the changes from OLD to NEW.

    OLD and NEW are a result.json, a journal, or a folder with one of them. A requirement that deviates in NEW but not
    in OLD is a regression, the reverse is a fix. Requirements that one of the runs did not test are listed separately;
    they count as neither regressions nor fixes. If both runs have the same tests, the command also lists, for each
    deviation in both runs, the tests that show it only in NEW: they may hide a second bug.
    """
    from clconform.tools import compare

    if as_json and as_markdown:
        raise click.UsageError("--json and --markdown cannot be combined")
    return compare.print_comparison_of(old, new, as_json=as_json, as_markdown=as_markdown)


@cli.command()
@add_driver_options
@click.option(
    "--suite", "suites", metavar="PATH", multiple=True, help="run this suite instead of the part's own; may repeat"
)
@click.option(
    "--tier", type=click.Choice(tiers.TIERS), default=tiers.DEFAULT, show_default=True, help="set the tier of the runs"
)
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="set the seed of the runs"
)
@click.option(
    "--json",
    "out",
    metavar="FILE",
    default="",
    help="write the measurements to a file; replace those of the same parts",
)
@click.argument("parts", metavar="[PART]...", nargs=-1, type=click.Choice(BENCHMARK_PARTS))
def benchmark(parts: tuple[str, ...], suites: tuple[str, ...], tier: str, seed: int, out: str, **named: Any) -> int:
    """Measure the suite itself on a driver, and report other load of the machine. Needs an otherwise idle machine.

    PARTs: reach (pairs of function and error code covered), cost (breakdown of the cost of one judged call), startup
    (time to the first verdict), smoke (the tier for every commit, also with a file of known deviations), chapters (a
    whole run), parallel (one process and two, and the size of the journal), growth (with the number of examples,
    devices and results), recording (overhead of recording for a program's calls, and speed of judging them; needs a C
    compiler). Default: all, about as long as six default runs.
    """
    from clconform.tools import benchmark

    return benchmark.run_benchmark(DriverOptions(**named), parts, suites, tier=tier, seed=seed, out=out)


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
    "--device", metavar="N", type=click.IntRange(0), default=None, help="test the root device with this index"
)
@json_option
@click.argument("result")
@click.argument("wanted", metavar="ID")
@click.argument("drivers", metavar="DRIVER...", nargs=-1)
def bisect(result: str, wanted: str, drivers: tuple[str, ...], **options: Any) -> int:
    """Find the first build that returns different results for the calls of a deviation.

    RESULT and ID are as for `clconform replay`; the DRIVERs are the builds' libraries, oldest first. Alternatively,
    COMMAND builds each revision into LIB; a revision that fails to build is skipped. The sequence is replayed on as few
    builds as needed, as in git bisect. A crash or a hang counts as a result.
    """
    from clconform.tools import bisect

    return bisect.bisect_builds(result, wanted, drivers, **options)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every verdict is unchanged or intended\n"
             f"   {exit_codes.DEVIATIONS}  some verdicts changed\nothers as for: clconform run")  # fmt: skip
@add_result_tables_option
@click.option("--intended", metavar="FILE", default="", help="accept the changes listed in this file (TOML)")
@click.option("--verbose", "-v", is_flag=True, help="list every kind of change, each with an example call")
@click.argument("journals", metavar="JOURNAL...", nargs=-1, required=True)
def rejudge(journals: tuple[str, ...], intended: str, verbose: bool) -> int:  # noqa: FBT001 (as above)
    """Judge the stored calls of a JOURNAL again, without a driver, and print changed verdicts.

    The run must have used clconform run --journal full. JOURNAL is a journal or its folder.
    """
    from clconform.tools import rejudge

    return rejudge.rejudge_journals(journals, intended, verbose=verbose)


@cli.command()
@click.argument("files", nargs=-1, required=True)
def migrate(files: tuple[str, ...]) -> int:
    """Convert results, journals, known deviations and suppressions from an earlier format to format 3.

    FILES are files or the folders of runs. Each original is kept next to the new file, as
    NAME.before-format-3. Files of format 3 do not change. Verdicts and ids of requirements and
    deviations do not change.
    """
    from clconform.tools import migrate

    return migrate.migrate_files(files)


@cli.command()
@click.argument("result", nargs=-1)
def interpretations(result: tuple[str, ...]) -> int:
    """List the interpretations of unspecified behaviour, and the behaviour of each RESULT's driver."""
    from clconform.tools import result_commands

    return result_commands.print_interpretations(result)


@cli.command()
@click.option("--not-covered", "left", is_flag=True, help="list the requirements that no result covers and that have "
              "no listed reason")  # fmt: skip
@click.option("--ids", is_flag=True, help="same as --not-covered, but print only ids")
@click.option("--section", "sections", metavar="S", multiple=True, help="restrict --not-covered to this section of "
              "the main document, or to this other document; may repeat")  # fmt: skip
@click.option("--exclude", "without", metavar="S", multiple=True, help="exclude this section or document from "
              "--not-covered; may repeat")  # fmt: skip
@click.option("--new-requirements", "new", is_flag=True, help="print a page with each requirement that the default "
              "tables lack")  # fmt: skip
@click.argument("results", metavar="RESULT...", nargs=-1, required=True)
def coverage(
    results: tuple[str, ...],
    sections: tuple[str, ...],
    without: tuple[str, ...],
    left: bool,  # noqa: FBT001 (as above)
    ids: bool,  # noqa: FBT001 (as above)
    new: bool,  # noqa: FBT001 (as above)
) -> int:
    """Join RESULTs: print, for each chapter, how many requirements drivers and simulated platforms cover.

    Every requirement without coverage either has a reason from the closed list of untestable requirements, or counts as
    not covered; the page counts and lists both. A RESULT is a result.json or the folder of a run; all must have been
    judged by the same tables.
    """
    from clconform.tools import coverage

    if new and (left or ids):
        raise click.UsageError("--new-requirements cannot be combined with --not-covered or --ids")
    return (
        coverage.print_new_requirements(results)
        if new
        else coverage.print_coverage(results, sections, without, not_covered=left, ids=ids)
    )


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  the runtime conforms to the rules\n"
             f"   {exit_codes.DEVIATIONS}  it violates them\nothers as for: clconform run")  # fmt: skip
@click.option(
    "--shipped-runtime",
    "later",
    is_flag=True,
    help="apply the rules of the shipped runtime, not only of the design note",
)
@click.argument("traces")
def linked(traces: str, later: bool) -> int:  # noqa: FBT001 (as above)
    """Judge recorded traces of a runtime with linked allocations: its accesses and the calls that serve them.

    TRACES is a journal or its folder, or a .json file with one trace in the journal's format: contexts, memory objects,
    the calls before the first object, and the calls that served each access.
    """
    from clconform.tools import linked as telling

    return telling.print_violations(traces, shipped_runtime=later)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no longer deviates\n"
             f"   {exit_codes.DEVIATIONS}  still deviates\nothers as for: clconform run")  # fmt: skip
@add_result_tables_option
@add_driver_options
@click.option("--gdb", is_flag=True, help="run under gdb and save the backtrace next to the result")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def replay(result: str, wanted: str, gdb: bool, **named: Any) -> int:  # noqa: FBT001 (as above)
    """Replay the minimised calls of a deviation in a new process and judge them again.

    RESULT is a result.json or its folder. ID is a deviation's id (or a prefix of it), its key, or a requirement that
    has exactly one deviation. The driver is the one named in the result, unless options name another.
    """
    from clconform.tools import replay

    return replay.replay_deviation(result, wanted, DriverOptions(**named), gdb=gdb)


@cli.command()
@add_result_tables_option
@click.option("--out", metavar="FILE", default="", help="write the program to this file [default: next to the result]")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def reproduce(result: str, wanted: str, out: str) -> int:
    """Write a deviation as a standalone C program and print how to build and run it."""
    from clconform.tools import result_commands

    return result_commands.write_program(result, wanted, out)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no mutant survives without an explanation\n"
             f"   {exit_codes.DEVIATIONS}  mutants survive; with --against: only if a dropped or negated predicate\n"
             "       was detected before and is no longer detected\nothers as for: clconform run")  # fmt: skip
@click.option("--section", "sections", metavar="N", multiple=True, help="mutate conditions of this section (5.2) or "
              "document (cl_...); may repeat")  # fmt: skip
@click.option("--requirement", "requirements", metavar="GLOB", multiple=True,
              help="mutate matching conditions, of all sections unless --section is given; may repeat")  # fmt: skip
@click.option("--simulated", metavar="TOPOLOGY", multiple=True, help="use this simulated platform; may repeat")
@click.option("--driver", metavar="LIB", default="", help="use the driver in this library, through a loader")
@click.option("--json", "out", metavar="FILE", default="", help="write the result of each mutant to a file")
@click.option("--against", metavar="FILE", default="", help="compare with this file of an earlier run, by requirement")
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
def mutate(tables: str, **chosen: Any) -> int:
    """Mutate the oracle's predicates one at a time and report the mutants that no run would detect.

    A mutant drops or negates a predicate, or changes one boundary, number or logical operator in its source. The judge
    uses the mutant; the driver, or the simulated platform in its own process, does not. By default the command uses the
    sections and topologies for which every mutant is known to be detected.
    """
    from clconform.tools import mutate, revision_option

    revision_option.select_tables(tables)
    return mutate.run_mutation(**chosen)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  each requirement has a detected violation\n"
             f"   {exit_codes.DEVIATIONS}  some requirements have none\nothers as for: clconform run")  # fmt: skip
@click.option("--simulated", metavar="TOPOLOGY", multiple=True, help="use this simulated platform; may repeat "
              "[default: everything]")  # fmt: skip
@click.option("--driver", metavar="LIB", default="", help="use the driver in this library, through a loader")
@click.option("--requirement", "requirements", metavar="GLOB", multiple=True,
              help="use only tests of matching requirements; may repeat")  # fmt: skip
@click.option("-n", "processes", metavar="N", default="2", show_default=True,
              callback=cli_verdict_commands.parse_workers, help="number of parallel processes")  # fmt: skip
@click.option("--json", "out", metavar="FILE", default="", help="write the results to this file; "
              "if it exists, continue from it")  # fmt: skip
@click.option("--all-tests", "every_item", is_flag=True, help="also use tests whose targets are all shown, for other "
              "requirements")  # fmt: skip
@click.option("--repeat", metavar="N", type=click.IntRange(1), help="repeat N violations of the file (by default, "
              "the committed one) on the driver instead")  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="set the seed of --repeat"
)
@click.option("--renew", is_flag=True, help="instead, repeat all violations of the file, search again for those not "
              "found")  # fmt: skip
def violate(**chosen: Any) -> int:
    """Alter outcomes of calls that test a requirement; report requirements without a detected violation.

    Each table-driven test runs unchanged. If one of its calls is evidence for a requirement, the outcome of this call
    is altered in many ways, each on a copy of the model, until the judge names the requirement in a deviation. --repeat
    alters outcomes between the session and the driver instead.
    """
    from clconform.tools import violate

    chosen["simulated"] = chosen["simulated"] or (() if chosen["driver"] or chosen["repeat"] else ("everything",))
    return violate.search_violations(**chosen)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every fault that has an effect was detected\n"
             f"   {exit_codes.DEVIATIONS}  faults survive\nothers as for: clconform run")  # fmt: skip
@add_driver_options
@click.option("--chapter", "chapters", metavar="N", multiple=True, help="use faults of this chapter (5.2, 4, cl_...)")
@click.option("--operator", "operators", metavar="O", multiple=True, help="use faults of this kind; may repeat")
@click.option(
    "--function", "functions", metavar="GLOB", multiple=True, help="use faults of matching functions; may repeat"
)
@click.option("--sample", metavar="N", type=click.IntRange(1), help="use a random sample of N faults")
@click.option("--run", "tries", metavar="N", type=click.IntRange(0), help="run N randomly chosen applicable faults; "
              "only count the rest")  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="set the seed of random choices"
)
@click.option("-n", "processes", metavar="N", default="2", show_default=True,
              callback=cli_verdict_commands.parse_workers, help="number of parallel processes")  # fmt: skip
@click.option("--targeted-tests", "own_items", is_flag=True,
              help="run only tests that target the fault's function: faster, but fewer faults show")  # fmt: skip
@click.option("--list", "list_only", is_flag=True, help="list the faults, do not inject them")
@click.option("--json", "out", metavar="FILE", default="", help="write the result of each fault to a file")
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
def inject(
    chapters: tuple[str, ...],
    operators: tuple[str, ...],
    functions: tuple[str, ...],
    sample: int | None,
    tries: int | None,
    seed: int,
    processes: int,
    list_only: bool,  # noqa: FBT001 (as above)
    own_items: bool,  # noqa: FBT001 (as above)
    out: str,
    tables: str,
    **named: Any,
) -> int:
    """Inject one fault at a time between the suites and a driver and report the faults that no test detects.

    The list of faults is generated from the default tables; other tables exclude faults in functions that they lack.
    Each fault is injected in the table-driven tests whose calls it affects, until a test reports a deviation that it
    does not report without the fault. A fault whose results also conform is equivalent. The default is all faults of
    the chapters that the suites cover.
    """
    from clconform.tools import inject, revision_option

    revision_option.select_tables(tables)
    faults = inject.select_faults(chapters, operators, functions, sample, seed)
    if list_only:
        return inject.print_faults(faults)
    tried = inject.InjectionOptions(faults, own_items=own_items, tries=tries, seed=seed)
    return inject.run_injection(DriverOptions(**named), tried, processes, out)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every change is explained\n"
             f"   {exit_codes.DEVIATIONS}  a change is not explained: an error of the suite\n"
             "others as for: clconform run")  # fmt: skip
@add_driver_options
@click.option(
    "--requirement",
    "requirements",
    metavar="GLOB",
    multiple=True,
    help="run only tests of matching requirements; may repeat",
)
@click.option("--journal", metavar="DIR", default="", help="send calls of this run (from clconform run --journal full)")
@click.option(
    "--alteration", "alterations", metavar="GLOB", multiple=True, help="apply only matching alterations; may repeat"
)
@click.option("--pool", metavar="N", type=click.IntRange(1), default=400, show_default=True,
              help="set the number of sequences to draw from")  # fmt: skip
@click.option("--sequences", metavar="N", type=click.IntRange(1), default=40, show_default=True,
              help="set the number of sequences sent under each alteration")  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="set the seed of random choices"
)
@click.option("--list", "list_only", is_flag=True, help="list the alterations that this driver allows")
def metamorphic(
    requirements: tuple[str, ...],
    journal: str,
    alterations: tuple[str, ...],
    pool: int,
    sequences: int,
    seed: int,
    list_only: bool,  # noqa: FBT001 (as above)
    **named: Any,
) -> int:
    """Alter the capabilities that a driver claims, and report changes of deviations that are not explained.

    The same sequences of calls are sent to the same driver with altered claims: extensions moved or hidden, lower
    versions, another profile, another order of devices; or with altered calls. The applicability conditions of the
    tables predict which deviations may change; any other change is an error of the suite.
    """
    from clconform.tools import metamorphic

    wanted = metamorphic.MetamorphicOptions(requirements, journal, alterations, pool, sequences, seed)
    return metamorphic.apply_alterations(DriverOptions(**named), wanted, list_only=list_only)


def main() -> None:
    """Run the command line."""
    raise_gc_threshold()
    cli.main()
