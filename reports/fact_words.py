"""Says in words what a record requires that is a row of a table: a query, a value, a format, a rule about sizes.

Clauses and sentences of the prose have words of their own, by hand; what stands in a table needs none, since its
columns say it all.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.spec_tables.records import (
    AccessQualifier,
    AlignmentRule,
    AllocationAccess,
    CommandType,
    CompatibleOrder,
    Flag,
    HandleTransference,
    HostPointerSize,
    ImageFormat,
    OptionalBehaviour,
    PartitionScheme,
    Property,
    Query,
    SharingFormat,
    SizeRule,
    StateTransition,
    Success,
)

if TYPE_CHECKING:
    from clconform.spec_tables.records import Record

CAUSES = {
    "completion": "when it is done",
    "enqueue": "when a command is enqueued",
    "progress": "as the command goes on",
}
SUBJECTS = {
    "": "The memory that comes back",
    "sub-buffer": "The offset of a sub-buffer",
    "origin": "The origin of a region",
    "host_ptr": "The memory at host_ptr",
}


def in_words(record: Record, by_hand: str) -> str:
    """Return what a record requires: by the words written for it, or by its row where that says it better.

    Of an alignment the row says more than the words for what watches it. Empty where there is neither.
    """
    fact = words_of(record)
    return fact if fact and isinstance(record, AlignmentRule) else by_hand or fact


def words_of(record: Record) -> str:  # noqa: C901, PLR0912 (one case a kind)
    """Return the words, or an empty string for a record of a kind that has its words from its predicate."""
    match record:
        case Success():
            return "A call that no clause refuses succeeds, and answers with no code that no clause has."
        case Query():
            return f"Answers with {_shape(record)}{f', in {record.unit}' if record.unit else ''}."
        case PartitionScheme():
            ends = f", a list that {record.list_end} ends" if record.list_end else ""
            return f"Splits a device by a value of type {record.value_type}{ends}."
        case Property():
            return f"A list of properties of {record.function} may hold it, with a value of type {record.value_type}."
        case Flag():
            beside = f", but not beside {' or '.join(record.excludes)}" if record.excludes else ""
            return f"A valid value of {record.type}{beside}."
        case ImageFormat():
            return f"Images of {record.order} with {record.data_type} are supported to {_spaced(record.access)}."
        case SharingFormat():
            return f"{record.external} is {record.order} with {record.data_type}."
        case CompatibleOrder():
            return f"An image of {record.order} may be made of one of {record.other}."
        case CommandType():
            return f"The events of {record.function} say {record.name}."
        case HostPointerSize():
            return f"Host memory for it has at least {' * '.join(record.factors)} bytes."
        case OptionalBehaviour():
            return f"Without {_spaced(record.feature)}: {record.subject} answers {' or '.join(record.answers)}."
        case AlignmentRule():
            return _alignment(record)
        case SizeRule():
            return _size(record)
        case StateTransition():
            cause = CAUSES.get(record.cause) or f"by {record.function}"
            return f"{record.object}: {f'from {record.source} ' if record.source else ''}to {record.target} {cause}."
        case AccessQualifier():
            return f"A format that is listed for {record.name} serves a kernel's {record.qualifier} image."
        case HandleTransference():
            return f"Carries a {record.transference} of what is behind the handle."
        case AllocationAccess():
            allowed = {"yes": "may access", "no": "may not access"}.get(record.accessible, "need not be able to access")
            return f"{record.accessor.capitalize()} {allowed} an allocation of type {record.allocation}."
    return ""


def _spaced(name: str) -> str:
    return name.replace("-", " ")


def _shape(query: Query) -> str:
    if query.shape == "string":
        return "a string that a zero ends"
    return f"{'a list of' if query.shape == 'array' else 'a value of type'} {query.type}"


def _alignment(rule: AlignmentRule) -> str:
    if rule.relation == "one-of":
        asked = f"one of {', '.join(map(str, rule.values))}"
    elif rule.relation == "power-of-two":
        asked = "a power of two"
    else:
        unit = " (in bits)" if rule.unit == "bits" else ""
        asked = f"a multiple of {'a page' if rule.of == 'page' else rule.of}{unit}"
    if rule.zero:
        asked += ", or 0"
    if rule.below:
        asked += f"; {' * '.join(rule.below)} and more will do besides"
    return f"{SUBJECTS.get(rule.subject, rule.subject)} is {asked}."


def _size(rule: SizeRule) -> str:
    relation = {
        "at-least": "is at least",
        "at-most": "is at most",
        "multiple-of": "is a multiple of",
        "taken-as": "is, where 0 is given,",
        "zero": "is 0",
    }[rule.relation]
    product = " * ".join(rule.factors)
    unit = f" {rule.unit}" if rule.unit and product else ""
    besides = ", or 0" if rule.allows_zero else ""
    named = [_spaced(circumstance) for circumstance in rule.when if circumstance != "zero-given"]
    when = f" ({', '.join(named)})" if named else ""
    subject = SUBJECTS.get(rule.subject, rule.subject)
    return f"{' '.join(filter(None, (subject, relation, product)))}{unit}{besides}{when}."
