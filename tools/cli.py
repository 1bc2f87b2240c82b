"""The command line: ``clconform COMMAND``. Each command is a thin wrapper that imports what it needs when called."""

from __future__ import annotations

from typing import Any

import click

from clconform.harness.garbage import look_less_often
from clconform.runner.gate import exit_codes
from clconform.runner.pytest_plugin import tiers
from clconform.tools import cli_runs
from clconform.tools.errors import Commands
from clconform.tools.targets import Named, tables_of_results, tables_option, target_options

BENCHMARK_PARTS = ("reach", "cost", "startup", "smoke", "chapters", "parallel", "growth", "recording")
contents_option = click.option(
    "--contents", metavar="BYTES", type=click.IntRange(min=0), default=4096, show_default=True,
    help="record the content of transfers of up to so many bytes",
)  # fmt: skip
hashes_option = click.option(
    "--hashes", is_flag=True, help="also record whether host memory changes that a command may still read; that is slow"
)
json_option = click.option("--json", "as_json", is_flag=True, help="print JSON")


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="clconform", prog_name="clconform")
def cli() -> None:
    """Test an OpenCL driver against the specification and report deviations."""


for command in (cli_runs.run, cli_runs.merge, cli_runs.gate, cli_runs.known):
    cli.add_command(command)


@cli.command()
@click.option("--driver", metavar="LIB", default="", help="only this library, through the loader and directly")
@click.option("--simulated", metavar="TOPOLOGY", default="", help="only the simulated platform of this topology")
@click.option(
    "--verbose", "-v", is_flag=True, help="also list libraries and every query result of each platform and device"
)
@click.option("--faults", is_flag=True, help="list the faults that --fault plants in a simulated platform instead")
@tables_option("the tables of this revision, or in this folder, for queries and simulated platforms [default: 3.0.17]")
@json_option
def platforms(driver: str, simulated: str, verbose: bool, faults: bool, tables: str, as_json: bool) -> int:  # noqa: FBT001 (click passes them by name)
    """List the available platforms: installed, embedded and simulated.

    Query results of simulated platforms are printed only with --simulated. A source that fails is listed with its
    error; the exit code is 6 if no platform is available.
    """
    from clconform.tools import choosing
    from clconform.tools import platforms as listing

    choosing.choose(tables)
    if faults:
        return listing.show_faults(as_json=as_json)
    return listing.show(driver, simulated, verbose=verbose, as_json=as_json)


@cli.command()
@click.option("--kind", metavar="K", default="", help="only records of this kind (error-clause, query, ...)")
@click.option("--function", metavar="F", default="", help="only records of this function")
@click.option("--document", metavar="D", default="", help="only records of this document")
@click.option("--version", metavar="V", default="", help="only records that apply to this version (1.2, 3.0, ...)")
@click.option("--extension", metavar="E", default="", help="only records that this extension adds")
@click.option("--count", "count_only", is_flag=True, help="print only the number of records of each kind")
@click.option("--markdown", is_flag=True, help="print a page with each record's condition, by section")
@click.option("--sentences", is_flag=True, help="print a page with how the documents' sentences were sorted")
@click.option("--revision", is_flag=True, help="print a page with what --tables has beside the default tables")
@tables_option("the tables of this revision, or in this folder [default: 3.0.17]")
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
    """List the records of the spec tables whose id matches PATTERN, and count them by kind."""
    from clconform.tools import choosing
    from clconform.tools import tables as listing

    choosing.choose(tables)
    if sentences:
        return listing.show_sentences()
    if revision:
        return listing.show_revision()

    chosen = listing.Filters(**filters)
    return listing.show(chosen, as_json=as_json, count_only=count_only, markdown=markdown)


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option("-o", "--out", metavar="FILE", default="calls.clrec", show_default=True, help="the recording to write")
@contents_option
@hashes_option
@click.argument("program", nargs=-1, required=True, type=click.UNPROCESSED)
def record(
    out: str,
    contents: int,
    hashes: bool,  # noqa: FBT001 (as above)
    program: tuple[str, ...],
) -> int:
    """Run PROGRAM with its arguments and record its OpenCL calls, to be judged later: clconform record -- PROGRAM.

    The exit code is the program's.
    """
    from clconform.recording.launching import Wanted
    from clconform.tools.recording import record as recording

    return recording(out, program, Wanted(contents, hashes))


