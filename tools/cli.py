"""The command line: ``clconform COMMAND``. Each command is thin, and imports what it needs when it is called."""

from __future__ import annotations

from typing import Any

import click

from clconform.runner.gate import exit_codes
from clconform.tools import cli_runs
from clconform.tools.errors import Commands
from clconform.tools.targets import Named, target_options

BENCH_PARTS = ("reach", "cost", "startup", "chapters", "parallel", "growth")
json_option = click.option("--json", "as_json", is_flag=True, help="as JSON")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="clconform", prog_name="clconform")
def cli() -> None:
    """Test an OpenCL driver against the specification, and tell what deviates."""


for command in (cli_runs.run, cli_runs.merge, cli_runs.gate, cli_runs.known):
    cli.add_command(command)


@cli.command()
@click.option("--driver", metavar="LIB", default="", help="only this library, through the loader and past it")
@click.option("--simulated", metavar="TOPOLOGY", default="", help="only the simulated platform of this topology")
@click.option("--verbose", "-v", is_flag=True, help="libraries, and every answer of each platform and device too")
@json_option
def platforms(driver: str, simulated: str, verbose: bool, as_json: bool) -> int:  # noqa: FBT001 (click passes them by name)
    """List the platforms that are there: installed, embedded and simulated.

    What simulated ones answer is printed only where one is named. A source that fails is listed with its error; the
    exit code is 6 where none answers.
    """
    from clconform.tools import platforms as listing

    return listing.show(driver, simulated, verbose=verbose, as_json=as_json)


@cli.command()
@click.option("--kind", metavar="K", default="", help="only records of this kind (error-clause, query, ...)")
@click.option("--function", metavar="F", default="", help="only records of this function")
@click.option("--document", metavar="D", default="", help="only records of this document")
@click.option("--version", metavar="V", default="", help="only records that hold on this version (1.2, 3.0, ...)")
@click.option("--extension", metavar="E", default="", help="only records that this extension brings")
@click.option("--count", "count_only", is_flag=True, help="only the numbers, by kind")
@click.option("--markdown", is_flag=True, help="a page with each record's condition, by section")
@json_option
@click.argument("pattern", default="*")
def tables(as_json: bool, count_only: bool, markdown: bool, **filters: str) -> int:  # noqa: FBT001 (as above)
    """List the records of the spec tables whose id matches PATTERN, and count them by kind."""
    from clconform.tools import tables as listing

    chosen = listing.Filters(**filters)
    return listing.show(chosen, as_json=as_json, count_only=count_only, markdown=markdown)


@cli.command()
@click.option("--results", metavar="PATH", multiple=True, help="a result.json, a journal, or a folder with one; may "
              "repeat [default: clconform-out, where it is there]")  # fmt: skip
@json_option
@click.argument("wanted", metavar="ID")
def explain(wanted: str, results: tuple[str, ...], as_json: bool) -> int:  # noqa: FBT001 (as above)
    """Say all that is known about one record: what it requires, how it is judged and tried, and what came of it.

    ID is a record's id, as reports and `clconform tables` have it. The name of a function, a query or a type lists
    the records of that name. Files and lines are those of the package and, in a checkout, of its tests.
    """
    from clconform.tools import explaining

    return explaining.explain(wanted, results, as_json=as_json)


@cli.command()
@click.option("--documents", metavar="DIR", required=True, help="the folder that holds the specification documents")
@click.option("--out", metavar="DIR", default="", help="write the tables here, not into the package's own folder")
@click.option("--check", is_flag=True, help="write nothing; compare with the tables that are there")
@click.option("--against", metavar="OLD", default="", help="write nothing; tell what the documents change against OLD")
def extract(documents: str, out: str, check: bool, against: str) -> int:  # noqa: FBT001 (as above)
    """Read the specification documents into tables.

    OLD is a folder of older documents, or of tables that an older extraction wrote. What was added, removed,
    reworded, moved to another section or put under other gates is listed by the ids of its records.
    """
    from clconform.tools import extracting

    if against and (check or out):
        raise click.UsageError("--against writes nothing and checks nothing; leave --out and --check away")
    if against:
        return extracting.compare(documents, against)
    return extracting.extract_tables(documents, out, check_only=check)


@cli.command()
@click.option("--out", metavar="DIR", default="", help="folder for the reports; the journal's own where not given, "
              "clconform-matrix for several")  # fmt: skip
