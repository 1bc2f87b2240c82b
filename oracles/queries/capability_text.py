"""Capabilities as text: the query values of a platform and its devices, each with the required minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.harness_actions import build_call
from clconform.calls.journal import Capability, OwnerCapabilities
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.engine.applicability import describe_unmet_condition, reported_profile
from clconform.oracles.engine.matchers import Satisfies
from clconform.oracles.model.devices import Platform
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.queries.limits import expect_within
from clconform.oracles.queries.query_request import QueryRequest, requested_queries
from clconform.spec_tables.requirements import Limit, Query
from clconform.spec_tables.versions import format_packed_version

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.engine.matchers import Element, Values
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables

NO_VALUE = "no answer"
"""The reason for an applicable query without a value: the driver rejected the query or crashed."""
BELOW, OUTSIDE, MEETS = "below", "outside", "meets"
"""Ratings of a value: below a minimum; outside another limit, such as a maximum; within all limits."""
MINIMUM_RELATIONS = ("at-least", "includes", "includes-one-of", "true-if")
"""The relations of limits that set a minimum."""
KILO = 1024
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
UNIT_SYMBOLS = {"nanoseconds": "ns"}
VERSION_TYPES = ("cl_version", "cl_version_khr")


def describe_capabilities(model: Model) -> list[OwnerCapabilities]:
    """Return the query values of each platform that the model knows, and of its root devices."""
    found = []
    for platform in model.platforms.values():
        found.append(_describe_object(platform, "clGetPlatformInfo", "CL_PLATFORM_NAME", model))
        devices = model.root_devices(platform)
        found += [_describe_object(device, "clGetDeviceInfo", "CL_DEVICE_NAME", model) for device in devices]
    return found


def _describe_object(thing: Platform | Device, function: str, name: str, model: Model) -> OwnerCapabilities:
    rows = []
    for query in model.tables.queries_of(function):
        if query.name in model.tables.enumerants:
            values = (Handle(thing.name), model.constant_value(query.name), 0, OutputBuffer(1), OutputBuffer(1))
            call = build_call(function, model.tables.functions, *values)
            rows.append(_describe_query(QueryRequest(query, call, thing, model)))
    return OwnerCapabilities(thing.name, str(thing.facts.get(name, "")), rows)


def _describe_query(request: QueryRequest) -> Capability:
    query = request.query
    section = query.section.number or query.section.title
    closed = describe_unmet_condition(query.applicability, request.platform, request.device)
    facts = request.subject.facts
    asked = next((each.name for each in _find_aliases(request) if each.name in facts), None)
    if closed and not (asked and _is_reported_by_device(request)):
        return Capability(query.name, section, reason=closed)
    limits = list(_find_limits(request))
    words = "; ".join(dict.fromkeys(want.allowed for _, want in limits))
    if asked is None:
        return Capability(query.name, section, minimum=words, reason=NO_VALUE)
    unit = query.unit or next((limit.unit for limit, _ in limits if limit.unit), "")
    shown = format_fact(facts[asked], query, unit, request.model)
    return Capability(query.name, section, shown, words, _rate(limits, facts[asked]))


def _is_reported_by_device(question: QueryRequest) -> bool:
    """Return whether a platform is queried for an extension that only one of its devices reports."""
    platform, model = question.platform, question.model
    return isinstance(question.subject, Platform) and any(
        not describe_unmet_condition(question.query.applicability, platform, device)
        for device in model.root_devices(platform)
    )


def _find_aliases(question: QueryRequest) -> tuple[Query, ...]:
    """Return the query and its aliases; the model stores a value under the queried name."""
    return (question.query, *requested_queries(question.call, question.model))


def _find_limits(question: QueryRequest) -> Iterator[tuple[Limit, Satisfies]]:
    """Yield the limits of a query that apply to the device, each with its matcher."""
    profile = reported_profile(question.platform, question.device)
    for limit in question.model.lookups.requirements_about(question.query.name):
        by_profile = any(gate.subject == "profile" for gate in limit.applicability)
        closed = describe_unmet_condition(limit.applicability, question.platform, question.device)
        if not isinstance(limit, Limit) or closed or (by_profile and not profile):
            continue
        try:
            want = expect_within(limit, question)
        except UnknownFactError:
            continue
        if isinstance(want, Satisfies) and want.allowed != "anything":
            yield limit, want


def _rate(limits: Sequence[tuple[Limit, Satisfies]], fact: Fact) -> str:
    values: Values = list(fact) if isinstance(fact, tuple) else [fact]
    broken = [pair for pair in limits if not (values and pair[1].test(values))]
    if any(
        limit.relation in MINIMUM_RELATIONS and not _is_missing_feature_value(limit, want) for limit, want in broken
    ):
        return BELOW
    return OUTSIDE if broken else MEETS if limits else ""


def _is_missing_feature_value(limit: Limit, want: Satisfies) -> bool:
    """Return whether a matcher of a limit requires the value for devices without the feature that the limit needs."""
    return limit.otherwise >= 0 and want.allowed.startswith(f"{limit.otherwise}:")


def format_fact(fact: Fact, query: Query, unit: str, model: Model) -> str:
    """Return a value as text: flags by their names, versions unpacked, bytes in a readable unit."""
    if isinstance(fact, str) and query.shape == "string":
        return fact
    values: Values = list(fact) if isinstance(fact, tuple) else [fact]
    members = model.lookups.count_members(query.type)
    if query.shape == "array" and (not values or values == [0]):
        return "none"
    if members > 1:
        return ", ".join(
            _format_structure(values[at : at + members], query.type, model.tables)
            for at in range(0, len(values), members)
        )
    if query.type == "cl_uchar":
        return "".join(f"{value:02x}" if isinstance(value, int) else "??" for value in values)
    return ", ".join(_format_element(value, query.type, unit, model) for value in values)


def _format_structure(values: Values, type_name: str, tables: Tables) -> str:
    fields = tables.types[type_name].fields
    if [name for name, _ in fields] == ["version", "name"]:
        version, name = (*values, "")[:2]
        return f"{name} {_format_version(version)}"
    words = []
    for (name, spelling), value in zip(fields, values, strict=False):
        words.append(f"{name} {_format_boolean(value) if spelling == 'cl_bool' else value}")
    return ", ".join(words)


def _format_element(value: Element, type_name: str, unit: str, model: Model) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, int):
        return str(value)
    if type_name == "cl_bool":
        return _format_boolean(value)
    if type_name in VERSION_TYPES:
        return _format_version(value)
    named = _named_values(type_name, model)
    known = model.tables.types.get(type_name)
    if known is not None and known.kind == "bitfield":
        return _format_flags(value, named)
    if named:
        return named.get(value, f"{value:#x}") if value else named.get(0, "none")
    if unit == "bytes":
        return _format_bytes(value)
    return f"{value} {UNIT_SYMBOLS.get(unit, unit)}".strip()


def _named_values(type_name: str, model: Model) -> dict[int, str]:
    """Map the values of a type in the tables to their names; for a value with several names, to the first name."""
    enumerants = model.tables.enumerants
    flags = {flag.name: enumerants[flag.name].value for flag in model.lookups.flags_of(type_name)}
    names: dict[int, str] = {}
    for name, value in [*flags.items(), *model.tables.values_of_group(type_name).items()]:
        if not name.endswith("_LIST_END") and not name.endswith("_LIST_END_EXT"):
            names.setdefault(value, name)
    return names


def _format_flags(value: int, named: dict[int, str]) -> str:
    """Return the names of the bits that are set, and the bits without a name in hexadecimal."""
    words, rest = [], value
    for bit, name in sorted(named.items()):
        if bit > 0 and bit & (bit - 1) == 0 and value & bit:
            words.append(name)
            rest &= ~bit
    if rest:
        words.append(f"{rest:#x}")
    return " | ".join(words) or "none"


def _format_bytes(value: int) -> str:
    """Return a number of bytes as text, followed by the number in a larger unit (KiB, MiB, ...) where one fits."""
    size, step = float(value), 0
    while abs(size) >= KILO and step < len(UNITS) - 1:
        size, step = size / KILO, step + 1
    exact = f"{value} bytes"
    return f"{exact} ({size:.4g} {UNITS[step]})" if step else exact


def _format_version(packed: Element) -> str:
    """Return the major, minor and patch number of a packed version."""
    return format_packed_version(packed) if isinstance(packed, int) else str(packed)


def _format_boolean(value: Element) -> str:
    return {0: "no", 1: "yes"}.get(value, str(value)) if isinstance(value, int) else str(value)
