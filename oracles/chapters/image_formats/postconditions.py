"""Postconditions of image format lists (section 5.3.2)."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

from clconform.calls.call import UNTOUCHED
from clconform.calls.values import OutputBuffer
from clconform.oracles.chapters.image_formats.uses import (
    BOTH,
    EITHER,
    READ,
    USES,
    WRITE,
    emptying_requirement,
    required_formats,
)
from clconform.oracles.engine import symptoms
from clconform.oracles.engine.matchers import (
    AllOf,
    Conditional,
    Matcher,
    Mismatch,
    OneOf,
    Postcondition,
    Satisfies,
    Values,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.errors import UnknownFactError
from clconform.oracles.model.format_lists import FormatList, parse_pairs
from clconform.oracles.model.image_formats import element_bits

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from clconform.calls.call import Call
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.format_lists import FormatPair
    from clconform.oracles.model.state import Model

rules = Rules()
rules.uses_interpretation("empty-format-list", "clGetSupportedImageFormats/success")

SUCCESS, UNION = "clGetSupportedImageFormats/success", "clGetSupportedImageFormats/effect/6"
POWER_OF_TWO = "OpenCL:image-format-descriptor/1"
ADDITIONAL_FORMATS = "image formats beyond the minimum"
"""Name of a fact of simulated devices: their additional formats, as a flat tuple of channel orders and data types."""


@rules.postcondition("clGetSupportedImageFormats")
def expect_listed_formats(call: Call, model: Model) -> Postcondition:
    """image_formats receives at most num_entries formats; num_image_formats receives the number of all formats.

    Repeated queries with equal arguments return the same number and the same formats.
    """
    context = model.context(call.context)
    earlier = context.formats.get((call.flags, call.image_type), FormatList())
    union = _union_of_device_lists(call, context, model)
    choice = (
        earlier.formats if earlier.formats is not None else _choose_formats(call, context, union, earlier.number, model)
    )
    announced = _AnnouncedNumber(earlier.number)
    outputs: dict[str, Matcher] = {}
    if isinstance(call.num_image_formats, OutputBuffer):
        number = Satisfies(announced.is_natural, "how many formats there are", (SUCCESS,), (len(choice),))
        enough = Conditional(
            lambda seen: _is_natural_number(seen) and isinstance(seen[0], int) and seen[0] >= len(union or ()),
            "no fewer than the formats that are listed for any of the devices alone",
            (UNION,),
            applies=lambda _seen: union is not None,
        )
        outputs["num_image_formats"] = (
            AllOf((number, enough)) if earlier.number is None else OneOf(((earlier.number,),), (SUCCESS,))
        )
    if isinstance(call.image_formats, OutputBuffer):
        shown = tuple(each for pair in choice[: call.num_entries] for each in pair)
        fitting = Satisfies(
            lambda seen: _is_consistent_list(seen, call.num_entries, earlier),
            _describe_list(call, earlier),
            (SUCCESS,),
            shown,
        )
        expected = _expected_formats(call, context, announced, union, model)
        outputs["image_formats"] = AllOf((fitting, *expected), shown)

    def apply(_value: object, seen: dict[str, Values]) -> list[Mismatch]:
        return _store_list(call, context, seen)

    return Postcondition(outputs=outputs, apply=apply)


def _is_natural_number(seen: Values) -> bool:
    return isinstance(seen[0], int) and seen[0] >= 0


def _is_consistent_list(seen: Values, entries: int, earlier: FormatList) -> bool:
    """Return whether a list of formats has the expected length, without gaps and without unexpected formats.

    ``entries``: the number of formats that the output can hold. ``earlier``: the results of earlier queries with the
    same arguments; formats that they do not list are unexpected.
    """
    pairs = parse_pairs(seen)
    if any(value != UNTOUCHED for value in seen[2 * len(pairs) :]) or len(pairs) > entries:
        return False
    if earlier.number is not None and len(pairs) != min(earlier.number, entries):
        return False
    return earlier.formats is None or set(pairs) <= set(earlier.formats)


def _describe_list(call: Call, earlier: FormatList) -> str:
    if earlier.number is None:
        return f"at most {call.num_entries} formats"
    again = ", of those listed before" if earlier.formats is not None else ""
    return f"{min(earlier.number, call.num_entries)} formats{again}"


def _is_complete(length: int, entries: int, number: int | None) -> bool:
    """Return whether a list of ``length`` formats certainly contains all formats.

    ``entries``: the number of formats that the output can hold. ``number``: the number of formats that the driver has
    announced, in this call or before, or None. The list must have this number of formats, or, if it is not known, leave
    room for more. A shorter list contradicts the number; which formats it lacks is not another deviation.
    """
    return length <= entries and length == number if number is not None else length < entries


class _AnnouncedNumber:
    """The number of formats that earlier calls returned, or else the number that the call itself returns with its list.

    The output with the number is checked before the list. ``is_confirmed``: an earlier call returned the number; a
    driver may have limited the number of this call to the room for its list.
    """

    def __init__(self, number: int | None) -> None:
        self.number = number
        self.is_confirmed = number is not None

    def is_natural(self, seen: Values) -> bool:
        """Return whether the returned number is a natural number, and store it if no number is known."""
        if self.number is None and isinstance(seen[0], int):
            self.number = seen[0]
        return _is_natural_number(seen)


class _FormatParser:
    """Parses the formats in an output once, and keeps them for further checks of the same output."""

    def __init__(self) -> None:
        self._seen: Values | None = None
        self._pairs: dict[FormatPair, int] = {}

    def pairs(self, seen: Values) -> Mapping[FormatPair, int]:
        """Return the formats in an output, each with its number of occurrences."""
        if self._seen is not seen:
            self._seen, self._pairs = seen, Counter(parse_pairs(seen))
        return self._pairs


def _expected_formats(
    call: Call, context: Context, announced: _AnnouncedNumber, union: Collection[FormatPair] | None, model: Model
) -> list[Matcher]:
    """Return the checks of a list of formats. They depend on the capabilities of the context's devices.

    ``announced``: the number of formats, once the call has returned it. ``union``: the formats listed for contexts with
    only one of these devices, or None if they are not known. If the list is empty, only the first required format
    counts as missing (interpretation *empty-format-list*).
    """
    group, kinds = "cl_mem_flags", "cl_mem_object_type"
    flags, image_type = (
        model.tables.name_of(call.flags, group) or "",
        model.tables.name_of(call.image_type, kinds) or "",
    )

    read = _FormatParser()

    def whole(seen: Values) -> bool:
        length = sum(read.pairs(seen).values())
        has_room = length < call.num_entries or announced.is_confirmed
        return has_room and _is_complete(length, call.num_entries, announced.number)

    def holding(pair: FormatPair) -> Callable[[Values], bool]:
        return lambda seen: pair in read.pairs(seen)

    def whole_with_formats(seen: Values) -> bool:
        return bool(read.pairs(seen)) and whole(seen)

    wants: list[Matcher] = [
        Conditional(
            holding(pair),
            f"a list with {_describe_format(pair, model)}",
            (requirement,),
            applies=whole_with_formats if index else whole,
        )
        for index, (requirement, pair) in enumerate(required_formats(context.devices, flags, image_type, model).items())
    ]
    wants.append(
        Conditional(
            lambda seen: all(_is_power_of_two(pair, model) for pair in read.pairs(seen)),
            "formats of 2, 4, 8 ... bits for each element",
            (POWER_OF_TWO,),
            applies=lambda seen: bool(read.pairs(seen)),
        )
    )
    empty = _emptying_requirement(context, flags, image_type)
    if empty:
        wants.append(
            Satisfies(lambda seen: not parse_pairs(seen), "no format, since no device has the feature", (empty,))
        )
    if union is not None:
        words = "the formats that are listed for any of the devices alone"
        wants.append(Conditional(lambda seen: set(read.pairs(seen)) == union, words, (UNION,), applies=whole))
    return wants


def _emptying_requirement(context: Context, flags: str, image_type: str) -> str:
    if not context.devices or flags not in USES:
        return ""
    try:
        return emptying_requirement(context.devices, flags, image_type)
    except UnknownFactError:
        return ""


def _is_power_of_two(pair: FormatPair, model: Model) -> bool:
    """Return whether the element size of a format is a power of two, or unspecified."""
    bits = element_bits(*names_of(pair, model))
    return bits & (bits - 1) == 0


def names_of(pair: FormatPair, model: Model) -> tuple[str, str]:
    """Return the names of a channel order and a channel data type; an empty string for an undefined value."""
    order, channel_type = pair
    return (
        model.tables.name_of(order, "cl_channel_order") or "",
        model.tables.name_of(channel_type, "cl_channel_type") or "",
    )


def _describe_format(pair: FormatPair, model: Model) -> str:
    return " ".join(names_of(pair, model))


def _choose_formats(
    call: Call, context: Context, union: Collection[FormatPair] | None, number: int | None, model: Model
) -> Sequence[FormatPair]:
    """Return the formats that a simulated platform lists.

    ``union``: the formats of the context's devices, or None. ``number``: the number of formats to return; if ``union``
    has fewer formats, its first format is repeated.
    """
    if union is None:
        return _simulated_formats(call, context, model)
    once = sorted(union)
    return once + once[:1] * max(0, (number or 0) - len(once))


def _union_of_device_lists(call: Call, context: Context, model: Model) -> set[FormatPair] | None:
    """Return the union of the format lists of contexts with only one device of ``context``.

    The result is None if ``context`` has only one device, or if one of the lists is not known.
    """
    if len(set(context.devices)) < len(("one", "another")):
        return None
    found: set[FormatPair] = set()
    for device in context.devices:
        lists = [each.formats for each in model.objects_of_class(Context) if set(each.devices) == {device}]
        earlier = [own[call.flags, call.image_type].formats for own in lists if (call.flags, call.image_type) in own]
        known = next((formats for formats in earlier if formats is not None), None)
        if known is None:
            return None
        found.update(known)
    return found


def _store_list(call: Call, context: Context, seen: dict[str, Values]) -> list[Mismatch]:
    """Store the returned number of formats and the list; return a mismatch if number and list disagree."""
    earlier = context.formats.setdefault((call.flags, call.image_type), FormatList())
    number = seen.get("num_image_formats", [None])[0]
    before, earlier.number = earlier.number, number if isinstance(number, int) else earlier.number
    if "image_formats" not in seen:
        return []
    pairs = parse_pairs(seen["image_formats"])
    has_room = len(pairs) < call.num_entries or before is not None
    if has_room and _is_complete(len(pairs), call.num_entries, earlier.number):
        earlier.formats, earlier.number = tuple(pairs), len(pairs)
    if before is not None or earlier.number is None or len(pairs) == min(earlier.number, call.num_entries):
        return []
    allowed = f"{min(earlier.number, call.num_entries)} formats, as counted"
    return [Mismatch(SUCCESS, allowed, f"{len(pairs)} formats", symptoms.unexpected_values((SUCCESS,)))]


def _simulated_formats(call: Call, context: Context, model: Model) -> tuple[FormatPair, ...]:
    """Return the formats that a simulated platform lists: the required and the additional formats of its devices."""
    flags = model.tables.name_of(call.flags, "cl_mem_flags") or EITHER
    image_type = model.tables.name_of(call.image_type, "cl_mem_object_type") or ""
    if _emptying_requirement(context, flags, image_type):
        return ()
    uses = (READ, WRITE) if flags == EITHER else (flags,)
    least = [required_formats(context.devices, each, image_type, model).values() for each in uses]
    found = dict.fromkeys(pair for pair in least[0] if all(pair in other for other in least))
    for device in context.devices:
        found.update(dict.fromkeys(_additional_formats(device.facts.get(ADDITIONAL_FORMATS), flags, image_type, model)))
    return tuple(found)


def _additional_formats(fact: Fact, flags: str, image_type: str, model: Model) -> list[FormatPair]:
    """Return the additional formats of a simulated device for flags and an image type.

    CL_DEPTH is listed only for 2D images, and sRGB only for reading.
    """
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
