"""Operands of a condition: the names in the text of a clause, with their values in one call.

``src_slice_pitch is less than region[1] * src_row_pitch`` names a parameter, and a product of an element and another
parameter: ``src_slice_pitch = 15, region[1] * src_row_pitch = 16``. Operands are found by analysing the text:
parameters come from the prototype, fields from the type of the structure, facts about objects from the model
(``operand_facts.py``). Uncertain values are omitted.
"""

from __future__ import annotations

import functools
import math
import re
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.machine_words import unpack_words
from clconform.calls.values import Data, ElementList
from clconform.oracles.engine.operand_facts import find_device_facts, find_object_facts

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.calls.values import Operand, Value
    from clconform.oracles.model.state import Model

PART = r"(?:[A-Za-z_]\w*(?:->\w+|\[\d+\])?|\d+)"
EXPRESSION = re.compile(rf"(?<![\w\-]){PART}(?:\s*[\u00d7*+]\s*{PART})*(?![\w\-])")
"""Matches a single name, element, field or number, or a sum or product of several."""
OPERATOR = re.compile(r"\s*([\u00d7*+])\s*")
ELEMENT = re.compile(r"(\w+)\[(\d+)\]")
NOT_A_NAME = re.compile(
    r"\bnot\s+$|\b(?:an?|the|any|no|another|each|every|such|same|other|one|its|this|whose|valid|custom)\s+"
    r"(?:(?!(?:of|in|at|to|by|for|from|with|than|and|or|is|are|has|not)\b)[\w-]+\s+)?$",
    re.IGNORECASE,
)
"""Matches the text before a word that is not the name of an operand: ``a device in context``, ``whose offset``, ``does
not enable``."""
BYTE_STRUCTURES = {("clCreateSubBuffer", "buffer_create_info"): "cl_buffer_region"}
"""Structures that are passed as bytes, because the prototype has ``void``; all their fields are of type size_t."""
MAX_OPERAND_BYTES = 1000
"""Maximum number of bytes of an operand in a journal; the stored sequence of calls has the longer values."""


def operands_of(call: Call, model: Model, text: str) -> dict[str, Operand]:
    """Return the operands that a condition names, with their values in ``call``, in the order of the text.

    Call this function before the call updates the model. If computing the operands raises an exception, the result is
    empty, so that the call can still be judged.
    """
    try:
        return find_operands(call, model, text)
    except Exception:  # noqa: BLE001 (the verdict does not depend on the operands)
        return {}


def find_operands(call: Call, model: Model, text: str) -> dict[str, Operand]:
    """Return the operands as ``operands_of`` does, but do not catch exceptions, so that tests detect them."""
    known = {**structure_fields(call, model), **call.arguments}
    found: list[tuple[int, str, Value]] = []
    rest = text
    for start, end, name, value in find_object_facts(call, model, text):
        found.append((start, name, value))
        rest = rest[:start] + " " * (end - start) + rest[end:]
    for start, expression in _find_expressions(rest):
        found += [(start, name, value) for name, value in evaluate_expression(expression, known)]
    found += find_device_facts(call, model, text)
    return {name: shorten(value) for _, name, value in sorted(found, key=lambda each: each[0])}


@functools.lru_cache(maxsize=1024)
def _find_expressions(text: str) -> tuple[tuple[int, str], ...]:
    """Return the expressions in a sentence, each with its position."""
    matches = EXPRESSION.finditer(text)
    return tuple(
        (match.start(), match[0])
        for match in matches
        if not (match[0].isalpha() and NOT_A_NAME.search(text[: match.start()]))
    )


def structure_fields(call: Call, model: Model) -> dict[str, Value]:
    """Return the fields of the structures in a call's arguments, both as ``parameter->field`` and as ``field``."""
    function, types = model.tables.functions.get(call.function), model.tables.types
    found: dict[str, Value] = {}
    for parameter in function.parameters if function else ():
        type_ = types.get(BYTE_STRUCTURES.get((call.function, parameter.name), parameter.base))
        value = call.arguments.get(parameter.name)
        values: tuple[Value, ...] = ()
        if type_ is None or type_.kind != "struct":
            continue
        if isinstance(value, ElementList):
            values = value.values
        elif isinstance(value, Data) and len(value.content) == model.pointer_bytes * len(type_.fields):
            values = unpack_words(value.content, model.pointer_bytes)
        if len(values) == len(type_.fields):
            for (name, _), one in zip(type_.fields, values, strict=True):
                found[f"{parameter.name}->{name}"] = one
                found.setdefault(name, one)
    return found


def evaluate_expression(expression: str, known: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Yield an expression with its value, or, if the value is unknown, each part with a known value.

    The implementation computes a pitch that is passed as 0, so a product with such a pitch is unknown.
    """
    pieces = OPERATOR.split(expression)
    parts, operators = pieces[::2], pieces[1::2]
    given = {part: value for part in parts for value in _look_up_value(part, known)}
    numbers = [given.get(part, int(part) if part.isdigit() else None) for part in parts]
    whole = [number for number in numbers if isinstance(number, int)]
    left_open = set(operators) != {"+"} and any(given.get(part) == 0 and "pitch" in part for part in parts)
    if len(parts) == 1 or not given or len(whole) < len(parts) or left_open:
        yield from given.items()
        return
    terms: list[list[int]] = [[whole[0]]]
    for operator, number in zip(operators, whole[1:], strict=True):
        if operator == "+":
            terms.append([])
        terms[-1].append(number)
    yield expression, sum(map(math.prod, terms))


def _look_up_value(part: str, known: Mapping[str, Value]) -> Iterator[Value]:
    """Yield the value of a name, an element or a field, if it is known."""
    match = ELEMENT.fullmatch(part)
    whole = known.get(match[1]) if match else None
    if part in known:
        yield known[part]
    elif match and isinstance(whole, ElementList) and int(match[2]) < len(whole.values):
        yield whole.values[int(match[2])]


def shorten(value: Value) -> Operand:
    """Return a value, or a description of the value if it is too long to read."""
    if isinstance(value, Data) and value.size > MAX_OPERAND_BYTES:
        return f"{value.size} bytes"
    if isinstance(value, ElementList) and len(msgspec.json.encode(value)) > MAX_OPERAND_BYTES:
        return f"{len(value.values)} elements"
    return "a long value" if len(msgspec.json.encode(value)) > MAX_OPERAND_BYTES else value