@cli.command(context_settings={"ignore_unknown_options": True, "allow_interspersed_args": False})
@click.option(
    "--out", metavar="DIR", default="", help="also write validation.html, validation.json and junit.xml there"
)
@click.option("--suppress", metavar="FILE", default="", help="a TOML file of findings that are not to be told")
@click.option(
    "--party", "parties", multiple=True, type=click.Choice(["program", "driver"]),
    help="whose findings decide the exit code; may repeat [default: both]",
)  # fmt: skip
@click.option("--notes", is_flag=True, help="also print advice, and queries for what is not supported")
@contents_option
@hashes_option
@json_option
@click.argument("given", metavar="RECORDING... | PROGRAM...", nargs=-1, required=True, type=click.UNPROCESSED)
def validate(given: tuple[str, ...], **wanted: Any) -> int:
    """Judge the OpenCL calls of a program, or of recordings, and say whose mistake each surprise is.

    With `clconform validate -- PROGRAM ...` the program is run first. The exit code is 13 if the program makes
    mistakes, else 10 if the driver deviates, else 0.
    """
    from clconform.tools import validating

    return validating.validate(given, validating.Wanted(**wanted))


@cli.command()
@click.option("--results", metavar="PATH", multiple=True, help="a result.json, a journal, or a folder with one; may "
              "repeat [default: clconform-out, if it exists]")  # fmt: skip
@tables_option("the tables of this revision, or in this folder [default: 3.0.17]")
@json_option
@click.argument("wanted", metavar="ID")
def explain(wanted: str, results: tuple[str, ...], tables: str, as_json: bool) -> int:  # noqa: FBT001 (as above)
    """Print all that is known about one record: requirement, rules, tests and latest results.

    ID is a record's id, as shown by reports and `clconform tables`. The name of a function, query or type lists its
    records. Source locations refer to the package and, in a checkout, to its tests.
    """
    from clconform.tools import choosing, explaining

    choosing.choose(tables)
    return explaining.explain(wanted, results, as_json=as_json)


@cli.command()
@click.option("--documents", metavar="DIR", required=True, help="the folder that holds the specification documents")
@click.option("--out", metavar="DIR", default="", help="write the tables here instead of into the package")
@click.option("--check", is_flag=True, help="write nothing; compare with the existing tables")
@click.option("--against", metavar="OLD", default="", help="write nothing; list what changed since OLD")
@click.option("--unsorted", metavar="FILE", default="", help="write the sentences that nobody has sorted, the reworded "
              "clauses, and the sentences left out, to FILE")  # fmt: skip
@click.option("--sorted", "decided", metavar="FILE", default="", help="first take the decisions in such a FILE")
@click.option("--force", is_flag=True, help="write the tables although something could not be parsed")
def extract(
    documents: str,
    out: str,
    check: bool,  # noqa: FBT001 (as above)
    against: str,
    unsorted: str,
    decided: str,
    force: bool,  # noqa: FBT001 (as above)
) -> int:
    """Read the specification documents into tables.

    Nothing is written if a sentence could not be parsed or sorted. Records that were added, removed, retired, reworded,
    moved to another section or given different gates are listed by id. OLD is a folder of older documents, or of tables
    from an earlier extraction.
    """
    from clconform.tools import extracting

    if against and (check or out):
        raise click.UsageError("--against cannot be combined with --out or --check")
    if (against or check) and (unsorted or decided or force):
        raise click.UsageError("--unsorted, --sorted and --force cannot be combined with --against or --check")
    if against:
        return extracting.compare(documents, against)
    if check:
        return extracting.check_tables(documents, out)
    return extracting.extract_tables(documents, out, force=force, unsorted=unsorted, decided=decided)


@cli.command()
@tables_of_results
@click.option("--out", metavar="DIR", default="", help="folder for the reports [default: the journal's folder; "
              "clconform-matrix for several journals]")  # fmt: skip
