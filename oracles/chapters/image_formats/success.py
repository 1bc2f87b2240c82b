"""Postconditions of image format lists (section 5.3.2)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.image_formats.uses import BOTH, EITHER, LIST, READ, USES, WRITE, empty_by, required
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Complaint, Each, OneOf, Promise, Such, Values, Want, When
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownError
from clconform.oracles.model.format_lists import FormatList, pairs_in
from clconform.oracles.model.image_formats import bits_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.format_lists import Pair
    from clconform.oracles.model.world import Model

rules = Rules()

SUCCESS, UNION = f"{LIST}/success", f"{LIST}/effect/6"
POWER_OF_TWO = "OpenCL:image-format-descriptor/1"
MORE = "image formats beyond the minimum"
"""Fact name of the additional formats of simulated devices: a flat tuple of channel orders and data types."""


@rules.success("clGetSupportedImageFormats")
def formats_listed(call: Call, model: Model) -> Promise:
    """image_formats lists at most num_entries formats; num_image_formats is the total number of formats.

    Repeated queries return the same number and the same formats.
    """
    context = model.context(call.context)
    told = context.formats.get((call.flags, call.image_type), FormatList())
    union = _of_the_devices_alone(call, context, model)
    choice = told.formats if told.formats is not None else _choice(call, context, union, told.number, model)
    outputs: dict[str, Want] = {}
    if isinstance(call.num_image_formats, OutputBuffer):
        number = Such(_is_number, "how many formats there are", (SUCCESS,), (len(choice),))
        enough = When(
            lambda seen: _is_number(seen) and isinstance(seen[0], int) and seen[0] >= len(union or ()),
            "no fewer than the formats that are listed for any of the devices alone",
            (UNION,),
            applies=lambda _seen: union is not None,
        )
        outputs["num_image_formats"] = (
            Each((number, enough)) if told.number is None else OneOf(((told.number,),), (SUCCESS,))
        )
    if isinstance(call.image_formats, OutputBuffer):
        shown = tuple(each for pair in choice[: call.num_entries] for each in pair)
        fitting = Such(lambda seen: _fit(seen, call.num_entries, told), _in_words(call, told), (SUCCESS,), shown)
        outputs["image_formats"] = Each((fitting, *_demands(call, context, told, union, model)), shown)

    def apply(_value: object, seen: dict[str, Values]) -> list[Complaint]:
        return _take_in(call, context, seen)

    return Promise(outputs=outputs, apply=apply)


def _is_number(seen: Values) -> bool:
    return isinstance(seen[0], int) and seen[0] >= 0


def _fit(seen: Values, entries: int, told: FormatList) -> bool:
    """Return whether a list has the expected length, no gaps, and only the formats that were listed before."""
    pairs = pairs_in(seen)
    if any(value != UNTOUCHED for value in seen[2 * len(pairs) :]) or len(pairs) > entries:
        return False
    if told.number is not None and len(pairs) != min(told.number, entries):
        return False
    return told.formats is None or set(pairs) <= set(told.formats)


def _in_words(call: Call, told: FormatList) -> str:
    if told.number is None:
        return f"at most {call.num_entries} formats"
    again = ", of those listed before" if told.formats is not None else ""
    return f"{min(told.number, call.num_entries)} formats{again}"


def _is_whole(seen: Values, entries: int, told: FormatList) -> bool:
    """Return whether a list is complete: it has room for more, or as many formats as were counted."""
    return (told.number is not None and told.number <= entries) or len(pairs_in(seen)) < entries


class _Reading:
    """Parses an output once for all checks of it."""

    def __init__(self) -> None:
        self._seen: Values | None = None
        self._pairs: dict[Pair, int] = {}

    def pairs(self, seen: Values) -> Mapping[Pair, int]:
        """Return the formats in an output, each with its number of occurrences."""
        if self._seen is not seen:
            self._seen, self._pairs = seen, Counter(pairs_in(seen))
        return self._pairs


def _demands(
    call: Call, context: Context, told: FormatList, union: Collection[Pair] | None, model: Model
) -> list[Want]:
    """Return the checks of a list's formats, by the reported capabilities of the context's devices.

    ``union``: the formats that are listed for its devices alone, if known.
    """
    group, kinds = "cl_mem_flags", "cl_mem_object_type"
    flags, image_type = (
        model.tables.name_of(call.flags, group) or "",
        model.tables.name_of(call.image_type, kinds) or "",
    )

    read = _Reading()

    def whole(seen: Values) -> bool:
        known = told.number is not None and told.number <= call.num_entries
        return bool(known) or sum(read.pairs(seen).values()) < call.num_entries

    def holding(pair: Pair) -> Callable[[Values], bool]:
        return lambda seen: pair in read.pairs(seen)

    wants: list[Want] = [
        When(holding(pair), f"a list with {_words(pair, model)}", (record,), applies=whole)
        for record, pair in required(context.devices, flags, image_type, model).items()
    ]
    wants.append(
        When(
            lambda seen: all(_is_power_of_two(pair, model) for pair in read.pairs(seen)),
            "formats of 2, 4, 8 ... bits for each element",
            (POWER_OF_TWO,),
            applies=lambda seen: bool(read.pairs(seen)),
        )
    )
    empty = _empty_by(context, flags, image_type)
    if empty:
        wants.append(Such(lambda seen: not pairs_in(seen), "no format, since no device has the feature", (empty,)))
    if union is not None:
        words = "the formats that are listed for any of the devices alone"
        wants.append(When(lambda seen: set(read.pairs(seen)) == union, words, (UNION,), applies=whole))
    return wants


def _empty_by(context: Context, flags: str, image_type: str) -> str:
    if not context.devices or flags not in USES:
        return ""
    try:
        return empty_by(context.devices, flags, image_type)
    except UnknownError:
        return ""


def _is_power_of_two(pair: Pair, model: Model) -> bool:
    """Return whether the element size of a format is a power of two, or unspecified."""
    bits = bits_of(*names_of(pair, model))
    return bits & (bits - 1) == 0


def names_of(pair: Pair, model: Model) -> tuple[str, str]:
    """Return the names of a channel order and a channel data type; empty if undefined."""
    order, channel_type = pair
    return (
        model.tables.name_of(order, "cl_channel_order") or "",
        model.tables.name_of(channel_type, "cl_channel_type") or "",
    )


def _words(pair: Pair, model: Model) -> str:
    return " ".join(names_of(pair, model))


def _choice(
    call: Call, context: Context, union: Collection[Pair] | None, number: int | None, model: Model
) -> Sequence[Pair]:
    """Return the formats that a simulated platform lists; repeats one if the reported number requires it."""
    if union is None:
        return _formats_of(call, context, model)
    once = sorted(union)
    return once + once[:1] * max(0, (number or 0) - len(once))


def _of_the_devices_alone(call: Call, context: Context, model: Model) -> set[Pair] | None:
    """Return the union of the lists of contexts of each device alone; None unless all are known."""
    if len(set(context.devices)) < len(("one", "another")):
        return None
    found: set[Pair] = set()
    for device in context.devices:
        lists = [each.formats for each in model.of_kind(Context) if set(each.devices) == {device}]
        told = [own[call.flags, call.image_type].formats for own in lists if (call.flags, call.image_type) in own]
        known = next((formats for formats in told if formats is not None), None)
        if known is None:
            return None
        found.update(known)
    return found


def _take_in(call: Call, context: Context, seen: dict[str, Values]) -> list[Complaint]:
    """Store the number and the formats; return a mismatch if both are known and disagree."""
    told = context.formats.setdefault((call.flags, call.image_type), FormatList())
    number = seen.get("num_image_formats", [None])[0]
    before, told.number = told.number, number if isinstance(number, int) else told.number
    if "image_formats" not in seen:
        return []
    pairs = pairs_in(seen["image_formats"])
    if _is_whole(seen["image_formats"], call.num_entries, told) and told.number in (None, len(pairs)):
        told.formats, told.number = tuple(pairs), len(pairs)
    if before is not None or told.number is None or len(pairs) == min(told.number, call.num_entries):
        return []
    allowed = f"{min(told.number, call.num_entries)} formats, as counted"
    return [Complaint(SUCCESS, allowed, f"{len(pairs)} formats", symptoms.other_values((SUCCESS,)))]


def _formats_of(call: Call, context: Context, model: Model) -> tuple[Pair, ...]:
    """Return the formats that a simulated platform lists: the required ones and its devices' additional ones."""
    flags = model.tables.name_of(call.flags, "cl_mem_flags") or EITHER
    image_type = model.tables.name_of(call.image_type, "cl_mem_object_type") or ""
    if _empty_by(context, flags, image_type):
        return ()
    uses = (READ, WRITE) if flags == EITHER else (flags,)
    least = [required(context.devices, each, image_type, model).values() for each in uses]
    found = dict.fromkeys(pair for pair in least[0] if all(pair in other for other in least))
    for device in context.devices:
        found.update(dict.fromkeys(_beyond(device.facts.get(MORE), flags, image_type, model)))
    return tuple(found)


def _beyond(fact: Fact, flags: str, image_type: str, model: Model) -> list[Pair]:
    """Return the additional formats of a simulated device that a use allows; depth needs 2D, and sRGB reading."""
    numbers = [each for each in fact if isinstance(each, int)] if isinstance(fact, tuple) else []
    pairs = list(zip(numbers[::2], numbers[1::2], strict=True))
    orders = [names_of(pair, model)[0] for pair in pairs]
    flat = "IMAGE2D" in image_type
    kept = []
    for pair, order in zip(pairs, orders, strict=True):
        if (order == "CL_DEPTH" and not flat) or (order.startswith("CL_s") and flags != READ) or flags == BOTH:
            continue
        kept.append(pair)
    return kept
