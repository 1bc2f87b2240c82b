"""The commands ``clconform dev COMMAND``; each command only imports and calls its implementation."""

from __future__ import annotations

from typing import Any

import click

from clconform.calls import exit_codes
from clconform.runner.pytest_plugin import tiers
from clconform.tools.cli_verdict_commands import parse_workers
from clconform.tools.driver_options import DriverOptions, add_driver_options, add_result_tables_option, tables_option
from clconform.tools.errors import CommandGroup

BENCHMARK_PARTS = (
    "reach",
    "cost",
    "startup",
    "smoke",
    "chapters",
    "parallel",
    "growth",
    "recording",
    "pending",
    "round-trips",
    "revisions",
)
INPUT_KINDS = (
    *("journal", "packed-journal", "calls", "result", "sequences", "known", "intended", "faults"),
    *("old-journal", "old-result", "answers", "requests", "recording"),
)
PAGES = ("commands", "conditions", "revision", "sentences")


dev = CommandGroup("dev")


def _exit_code_lines(as_expected: str, deviations: str) -> str:
    return (
        f"\b\nExit codes:\n    {exit_codes.AS_EXPECTED}  {as_expected}\n   {exit_codes.DEVIATIONS}  {deviations}\n"
        "others as for: clconform run"
    )


@dev.command(epilog=_exit_code_lines("no follow-up deviation", "some follow-up deviations"))
@click.option("--simulated", "topology", metavar="TOPOLOGY", default="everything", show_default=True,
              help="use this simulated platform")  # fmt: skip
@click.option("--function", "patterns", metavar="GLOB", multiple=True, help="run only matching functions; may repeat")
@click.option("--fail", "way", flag_value="fails", help="perform valid calls, but return an error that the "
              "tables do not list")  # fmt: skip
@click.option("--lack", "way", flag_value="lacks", help="perform valid calls, but return an out-of-resources error, "
              "if the function has one")  # fmt: skip
@click.option("--accept", "way", flag_value="accepts", default="accepts", help="accept calls that must fail "
              "(default)")  # fmt: skip
@click.option("--uses", "way", flag_value="uses", help="accept every invalid call, and search for later uses of such "
              "calls")  # fmt: skip
def attribution(topology: str, patterns: tuple[str, ...], way: Any) -> int:
    """Search for follow-up deviations after a driver error.

    One function of a simulated platform at a time returns unexpected results. A deviation of the function's own result
    is expected. Later deviations are false alarms, because the state after such a call is unspecified; the command
    prints them. With --uses, all functions accept invalid calls, and a later call that uses an object or a state of
    such a call is an error of the suites.
    """
    from clconform.tools.dev import attribution

    if way == "uses":
        return attribution.search_accepted_uses(topology, patterns)
    return attribution.search_follow_up_deviations(topology, patterns, way)


@dev.command()
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
    "--folder", metavar="DIR", default="", help="write each measurement to PART.json in this folder, and replace it"
)
@click.option(
    "--other-python",
    metavar="FILE",
    default="",
    help="compare with the revision that is installed for this Python interpreter (part: revisions)",
)
@click.argument("parts", metavar="[PART]...", nargs=-1, type=click.Choice(BENCHMARK_PARTS))
def benchmark(
    parts: tuple[str, ...], suites: tuple[str, ...], tier: str, seed: int, folder: str, other_python: str, **named: Any
) -> int:
    """Measure the suite itself on a driver.

    The command also reports other load of the machine, and needs an otherwise idle machine.

    PARTs: reach (pairs of function and error code covered), cost (breakdown of the cost of one judged call), startup
    (time to the first verdict), smoke (the tier for every commit, also with a file of known deviations), chapters (a
    whole run), parallel (one process and more, and the size of the journal), growth (with the number of examples,
    devices and results), recording (overhead of recording a program's calls and of judging them live, and speed of
    judging), pending (start of validate, and time and memory for judging pending commands), round-trips (the way to the
    driver's process and back), revisions (runs of this revision and of another one in turn). Parts that record programs
    need a C compiler. Default: all, about as long as six default runs.
    """
    from clconform.tools.dev import benchmark

    return benchmark.run_benchmark(
        DriverOptions(**named), parts, suites, tier=tier, seed=seed, folder=folder, other_python=other_python
    )