@click.option("--known", metavar="FILE", default="", help="known deviations (TOML) to show in the report")
@click.option("--faults", metavar="FILE", default="", help="results of `clconform inject --json` to show in the report")
@click.argument("results", metavar="JOURNAL...", nargs=-1, required=True)
def report(results: tuple[str, ...], out: str, **files: str) -> int:
    """Regenerate the reports of a JOURNAL, complete or not.

    Given several results, it writes a comparison matrix (requirements by platform), differences first, and which
    platforms share each deviation. Each may be a journal, a result.json, or a folder with one of them.

    The exit code is 0 even with --known; use clconform gate for a verdict.
    """
    from clconform.tools import results as rendering

    return rendering.report(results, out, **files)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no regressions\n"
             f"   {exit_codes.DEVIATIONS}  regressions\nothers as for: clconform run")  # fmt: skip
@json_option
@click.option("--markdown", "as_markdown", is_flag=True, help="print Markdown, for a CI job summary")
@click.argument("old")
@click.argument("new")
def compare(old: str, new: str, as_json: bool, as_markdown: bool) -> int:  # noqa: FBT001 (as above)
    """Compare two runs, or two versions of a driver: report what changed from OLD to NEW.

    OLD and NEW are a result.json, a journal, or a folder with one of them. A record that deviates in NEW but not
    in OLD is a regression, the reverse is a fix. Records not tested on one side are listed separately; they
    count as neither regressions nor fixes. Where both ran the same tests, those in which only NEW shows a
    deviation of both are named: there may be a second bug behind it.
    """
    from clconform.tools import comparing

    if as_json and as_markdown:
        raise click.UsageError("--json and --markdown cannot be combined")
    return comparing.compare(old, new, as_json=as_json, as_markdown=as_markdown)


@cli.command()
@target_options
@click.option(
    "--suite", "suites", metavar="PATH", multiple=True, help="run these suites instead of each part's own; may repeat"
)
@click.option(
    "--tier", type=click.Choice(tiers.TIERS), default=tiers.DEFAULT, show_default=True, help="tier of the runs"
)
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="seed of the runs")
@click.option("--json", "out", metavar="FILE", default="", help="also write the tables to a file")
@click.option(
    "--markdown",
    metavar="FILE",
    default="",
    help="also write them as Markdown, into their places if there is such a page",
)
@click.argument("parts", metavar="[PART]...", nargs=-1, type=click.Choice(BENCHMARK_PARTS))
def benchmark(
    parts: tuple[str, ...], suites: tuple[str, ...], tier: str, seed: int, out: str, markdown: str, **named: Any
) -> int:
    """Measure the suite itself on a driver, and say what the machine did besides. Needs an otherwise idle machine.

    PARTs: reach (pairs of function and error code provoked), cost (breakdown of the cost of one judged call), startup
    (time to the first verdict), smoke (the tier for every commit, also with a file of known deviations), chapters (a
    whole run), parallel (one process and two, and the size of the journal), growth (with the number of examples,
    devices and results), recording (what recording adds to a program's calls, and how fast they are judged; needs a C
    compiler). Default: all, which takes about as long as six default runs.
    """
    from clconform.tools import benching

    return benching.benchmark(Named(**named), parts, suites, tier=tier, seed=seed, out=out, markdown=markdown)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  found: one build, or several adjacent candidates\n"
             f"    {exit_codes.BAD_USAGE}  bad usage, or the first and last build answer alike\n"
             f"    {exit_codes.NO_SUCH_PLATFORM}  fewer than two builds can be tested")  # fmt: skip
