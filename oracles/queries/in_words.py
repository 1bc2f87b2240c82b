"""Capabilities as text: the query values of a platform and its devices, each with the required minimum."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.host import call_of
from clconform.calls.journal import CapabilitiesOf, Capability
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.engine.gates import closed_gate, profile_of
from clconform.oracles.engine.wants import Such
from clconform.oracles.model.devices import Platform
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.versions import revision
from clconform.oracles.queries.limits import within
from clconform.oracles.queries.questions import Question, queries_of
from clconform.spec_tables.records import Limit, Query

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from clconform.oracles.engine.wants import Element, Values
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.world import Model
    from clconform.spec_tables import Tables

SILENT = "no answer"
"""Why an applicable query does not have a value: the driver rejected it or crashed."""
BELOW, OUTSIDE, MEETS = "below", "outside", "meets"
"""Ratings: below the minimum; otherwise outside a limit (above the maximum, not a power of two); within all limits."""
LEAST = ("at-least", "includes", "includes-one-of", "true-if")
"""The relations of limits that set a minimum."""
KILO = 1024
UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB")
SHORT = {"nanoseconds": "ns"}
VERSIONS = ("cl_version", "cl_version_khr")


def capabilities(model: Model) -> list[CapabilitiesOf]:
    """Return the query values of each platform that the model knows, and of its root devices."""
    found = []
    for platform in model.platforms.values():
        found.append(_answers(platform, "clGetPlatformInfo", "CL_PLATFORM_NAME", model))
        devices = model.root_devices(platform)
        found += [_answers(device, "clGetDeviceInfo", "CL_DEVICE_NAME", model) for device in devices]
    return found


def _answers(thing: Platform | Device, function: str, name: str, model: Model) -> CapabilitiesOf:
    rows = []
    for query in model.tables.queries_of(function):
        if query.name in model.tables.enumerants:
            values = (Handle(thing.name), model.value(query.name), 0, OutputBuffer(1), OutputBuffer(1))
            call = call_of(function, model.tables.functions, *values)
            rows.append(_row(Question(query, call, thing, model)))
    return CapabilitiesOf(thing.name, str(thing.facts.get(name, "")), rows)


def _row(question: Question) -> Capability:
    query = question.query
    section = query.section.number or query.section.title
    closed = closed_gate(query.gates, question.platform, question.device)
    facts = question.thing.facts
    asked = next((each.name for each in _names(question) if each.name in facts), None)
    if closed and not (asked and _opened_by_a_device(question)):
        return Capability(query.name, section, reason=closed)
    limits = list(_limits(question))
    words = "; ".join(dict.fromkeys(want.allowed for _, want in limits))
    if asked is None:
        return Capability(query.name, section, minimum=words, reason=SILENT)
    unit = query.unit or next((limit.unit for limit, _ in limits if limit.unit), "")
    shown = shown_as(facts[asked], query, unit, question.model)
    return Capability(query.name, section, shown, words, _mark(limits, facts[asked]))


def _opened_by_a_device(question: Question) -> bool:
    """Return whether a platform is queried for an extension that only one of its devices reports."""
    platform, model = question.platform, question.model
    return isinstance(question.thing, Platform) and any(
        not closed_gate(question.query.gates, platform, device) for device in model.root_devices(platform)
    )


def _names(question: Question) -> tuple[Query, ...]:
    """Return the query and its aliases: a value is kept under the name that was queried."""
    return (question.query, *queries_of(question.call, question.model))


def _limits(question: Question) -> Iterator[tuple[Limit, Such]]:
    """Yield the limits of a query that apply to the device, each with its matcher."""
    profile = profile_of(question.platform, question.device)
    for limit in question.model.lookups.about(question.query.name):
        by_profile = any(gate.subject == "profile" for gate in limit.gates)
        closed = closed_gate(limit.gates, question.platform, question.device)
        if not isinstance(limit, Limit) or closed or (by_profile and not profile):
            continue
        try:
            want = within(limit, question)
        except UnknownError:
            continue
        if isinstance(want, Such) and want.allowed != "anything":
            yield limit, want


def _mark(limits: Sequence[tuple[Limit, Such]], fact: Fact) -> str:
    values: Values = list(fact) if isinstance(fact, tuple) else [fact]
    broken = [pair for pair in limits if not (values and pair[1].test(values))]
    if any(limit.relation in LEAST and not _says_none(limit, want) for limit, want in broken):
        return BELOW
    return OUTSIDE if broken else MEETS if limits else ""


def _says_none(limit: Limit, want: Such) -> bool:
    """Return whether a limit demands exactly the value of a device that lacks the feature behind the limit."""
    return limit.otherwise >= 0 and want.allowed.startswith(f"{limit.otherwise}:")


def shown_as(fact: Fact, query: Query, unit: str, model: Model) -> str:
    """Return a value as text: flags by their names, versions unpacked, bytes in a readable unit."""
    if isinstance(fact, str) and query.shape == "string":
        return fact
    values: Values = list(fact) if isinstance(fact, tuple) else [fact]
    members = model.lookups.members_of(query.type)
    if query.shape == "array" and (not values or values == [0]):
        return "none"
    if members > 1:
        return ", ".join(
            _structure(values[at : at + members], query.type, model.tables) for at in range(0, len(values), members)
        )
    if query.type == "cl_uchar":
        return "".join(f"{value:02x}" if isinstance(value, int) else "??" for value in values)
    return ", ".join(_element(value, query.type, unit, model) for value in values)


def _structure(values: Values, type_name: str, tables: Tables) -> str:
    fields = tables.types[type_name].fields
    if [name for name, _ in fields] == ["version", "name"]:
        version, name = (*values, "")[:2]
        return f"{name} {_version(version)}"
    words = []
    for (name, spelling), value in zip(fields, values, strict=False):
        words.append(f"{name} {_yes_or_no(value) if spelling == 'cl_bool' else value}")
    return ", ".join(words)


def _element(value: Element, type_name: str, unit: str, model: Model) -> str:
    if value is None:
        return "NULL"
    if not isinstance(value, int):
        return str(value)
    if type_name == "cl_bool":
        return _yes_or_no(value)
    if type_name in VERSIONS:
        return _version(value)
    named = _named_values(type_name, model)
    known = model.tables.types.get(type_name)
    if known is not None and known.kind == "bitfield":
        return _flags(value, named)
    if named:
        return named.get(value, f"{value:#x}") if value else named.get(0, "none")
    if unit == "bytes":
        return _bytes(value)
    return f"{value} {SHORT.get(unit, unit)}".strip()


def _named_values(type_name: str, model: Model) -> dict[int, str]:
    """Return the names of a type's values in the tables; the first where there are several."""
    enumerants = model.tables.enumerants
    flags = {flag.name: enumerants[flag.name].value for flag in model.lookups.flags_of(type_name)}
    names: dict[int, str] = {}
    for name, value in [*flags.items(), *model.tables.values_of_group(type_name).items()]:
        if not name.endswith("_LIST_END") and not name.endswith("_LIST_END_EXT"):
            names.setdefault(value, name)
    return names


def _flags(value: int, named: dict[int, str]) -> str:
    """Return the names of the bits that are set, and the unnamed ones in hexadecimal."""
    words, rest = [], value
    for bit, name in sorted(named.items()):
        if bit > 0 and bit & (bit - 1) == 0 and value & bit:
            words.append(name)
            rest &= ~bit
    if rest:
        words.append(f"{rest:#x}")
    return " | ".join(words) or "none"


def _bytes(value: int) -> str:
    """Return a number of bytes, and the same in the largest unit that it fills."""
    size, step = float(value), 0
    while abs(size) >= KILO and step < len(UNITS) - 1:
        size, step = size / KILO, step + 1
    exact = f"{value} bytes"
    return f"{exact} ({size:.4g} {UNITS[step]})" if step else exact


def _version(packed: Element) -> str:
    """Return the major, minor and patch number of a packed version."""
    return revision(packed) if isinstance(packed, int) else str(packed)


def _yes_or_no(value: Element) -> str:
    return {0: "no", 1: "yes"}.get(value, str(value)) if isinstance(value, int) else str(value)