@click.option("--known", metavar="FILE", default="", help="show what these known deviations (TOML) say")
@click.option("--faults", metavar="FILE", default="", help="show what `clconform inject --json` has written")
@click.argument("results", metavar="JOURNAL...", nargs=-1, required=True)
def report(results: tuple[str, ...], out: str, **files: str) -> int:
    """Write the reports of a JOURNAL again, also of one that was cut short.

    Given several results, it writes a comparison matrix (requirements by platform), differences first, and which
    platforms share each deviation. Each may be a journal, a result.json, or a folder with one of them.

    It does not judge: its exit code is 0, also with --known (clconform gate gives the verdict).
    """
    from clconform.tools import results as rendering

    return rendering.report(results, out, **files)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  nothing became worse\n"
             f"   {exit_codes.DEVIATIONS}  regressions\nothers as for: clconform run")  # fmt: skip
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="as Markdown, for a CI job's page")
@click.argument("old")
@click.argument("new")
def compare(old: str, new: str, as_json: bool, as_markdown: bool) -> int:  # noqa: FBT001 (as above)
    """Tell what changed from OLD to NEW: two runs, or two versions of a driver.

    OLD and NEW are a result.json, a journal, or a folder with one of them. A record that deviates now and did not
    before is a regression, one that conforms again a fix. Records not tested on one side are listed separately; they
    count as neither regressions nor fixes.
    """
    from clconform.tools import comparing

    if as_json and as_markdown:
        raise click.UsageError("--json and --markdown are two forms of the same; give one of them")
    return comparing.compare(old, new, as_json=as_json, as_markdown=as_markdown)


@cli.command()
@target_options
@click.option("--suite", "suites", metavar="PATH", multiple=True, help="in place of each part's own suites; may repeat")
@click.option("--tier", type=click.Choice(cli_runs.TIERS), default="default", show_default=True, help="of the runs")
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="the runs' seed")
@click.option("--json", "out", metavar="FILE", default="", help="write the tables into a file, too")
@click.argument("parts", metavar="[PART]...", nargs=-1, type=click.Choice(BENCH_PARTS))
def bench(parts: tuple[str, ...], suites: tuple[str, ...], tier: str, seed: int, out: str, **named: Any) -> int:
    """Measure the suite itself on a driver; takes minutes, and wants a quiet machine.

    PARTs: reach (pairs of a function and an error code that come back), cost (of a judged call, split), startup (to
    the first verdict), chapters (a whole run), parallel (one process and two), growth (of examples, devices and
    results); all where none is named.
    """
    from clconform.tools import benching

    return benching.bench(Named(**named), parts, suites, tier=tier, seed=seed, out=out)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  found: one build, or several in a row\n"
             f"    {exit_codes.BAD_USAGE}  bad usage, or the ends answer alike\n"
             f"    {exit_codes.NO_SUCH_PLATFORM}  no two builds can be tested")  # fmt: skip
@click.option("--build", metavar="COMMAND", default="", help="builds a revision, which stands where {} is; no shell")
@click.option("--revisions", metavar="R", default="", help="1..16, or a file with one on each line, oldest first")
@click.option("--driver", metavar="LIB", default="", help="the library that COMMAND leaves behind")
@click.option("--direct", is_flag=True, help="past the loader, by the driver's dispatch table")
@click.option("--device", metavar="N", type=click.IntRange(0), default=None, help="which root device, from 0")
@json_option
@click.argument("result")
@click.argument("wanted", metavar="ID")
@click.argument("drivers", metavar="DRIVER...", nargs=-1)
def bisect(result: str, wanted: str, drivers: tuple[str, ...], **options: Any) -> int:
    """Find the first of many builds on which the calls of a deviation are answered otherwise.

    RESULT and ID are those of `clconform replay`; the DRIVERs are the libraries of the builds, from old to new. In
    their place, COMMAND may build each revision into LIB; where it fails, the build is passed over. The sequence is
    replayed on few of the builds, as by git bisect. A crash, and no answer at all, are answers, too.
    """
    from clconform.tools import bisecting

    return bisecting.bisect(result, wanted, drivers, **options)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every call is judged as before, or as intended\n"
             f"   {exit_codes.DEVIATIONS}  some are judged otherwise\nothers as for: clconform run")  # fmt: skip
@click.option("--intended", metavar="FILE", default="", help="changes that are meant (TOML), by records")
@click.option("--verbose", "-v", is_flag=True, help="every kind of change, each with a call")
@click.argument("journals", metavar="JOURNAL...", nargs=-1, required=True)
def rejudge(journals: tuple[str, ...], intended: str, verbose: bool) -> int:  # noqa: FBT001 (as above)
    """Judge the stored calls of a JOURNAL again, without a driver, and print where the verdict differs.

    The run must have kept every call: clconform run --journal full. JOURNAL is a journal or its folder.
    """
    from clconform.tools import rejudging

    return rejudging.rejudge(journals, intended, verbose=verbose)


@cli.command()
@click.argument("files", nargs=-1, required=True)
def migrate(files: tuple[str, ...]) -> int:
    """Rewrite results, journals and files of known deviations of format 1 in the names of format 2.

    FILES are files or the folders of runs. Each original is kept beside the rewritten file, as NAME.format-1; a file
    of format 2 stays as it is. Verdicts and ids do not change.
    """
    from clconform.tools import migrating

    return migrating.migrate(files)


@cli.command()
@click.argument("result", nargs=-1)
def register(result: tuple[str, ...]) -> int:
    """Print what the documents leave open and how we read it, with what the driver of each RESULT does."""
    from clconform.tools import results

    return results.register(result)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  the runtime kept to its rules\n"
             f"   {exit_codes.DEVIATIONS}  it left them\nothers as for: clconform run")  # fmt: skip
