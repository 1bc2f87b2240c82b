"""Compares the findings in the case programs with a table: ``python -m tests.validation.cases --all``.

It prints each program whose outcome on a driver is not the expected one, and exits with 1 if there are any.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

from clconform.tools.live import BEFORE, NEXT

from .case_table import CASES, HERE, MeasuredRow, find_outcome, read_cases
from .installed_drivers import DRIVERS, find_drivers, use_driver
from .outcome_file import write_rows

STOPS = (NEXT, BEFORE)


def _read_options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.validation.cases", description=__doc__)
    parser.add_argument("drivers", nargs="*", choices=[[], *(each.name for each in DRIVERS)], help="driver to use")
    parser.add_argument("--all", action="store_true", help="use all installed drivers")
    parser.add_argument("--library", action="append", default=[], metavar="NAME=PATH", help="library of a driver")
    parser.add_argument("--table", type=Path, default=CASES, help="table of the expected outcomes [cases.toml]")
    parser.add_argument("--programs", type=Path, default=HERE, help="folder with the programs [that of cases.toml]")
    parser.add_argument("--only", default="", metavar="TEXT", help="use only programs whose name contains a text")
    parser.add_argument("--live", action="store_true", help="judge the programs while they run")
    parser.add_argument("--break", dest="stops", choices=STOPS, help="let each call wait for the judge, with --live")
    parser.add_argument("--output", type=Path, help="file to write: one row for each program and driver")
    options = parser.parse_args()
    if options.stops and not options.live:
        parser.error("--break needs --live")
    return options


def _compare(options: argparse.Namespace) -> int:
    """Compare the outcomes of all cases, and return the number of those that are not expected."""
    drivers = [each for each in find_drivers(options.library) if options.all or each.name in options.drivers]
    rows: list[MeasuredRow] = []
    with tempfile.TemporaryDirectory() as work:
        for case in read_cases(options.table):
            for driver in drivers if options.only in case.name else ():
                with use_driver(driver):
                    found = find_outcome(case, Path(work), options.programs, live=options.live, stops=options.stops)
                expected = case.outcome_on(driver.name)
                rows.append(MeasuredRow(case.name, driver.name, found, expected.matches(found)))
                if not rows[-1].is_expected:
                    words = f"{case.name} on {driver.name}: {found.describe()}\n  not {expected.describe()}\n"
                    sys.stdout.write(words)
                    sys.stdout.flush()
    wrong = sum(not row.is_expected for row in rows)
    names = ", ".join(each.name for each in drivers)
    sys.stdout.write(f"{len(rows)} programs on {names}: {wrong} with another outcome\n")
    if options.output is not None:
        write_rows(options.output, rows)
    return wrong if rows else 1


if __name__ == "__main__":
    sys.exit(min(1, _compare(_read_options())))