@dev.command()
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
    """Count the requirements that several results cover together.

    The command joins RESULTs, and prints for each chapter how many requirements drivers and simulated platforms cover.
    Every requirement without coverage either has a reason from the closed list of untestable requirements, or counts as
    not covered; the page counts and lists both. A RESULT is a result.json or the folder of a run; all must have been
    judged by the same tables.
    """
    from clconform.tools.dev import coverage

    if new and (left or ids):
        raise click.UsageError("--new-requirements cannot be combined with --not-covered or --ids")
    return (
        coverage.print_new_requirements(results)
        if new
        else coverage.print_coverage(results, sections, without, not_covered=left, ids=ids)
    )


@dev.command()
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
    from clconform.tools.dev import extract_command

    if against and (check or out):
        raise click.UsageError("--against cannot be combined with --out or --check")
    if (against or check) and (unsorted or decided or force):
        raise click.UsageError("--unclassified, --classified and --force cannot be combined with --against or --check")
    if against:
        return extract_command.compare_documents(documents, against)
    if check:
        return extract_command.check_tables(documents, out)
    return extract_command.extract_tables(documents, out, force=force, unclassified=unsorted, classified=decided)


@dev.command(epilog=_exit_code_lines("no false alarm", "some false alarms"))
@click.option("--simulated", "topologies", metavar="TOPOLOGY", multiple=True,
              help="use this simulated platform; may repeat [default: all]")  # fmt: skip
@click.option("--seeds", metavar="N", type=click.IntRange(1), default=1, show_default=True,
              help="set the number of seeds per platform")  # fmt: skip
@click.option("--first-seed", metavar="N", type=click.IntRange(0), default=0, show_default=True,
              help="set the first seed")  # fmt: skip
@click.option("--suite", "parts", metavar="PART", multiple=True,
              help="run only items whose id contains PART; may repeat")  # fmt: skip
@click.option("--seconds", metavar="S", type=click.FloatRange(0), default=float("inf"),
              help="start no item after S seconds")  # fmt: skip
def false_alarms(
    topologies: tuple[str, ...], seeds: int, first_seed: int, parts: tuple[str, ...], seconds: float
) -> int:
    """Search for false alarms on simulated platforms.

    The suites run on simulated platforms that return random allowed outcomes. Each deviation is a false alarm; the
    command prints it. `clconform run --simulated TOPOLOGY --result-seed SEED` repeats a run with reports, random tests
    included.
    """
    from clconform.tools.dev import false_alarms

    return false_alarms.search_false_alarms(topologies, seeds, first_seed, parts, seconds)


@dev.command(epilog=_exit_code_lines("no failure", "some failures"))
@click.option("--seconds", metavar="S", type=click.FloatRange(0), default=60.0, show_default=True,
              help="set the duration")  # fmt: skip
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="set the random seed")
@click.option("--kind", "kinds", type=click.Choice(INPUT_KINDS), multiple=True,
              help="use only inputs of this kind; may repeat")  # fmt: skip
@click.option("--deadline", metavar="S", type=click.FloatRange(0.1), default=60.0, show_default=True,
              help="set the deadline per command")  # fmt: skip
@click.option("--out", metavar="DIR", default="clconform-fuzzing", show_default=True,
              help="write failures to this folder")  # fmt: skip
def fuzz(seconds: float, seed: int, kinds: tuple[str, ...], deadline: float, out: str) -> int:
    """Mutate the files that commands read, and report failures.

    The command keeps each file that causes exit code 3, a traceback or a timeout. The same seed mutates the same inputs
    in the same order.
    """
    from clconform.tools.dev import fuzz

    return fuzz.fuzz_commands(seconds, seed, kinds, deadline, out)


