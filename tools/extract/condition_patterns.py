"""Recognises recurring conditions and their parameters in the sentences of error conditions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.spec_tables.requirements import Condition, Function
from clconform.tools.extract.applicability_notes import without_notes
from clconform.tools.extract.sentence_text import find_own_parameters

if TYPE_CHECKING:
    from collections.abc import Callable

_P = r"([a-z]\w*)>?"
_LIST = r"([a-z]\w*(?:(?:, or |, and |, | or | and )[a-z]\w*)*)"
_NOT_NULL = r"(?:not NULL|not a NULL value|non-NULL)"
_NULL = r"(?:NULL|a NULL value|a NULL pointer)"
_ZERO = r"(?:equal to )?(?:zero|0)"
_MORE = r"(?:is )?(?:> 0|greater than (?:zero|0)|not (?:zero|0)|non-zero)"
_NOUN = (
    r"(?:OpenCL |host |device |mutable command )*"
    r"(?:command[- _]queue|context|device|platform|sampler|kernel|program|event|semaphore|"
    r"memory|buffer|image|pipe|command[-_]buffer|\w*object)s?(?: object| handle)?s?"
)
_CAPABILITIES = {"images": "images", "SVM": "SVM", "pipes": "pipes", "IL": "intermediate language programs"}
_CAPABILITY = f"(?:{'|'.join(_CAPABILITIES.values())})"


def parse_condition(
    code: str,
    text: str,
    function: Function,
    marked: frozenset[str] | None = None,
    bitfields: frozenset[str] = frozenset(),
) -> Condition:
    """Return the condition of an error; ``text``: the whole sentence, which begins with the code.

    ``marked``: the words that the document formats as names; a parameter at a known position does not need this format.
    ``bitfields``: the types that are sets of flags.
    """
    names = tuple(parameter.name for parameter in function.parameters)
    words = without_notes(text.removeprefix(code).strip(" ,:.")).strip(" .,")
    words = re.sub(r"^[- ]*(?:is (?:returned|generated) )?(?:if|when) |^- ", "", words)
    words = re.sub(r"(?:the )?(\w+) parameter of cl\w+(?: or cl\w+)*", r"\1", words)
    words = re.sub(r"^[Tt]he (?=[a-z]\w* is not a valid )", "", words)
    for kind, pattern, take in _PATTERNS:
        match = pattern.fullmatch(words)
        if match:
            found = find_own_parameters(words, names, marked) if take is None else take(match, names)
            if found is not None:
                return Condition(
                    _refine_kind(kind, found, function, bitfields),
                    found,
                    _condition_values(kind, found, match, function),
                )
    if re.match(r"TODO\b", words):
        return Condition("left-open", find_own_parameters(words, names, marked))
    return _query_condition(code, words, names)


def _all_groups(match: re.Match[str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the parameters in the groups of the pattern; None if a group is not a parameter."""
    listed = [part for group in match.groups() if group for part in re.split(r",? (?:and|or) |, ", group) if part]
    return tuple(dict.fromkeys(listed)) if listed and all(part in names for part in listed) else None


