"""Matchers for a query value from the tables: values of its type, limits, and rules that relate it to other values."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.engine.applicability import applies
from clconform.oracles.engine.legacy_spec import find_legacy_gap
from clconform.oracles.engine.matchers import Matcher, OneOf, Satisfies, Values
from clconform.oracles.model.call_scope import versions_of
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.queries.limits import expect_within
from clconform.oracles.queries.query_request import requested_queries
from clconform.spec_tables.requirements import Effect, Flag, Limit, OptionalBehaviour

if TYPE_CHECKING:
    from clconform.oracles.engine.call_context import RuleSource
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables.lookups import TableLookups

EXTENSIBLE_BITFIELDS = (
    "cl_command_queue_properties",
    "cl_mem_flags",
    "cl_device_type",
    "cl_device_exec_capabilities",
    "cl_mutable_dispatch_fields_khr",
    "cl_device_command_buffer_capabilities_khr",
    "cl_platform_command_buffer_capabilities_khr",
)
"""Bit-fields that vendors extend with bits of their own, or that a later revision of an extension extends."""

TYPES_WITH_NONE = ("cl_device_local_mem_type",)
"""Types that also allow CL_NONE. Only custom devices may return it, which another rule checks."""


def expect_by_tables(request: QueryRequest, rulebook: RuleSource) -> list[Matcher]:
    """Return the matchers for a query value from the tables, each with its requirement."""
    query, lookups = request.query, request.model.lookups
    wants = [*_expect_type(query.type, query.id, lookups)]
    if query.shape == "string":
        wants.append(_expect_text(query.name, query.id))
    for requirement in [
        each
        for asked in requested_queries(request.call, request.model)
        for each in lookups.requirements_about(asked.name)
    ]:
        if not applies(requirement.applicability, request.scope):
            continue
        try:
            want = (
                expect_within(requirement, request)
                if isinstance(requirement, Limit)
                else _expect_by_rule(requirement, request, rulebook)
            )
        except UnknownFactError:
            continue
        if want is not None:
            wants.append(add_legacy_gap(want, requirement.id, request, rulebook))
    return wants


def add_legacy_gap(matcher: Matcher, requirement: str, request: QueryRequest, rulebook: RuleSource) -> Matcher:
    """Return a matcher, with the interpretation for the gap if an older document lacks the requirement.

    The older document is that of the driver's version. For an object of a context, the versions of all devices of the
    context count.
    """
    if not isinstance(matcher, (OneOf, Satisfies)) or rulebook.basis.undocumented_versions(requirement) is None:
        return matcher
    entry = find_legacy_gap(requirement, versions_of(request.call, request.model), rulebook)
    return msgspec.structs.replace(matcher, inferred_by=entry) if entry else matcher


def _expect_by_rule(
    requirement: Effect | OptionalBehaviour, question: QueryRequest, rulebook: RuleSource
) -> Matcher | None:
    rule = rulebook.cross_query_rule(requirement)
    return rule(requirement, question) if rule else None


@functools.cache
def _expect_type(type_name: str, requirement: str, lookups: TableLookups) -> tuple[Matcher, ...]:
    """Expect valid values of the type: CL_TRUE or CL_FALSE, a listed value, or known bits."""
    requirements = (requirement,)
    if type_name == "cl_bool":
        return (
            Satisfies(lambda seen: all(value in (0, 1) for value in seen), "CL_TRUE (1) or CL_FALSE (0)", requirements),
        )
    known = lookups.tables.types.get(type_name)
    values = _type_values(type_name, lookups)
    if known is None or not values:
        return ()
    if known.kind == "bitfield" and type_name not in EXTENSIBLE_BITFIELDS:
        mask = 0
        for value in values:
            mask |= value
        return (
            Satisfies(
                lambda seen: all(_number(value) & ~mask == 0 for value in seen), f"bits of {mask:#x}", requirements
            ),
        )
    if known.kind == "scalar" and type_name in ENUMERATED_TYPES:
        words = "a value that the type has"
        return (Satisfies(lambda seen: all(value in values for value in seen), words, requirements),)
    return ()


ENUMERATED_TYPES = (
    "cl_device_mem_cache_type",
    "cl_device_local_mem_type",
    "cl_build_status",
    "cl_addressing_mode",
    "cl_filter_mode",
    "cl_kernel_arg_address_qualifier",
    "cl_kernel_arg_access_qualifier",
    "cl_program_binary_type",
    "cl_unified_shared_memory_type_intel",
)
"""Types with a complete list of values in a document."""


def _type_values(type_name: str, lookups: TableLookups) -> set[int]:
    enumerants = lookups.tables.enumerants
    values = set(lookups.tables.values_of_group(type_name).values())
    if type_name in TYPES_WITH_NONE:
        values.add(enumerants["CL_NONE"].value)
    for requirement in lookups.flags_of(type_name):
        if isinstance(requirement, Flag) and requirement.name in enumerants:
            values.add(enumerants[requirement.name].value)
    return values


@functools.cache
def _expect_text(name: str, requirement: str) -> Matcher:
    """Expect a string without control characters other than layout characters."""

    def plain(seen: Values) -> bool:
        return all(character >= " " or character in "\t\n\r" for character in "".join(map(str, seen)))

    if "SOURCE" in name or "LOG" in name:
        return Satisfies(lambda _seen: True, "any text", (requirement,))
    return Satisfies(plain, "text without control characters", (requirement,))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
