"""Limits: the least, the most and the flags that a query must answer with, by version, profile and feature."""

from __future__ import annotations

import ast
import operator
from typing import TYPE_CHECKING

from clconform.oracles.answers import UnknownError
from clconform.oracles.gates import extensions_of
from clconform.oracles.promises import Such, Values, Want
from clconform.spec_tables.records import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model import Device
    from clconform.oracles.queries.questions import Question

EMBEDDED_3D = "CL_DEVICE_IMAGE3D_MAX_"
"""In the embedded profile 3D images are optional: a device without them answers 0."""


def within(limit: Limit, question: Question) -> Want | None:
    """Return what a limit demands of an answer, or None where it does not hold; UnknownError where nobody can tell."""
    device = question.device
    if device is None:
        raise UnknownError("no device")
    supported = feature(limit.where or _where_of_siblings(limit, question), device, question)
    if not supported:
        return _without(limit)
    test, words = _test(limit, device, question)
    if limit.name.startswith(EMBEDDED_3D) and "EMBEDDED" in str(device.facts.get("CL_DEVICE_PROFILE")):
        return Such(lambda seen: seen == [0] or test(seen), f"{words}, or 0", (limit.id,))
    return Such(test, words, (limit.id,))


def _where_of_siblings(limit: Limit, question: Question) -> str:
    """Return what the other limits of the same query hang on, for one that the embedded profile's list repeats."""
    others = question.model.lookups.about(limit.name)
    return next((other.where for other in others if isinstance(other, Limit) and other.where), "")


def _without(limit: Limit) -> Want | None:
    """Return what a device answers that lacks what the limit hangs on; None where that is left open."""
    if limit.otherwise < 0:
        return None
    value = limit.otherwise
    return Such(lambda seen: all(one == value for one in seen), f"{value}: the device lacks {limit.where}", (limit.id,))


def _test(limit: Limit, device: Device, question: Question) -> tuple[Callable[[Values], bool], str]:
    if limit.relation in ("at-least", "at-most"):
        bound = bound_of(limit, device)
        unit = f" {limit.unit}" if limit.unit else ""
        if limit.relation == "at-least":
            return (lambda seen: bool(seen) and all(_int(value) >= bound for value in seen)), f"at least {bound}{unit}"
        return (lambda seen: all(_int(value) <= bound for value in seen)), f"at most {bound}{unit}"
    if limit.relation == "power-of-two":
        return (lambda seen: all(_int(value) & (_int(value) - 1) == 0 for value in seen)), "a power of two"
    if limit.relation == "true-if":
        if device.number(limit.of):
            return (lambda seen: seen == [1]), f"CL_TRUE, since {limit.of} is"
        return (lambda _seen: True), "anything"
    sets = [_bits(words, question) for words in limit.values]
    if limit.relation == "includes":
        needed = sum({bit for bits in sets for bit in bits})
        return (lambda seen: _int(seen[0]) & needed == needed), " | ".join(limit.values)
    masks = [sum(bits) for bits in sets]
    return (lambda seen: any(_int(seen[0]) & mask == mask for mask in masks)), " or ".join(limit.values)


def bound_of(limit: Limit, device: Device) -> int:
    """Return the number that a limit compares with; UnknownError where it follows from an answer not yet asked for."""
    if limit.of:
        return device.number(limit.of)
    return calculate(limit.formula, device) if limit.formula else limit.value


def _bits(words: str, question: Question) -> set[int]:
    return {question.model.value(word.strip()) for word in words.split("|")}


def _int(value: object) -> int:
    return value if isinstance(value, int) else -1


def feature(where: str, device: Device, question: Question) -> bool:
    """Tell whether a device has what a limit hangs on; UnknownError where no answer tells."""
    if where in ("", "program-scope-globals", "sub-groups"):
        return _by_own_answer(where, device)
    return _FEATURES[where](device, question)


def _by_own_answer(where: str, device: Device) -> bool:
    """Tell of features that only the limited query itself reports: 0 means that the device lacks them."""
    name = {"program-scope-globals": "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE", "sub-groups": "CL_DEVICE_MAX_NUM_SUB_GROUPS"}
    if not where or device.version < (3, 0):
        return not where or where == "program-scope-globals" or _has(device, "cl_khr_subgroups")
    return device.number(name[where]) != 0


def _has(device: Device, extension: str) -> bool:
    found = extensions_of(device.platform, device)
    return found is not None and extension in found


def _custom(device: Device, question: Question) -> bool:
    return not device.number("CL_DEVICE_TYPE") & question.model.value("CL_DEVICE_TYPE_CUSTOM")


def _optional_since_3(query: str) -> Callable[[Device, Question], bool]:
    def supported(device: Device, _question: Question) -> bool:
        return device.version < (3, 0) or device.number(query) != 0

    return supported


_FEATURES: dict[str, Callable[[Device, Question], bool]] = {
    "images": lambda device, _: device.number("CL_DEVICE_IMAGE_SUPPORT") != 0,
    "not-custom": _custom,
    "pipes": _optional_since_3("CL_DEVICE_PIPE_SUPPORT"),
    "on-device-queues": _optional_since_3("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"),
    "read-write-images": lambda device, _: (
        device.number("CL_DEVICE_IMAGE_SUPPORT") != 0
        and (device.version < (3, 0) or device.number("CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS") != 0)
    ),
    "double": lambda device, _: device.number("CL_DEVICE_DOUBLE_FP_CONFIG") != 0,
    "half": lambda device, _: _has(device, "cl_khr_fp16"),
}

_OPERATORS = {ast.Mult: operator.mul, ast.Add: operator.add, ast.Sub: operator.sub, ast.FloorDiv: operator.floordiv}
_CALLS = {"max": max, "min": min}


def calculate(formula: str, device: Device) -> int:
    """Return the value of a limit's formula: arithmetic on numbers and on the names of a device's queries."""
    return _value(ast.parse(formula, mode="eval").body, device)


def _value(node: ast.expr, device: Device) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return device.number(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return int(_OPERATORS[type(node.op)](_value(node.left, device), _value(node.right, device)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
        return int(_CALLS[node.func.id](_value(argument, device) for argument in node.args))
    raise ValueError(f"a limit's formula may not hold {ast.dump(node)}")
