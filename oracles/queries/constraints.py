"""Demands of the tables on a query value: values of its type, limits, and rules that relate it to other values."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING

import msgspec

from clconform.oracles.engine.gates import applies
from clconform.oracles.engine.own_texts import lacking
from clconform.oracles.engine.wants import OneOf, Such, Values, Want
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.scope import versions_behind
from clconform.oracles.queries.limits import within
from clconform.oracles.queries.questions import queries_of
from clconform.spec_tables.records import Effect, Flag, Limit, OptionalBehaviour

if TYPE_CHECKING:
    from clconform.oracles.engine.judged_call import RulesAsked
    from clconform.oracles.queries.questions import Question
    from clconform.spec_tables.lookups import Lookups

FREE_BITS = (
    "cl_command_queue_properties",
    "cl_mem_flags",
    "cl_device_type",
    "cl_device_exec_capabilities",
    "cl_mutable_dispatch_fields_khr",
    "cl_device_command_buffer_capabilities_khr",
    "cl_platform_command_buffer_capabilities_khr",
)
"""Bit-fields that vendors extend with bits of their own, or that a later revision of an extension extends."""

NONE_TOO = ("cl_device_local_mem_type",)
"""Types that allow CL_NONE in addition to their group's values: for custom devices, which a rule distinguishes."""


def constraints(question: Question, rulebook: RulesAsked) -> list[Want]:
    """Return the demands of the tables on a query value, each with its requirement."""
    query, lookups = question.query, question.model.lookups
    wants = [*_of_type(query.type, query.id, lookups)]
    if query.shape == "string":
        wants.append(_plain_text(query.name, query.id))
    for record in [each for asked in queries_of(question.call, question.model) for each in lookups.about(asked.name)]:
        if not applies(record.gates, question.scope):
            continue
        try:
            want = within(record, question) if isinstance(record, Limit) else _rule(record, question, rulebook)
        except UnknownError:
            continue
        if want is not None:
            wants.append(by_own_text(want, record.id, question, rulebook))
    return wants


def by_own_text(want: Want, record: str, question: Question, rulebook: RulesAsked) -> Want:
    """Return a matcher with the interpretation for the gap, if the document of the driver's version lacks the sentence.

    For an object of a context, the versions of all its devices count.
    """
    if not isinstance(want, (OneOf, Such)) or rulebook.unstated_in(record) is None:
        return want
    entry = lacking(record, versions_behind(question.call, question.model), rulebook)
    return msgspec.structs.replace(want, inferred_by=entry) if entry else want


def _rule(record: Effect | OptionalBehaviour, question: Question, rulebook: RulesAsked) -> Want | None:
    rule = rulebook.between_answers(record)
    return rule(record, question) if rule else None


@functools.cache
def _of_type(type_name: str, record: str, lookups: Lookups) -> tuple[Want, ...]:
    """Expect values that the type has: a boolean, one of a list, or known bits."""
    records = (record,)
    if type_name == "cl_bool":
        return (Such(lambda seen: all(value in (0, 1) for value in seen), "CL_TRUE (1) or CL_FALSE (0)", records),)
    known = lookups.tables.types.get(type_name)
    values = _values_of(type_name, lookups)
    if known is None or not values:
        return ()
    if known.kind == "bitfield" and type_name not in FREE_BITS:
        mask = 0
        for value in values:
            mask |= value
        return (Such(lambda seen: all(_number(value) & ~mask == 0 for value in seen), f"bits of {mask:#x}", records),)
    if known.kind == "scalar" and type_name in CLOSED_LISTS:
        words = "a value that the type has"
        return (Such(lambda seen: all(value in values for value in seen), words, records),)
    return ()


CLOSED_LISTS = (
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


def _values_of(type_name: str, lookups: Lookups) -> set[int]:
    enumerants = lookups.tables.enumerants
    values = set(lookups.tables.values_of_group(type_name).values())
    if type_name in NONE_TOO:
        values.add(enumerants["CL_NONE"].value)
    for record in lookups.flags_of(type_name):
        if isinstance(record, Flag) and record.name in enumerants:
            values.add(enumerants[record.name].value)
    return values


@functools.cache
def _plain_text(name: str, record: str) -> Want:
    """Expect a string without control characters other than layout characters."""

    def plain(seen: Values) -> bool:
        return all(character >= " " or character in "\t\n\r" for character in "".join(map(str, seen)))

    if "SOURCE" in name or "LOG" in name:
        return Such(lambda _seen: True, "any text", (record,))
    return Such(plain, "text without control characters", (record,))


def _number(value: object) -> int:
    return value if isinstance(value, int) else 0
