"""Draws records that results have put to the test, and says what would find a fault that violates one of them alone.

As a command, ``python -m tests.sampled [--seed N] [--number N] RESULT...``. What is drawn is the same for the
same seed and results. Of an error clause with a predicate of its own a test must fail without it (``tests.dropped``); a
clause of a recurring condition is judged by the predicate of its kind, an answer by the rule for its query, and a
sentence by the records that answer for it: one without any is violated by nothing but an error, a crash or a hang.
"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING

import click

from clconform.oracles.engine.rulebook import Rulebook, rulebook_of
from clconform.reports.coverage_page import COVERING_STATUSES
from clconform.spec_tables import load
from clconform.spec_tables.requirements import Effect, ErrorCondition, OptionalBehaviour
from clconform.tools.result_commands import load_result_at

from .dropped import unnoticed

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Requirement

OWN, RECURRING, BETWEEN = "predicate of its own", "predicate of its kind", "rule between query results"
PARENTS, TOLD, ERRORS_ALONE = "records that answer for it", "rule for its kind of record", "errors and crashes alone"


def judged_by(record: Requirement, rulebook: Rulebook) -> str:
    """Return the check that evaluates a requirement."""
    if isinstance(record, ErrorCondition):
        return OWN if record.id in rulebook.written_predicates else RECURRING
    triggers = [known for (name, _), known in rulebook.rules.coverage_points.entries.items() if name == record.id]
    if triggers:
        return PARENTS if any(known.judged_requirements for known in triggers) else ERRORS_ALONE
    if isinstance(record, Effect | OptionalBehaviour) and rulebook.cross_query_rule(record) is not None:
        return BETWEEN
    return TOLD


@click.command()
@click.argument("given", nargs=-1, required=True, metavar="RESULT...")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--number", type=click.IntRange(min=1), default=40)
def main(given: tuple[str, ...], seed: int, number: int) -> None:
    """Print the check of each drawn requirement, and the predicates among them that tests do not cover."""
    tested = {
        record.id for path in given for record in load_result_at(path)[0].records if record.status in COVERING_STATUSES
    }
    tables = load()
    rulebook = rulebook_of(tables)
    drawn = random.Random(seed).sample(sorted(tested), min(number, len(tested)))  # noqa: S311 (a sample to read)
    found = {name: judged_by(tables.requirements[name], rulebook) for name in drawn}
    for name, how in found.items():
        click.echo(f"{name}: {how}")
    missed = unnoticed([name for name, how in found.items() if how == OWN])
    for complaint in missed:
        click.echo(f"not found: {complaint}")
    counts = Counter(found.values())
    click.echo(", ".join(f"{how}: {count}" for how, count in counts.most_common()))
    click.echo(f"of {counts[OWN]} predicates {len(missed)} could go without a test that fails")
    weak = sum(judged_by(tables.requirements[name], rulebook) == ERRORS_ALONE for name in tested)
    click.echo(f"{len(drawn)} of {len(tested)} drawn; of all {len(tested)}, {weak} are violated by {ERRORS_ALONE}")


if __name__ == "__main__":
    main()
