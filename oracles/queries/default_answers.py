"""Default query values for simulated platforms and devices: the smallest values without mismatches.

They apply to queries that the topology does not define. Optional features are missing, and each limit is just met.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import build_call
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.model.devices import Device, Platform
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.feature_sources import macro_of
from clconform.oracles.queries.answering import expect_query_value, is_stable
from clconform.oracles.queries.limits import bound_of
from clconform.oracles.queries.query_request import QueryRequest, query_request_of
from clconform.spec_tables.requirements import Limit
from clconform.spec_tables.versions import Version, pack_version

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.oracles.engine.call_context import RuleSource
    from clconform.oracles.engine.matchers import Values
    from clconform.oracles.model.cl_object import ClObject, Fact
    from clconform.oracles.model.state import Model

MAX_ROUNDS = 4
"""Maximum number of rounds. Each round replaces the values that do not match the values chosen after them."""
C_VERSIONS = (Version(1, 0), Version(1, 1), Version(1, 2), Version(2, 0), Version(3, 0), Version(3, 1))
OPTIONAL_C_VERSION = Version(2, 0)
"""The version of OpenCL C that a device of a later version need not support, because it requires optional features."""


def add_default_facts(target: ClObject, model: Model, rulebook: RuleSource) -> None:
    """Add a fact to a platform or device for each applicable query that does not have a fact yet."""
    questions = [each for each in _find_stable_queries(target, model) if each.fact_key not in target.facts]
    for _ in range(MAX_ROUNDS):
        if not sum(_choose_value(question, rulebook) for question in questions):
            return


def find_answered_queries(thing: ClObject, model: Model) -> list[QueryRequest]:
    """Return the queries of a platform or device that have a fact and whose values do not change."""
    return [each for each in _find_stable_queries(thing, model) if each.fact_key in thing.facts]


def _find_stable_queries(thing: ClObject, model: Model) -> list[QueryRequest]:
    """Return the applicable queries of a platform or device whose values do not change, one for each fact."""
    found: dict[str, QueryRequest] = {}
    function = {Platform: "clGetPlatformInfo", Device: "clGetDeviceInfo"}.get(type(thing), "")
    if not function:
        return []
    for query in model.tables.queries_of(function):
        if query.name not in model.tables.enumerants or not is_stable(query.name):
            continue
        values = (Handle(thing.name), model.constant_value(query.name), 0, OutputBuffer(1), OutputBuffer(1))
        question = query_request_of(build_call(function, model.tables.functions, *values), model)
        if question is not None:
            found[question.fact_key] = question
    return list(found.values())


def _choose_value(question: QueryRequest, rulebook: RuleSource) -> bool:
    """Replace the value of a query if it is a mismatch or missing; return whether the value changed."""
    facts, key = question.subject.facts, question.fact_key
    known = facts.pop(key, None)
    want = expect_query_value(question, rulebook)
    if known is not None and not want.mismatches(output_of_fact(question, known)):
        facts[key] = known
        return False
    for fact in _candidate_facts(question):
        if not want.mismatches(output_of_fact(question, fact)):
            facts[key] = fact
            return fact != known
    return False


def output_of_fact(question: QueryRequest, fact: Fact) -> Values:
    """Return a fact as the list of values in an output buffer."""
    if question.query.shape == "string":
        return [f"{fact}\0"]
    return list(fact) if isinstance(fact, tuple) else [fact]


def _candidate_facts(question: QueryRequest) -> Iterator[Fact]:
    shape, members = question.query.shape, question.model.lookups.count_members(question.query.type)
    if shape == "string":
        yield from ("", "FULL_PROFILE", *(f"OpenCL C {version} " for version in C_VERSIONS), "SPIR-V_1.2")
    elif shape == "array":
        yield from ((), (0,), (1, 1, 1), (pack_version(*Version(3, 0)), macro_of("int64")))
        yield _named_versions(question)
    elif question.query.type.endswith("_id"):
        yield None
    elif members > 1:
        yield (0,) * members
    else:
        yield from sorted({0, 1, 32, *_candidate_numbers(question)})


def _candidate_numbers(question: QueryRequest) -> Iterator[int]:
    """Yield the numbers that limits, versions and flags of the type suggest."""
    device = question.device
    for requirement in question.model.lookups.requirements_about(question.query.name):
        if isinstance(requirement, Limit) and device is not None:
            try:
                yield bound_of(requirement, device)
            except UnknownFactError:
                continue
            yield sum(
                {question.model.constant_value(name) for words in requirement.values for name in words.split(" | ")}
            )
    yield from question.model.tables.values_of_group(question.query.type).values()
    if device is not None:
        yield pack_version(*device.version)
    elif question.platform is not None:
        yield pack_version(*question.platform.version)


def _named_versions(question: QueryRequest) -> tuple[int | str, ...]:
    """Return packed versions and names in turn, for an array of names with versions.

    The names are those in the string that the query without versions returned, all with version 1.0. If there is no
    such query, the name is OpenCL C, with each version that the device supports.
    """
    text = question.subject.facts.get(question.query.name.partition("_WITH_VERSION")[0])
    if isinstance(text, str) and question.query.name.partition("_WITH_VERSION")[1]:
        return tuple(element for name in text.split() for element in (pack_version(*Version(1, 0)), name))
    device = question.device
    newest = device.version if device is not None else C_VERSIONS[0]
    had = [each for each in C_VERSIONS if each <= newest and (each != OPTIONAL_C_VERSION or newest < (3, 0))]
    return tuple(element for version in had for element in (pack_version(*version), "OpenCL C"))
