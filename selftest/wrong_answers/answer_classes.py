"""The classes of wrong answers, and the wrong values that they put in place of right ones."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Collection

    from clconform.oracles.engine.matchers import Element
    from clconform.spec_tables.lookups import TableLookups
    from clconform.spec_tables.requirements import Query

AnswerClass = Literal[
    "other", "prefix", "longer", "stale", "empty", "zero", "ones", "unwritten", "size-more", "size-less", "no-size"
]
ANSWER_CLASSES: dict[AnswerClass, str] = {
    "other": "another text, number, bit, listed value or object of the right type",
    "prefix": "a proper prefix of the right text, with its terminator, or of the right list",
    "longer": "the right text or list, and something more",
    "stale": "the right value of another object",
    "empty": "an empty text or list",
    "zero": "zeros of the right number, or NULL",
    "ones": "all bits are set",
    "unwritten": "success and the right size, but the memory is unchanged",
    "size-more": "the right value, but a size that is one element too large",
    "size-less": "the right value, but a size that is one element too small",
    "no-size": "the right value, but the size is not written",
}
"""The classes of wrong answers with their descriptions."""
OTHER_TEXT, MORE_TEXT = "garbage", "x"
UNKNOWN_NUMBER = 99_999_999
"""The number in the name of an object that does not exist."""
ADDRESS_STEP = 64
"""The distance between a right and a wrong address, in bytes."""
MAX_NUMBER = (1 << 63) - 1
SIGNED_TYPES = ("cl_int", "char", "cl_char", "GLint")
"""Signed types of query values."""
_STEMS = {"command_queue": "queue", "void*": "pointer"}
ONE_SIZE, EMPTY_ALREADY, NO_OTHER = "one size", "empty", "no other value"
"""Why a class has no wrong answer: a value has only one size, the right value is empty, or no other value is known."""


class Answer(NamedTuple):
    """The answer to a query: the values in its output, as in ``Output.values``, and its size in bytes.

    ``is_written``: the values are written to the output buffer. ``reported``: the size that the query returns; None if
    it is not written.
    """

    values: tuple[Element, ...]
    size: int
    is_written: bool = True
    reported: int | None = None


def alter_answer(
    right: Answer, query: Query, wrong: AnswerClass, others: Collection[tuple[Element, ...]], lookups: TableLookups
) -> Answer | str:
    """Return a wrong answer of a class, or the reason why there is none.

    ``others``: right values of other objects, the best choice first.
    """
    width = lookups.size_of(query.type) or 1
    if wrong == "unwritten":
        return right._replace(is_written=False) if right.size else EMPTY_ALREADY
    if wrong == "size-more":
        return right._replace(reported=right.size + width)
    if wrong == "size-less":
        return right._replace(reported=right.size - width) if right.size else EMPTY_ALREADY
    if wrong == "no-size":
        return right._replace(reported=None)
    values = _alter_values(right.values, query, wrong, others, lookups)
    if isinstance(values, str):
        return values
    if values == right.values:
        return NO_OTHER
    size = measure_values(values, query, lookups)
    return Answer(values, size, reported=size)


def measure_values(values: tuple[Element, ...], query: Query, lookups: TableLookups) -> int:
    """Return the size in bytes of the values of a query."""
    if query.shape == "string":
        return sum(len(str(text).encode("utf-8", "surrogateescape")) for text in values)
    return len(values) * (lookups.size_of(query.type) or 1) // lookups.count_members(query.type)


def _alter_values(
    values: tuple[Element, ...],
    query: Query,
    wrong: AnswerClass,
    others: Collection[tuple[Element, ...]],
    lookups: TableLookups,
) -> tuple[Element, ...] | str:
    if wrong == "stale":
        return next((other for other in others if other != values), NO_OTHER)
    if query.shape == "string":
        return _alter_text("".join(map(str, values)).removesuffix("\0"), wrong)
    members = lookups.count_members(query.type)
    if query.shape == "scalar" and wrong in ("prefix", "longer", "empty"):
        return ONE_SIZE
    match wrong:
        case "prefix":
            return values[:-members] if values else EMPTY_ALREADY
        case "empty":
            return () if values else EMPTY_ALREADY
        case "longer":
            return (*values, *(values[-members:] or (_zero_of(query, lookups),) * members))
        case _ if not values:
            return EMPTY_ALREADY
        case "zero":
            return tuple(_zero_like(value, query, lookups) for value in values)
        case "ones":
            return tuple(_all_ones(value, query, lookups) for value in values)
        case _:
            return tuple(_other_value(value, query, lookups) for value in values)


def _alter_text(text: str, wrong: AnswerClass) -> tuple[Element, ...] | str:
    match wrong:
        case "other":
            return (f"{OTHER_TEXT if text != OTHER_TEXT else MORE_TEXT}\0",)
        case "prefix":
            return (f"{text[: len(text) // 2]}\0",) if text else EMPTY_ALREADY
        case "longer":
            return (f"{text}{MORE_TEXT}\0",)
        case "empty":
            return ("\0",) if text else EMPTY_ALREADY
        case "ones":
            return ("\udcff" * len(text) + "\0",) if text else EMPTY_ALREADY
        case _:
            return "a text, whose zeros are the class empty"


def _zero_of(query: Query, lookups: TableLookups) -> Element:
    return None if holds_objects(query, lookups) else 0


def holds_objects(query: Query, lookups: TableLookups) -> bool:
    """Return whether the elements of a query's value are handles or addresses, and not numbers or texts."""
    known = lookups.tables.types.get(query.type)
    return query.type.endswith("*") or (known is not None and known.kind == "handle")


def _zero_like(value: Element, query: Query, lookups: TableLookups) -> Element:
    if isinstance(value, str):
        return None if holds_objects(query, lookups) else ""
    return None if value is None else 0


def _all_ones(value: Element, query: Query, lookups: TableLookups) -> Element:
    if isinstance(value, str) or value is None:
        return _unknown_object(query) if holds_objects(query, lookups) else value
    if query.type in SIGNED_TYPES:
        return -1
    width = (lookups.size_of(query.type) or 8) // lookups.count_members(query.type)
    if query.type.startswith("cl_name_version"):
        width = 4
    return (1 << 8 * min(width, 8)) - 1


def _unknown_object(query: Query) -> str:
    stem = query.type.removeprefix("cl_").removesuffix("_id").removesuffix("_khr")
    return f"{_STEMS.get(stem, stem)}{UNKNOWN_NUMBER}"


def _other_value(value: Element, query: Query, lookups: TableLookups) -> Element:
    """Return another value of the same type: another listed value or bit, the next number, or an unknown object."""
    if isinstance(value, float):
        return value + 1.0
    if isinstance(value, str):
        return _unknown_object(query) if holds_objects(query, lookups) else f"{MORE_TEXT}{value}"
    if value is None:
        return _unknown_object(query)
    if query.type == "cl_bool":
        return 1 - value
    listed = sorted({lookups.values[flag.name] for flag in lookups.flags_of(query.type) if flag.name in lookups.values})
    listed = listed or sorted(lookups.tables.values_of_group(query.type).values())
    known = lookups.tables.types.get(query.type)
    if known is not None and known.kind == "bitfield" and listed:
        return value ^ next((bit for bit in listed if bit and bit & (bit - 1) == 0), 1)
    if value in listed and len(listed) > 1:
        return listed[(listed.index(value) + 1) % len(listed)]
    return value - 1 if value >= MAX_NUMBER else value + (ADDRESS_STEP if query.type == "void*" else 1)