@dev.command(epilog=_exit_code_lines("every fault that has an effect was detected", "faults survive"))
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
              callback=parse_workers, help="number of parallel processes")  # fmt: skip
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
    """Inject faults into a driver, and report the missed ones.

    One fault at a time is injected between the suites and the driver; the command reports the faults that no test
    detects. The list of faults is generated from the default tables; other tables exclude faults in functions that they
    lack. Each fault is injected in the table-driven tests whose calls it affects, until a test reports a deviation that
    it does not report without the fault. A fault whose results also conform is equivalent. The default is all faults of
    the chapters that the suites cover.
    """
    from clconform.tools import revision_option
    from clconform.tools.dev import inject

    revision_option.select_tables(tables)
    faults = inject.select_faults(chapters, operators, functions, sample, seed)
    if list_only:
        return inject.print_faults(faults)
    tried = inject.InjectionOptions(faults, own_items=own_items, tries=tries, seed=seed)
    return inject.run_injection(DriverOptions(**named), tried, processes, out)


@dev.command(epilog=_exit_code_lines("the runtime conforms to the rules", "it violates them"))
@click.option(
    "--shipped-runtime",
    "later",
    is_flag=True,
    help="apply the rules of the shipped runtime, not only of the design note",
)
@click.argument("traces")
def linked(traces: str, later: bool) -> int:  # noqa: FBT001 (as above)
    """Judge recorded traces of a runtime with linked allocations.

    The command judges the accesses of the runtime, and the calls that serve them. TRACES is a journal or its folder, or
    a .json file with one trace in the journal's format: contexts, memory objects, the calls before the first object,
    and the calls that served each access.
    """
    from clconform.tools.dev import linked

    return linked.print_violations(traces, shipped_runtime=later)


@dev.command(epilog=_exit_code_lines("every change is explained", "a change is not explained: an error of the suite"))
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
    """Alter a driver's claims, and report unexplained changes.

    The command reports changes of deviations that are not explained. The same sequences of calls are sent to the same
    driver with altered claims: extensions moved or hidden, lower versions, another profile, another order of devices;
    or with altered calls. The applicability conditions of the tables predict which deviations may change; any other
    change is an error of the suite.
    """
    from clconform.tools.dev import metamorphic

    wanted = metamorphic.MetamorphicOptions(requirements, journal, alterations, pool, sequences, seed)
    return metamorphic.apply_alterations(DriverOptions(**named), wanted, list_only=list_only)


@dev.command()
@click.argument("files", nargs=-1, required=True)
def migrate(files: tuple[str, ...]) -> int:
    """Convert files of an earlier format to format 3.

    FILES are results, journals, files of known deviations, files of suppressions, or the folders of runs. Each original
    is kept next to the new file, as NAME.before-format-3. Files of format 3 do not change. Verdicts and ids of
    requirements and deviations do not change.
    """
    from clconform.tools.dev import migrate

    return migrate.migrate_files(files)


@dev.command(epilog=_exit_code_lines(
    "no mutant survives without an explanation",
    "mutants survive; with --against: only if a dropped or negated predicate\n"
    "       was detected before and is no longer detected",
))  # fmt: skip
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
    """Mutate the oracle, and report undetected mutants.

    A mutant drops or negates one predicate of an error condition, or changes one boundary, number or logical operator
    in its source. The judge uses the mutant; the driver, or the simulated platform in its own process, does not. By
    default the command uses the sections and topologies for which every mutant is known to be detected.
    """
    from clconform.tools import revision_option
    from clconform.tools.dev import mutate

    revision_option.select_tables(tables)
    return mutate.run_mutation(**chosen)


@dev.command()
@tables_option("use the tables of this revision, or in this folder [default: 3.0.17]")
@click.argument("name", metavar="PAGE", type=click.Choice(PAGES))
def page(name: str, tables: str) -> int:
    """Print a generated page of the documentation.

    PAGEs: commands (all commands and options), conditions (the text of each requirement, by section), sentences (the
    classification of the documents' sentences), revision (the differences between --tables and the default tables).
    """
    from clconform.tools import revision_option
    from clconform.tools.dev import page

    revision_option.select_tables(tables)
    return page.print_page(name)


