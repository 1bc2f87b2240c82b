"""Limits: the minimum, the maximum and the flags of a query value, by version, profile and feature."""

from __future__ import annotations

import ast
import functools
import operator
from typing import TYPE_CHECKING

from clconform.oracles.engine.applicability import is_extension_reported, reported_profile
from clconform.oracles.engine.matchers import Matcher, Satisfies, Values
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.errors import UnknownFactError
from clconform.spec_tables.requirements import Limit
from clconform.spec_tables.versions import OLDEST, UNIFIED, UndocumentedVersions, Version

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model
    from clconform.oracles.queries.query_request import QueryRequest
    from clconform.spec_tables import Tables
    from clconform.spec_tables.lookups import TableLookups

OPTIONAL_3D_LIMITS = "CL_DEVICE_IMAGE3D_MAX_"
"""Limits of 3D images, which are optional in the embedded profile: a device without them reports 0."""

ZERO_MEANS_MISSING = {
    "CL_DEVICE_DOUBLE_FP_CONFIG": Version(1, 2),
    "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE": Version(3, 0),
    "CL_DEVICE_MAX_NUM_SUB_GROUPS": Version(3, 0),
    "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS": Version(3, 0),
}
"""Maps queries whose value 0 means that a device lacks a feature to the first version in which the feature is optional.
"""

FULL, EMBEDDED = "FULL_PROFILE", "EMBEDDED_PROFILE"
NO_MINIMUM = ""
"""Stands for a minimum that a document lacks, or that every number reaches."""
OLDER_MINIMUMS = {
    ("CL_DEVICE_MAX_PARAMETER_SIZE", FULL): (Version(1, 1), "256"),
    ("CL_DEVICE_LOCAL_MEM_SIZE", FULL): (Version(1, 1), "16 * 1024"),
    ("CL_DEVICE_MEM_BASE_ADDR_ALIGN", FULL): (Version(1, 1), NO_MINIMUM),
    ("CL_DEVICE_MEM_BASE_ADDR_ALIGN", EMBEDDED): (Version(1, 1), NO_MINIMUM),
    ("CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", FULL): (Version(1, 1), NO_MINIMUM),
    ("CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE", EMBEDDED): (Version(1, 1), NO_MINIMUM),
    ("CL_DEVICE_IMAGE2D_MAX_WIDTH", FULL): (Version(2, 0), "8192"),
    ("CL_DEVICE_IMAGE2D_MAX_HEIGHT", FULL): (Version(2, 0), "8192"),
    ("CL_DEVICE_IMAGE3D_MAX_WIDTH", EMBEDDED): (Version(2, 0), NO_MINIMUM),
    ("CL_DEVICE_IMAGE3D_MAX_HEIGHT", EMBEDDED): (Version(2, 0), NO_MINIMUM),
    ("CL_DEVICE_IMAGE3D_MAX_DEPTH", EMBEDDED): (Version(2, 0), NO_MINIMUM),
    ("CL_DEVICE_MAX_MEM_ALLOC_SIZE", EMBEDDED): (Version(2, 0), "max(CL_DEVICE_GLOBAL_MEM_SIZE // 4, 1024 * 1024)"),
    ("CL_DEVICE_MAX_WRITE_IMAGE_ARGS", FULL): (Version(2, 0), "8"),
    ("CL_DEVICE_MAX_WRITE_IMAGE_ARGS", EMBEDDED): (Version(2, 0), "1"),
}
"""Maps a query and a profile to a version, and to the formula of the lower minimum before that version.

The first two entries are from the list of changes. The remaining entries are from the documents of 1.0 to 2.2 (tables
4.3 and those of the chapter on the embedded profile). A device conforms to the document of its version, but the unified
document has only the newest minimums. If an older minimum is higher, the newer minimum applies to every device.
"""


ZERO_UNDOCUMENTED = UndocumentedVersions(OLDEST, UNIFIED, "zero-limit-of-missing-feature")
"""Versions whose documents do not specify the value for a device that lacks the feature of a limit."""
NEVER = Version(1 << 10, 0)
KB, KIB = 1000, 1024
KILOBYTE_QUERIES = (
    "CL_DEVICE_LOCAL_MEM_SIZE",
    "CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE",
    "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE",
    "CL_DEVICE_PRINTF_BUFFER_SIZE",
    "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE",
    "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE",
)
"""Queries whose minimums the documents give in KB or MB."""

rules = Rules()


