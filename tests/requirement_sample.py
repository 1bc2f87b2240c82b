"""Draws a sample of covered requirements, and prints the check that would find a fault that violates only one of them.

``python -m tests.requirement_sample [--seed N] [--number N] RESULT...``: equal seeds and results give equal samples.
For an error condition with its own predicate, a test must fail without it (``tests.dropped``). A recurring condition is
evaluated by the predicate of its kind, a query result by the rule for its query, and a sentence by its parent
requirements. A sentence without parents is violated only by an error, a crash or a hang.
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

from .dropped import find_uncovered

if TYPE_CHECKING:
    from clconform.spec_tables.requirements import Requirement

OWN_PREDICATE, KIND_PREDICATE, QUERY_RULE = (
    "predicate of its own",
    "predicate of its kind",
    "rule between query results",
)
PARENTS, KIND_RULE, ERRORS_ALONE = (
    "records that answer for it",
    "rule for its kind of record",
    "errors and crashes alone",
)


def evaluated_by(requirement: Requirement, rulebook: Rulebook) -> str:
    """Return, as text, the check that would find a violation of a requirement, such as its predicate or its parents."""
    if isinstance(requirement, ErrorCondition):
        return OWN_PREDICATE if requirement.id in rulebook.predicates.declared else KIND_PREDICATE
    coverage_points = [
        known for (name, _), known in rulebook.rules.coverage_points.entries.items() if name == requirement.id
    ]
    if coverage_points:
        return PARENTS if any(known.judged_requirements for known in coverage_points) else ERRORS_ALONE
    if isinstance(requirement, Effect | OptionalBehaviour) and rulebook.cross_query_rule(requirement) is not None:
        return QUERY_RULE
    return KIND_RULE


@click.command()
@click.argument("given", nargs=-1, required=True, metavar="RESULT...")
@click.option("--seed", type=click.IntRange(min=0), default=1)
@click.option("--number", type=click.IntRange(min=1), default=40)
def main(given: tuple[str, ...], seed: int, number: int) -> None:
    """Print the check of each drawn requirement, and the predicates among them that tests do not cover."""
    tested = {
        requirement.id
        for path in given
        for requirement in load_result_at(path)[0].requirements
        if requirement.status in COVERING_STATUSES
    }
    tables = load()
    rulebook = rulebook_of(tables)
    drawn = random.Random(seed).sample(sorted(tested), min(number, len(tested)))  # noqa: S311 (a sample to read)
    found = {name: evaluated_by(tables.requirements[name], rulebook) for name in drawn}
    for name, how in found.items():
        click.echo(f"{name}: {how}")
    missed = find_uncovered([name for name, how in found.items() if how == OWN_PREDICATE])
    for complaint in missed:
        click.echo(f"not found: {complaint}")
    counts = Counter(found.values())
    click.echo(", ".join(f"{how}: {count}" for how, count in counts.most_common()))
    click.echo(f"of {counts[OWN_PREDICATE]} predicates {len(missed)} could go without a test that fails")
    weak = sum(evaluated_by(tables.requirements[name], rulebook) == ERRORS_ALONE for name in tested)
    click.echo(f"{len(drawn)} of {len(tested)} drawn; of all {len(tested)}, {weak} are violated by {ERRORS_ALONE}")


if __name__ == "__main__":
    main()