@dev.command(epilog=_exit_code_lines("every verdict is unchanged or intended", "some verdicts changed"))
@add_result_tables_option
@click.option("--intended", metavar="FILE", default="", help="accept the changes listed in this file (TOML)")
@click.option("--verbose", "-v", is_flag=True, help="list every kind of change, each with an example call")
@click.argument("journals", metavar="JOURNAL...", nargs=-1, required=True)
def rejudge(journals: tuple[str, ...], intended: str, verbose: bool) -> int:  # noqa: FBT001 (as above)
    """Judge the stored calls of a run again, without a driver.

    The command prints the changed verdicts. The run must have used clconform run --journal full. JOURNAL is a journal
    or its folder.
    """
    from clconform.tools.dev import rejudge

    return rejudge.rejudge_journals(journals, intended, verbose=verbose)


@dev.command(epilog=_exit_code_lines("each requirement has a detected violation", "some requirements have none"))
@click.option("--simulated", metavar="TOPOLOGY", multiple=True, help="use this simulated platform; may repeat "
              "[default: everything]")  # fmt: skip
@click.option("--driver", metavar="LIB", default="", help="use the driver in this library, through a loader")
@click.option("--requirement", "requirements", metavar="GLOB", multiple=True,
              help="use only tests of matching requirements; may repeat")  # fmt: skip
@click.option("-n", "processes", metavar="N", default="2", show_default=True,
              callback=parse_workers, help="number of parallel processes")  # fmt: skip
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
    """Alter outcomes, and report undetected violations.

    The command reports requirements without a detected violation. Each table-driven test runs unchanged. If one of its
    calls is evidence for a requirement, the outcome of this call is altered in many ways, each on a copy of the model,
    until the judge names the requirement in a deviation. --repeat alters outcomes between the session and the driver
    instead.
    """
    from clconform.tools.dev import violate

    chosen["simulated"] = chosen["simulated"] or (() if chosen["driver"] or chosen["repeat"] else ("everything",))
    return violate.search_violations(**chosen)


@dev.command("condition-cells", epilog=_exit_code_lines("each unnoticed fault has a reason", "some have none"))
@click.option("--condition", "patterns", metavar="GLOB", multiple=True, help="measure only matching error conditions; "
              "may repeat")  # fmt: skip
@click.option("--json", "out", metavar="FILE", default="", help="write the tables to this file, or extend it")
@click.option("--repeat", metavar="N", type=click.IntRange(1), help="instead, repeat N noticed faults of the committed "
              "tables")  # fmt: skip
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="set the seed of the "
              "choice for --repeat")  # fmt: skip
def condition_cells(patterns: tuple[str, ...], out: str, repeat: int | None, seed: int) -> int:
    """Report faults at error conditions that no test notices.

    For each error condition and operand, a simulated platform rejects the valid calls next to a violation. For each
    error condition and kind of derived object, such as a sub-buffer, it accepts the violations with such an object. A
    fault without a deviation at one of these calls needs a reason that cites the text.
    """
    from clconform.tools.dev import condition_cells

    return condition_cells.measure_condition_cells(patterns, out, repeat, seed)


@dev.command("wrong-answers", epilog=_exit_code_lines("each unnoticed wrong answer has a reason", "some have none"))
@click.option("--subject", "patterns", metavar="GLOB", multiple=True, help="alter only matching queries and outputs; "
              "may repeat")  # fmt: skip
@click.option("--json", "out", metavar="FILE", default="", help="write the table to this file, or extend it")
@click.option("--repeat", metavar="N", type=click.IntRange(1), help="instead, repeat N noticed wrong answers of the "
              "committed table")  # fmt: skip
@click.option("--seed", metavar="N", type=click.IntRange(0), default=1, show_default=True, help="set the seed of the "
              "choice for --repeat")  # fmt: skip
def wrong_answers(patterns: tuple[str, ...], out: str, repeat: int | None, seed: int) -> int:
    """Report wrong results, by class, that no test notices.

    Each query, each output of a function, and the memory that each command writes is wrong in every call of a simulated
    platform, by one class after the other: another value, a prefix, an old value, zeros. The tests that make these
    calls run until a deviation shows. A wrong answer without a deviation needs a reason that cites the text.
    """
    from clconform.tools.dev import wrong_answers

    return wrong_answers.measure_wrong_answers(patterns, out, repeat, seed)