@click.option("--later", is_flag=True, help="apply the shipped runtime's behaviour, not only the design note")
@click.argument("traces")
def linked(traces: str, later: bool) -> int:  # noqa: FBT001 (as above)
    """Judge what a runtime did that links allocations: its accesses, and the calls that it made for each.

    TRACES is a journal or its folder, or a .json file with one trace: contexts, memory objects, the calls before
    the first object, and the calls that served each access, in the form in which a journal holds them.
    """
    from clconform.tools import traces as telling

    return telling.show(traces, later=later)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  it does not deviate any more\n"
             f"   {exit_codes.DEVIATIONS}  it still deviates\nothers as for: clconform run")  # fmt: skip
@target_options
@click.option("--gdb", is_flag=True, help="under gdb, keeping the backtrace in a file beside the result")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def replay(result: str, wanted: str, gdb: bool, **named: Any) -> int:  # noqa: FBT001 (as above)
    """Make the shortest calls of a deviation again, in a fresh process, and judge them again.

    RESULT is a result.json or its folder; ID a deviation's id (its beginning will do), its key, or a record that has
    one deviation. The driver is the one that the result names, unless options name another.
    """
    from clconform.tools import replaying

    return replaying.replay(result, wanted, Named(**named), gdb=gdb)


@cli.command()
@click.option("--out", metavar="FILE", default="", help="the C file; beside the result where not given")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def reproduce(result: str, wanted: str, out: str) -> int:
    """Write a deviation as a C program that needs nothing of ours, and say how to build and run it."""
    from clconform.tools import results

    return results.reproduce(result, wanted, out)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  none survives without an explanation\n"
             f"   {exit_codes.DEVIATIONS}  mutants survive; with --against: only where a predicate was noticed\n"
             "       that was dropped or negated, and is not now\nothers as for: clconform run")  # fmt: skip
@click.option("--section", "sections", metavar="N", multiple=True, help="clauses of this section (5.2) or document "
              "(cl_...); may repeat")  # fmt: skip
@click.option("--record", "records", metavar="GLOB", multiple=True, help="only clauses of this pattern; may repeat")
@click.option("--simulated", metavar="TOPOLOGY", multiple=True, help="on this simulated platform; may repeat")
@click.option("--driver", metavar="LIB", default="", help="on one driver by its library, through a loader")
@click.option("--json", "out", metavar="FILE", default="", help="write what became of each mutant into a file")
@click.option("--against", metavar="FILE", default="", help="compare with what an earlier run has written, by records")
def mutate(**chosen: Any) -> int:
    """Change the oracle's predicates, one at a time and a little, and tell which changes no run would notice.

    A predicate is dropped, negated, or one boundary, number or junction in its source is changed. The judge asks the
    mutant; the driver, or the simulated platform in its own process, knows nothing of it. Without options the
    sections and topologies are tried for which all mutants are known to be noticed.
    """
    from clconform.tools import mutating

    return mutating.mutate(**chosen)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every fault was found that changes anything\n"
             f"   {exit_codes.DEVIATIONS}  faults survive\nothers as for: clconform run")  # fmt: skip
@target_options
@click.option("--chapter", "chapters", metavar="N", multiple=True, help="faults of this chapter (5.2, 4, cl_...)")
@click.option("--operator", "operators", metavar="O", multiple=True, help="faults of this kind; may repeat")
@click.option("--function", "functions", metavar="GLOB", multiple=True, help="faults of such functions; may repeat")
@click.option("--sample", metavar="N", type=click.IntRange(1), help="only N of them, drawn by the seed")
@click.option("--seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="the seed of a sample")
@click.option("-n", "processes", metavar="N", type=click.IntRange(1), default=2, show_default=True,
              help="processes that try faults at once")  # fmt: skip
@click.option("--list", "list_only", is_flag=True, help="print the faults, and try none")
@click.option("--json", "out", metavar="FILE", default="", help="write what became of each fault into a file")
def inject(
    chapters: tuple[str, ...],
    operators: tuple[str, ...],
    functions: tuple[str, ...],
    sample: int | None,
    seed: int,
    processes: int,
    list_only: bool,  # noqa: FBT001 (as above)
    out: str,
    **named: Any,
) -> int:
    """Put one fault at a time between the suites and a driver, and tell which faults no item notices.

    The list of faults is generated from the tables alone. A fault is tried in the table-driven items whose calls it
    shows in, until one deviates as it does not without the fault. What the judge itself calls as right as before is
    equivalent. Without options all faults of the chapters are tried that the suites cover.
    """
    from clconform.tools import injecting

    faults = injecting.chosen(chapters, operators, functions, sample, seed)
    return injecting.listed(faults) if list_only else injecting.inject(Named(**named), faults, processes, out)


def main() -> None:
    """Run the command line."""
    cli.main()
