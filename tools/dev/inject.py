"""The ``inject`` command: injects faults between session and driver, and reports those that no test detects."""

from __future__ import annotations

import random
import sys
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
from rich.console import Console
from rich.table import Table

from clconform.calls import exit_codes
from clconform.reports.fault_campaign import STATUSES, make_campaign
from clconform.reports.json_documents import encode_document
from clconform.reports.measurement import MeasurementMonitor
from clconform.runner.gate.stop_signals import handle_stop_signals
from clconform.runner.journal.suite_names import SUITES
from clconform.runner.pytest_plugin.environment import prepare_environment
from clconform.selftest.injection.fault_chapters import COVERED, chapter_of, is_in
from clconform.selftest.injection.fault_list import iterate_faults, load_committed_list
from clconform.selftest.injection.fault_results import MAX_EQUIVALENT_SHARE, NOT_TRIED
from clconform.selftest.injection.injection_campaign import CampaignPlan, run_campaign
from clconform.selftest.injection.operators.every_operator import get_every_operator
from clconform.spec_tables import load
from clconform.spec_tables.regular_files import write_given_file
from clconform.tools.driver_options import DriverOptions, survey_target, with_default_driver
from clconform.tools.errors import CommandError
from clconform.tools.output_text import print_text

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.reports.fault_campaign import FaultCampaign, FaultGroup, FaultResult
    from clconform.selftest.injection.fault import Fault


class InjectionOptions(NamedTuple):
    """The faults to inject, and options for the injection plan, under the names that they have there."""

    faults: Sequence[Fault]
    own_items: bool = False
    tries: int | None = None
    seed: int = 0


def select_faults(
    chapters: Sequence[str], operators: Sequence[str], functions: Sequence[str], sample: int | None, seed: int
) -> list[Fault]:
    """Return the selected faults from the stored list; CommandError for unknown names.

    Faults in functions that the tables lack are excluded.
    """
    tables = load()
    known = get_every_operator()
    unknown = [name for name in operators if name not in known]
    if unknown:
        raise CommandError(f"--operator {unknown[0]}: unknown operator; known: {', '.join(known)}")
    whole = [fault for fault in iterate_faults(load_committed_list()) if fault.function in tables.functions]
    found = [
        fault
        for fault in whole
        if is_in(fault, chapters or COVERED, tables)
        and (not operators or fault.operator in operators)
        and (not functions or any(fnmatchcase(fault.function, pattern) for pattern in functions))
    ]
    if not found:
        there = ", ".join(sorted({chapter_of(fault, tables) for fault in whole}))
        raise CommandError(f"no fault matches these options; chapters: {there}; see: clconform dev inject --list")
    drawn = random.Random(seed)  # noqa: S311 (the choice of faults is not secret)
    return found if sample is None else sorted(drawn.sample(found, min(sample, len(found))))


def print_faults(faults: Sequence[Fault]) -> int:
    """Print the faults and the descriptions of their operators."""
    for name in dict.fromkeys(fault.operator for fault in faults):
        print_text(f"# {name}: {get_every_operator()[name].description}")
        print_text("\n".join(fault.name for fault in faults if fault.operator == name))
    return exit_codes.AS_EXPECTED


def run_injection(named: DriverOptions, wanted: InjectionOptions, processes: int, out: str) -> int:
    """Inject faults into the calls of a driver, and write the results to the file ``out``; return the exit code.

    Without a file name, nothing is written.
    """
    monitor = MeasurementMonitor(sys.argv[1:])
    named, _ = with_default_driver(named)
    target = named.target()
    survey_target(target, named.device_index or 0)
    prepare_environment()
    watched = sys.stderr.isatty()
    tried: list[FaultResult] = []

    def progress(words: str) -> None:
        if watched:
            click.echo(f"\r\x1b[K{words}", nl=False, err=True)

    def report_fault(fault: FaultResult) -> None:
        tried.append(fault)
        if fault.status == "survived":
            progress("")
            print_text(f"survived: {fault.name}: {fault.reason}")

    plan = CampaignPlan(
        SUITES, target, tuple(wanted.faults), named.device_index or 0, wanted.own_items, wanted.tries, wanted.seed
    )
    with handle_stop_signals() as stop:
        try:
            print_text(f"clconform: {len(wanted.faults)} faults for {target}")
            results = run_campaign(plan, processes, progress, report_fault)
        except KeyboardInterrupt:
            stop.hold_signals()
            results = tried
    progress("")
    campaign = make_campaign(
        results,
        target.to_options(),
        {name: each.description for name, each in get_every_operator().items()},
        monitor.create_header(),
    )
    if out:
        _write_campaign(out, campaign)
    code = print_campaign(campaign)
    if not stop.signal:
        return code
    print_text(
        f"clconform: stopped by {stop.signal_name}: the tables cover the {len(tried)} faults tried so far",
        err=True,
    )
    return stop.exit_code


def print_campaign(campaign: FaultCampaign) -> int:
    """Print the tables of a campaign; return the exit code."""
    console = Console(highlight=False)
    whole = campaign.summary
    console.print(_status_table("operator", campaign.operators, whole))
    console.print(_status_table("chapter", campaign.chapters, whole))
    called = {fault.function for fault in campaign.faults if fault.affected_items}
    theirs = [fault for fault in campaign.faults if fault.function in called]
    if theirs:
        applied = sum(fault.affected_items > 0 for fault in theirs)
        print_text(
            f"{applied} of {len(theirs)} faults in functions of the platform were applied"
            f" ({applied / len(theirs):.1%}); the others need an error code or a result that it never returns"
        )
    if (whole.share_equivalent or 0) > MAX_EQUIVALENT_SHARE:
        print_text(
            f"more than {MAX_EQUIVALENT_SHARE:.0%} of the applied faults are equivalent, so the share found"
            f" is less meaningful"
        )
    return exit_codes.DEVIATIONS if whole.statuses["survived"] else exit_codes.AS_EXPECTED


def _status_table(by: str, groups: Sequence[FaultGroup], whole: FaultGroup) -> Table:
    told = _shown_statuses(whole)
    table = Table(by, *(status.replace("-", " ") for status in told), "found, %", "equivalent, %")
    table.columns[0].no_wrap = True
    for column in table.columns[1:]:
        column.justify = "right"
    for group in groups:
        table.add_row(*_table_row(group, told))
    table.add_section()
    table.add_row(*_table_row(whole, told))
    return table


def _shown_statuses(whole: FaultGroup) -> list[str]:
    """Return the statuses that get a column in a table.

    The status of untried faults gets one only if there are such faults.
    """
    return [status for status in STATUSES if status != NOT_TRIED[0] or whole.statuses[status]]


def _table_row(group: FaultGroup, statuses: Sequence[str]) -> list[str]:
    shares = ["-" if share is None else f"{100 * share:.1f}" for share in (group.share_found, group.share_equivalent)]
    return [group.name, *(str(group.statuses[status]) for status in statuses), *shares]


def _write_campaign(out: str, campaign: FaultCampaign) -> None:
    try:
        write_given_file(Path(out), encode_document(campaign))
    except OSError as error:
        raise CommandError(f"--json {out}: cannot write ({error.strerror}); choose another file") from None