def _no_parameters(match: re.Match[str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return no parameters, even if words of the sentence are names of parameters."""
    del match, names
    return ()


def _swap_parameters(match: re.Match[str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the count parameter and the pointer parameter, which the sentence mentions in the opposite order."""
    found = _all_groups(match, names)
    return (found[1], found[0]) if found and len(found) == len(("count", "pointer")) else None


def _sub_buffer_parameter(match: re.Match[str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    """Return the sub-buffer parameter that the sentence mentions; no parameters if the sub-buffer is not a parameter.

    The sub-buffer may also be the value of a kernel argument, or not be passed at all.
    """
    found = re.match(rf"{_P} is a sub-buffer object\b", match.string)
    return (found[1],) if found and found[1] in names else ()


def _array_and_count(match: re.Match[str], names: tuple[str, ...]) -> tuple[str, ...] | None:
    found = _all_groups(match, names)
    if not found:
        return None
    count, array = match[1], match[2]
    rest = [name for name in found if name not in (count, array)]
    return (count, array, *rest)


_mentioned_parameters: None = None
"""Stands for all parameters that the sentence mentions."""

_RULES: tuple[tuple[str, str, Callable[[re.Match[str], tuple[str, ...]], tuple[str, ...] | None] | None], ...] = (
    ("resources-device", r"there is a failure to (?:allocate|queue).*resources.* on the device", _no_parameters),
    ("resources-host", r"there is a failure to allocate resources.* on the host", _no_parameters),
    ("resources-host", r".*\bno memory can be allocated with a valid bus address", _no_parameters),
    ("resources-host", r".*\bcould not be made resident so that .*", _no_parameters),
    ("resources-object", r"there is a failure to allocate memory for .*", _mentioned_parameters),
    ("resources-object", r"[Tt]here was a failure to allocate resources", _no_parameters),
    ("invalid-object", rf"{_P} is (?:a )?not (?:a |an )?valid {_NOUN}", _all_groups),
    ("invalid-object", rf"{_LIST} are not (?:a |an )?valid {_NOUN}", _all_groups),
    (
        "invalid-object-in-list",
        rf"any (?:device|command-queue|event|program|queue) in {_P} is not a valid {_NOUN}",
        _all_groups,
    ),
    (
        "invalid-object-in-list",
        (
            rf"(?:any of the )?(?:memory objects|programs|event objects|command-queues)(?: specified)? in {_P} "
            rf"(?:is|are) not (?:a )?valid {_NOUN}"
        ),
        _all_groups,
    ),
    ("all-null", rf"(?:both )?{_P} and {_P} are {_NULL}", _all_groups),
    ("null-parameter", rf"(?:either )?{_LIST} (?:is|are) {_NULL}", _all_groups),
    ("not-null-parameter", rf"{_LIST} (?:is|are) {_NOT_NULL}", _all_groups),
    ("zero-parameter", rf"{_LIST} (?:is|are) {_ZERO}", _all_groups),
    ("zero-or-null-parameter", rf"{_P} is {_ZERO},? or (?:if )?{_P} is {_NULL}", _all_groups),
    ("null-or-zero-parameter", rf"{_LIST} (?:is|are) {_NULL} or (?:zero|0)", _all_groups),
    (
        "array-and-count-disagree",
        rf"{_P} is {_ZERO} and {_P} is {_NOT_NULL},? or if both {_LIST} are {_NULL}",
        _array_and_count,
    ),
    (
        "wait-list",
        (
            rf"{_P} is {_NULL} and {_P} {_MORE},? or (?:if )?{_P} is {_NOT_NULL} and {_P} is {_ZERO},? or if "
            rf"event objects in {_P} are not valid events"
        ),
        _swap_parameters,
    ),
    (
        "sync-point-wait-list",
        (
            rf"{_P} is {_NULL} and {_P} {_MORE},? or {_P} is {_NOT_NULL} and {_P} is {_ZERO},? or if "
            rf"synchronization-point objects in {_P} are not valid synchronization-points"
        ),
        _swap_parameters,
    ),
    (
        "count-pointer-disagree",
        rf"{_P} is {_NULL} and {_P} {_MORE},? or (?:if )?{_P} is {_NOT_NULL} and {_P} is {_ZERO}",
        _swap_parameters,
    ),
    (
        "count-pointer-disagree",
        rf"{_P} is {_ZERO} and {_P} is {_NOT_NULL},? or if {_P} {_MORE} and {_P} is {_NULL}",
        _all_groups,
    ),
    ("null-with-count", rf"{_P} is {_NULL},? and {_P} {_MORE}", _swap_parameters),
    ("pointer-without-count", rf"{_P} is {_NOT_NULL},? and {_P} is {_ZERO}", _swap_parameters),
    ("user-data-without-callback", rf"(pfn_\w+) is {_NULL} but (user_data) is {_NOT_NULL}", _all_groups),
    (
        "context-mismatch",
        (
            rf"(?:the )?context associated with {_LIST} (?:is|are) not the same(?: or if (?:the )?context associated "
            rf"with {_P} and events in {_P} are not the same)?"
        ),
        _all_groups,
    ),
    (
        "context-mismatch",
        rf"(?:the )?context associated with {_P} and events in {_P} (?:is|are) not the same",
        _all_groups,
    ),
    (
        "context-mismatch-if-given",
        rf"(?:if )?{_P} is {_NOT_NULL},? and the context associated with {_P} and {_P} is not the same",
        _all_groups,
    ),
    (
        "host-pointer-flags",
        (
            rf"{_P} is {_NULL} and CL_MEM_USE_HOST_PTR or CL_MEM_COPY_HOST_PTR are set in {_P} or if {_P} is "
            rf"{_NOT_NULL} but .*"
        ),
        _all_groups,
    ),
    ("image-region-rules", rf"values in {_P} and {_P} do not follow rules described in the argument .*", _all_groups),
    ("pitch-too-small", rf"{_P} is not 0 and is less than {_P}\[0\]", _all_groups),
    ("mip-level", rf".*the mip level specified in {_P} is not a valid level for {_P}", _all_groups),
    ("device-of-context", rf"{_P} is not a valid device or is not associated with {_P}", _all_groups),
    ("unsupported-format", rf"there are no devices in {_P} that support (image_format)", _all_groups),
    ("zero-or-null-parameter", rf"{_P} is {_NULL} or (?:if )?{_P} is {_ZERO}", _swap_parameters),
    (
        "failed-event-in-wait-list",
        r"(?:the .* blocking and )?the execution status of any of the events in .*",
        _mentioned_parameters,
    ),
    ("invalid-value", rf"{_P} is not a valid value", _all_groups),
    ("invalid-flags", rf"values specified in {_P} are not valid(?: as defined in the .* table)?", _all_groups),
    (
        "invalid-property-list",
        (
            rf"a (?:\w+ )?property name in {_P} is not a supported property name,? (?:or )?if the value specified "
            r"for a supported property name is not valid,? or if the same .* name is specified more than once"
        ),
        _all_groups,
    ),
    (
        "misaligned-sub-buffer",
        r".*sub-buffer object.* not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN .*",
        _sub_buffer_parameter,
    ),
    ("device-not-in-list", rf"(?:any )?device in {_P} is not in the list of devices associated with {_P}", _all_groups),
    ("unsupported-by-device", rf"the device associated with {_P} does not support (?:images \(.*\)|SVM)", _all_groups),
    (
        "unsupported-by-all-devices",
        rf"(?:there are no devices in {_P} that support images \(.*\)|no devices in {_P} support {_CAPABILITY})",
        _all_groups,
    ),
    (
        "image-size-unsupported",
        rf"(?:\w+ )?(?:image )?dimensions \(.*\) for {_P} are not supported by device .*",
        _all_groups,
    ),
    (
        "image-format-unsupported",
        rf"(?:\w+ )?(?:image )?format \(.*\) for {_P} are not supported by device .*",
        _all_groups,
    ),
    ("invalid-argument-index", rf"{_P} is not a valid argument index", _all_groups),
    ("state-finalized", rf"{_P} has been finalized", _all_groups),
    ("state-not-finalized", rf"{_P} has not been finalized", _all_groups),
    (
        "command-buffer-queue",
        (
            r"the cl_khr_command_buffer_multi_device extension is (?:not )?supported;?(?: and)? (?:either )?"
            r"command_queue is .*"
        ),
        _mentioned_parameters,
    ),
)


_OBJECT_SORTS = (
    ("buffer", r"(?:OpenCL )?buffer\b"),
    ("image", r"(?:OpenCL )?image\b"),
    ("pipe", r"(?:OpenCL )?pipe\b"),
    ("host-queue", r"host command[- _]queue\b"),
    ("device-queue", r"device command[- _]queue\b"),
)
"""Kinds of objects that share one handle type."""

_PATTERNS = tuple((kind, re.compile(pattern), take) for kind, pattern, take in _RULES)


def _refine_kind(kind: str, found: tuple[str, ...], function: Function, bitfields: frozenset[str]) -> str:
    """Return the kind of a condition, refined by the type of its parameter: flags, a property list, or a value."""
    if kind not in ("invalid-value", "invalid-flags"):
        return kind
    (parameter,) = (parameter for parameter in function.parameters if parameter.name == found[0])
    if parameter.pointers:
        return "invalid-property-list" if "properties" in f"{parameter.base} {parameter.name}" else kind
    return "invalid-flags" if parameter.base in bitfields else kind


def _condition_values(kind: str, found: tuple[str, ...], match: re.Match[str], function: Function) -> tuple[str, ...]:
    if kind.startswith("invalid-object"):
        bases = {parameter.name: parameter.base for parameter in function.parameters}
        types = dict.fromkeys(bases[name] for name in found if name in bases)
        asked = re.search(r"\bnot (?:an? )?valid (.*)", match.string)
        sorts = [sort for sort, noun in _OBJECT_SORTS if asked and re.match(noun, asked[1])]
        return (*types, *(sort for sort in sorts if types.keys() & {"cl_mem", "cl_command_queue"}))
    if kind == "failed-event-in-wait-list":
        return ("blocking",) if re.match(r"the .* blocking and ", match.string) else ()
    if kind.startswith("unsupported-by"):
        return tuple(name for name, noun in _CAPABILITIES.items() if re.search(rf"\bsupport {noun}", match.string))
    return ()


def _query_condition(code: str, words: str, names: tuple[str, ...]) -> Condition:
    query = ("param_name", "param_value_size", "param_value")
    if code == "CL_INVALID_VALUE" and words.startswith("param_name is not one of") and set(query) <= set(names):
        return Condition("query-value", query)
    return Condition("other")