@rules.completion
def _declare_kilobyte_interpretation(rules: Rules, tables: Tables) -> None:
    limits = [
        each for each in tables.requirements.values() if isinstance(each, Limit) and each.name in KILOBYTE_QUERIES
    ]
    rules.uses_interpretation("kilobyte-size", *(each.id for each in limits))


COMPUTE_UNITS, PARTITION_BY_NAMES = "CL_DEVICE_MAX_COMPUTE_UNITS", "CL_DEVICE_PARTITION_BY_NAMES_INTEL"
"""A query, and the partition scheme for whose sub-devices its minimum is not checked.

The document of this scheme is not available.
"""


def expect_within(limit: Limit, request: QueryRequest) -> Matcher | None:
    """Return a limit's matcher for a value, or None if the limit does not apply to the device.

    UnknownFactError if a value on which the limit depends was not queried.
    """
    device = request.device
    if device is None:
        raise UnknownFactError("no device")
    if limit.name == COMPUTE_UNITS and device.partition is not None and device.partition.scheme == PARTITION_BY_NAMES:
        return None
    if limit.custom_exempt and not _is_not_custom(device, request.model):
        return None
    if not has_feature(condition_of(limit, request.model), device, request.model):
        return _expect_without_feature(limit, device)
    if has_no_minimum(limit, device):
        return None
    test, words = _create_test(limit, device, request)
    if limit.name.startswith(OPTIONAL_3D_LIMITS) and "EMBEDDED" in str(device.facts.get("CL_DEVICE_PROFILE")):
        return Satisfies(lambda seen: seen == [0] or test(seen), f"{words}, or 0", (limit.id,))
    if device.version >= ZERO_MEANS_MISSING.get(limit.name, NEVER):
        return Satisfies(lambda seen: seen == [0] or test(seen), f"{words}, or 0 if the device lacks it", (limit.id,))
    return Satisfies(test, words, (limit.id,))


def condition_of(limit: Limit, model: Model) -> str:
    """Return the feature that a device must support for a limit to apply.

    If the limit does not name a feature, it is that of another limit of the same query: the list of the embedded
    profile repeats limits without their condition.
    """
    return limit.where or _first_condition(limit.name, model.lookups)


@functools.cache
def _first_condition(name: str, lookups: TableLookups) -> str:
    """Return the feature that the first limit of a query with a feature names, or an empty string."""
    return next((each.where for each in lookups.requirements_about(name) if isinstance(each, Limit) and each.where), "")


def _expect_without_feature(limit: Limit, device: Device) -> Matcher | None:
    """Return the expected value of a device that does not meet the limit's condition; None if unspecified."""
    if limit.otherwise < 0:
        return None
    value = limit.otherwise
    words = f"{value}: the device lacks {limit.where}"
    entry = ZERO_UNDOCUMENTED.interpretation if device.version in ZERO_UNDOCUMENTED else ""
    return Satisfies(lambda seen: all(one == value for one in seen), words, (limit.id,), inferred_by=entry)


def _create_test(limit: Limit, device: Device, question: QueryRequest) -> tuple[Callable[[Values], bool], str]:
    if limit.relation in ("at-least", "at-most"):
        bound = bound_of(limit, device)
        unit = f" {limit.unit}" if limit.unit else ""
        if limit.relation == "at-least":
            least = _decimal_minimum(limit, bound)
            words = f"at least {bound}{unit}" + (f" ({least} if a KB has 1000 bytes)" if least < bound else "")
            return (lambda seen: bool(seen) and all(_to_int(value) >= least for value in seen)), words
        return (lambda seen: all(_to_int(value) <= bound for value in seen)), f"at most {bound}{unit}"
    if limit.relation == "power-of-two":
        return (lambda seen: all(_to_int(value) & (_to_int(value) - 1) == 0 for value in seen)), "a power of two"
    if limit.relation == "true-if":
        if device.number(limit.of):
            return (lambda seen: seen == [1]), f"CL_TRUE, since {limit.of} is"
        return (lambda _seen: True), "anything"
    sets = [_flag_values(words, question) for words in limit.values]
    if limit.relation == "includes":
        needed = sum({bit for bits in sets for bit in bits})
        return (lambda seen: _to_int(seen[0] if seen else None) & needed == needed), " | ".join(limit.values)
    masks = [sum(bits) for bits in sets]
    return (lambda seen: any(_to_int(seen[0] if seen else None) & mask == mask for mask in masks)), " or ".join(
        limit.values
    )


def bound_of(limit: Limit, device: Device) -> int:
    """Return the minimum or maximum of a limit.

    UnknownFactError if the number depends on a value that was not queried.
    """
    if limit.of:
        return device.number(limit.of)
    formula = _older_minimum(limit, device) or limit.formula
    return evaluate_formula(formula, device) if formula else limit.value