@click.option(
    "--build",
    metavar="COMMAND",
    default="",
    help="command that builds a revision; {} is replaced by the revision (no shell)",
)
@click.option("--revisions", metavar="R", default="", help="1..16, or a file with one revision per line, oldest first")
@click.option("--driver", metavar="LIB", default="", help="the library that COMMAND produces")
@click.option("--direct", is_flag=True, help="bypass the ICD loader; call through the driver's dispatch table")
@click.option("--device", metavar="N", type=click.IntRange(0), default=None, help="root device by index, from 0")
@json_option
@click.argument("result")
@click.argument("wanted", metavar="ID")
@click.argument("drivers", metavar="DRIVER...", nargs=-1)
def bisect(result: str, wanted: str, drivers: tuple[str, ...], **options: Any) -> int:
    """Find the first build that answers the calls of a deviation differently.

    RESULT and ID are as for `clconform replay`; the DRIVERs are the builds' libraries, oldest first. Instead,
    COMMAND can build each revision into LIB; a revision that fails to build is skipped. The sequence is replayed
    on as few builds as needed, like git bisect. A crash or a hang counts as an answer.
    """
    from clconform.tools import bisecting

    return bisecting.bisect(result, wanted, drivers, **options)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every verdict is unchanged or intended\n"
             f"   {exit_codes.DEVIATIONS}  some verdicts changed\nothers as for: clconform run")  # fmt: skip
