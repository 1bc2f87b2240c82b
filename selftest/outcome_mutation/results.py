"""The results file of a search: for each tested requirement, the altered outcome that violates it."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.chapters.linked_allocations.runtime_rules import RULE_TEXTS
from clconform.reports.measurement import MeasurementHeader
from clconform.selftest.committed_files import decode_document, encode_line
from clconform.selftest.outcome_mutation.unviolable_requirements import NEVER_VIOLATED
from clconform.selftest.outcome_mutation.violation import RequirementViolation, get_parents, is_general
from clconform.spec_tables.requirements import Success

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Mapping

    from clconform.oracles.engine.rulebook import Rulebook
    from clconform.spec_tables.requirements import Requirement

RESULTS_PATH = Path(__file__).parent / "shown.json"
FORMAT = "clconform-violations-3"
BY_PARTS = "separate requirements cover the effects of its success, and a call that fails may lack resources"
NOTHING = "nothing violates it"
BY_PARENTS = "no tried alteration of its calls is attributed to a requirement that decides the verdict on it"
NEVER_NAMED = "no tried alteration is attributed to it"
TRACE_REQUIREMENTS = frozenset(RULE_TEXTS)
KINDS = {
    "itself": "a deviation names the requirement; for success also a failure that is attributed only to it",
    "with another": "for a sentence: an altered value, byte or callback, or success instead of an error, is attributed"
    " to a requirement that decides the verdict on the sentence",
    "by a failure": "the same, but only if the call fails, never returns or returns nothing",
    "as another": "an altered outcome is detected, but attributed only to other requirements",
    NOTHING: "every result of its calls conforms to it, mostly because its error condition may hold but never must",
    "not": "no tried alteration is detected",
    "not searched": "its tests are random, or were not searched on a platform where they test it",
}
"""The kinds of evidence that a violation of a requirement is detected, with their descriptions."""


class SearchResults(msgspec.Struct, frozen=True):
    """The content of the file.

    ``platforms``: the searched platforms. ``unfinished``: the platform whose search has not ended, and ``done``: its
    finished items. ``requirements``: the violation found for each id, or None. ``errors``: exceptions in this project's
    code. ``header``: the last search that has changed the file; None if it is not known.
    """

    format: str = FORMAT
    header: MeasurementHeader | None = None
    platforms: list[str] = []
    unfinished: str = ""
    done: list[str] = []
    requirements: dict[str, RequirementViolation | None] = {}
    errors: list[str] = []


def decode_results(content: bytes) -> SearchResults:
    """Return the results in a file's content; msgspec.DecodeError (a ValueError) if it does not have this format."""
    return decode_document(content, SearchResults, FORMAT)


def load_committed_results() -> SearchResults:
    """Return the committed results."""
    return decode_results(RESULTS_PATH.read_bytes())


def encode_results(written: SearchResults) -> bytes:
    """Return a file's content: one line per requirement, in the order of the ids."""
    found = sorted(written.requirements.items(), key=lambda each: each[0])
    lines = ",\n".join(f"  {encode_line(requirement)}: {encode_line(violation)}" for requirement, violation in found)
    head = {name: value for name, value in msgspec.structs.asdict(written).items() if name != "requirements"}
    beginning = encode_line(head).removesuffix("}")
    return f'{beginning}, "requirements": {{\n{lines}\n}}}}\n'.encode()


def explain_missing(requirement: Requirement, rulebook: Rulebook) -> str:
    """Return the reason why a violation of a requirement is not found."""
    if requirement.id in NEVER_VIOLATED:
        return NEVER_VIOLATED[requirement.id]
    if isinstance(requirement, Success):
        return BY_PARTS
    coverage_points = (
        known for (name, _), known in rulebook.rules.coverage_points.entries.items() if name == requirement.id
    )
    return BY_PARENTS if any(coverage_points) else NEVER_NAMED


def get_kinds(
    requirements: Mapping[str, RequirementViolation | None], wanted: Iterable[str], rulebook: Rulebook
) -> dict[str, str]:
    """Return the entry of ``KINDS`` for each of these requirements."""
    answered = get_derived_requirements(rulebook)
    return {
        requirement: get_kind(requirement, requirements[requirement], answered)
        if requirement in requirements
        else "not searched"
        for requirement in wanted
    }


def get_derived_requirements(rulebook: Rulebook) -> frozenset[str]:
    """Return the requirements of the prose whose verdict comes only from other requirements, or from a trace."""
    return (
        frozenset(requirement for requirement, parents in get_parents(rulebook).items() if requirement not in parents)
        | TRACE_REQUIREMENTS
    )


def get_kind(requirement: str, found: RequirementViolation | None, answered: Collection[str] = ()) -> str:
    """Return the entry of ``KINDS`` for a violation; ``answered`` is the result of ``get_derived_requirements``."""
    if found is None:
        return NOTHING if requirement in NEVER_VIOLATED else "not"
    if found.instead:
        return "as another"
    if is_general(requirement, found):
        return "by a failure"
    return "with another" if requirement in answered else "itself"