def _decimal_minimum(limit: Limit, bound: int) -> int:
    """Return the smallest number of bytes that a minimum in KB or MB can mean, if a KB has 1000 bytes."""
    if limit.name not in KILOBYTE_QUERIES:
        return bound
    megabytes, rest = divmod(bound, KIB * KIB)
    return bound // KIB * KB if rest else megabytes * KB * KB


def has_no_minimum(limit: Limit, device: Device) -> bool:
    """Return whether the document of the device's version lacks a minimum for a query, or has a minimum of 0."""
    profile = next((gate.name for gate in limit.applicability if gate.subject == "profile"), "")
    before, less = OLDER_MINIMUMS.get((limit.name, profile), (OLDEST, ""))
    return device.version < before and less == NO_MINIMUM


def _older_minimum(limit: Limit, device: Device) -> str | None:
    """Return the formula of the minimum in the document of the device's version if it is lower, or None.

    UnknownFactError if the minimum depends on the profile, and the profile is unknown.
    """
    if limit.relation != "at-least":
        return None
    profile = next((gate.name for gate in limit.applicability if gate.subject == "profile"), "")
    profile = profile or reported_profile(device.platform, device)
    if not profile and any(
        name == limit.name and device.version < before for (name, _), (before, _) in OLDER_MINIMUMS.items()
    ):
        raise UnknownFactError("the profile of the device")
    before, less = OLDER_MINIMUMS.get((limit.name, profile), (OLDEST, NO_MINIMUM))
    return less if device.version < before else None


def _flag_values(words: str, question: QueryRequest) -> set[int]:
    """Return the values of the flags in ``words`` that belong to the type of the query."""
    names = [word.strip() for word in words.split("|")]
    group = question.model.tables.values_of_group(question.query.type)
    return {question.model.constant_value(name) for name in names if not group or name in group}


def _to_int(value: object) -> int:
    return value if isinstance(value, int) else -1


def has_feature(condition: str, device: Device, model: Model) -> bool:
    """Return whether a device meets a limit's condition; UnknownFactError if the feature's query was not called.

    If only the limited query reports the feature, the feature is assumed to be supported; the entry of the query in
    ``ZERO_MEANS_MISSING`` then allows the value 0.
    """
    return condition in ("", "program-scope-globals", "sub-groups", "double") or _FEATURES[condition](device, model)


def _has_extension(device: Device, extension: str) -> bool:
    return is_extension_reported(extension, device.platform, device)


def _is_not_custom(device: Device, model: Model) -> bool:
    return not device.number("CL_DEVICE_TYPE") & model.constant_value("CL_DEVICE_TYPE_CUSTOM")


def _check_feature_query(query: str) -> Callable[[Device, Model], bool]:
    def supported(device: Device, _model: Model) -> bool:
        return device.version < (3, 0) or device.number(query) != 0

    return supported


_FEATURES: dict[str, Callable[[Device, Model], bool]] = {
    "images": lambda device, _: device.number("CL_DEVICE_IMAGE_SUPPORT") != 0,
    "not-custom": _is_not_custom,
    "pipes": _check_feature_query("CL_DEVICE_PIPE_SUPPORT"),
    "on-device-queues": _check_feature_query("CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES"),
    "read-write-images": lambda device, _: device.number("CL_DEVICE_IMAGE_SUPPORT") != 0,
    "half": lambda device, _: _has_extension(device, "cl_khr_fp16"),
}

_OPERATORS = {ast.Mult: operator.mul, ast.Add: operator.add, ast.Sub: operator.sub, ast.FloorDiv: operator.floordiv}
_CALLS = {"max": max, "min": min}


def evaluate_formula(formula: str, device: Device) -> int:
    """Return the value of a limit's formula, which consists of numbers, operators and names of device queries."""
    return _evaluate_node(ast.parse(formula, mode="eval").body, device)


def _evaluate_node(node: ast.expr, device: Device) -> int:
    if isinstance(node, ast.Constant) and isinstance(node.value, int):
        return node.value
    if isinstance(node, ast.Name):
        return device.number(node.id)
    if isinstance(node, ast.BinOp) and type(node.op) in _OPERATORS:
        return int(_OPERATORS[type(node.op)](_evaluate_node(node.left, device), _evaluate_node(node.right, device)))
    if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _CALLS:
        return int(_CALLS[node.func.id](_evaluate_node(argument, device) for argument in node.args))
    raise ValueError(f"a limit's formula may not hold {ast.dump(node)}")