@tables_of_results
@click.option("--intended", metavar="FILE", default="", help="intended changes (TOML), by records")
@click.option("--verbose", "-v", is_flag=True, help="list every kind of change, each with an example call")
@click.argument("journals", metavar="JOURNAL...", nargs=-1, required=True)
def rejudge(journals: tuple[str, ...], intended: str, verbose: bool) -> int:  # noqa: FBT001 (as above)
    """Judge the stored calls of a JOURNAL again, without a driver, and print changed verdicts.

    The run must have used clconform run --journal full. JOURNAL is a journal or its folder.
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
    """List what the documents leave open, how it is interpreted, and what the driver of each RESULT does."""
    from clconform.tools import results

    return results.register(result)


@cli.command()
@click.option("--left", is_flag=True, help="list the records that no result puts to the test, without a listed reason")
@click.option("--ids", is_flag=True, help="as --left, ids only")
@click.option("--section", "sections", metavar="S", multiple=True, help="--left: only in this section of the main "
              "document, or in this other document; may repeat")  # fmt: skip
@click.option("--without", metavar="S", multiple=True, help="--left: leave out this section or document; may repeat")
@click.option("--new", is_flag=True, help="instead, a page of each record that the default tables lack")
@click.argument("results", metavar="RESULT...", nargs=-1, required=True)
def coverage(
    results: tuple[str, ...],
    sections: tuple[str, ...],
    without: tuple[str, ...],
    left: bool,  # noqa: FBT001 (as above)
    ids: bool,  # noqa: FBT001 (as above)
    new: bool,  # noqa: FBT001 (as above)
) -> int:
    """Join RESULTs: print, for each chapter, how many records drivers and simulated platforms put to the test.

    The rest have a reason from the closed list why no call can, or are left; the page counts and lists them. A RESULT
    is a result.json or the folder of a run; all must be judged by the same tables.
    """
    from clconform.tools import covering

    if new and (left or ids):
        raise click.UsageError("--new is a page of its own: leave out --left and --ids")
    return covering.newer(results) if new else covering.coverage(results, sections, without, left=left, ids=ids)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  the runtime follows the rules\n"
             f"   {exit_codes.DEVIATIONS}  it violates them\nothers as for: clconform run")  # fmt: skip
@click.option("--later", is_flag=True, help="apply the shipped runtime's behaviour, not only the design note")
@click.argument("traces")
def linked(traces: str, later: bool) -> int:  # noqa: FBT001 (as above)
    """Judge recorded traces of a runtime with linked allocations: its accesses and the calls made for each.

    TRACES is a journal or its folder, or a .json file with one trace in the journal's format: contexts, memory
    objects, the calls before the first object, and the calls that served each access.
    """
    from clconform.tools import traces as telling

    return telling.show(traces, later=later)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no longer deviates\n"
             f"   {exit_codes.DEVIATIONS}  still deviates\nothers as for: clconform run")  # fmt: skip
@tables_of_results
@target_options
@click.option("--gdb", is_flag=True, help="run under gdb and save the backtrace next to the result")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def replay(result: str, wanted: str, gdb: bool, **named: Any) -> int:  # noqa: FBT001 (as above)
    """Replay the minimised calls of a deviation in a fresh process and judge them again.

    RESULT is a result.json or its folder; ID a deviation's id (or a prefix of it), its key, or a record that has
    exactly one deviation. The driver is the one named in the result, unless options name another.
    """
    from clconform.tools import replaying

    return replaying.replay(result, wanted, Named(**named), gdb=gdb)


@cli.command()
@tables_of_results
@click.option("--out", metavar="FILE", default="", help="the C file [default: next to the result]")
@click.argument("result")
@click.argument("wanted", metavar="ID")
def reproduce(result: str, wanted: str, out: str) -> int:
    """Write a deviation as a standalone C program and print how to build and run it."""
    from clconform.tools import results

    return results.reproduce(result, wanted, out)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  no mutant survives without an explanation\n"
             f"   {exit_codes.DEVIATIONS}  mutants survive; with --against: only if a dropped or negated predicate\n"
             "       was noticed before and is not now\nothers as for: clconform run")  # fmt: skip
@click.option("--section", "sections", metavar="N", multiple=True, help="only clauses of this section (5.2) or "
              "document (cl_...); may repeat")  # fmt: skip
@click.option("--record", "records", metavar="GLOB", multiple=True, help="only clauses that match, of all sections "
              "where none is given; may repeat")  # fmt: skip
@click.option("--simulated", metavar="TOPOLOGY", multiple=True, help="use this simulated platform; may repeat")
@click.option("--driver", metavar="LIB", default="", help="use the driver in this library, through a loader")
@click.option("--json", "out", metavar="FILE", default="", help="write the result of each mutant to a file")
@click.option("--against", metavar="FILE", default="", help="compare with the file of an earlier run, by record")
@tables_option("the tables of this revision, or in this folder [default: 3.0.17]")
def mutate(tables: str, **chosen: Any) -> int:
    """Mutate the oracle's predicates one at a time and report which mutants no run would notice.

    A predicate is dropped or negated, or one boundary, number or junction in its source is changed. The judge uses the
    mutant; the driver, or the simulated platform in its own process, does not. The default is the sections and
    topologies for which all mutants are known to be noticed.
    """
    from clconform.tools import choosing, mutating

    choosing.choose(tables)
    return mutating.mutate(**chosen)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  a violation of each record is found and named\n"
             f"   {exit_codes.DEVIATIONS}  of some records none is\nothers as for: clconform run")  # fmt: skip
@click.option("--simulated", metavar="TOPOLOGY", multiple=True, help="use this simulated platform; may repeat "
              "[default: everything]")  # fmt: skip
@click.option("--driver", metavar="LIB", default="", help="use the driver in this library, through a loader")
@click.option("--record", "records", metavar="GLOB", multiple=True, help="only tests that aim at matching records; may "
              "repeat")  # fmt: skip
@click.option("-n", "processes", metavar="N", default="2", show_default=True, callback=cli_runs.workers,
              help="number of parallel processes")  # fmt: skip
@click.option("--json", "out", metavar="FILE", default="", help="write what is found to a file; what it holds is kept, "
              "and a command that was stopped goes on")  # fmt: skip
@click.option("--every-item", is_flag=True, help="also tests that aim only at records that are shown: what they test "
              "beside")  # fmt: skip
@click.option("--again", metavar="N", type=click.IntRange(1), help="instead, make N violations of the file, by default "
              "of the committed one, once more")  # fmt: skip
@click.option(
    "--seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="seed of --again's draw"
)
@click.option("--renew", is_flag=True, help="instead, repeat all violations of the file, search again for those not "
              "found")  # fmt: skip
def violate(**chosen: Any) -> int:
    """Alter outcomes of calls that test a record and report the records of which no violation is found and named.

    Each table-driven test is run as it is. Where one of its calls is evidence for a record, the outcome of this call is
    altered in many ways, each on a copy of the model, until the judge names the record in a deviation. --again alters
    outcomes in truth, between the session and its driver.
    """
    from clconform.tools import violating

    chosen["simulated"] = chosen["simulated"] or (() if chosen["driver"] or chosen["again"] else ("everything",))
    return violating.violate(**chosen)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every fault that has an effect was found\n"
             f"   {exit_codes.DEVIATIONS}  faults survive\nothers as for: clconform run")  # fmt: skip
@target_options
@click.option("--chapter", "chapters", metavar="N", multiple=True, help="faults of this chapter (5.2, 4, cl_...)")
@click.option("--operator", "operators", metavar="O", multiple=True, help="faults of this kind; may repeat")
@click.option("--function", "functions", metavar="GLOB", multiple=True, help="faults of matching functions; may repeat")
@click.option("--sample", metavar="N", type=click.IntRange(1), help="try a random sample of N faults")
@click.option("--tries", metavar="N", type=click.IntRange(0), help="try N of the faults that affect calls, drawn at "
              "random, and say of the others only that they do")  # fmt: skip
@click.option("--seed", metavar="N", type=click.IntRange(0), default=0, show_default=True, help="seed of what is drawn")
@click.option("-n", "processes", metavar="N", default="2", show_default=True, callback=cli_runs.workers,
              help="number of parallel processes")  # fmt: skip
@click.option("--own-items", is_flag=True, help="only tests that target the faults' functions: much faster, and fewer "
              "faults have an effect")  # fmt: skip
@click.option("--list", "list_only", is_flag=True, help="list the faults without trying them")
@click.option("--json", "out", metavar="FILE", default="", help="write the result of each fault to a file")
@tables_option("the tables of this revision, or in this folder [default: 3.0.17]")
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
    """Inject one fault at a time between the suites and a driver and report which faults no test notices.

    The list of faults is generated from the default tables alone; other tables leave out those of functions that they
    lack. A fault is tried in the table-driven tests whose calls it affects, until one reports a deviation that it does
    not report without the fault. Faults whose answers conform as well are equivalent. The default is all faults of the
    chapters that the suites cover.
    """
    from clconform.tools import choosing, injecting

    choosing.choose(tables)
    faults = injecting.chosen(chapters, operators, functions, sample, seed)
    if list_only:
        return injecting.listed(faults)
    tried = injecting.Tried(faults, own_items=own_items, tries=tries, seed=seed)
    return injecting.inject(Named(**named), tried, processes, out)


@cli.command(epilog=f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  every change is explained\n"
             f"   {exit_codes.DEVIATIONS}  a change is not explained: the suite is wrong\n"
             "others as for: clconform run")  # fmt: skip
@target_options
@click.option("--record", "records", metavar="GLOB", multiple=True, help="only tests of records that match; may repeat")
@click.option("--journal", metavar="DIR", default="", help="send calls of this run (clconform run --journal full)")
@click.option("--alteration", "alterations", metavar="GLOB", multiple=True, help="only these alterations; may repeat")
@click.option("--pool", metavar="N", type=click.IntRange(1), default=400, show_default=True,
              help="number of sequences to draw from")  # fmt: skip
@click.option("--sequences", metavar="N", type=click.IntRange(1), default=40, show_default=True,
              help="number of sequences to send under each alteration")  # fmt: skip
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="seed of what is drawn")
@click.option("--list", "list_only", is_flag=True, help="list the alterations that this driver allows")
def metamorphic(
    records: tuple[str, ...],
    journal: str,
    alterations: tuple[str, ...],
    pool: int,
    sequences: int,
    seed: int,
    list_only: bool,  # noqa: FBT001 (as above)
    **named: Any,
) -> int:
    """Alter what a driver claims, and report changes of deviations that no gate explains.

    The same sequences of calls are sent to the same driver while extensions are moved or hidden, versions lowered, the
    profile changed and devices listed otherwise, or while the calls themselves are altered. What may change follows
    from the gates of the tables; any other change is an error of the suite.
    """
    from clconform.tools import altering

    wanted = altering.Wanted(records, journal, alterations, pool, sequences, seed)
    return altering.alter(Named(**named), wanted, list_only=list_only)


def main() -> None:
    """Run the command line."""
    look_less_often()
    cli.main()
