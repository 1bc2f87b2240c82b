"""Formats calls and outcomes for people: C-like, with names instead of numbers.

``clCreateSubDevices(device1, {CL_DEVICE_PARTITION_EQUALLY, 2, 0}, 4, <4-element output buffer>, &num_devices_ret)``
``-> CL_INVALID_VALUE``
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from typing import TYPE_CHECKING, ClassVar, NamedTuple

from clconform.calls.call import (
    CHANGED,
    GARBAGE,
    UNTOUCHED,
    Absent,
    Begun,
    Call,
    CallbackInvocation,
    Died,
    Hung,
    Outcome,
    Output,
    Returned,
    Step,
)
from clconform.calls.harness_actions import HOST_ACTIONS
from clconform.calls.host_threads import pair_with_calls
from clconform.calls.machine_words import unpack_words
from clconform.calls.values import (
    BusAddresses,
    Data,
    DispatchConfig,
    DispatchConfigs,
    ElementList,
    Handle,
    HandleBytes,
    HostCallback,
    OffsetPointer,
    OutputBuffer,
    OutputBuffers,
    Pointers,
    Text,
    Texts,
    Value,
)
from clconform.reports.escaping import escape_unprintable
from clconform.spec_tables.requirements import Property, Query

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from clconform.reports.report_tables import ReportTables
    from clconform.spec_tables.requirements import Function, Parameter

ERRORS = "ErrorCodes"
"""The prefix of the names of the enumerant groups that contain error codes."""
MIN_NAMED_NUMBER = 0x1000
"""A number in a list that is at least this value is replaced by its name even where no name is expected."""
NUMBER_TYPES = ("size_t", "cl_uint", "cl_int", "cl_ulong", "cl_long", "cl_ushort", "int")
"""C types whose values are plain numbers, which are easier to compare in decimal."""
MIN_HEXADECIMAL = 1 << 48
"""Plain numbers from this value on are written in hexadecimal."""
VERSION_TYPES = ("cl_version", "cl_version_khr")
NAMES_OF_TYPES = {"cl_svm_mem_flags": "cl_mem_flags"}
"""Maps C types to the type that names their values."""
UNKNOWN_TYPE = "?"
"""The type of the value of an unknown property."""
STATUS_TYPE = "clCommandExecutionStatus"
"""The group of enumerants of the execution status of commands, whose C type is cl_int."""
STATUS_NAMES = ("execution_status", "command_exec_callback_type", "event_command_status")
"""The parameters, and the argument of callbacks, whose values are an execution status."""
QUERY_TYPES = {"CL_EVENT_COMMAND_EXECUTION_STATUS": STATUS_TYPE, "CL_DEVICE_VENDOR_ID": "cl_khronos_vendor_id"}
"""Maps queries to the type that names their values, if it is not their C type."""
BYTE_STRUCTURES = {"buffer_create_info": 2}
"""Maps parameters of the type ``const void *`` to the number of fields of their structure, all of type size_t."""
SIZE_WIDTHS = (4, 8)
"""The possible sizes of size_t in bytes."""
MIN_UNKNOWN_SIZE = 1 << 60
"""Memory of at least this number of unrecorded bytes has an unknown size."""
MAX_DATA_BYTES = 8
"""Maximum number of bytes of data that are shown."""
MAX_VALUES = 16
"""Maximum number of values of an output that are shown."""
MAX_PARTIAL_OUTPUT = 1000
"""Maximum number of characters that are shown of an output that is stored in part."""
_SHORT_NUMBER = re.compile(r"[0-9]{1,18}")
PROCESS_END_TEXTS = {
    "signal": "died by",
    "abort": "aborted:",
    "exit": "called exit:",
    "killed": "was killed:",
    GARBAGE: "sent an invalid reply:",
    CHANGED: "changed its process:",
    "restart": "restarted the machine:",
}
"""Maps the causes of a process's end to their texts."""

ACCESS_TEXTS = {"loader": "through the loader", "direct": "bypassing the loader", "simulated": "the simulated platform"}
"""Maps the kinds of access to a driver to their texts."""
VERDICT_NOUNS = (
    ("crashes", "crash", "crashes"),
    ("hangs", "hang", "hangs"),
    ("deviates", "wrong result", "wrong results"),
    ("unconfirmed", "unconfirmed deviation", "unconfirmed deviations"),
    ("flaky", "flaky deviation", "flaky deviations"),
)
"""Verdicts with their nouns for counts, the worst first."""


def natural_sort_key(name: str) -> list[tuple[int, int, str]]:
    """Return a sort key that puts 4.10 after 4.9, and names after numbers."""
    return [(0, int(part), "") if _SHORT_NUMBER.fullmatch(part) else (1, 0, part) for part in name.split(".")]


def driver_label(name: str, version: str) -> str:
    """Return the name and version of a driver as a label.

    A version may already begin with the name.
    """
    return " ".join(f"{name} {version.removeprefix(name)}".split())


def count_verdicts(verdicts: Iterable[str]) -> str:
    """Return the number of deviations for each verdict as text, worst first; empty without deviations."""
    found = Counter(verdicts)
    return ", ".join(
        f"{found[kind]} {one if found[kind] == 1 else many}" for kind, one, many in VERDICT_NOUNS if found[kind]
    )


class _NameIndex(NamedTuple):
    """The names of values, and the types that query values have.

    ``groups`` and ``choices``: map groups, and properties, to mappings from values to names. ``queried``: maps a
    function with a query to a type. ``properties``: maps the type of a list of pairs to its names, each with the type
    of the value; the type ends with brackets for a list that 0 ends.
    """

    groups: defaultdict[str, dict[int, str]]
    choices: Mapping[str, dict[int, str]]
    queried: Mapping[tuple[str, int], str]
    properties: defaultdict[str, dict[int, tuple[str, str]]]


def _index_names(tables: ReportTables) -> _NameIndex:
    groups: defaultdict[str, dict[int, str]] = defaultdict(dict)
    for enumerant in tables.enumerants.values():
        group = ERRORS if enumerant.group.startswith(ERRORS) else enumerant.group
        groups[group].setdefault(enumerant.value, enumerant.name)
    choices: dict[str, dict[int, str]] = {}
    queried: dict[tuple[str, int], str] = {}
    properties: defaultdict[str, dict[int, tuple[str, str]]] = defaultdict(dict)
    for requirement in tables.requirements.values():
        named = tables.enumerants.get(getattr(requirement, "name", ""))
        if named is not None and requirement.function in tables.functions:
            for parameter in tables.functions[requirement.function].parameters:
                if parameter.base == named.group:
                    groups[parameter.base].setdefault(named.value, named.name)
        if named is not None and isinstance(requirement, Query):
            type_ = QUERY_TYPES.get(named.name, requirement.type)
            queried.setdefault((requirement.function, named.value), type_)
        if named is not None and isinstance(requirement, Property):
            for base in _property_types(tables.functions.get(requirement.function)):
                properties[base].setdefault(named.value, (named.name, requirement.value_type))
        listed = [tables.enumerants[name] for name in getattr(requirement, "choices", ()) if name in tables.enumerants]
        if listed:
            choices[str(getattr(requirement, "name", ""))] = {choice.value: choice.name for choice in listed}
    return _NameIndex(groups, choices, queried, properties)


def _property_types(function: Function | None) -> Iterator[str]:
    """Yield the types of a function's property lists."""
    for parameter in function.parameters if function is not None else ():
        if parameter.pointers == 1 and "propert" in parameter.base:
            yield parameter.base


class ValueNames:
    """Finds the names of values in the tables.

    The index of the last tables is cached.
    """

    _last: ClassVar[tuple[ReportTables, _NameIndex] | None] = None

    def __init__(self, tables: ReportTables) -> None:
        last = ValueNames._last
        if last is None or last[0] is not tables:
            last = ValueNames._last = (tables, _index_names(tables))
        self._tables = tables
        self._groups, self._choices, self._queried, self._properties = last[1]

    @property
    def errors(self) -> Mapping[int, str]:
        """Maps the error codes and success to their names."""
        return self._groups[ERRORS]

    def query_type(self, call: Call) -> str:
        """Return the C type of the value of a query; empty for other calls and unknown queries."""
        asked = call.arguments.get("param_name")
        return self._queried.get((call.function, asked), "") if isinstance(asked, int) else ""

    def error(self, code: int) -> str:
        """Return the name of an error code, or the number if no document names it."""
        return self.errors.get(code, f"{code} (not an error code of the documents)")

    def number(self, value: int, base: str) -> str:
        """Return a number of the C type ``base`` as a name, as names joined by a bar, as a version, or as digits."""
        base = NAMES_OF_TYPES.get(base, base)
        known = self._groups.get(base, {})
        if value in known:
            return known[value]
        type_ = self._tables.types.get(base)
        if type_ is not None and type_.kind == "bitfield" and value > 0:
            return _bit_names(value, known) or format_number(value)
        if base in VERSION_TYPES:
            return f"{value >> 22}.{value >> 12 & 0x3FF}.{value & 0xFFF}"
        return str(value) if base in NUMBER_TYPES and value < MIN_HEXADECIMAL else format_number(value)

    def listed(self, values: Sequence[int | Handle | None], base: str) -> list[str]:
        """Return the elements of a list as text, with the names of keys and values.

        In a list of pairs, each key determines the type of its value. In another list, a value is named if the first
        key has named values. The elements of a structure are named by the types of its fields: ``{CL_RGBA,
        CL_UNORM_INT8}``.
        """
        if base in self._properties:
            return self._pairs(values, base)
        fields = self.structure_fields(base)
        if fields and len(values) % len(fields) == 0:
            return [self._element(value, fields[index % len(fields)]) for index, value in enumerate(values)]
        words: list[str] = []
        choices: Mapping[int, str] = {}
        for position, value in enumerate(values):
            if not isinstance(value, int):
                words.append("NULL" if value is None else value.name)
            elif value and (position == 0 or value >= MIN_NAMED_NUMBER):
                words.append(self.number(value, base))
                choices = self._choices.get(words[0], {})
            else:
                words.append(choices.get(value) or _bit_names(value, choices) or format_number(value))
        return words

    def _pairs(self, values: Sequence[int | Handle | None], base: str) -> list[str]:
        """Return the elements of a list of pairs as text."""
        words: list[str] = []
        value_type = ""  # of the next elements; empty for a key
        for value in values:
            if value_type:
                words.append(self._element(value, value_type.removesuffix("[]")))
                value_type = value_type if value_type.endswith("[]") and value not in (0, None) else ""
            else:
                known = self._properties[base].get(value) if isinstance(value, int) else None
                words.append(known[0] if known is not None else self._element(value, base) if value else "0")
                value_type = known[1] if known is not None else UNKNOWN_TYPE if value not in (0, None) else ""
        return words

    def structure_fields(self, base: str) -> list[str]:
        """Return the types of the fields of a structure; empty for other types."""
        type_ = self._tables.types.get(base)
        return [kind for _, kind in type_.fields] if type_ is not None and type_.kind == "struct" else []

    def _element(self, value: int | Handle | None, base: str) -> str:
        if isinstance(value, int):
            return self.number(value, base)
        return "NULL" if value is None else value.name


def format_number(value: int) -> str:
    """Return a number in decimal if it is small, else in hexadecimal."""
    return f"{value:#x}" if value >= MIN_NAMED_NUMBER else str(value)


def _bit_names(value: int, known: Mapping[int, str]) -> str:
    """Return ``value`` as the names of its bits; empty if a bit has no name."""
    named = [name for bit, name in sorted(known.items()) if bit > 0 and bit & (bit - 1) == 0 and bit & value == bit]
    covered = sum(bit for bit, name in known.items() if name in named)
    return " | ".join(named) if named and covered == value else ""


def _find_function(call: Call, tables: ReportTables) -> Function | None:
    """Return the function of a call, which is a harness action or is in the tables."""
    return HOST_ACTIONS.get(call.function) or tables.functions.get(call.function)


def format_call(call: Call, outcome: Outcome | None, tables: ReportTables, names: ValueNames | None = None) -> str:
    """Return a call as one line of C-like text, followed by its outcome unless that is None."""
    names = names or ValueNames(tables)
    function = _find_function(call, tables)
    parameters = {parameter.name: parameter for parameter in function.parameters} if function else {}
    arguments = [_format_passed(value, parameters.get(name), names) for name, value in call.arguments.items()]
    written = f"{call.function}({', '.join(arguments)})"
    whole = written if outcome is None else f"{written} -> {format_outcome(call, outcome, tables, names)}"
    return escape_unprintable(whole, limit=len(whole))  # names of objects and functions may come from an untrusted file


def format_steps(steps: Iterable[Step], tables: ReportTables, names: ValueNames | None = None) -> list[str]:
    """Return a sequence as text, one line for each call."""
    names = names or ValueNames(tables)
    return [" -> ".join(format_step(step, call, tables, names)) for step, call in pair_with_calls(steps)]


def format_step(step: Step, call: Call, tables: ReportTables, names: ValueNames) -> tuple[str, str]:
    """Return the call and the outcome of a step as text.

    ``call``: the call that returned, which differs from the call of the step if the step ends a call on a host thread.
    """
    made = format_call(step.call, None, tables, names)
    if isinstance(step.outcome, Begun):
        return made, f"begun on host thread {step.host_thread}"
    answer = format_outcome(call, step.outcome, tables, names)
    return made, answer if call is step.call else f"{call.function}: {answer}"


def _format_passed(value: Value, parameter: Parameter | None, names: ValueNames) -> str:
    """Return an argument as text in a call, where the address of a single output is ``&NAME``."""
    if value == OutputBuffer(1) and parameter is not None and not (_is_byte_buffer(parameter) or _is_list(parameter)):
        return f"&{parameter.name}"
    return format_argument(value, parameter, names)


def _is_byte_buffer(parameter: Parameter) -> bool:
    return parameter.pointers == 1 and parameter.base in ("void", "char")


def _is_list(parameter: Parameter) -> bool:
    """Return whether a parameter is an array.

    The documents use plurals for arrays, such as ``out_devices``.
    """
    return parameter.name.endswith("s") and not parameter.name.startswith("num_")


def format_argument(value: Value, parameter: Parameter | None, names: ValueNames) -> str:  # noqa: C901, PLR0912 (one case a kind)
    """Return an argument as text in a call; ``parameter``: its parameter, or None if unknown."""
    base = parameter.base if parameter else ""
    if parameter is not None and parameter.name in STATUS_NAMES:
        base = STATUS_TYPE
    match value:
        case None:
            return "NULL"
        case int():
            return names.number(value, base)
        case Handle() | HostCallback():
            return value.name
        case OffsetPointer():
            return _format_address(value)
        case Pointers():
            return f"{{{', '.join(map(_format_address, value.values))}}}"
        case BusAddresses(surface, signal):
            return f"{{{format_argument(surface, None, names)}, {format_argument(signal, None, names)}}}"
        case ElementList():
            return _braced(names.listed(value.values, base), len(names.structure_fields(base)))
        case OutputBuffers(counts):
            return f"{{{', '.join(f'<{count}-byte output buffer>' for count in counts)}}}"
        case OutputBuffer():
            unit = "byte" if parameter is None or _is_byte_buffer(parameter) else "element"
            return f"<{value.count}-{unit} output buffer>"
        case DispatchConfigs():
            return f"{{{', '.join('NULL' if one is None else _format_update(one, names) for one in value.values)}}}"
        case Data():
            return _format_data(value, parameter)
        case HandleBytes():
            return f"&{value.handle.name}"
        case Text():
            return _quoted(value.content)
        case Texts():
            return f"{{{', '.join(_quoted(content) for content in value.contents)}}}"


def _format_update(config: DispatchConfig, names: ValueNames) -> str:
    """Return an update of a recorded kernel enqueue as text, without fields that are 0 or NULL."""
    parts = [f"command = {format_argument(config.command, None, names)}"]
    parts += [
        f"{name} = {number}"
        for name in ("num_args", "num_svm_args", "num_exec_infos", "work_dim")
        if (number := getattr(config, name))
    ]
    for name in ("arg_list", "arg_svm_list", "exec_info_list"):
        listed = getattr(config, name)
        if listed is not None:
            shown = (f"{{{one.key}, {one.size}, {format_argument(one.value, None, names)}}}" for one in listed)
            parts.append(f"{name} = {{{', '.join(shown)}}}")
    for name in ("global_work_offset", "global_work_size", "local_work_size"):
        sizes = getattr(config, name)
        if sizes is not None:
            parts.append(f"{name} = {{{', '.join(map(str, sizes))}}}")
    return f"{{{', '.join(parts)}}}"


def _format_address(value: Handle | OffsetPointer | None) -> str:
    if isinstance(value, OffsetPointer):
        return f"{value.handle.name} + {value.offset}"
    return value.name if value is not None else "NULL"


def _format_data(data: Data, parameter: Parameter | None) -> str:
    """Return bytes as text: a structure by its fields, few bytes by their values, others by their number."""
    fields = BYTE_STRUCTURES.get(parameter.name) if parameter is not None else None
    width = next((each for each in SIZE_WIDTHS if fields and len(data.content) == fields * each), 0)
    if width:
        return f"{{{', '.join(map(str, unpack_words(data.content, width)))}}}"
    if data.unrecorded:
        return "<host memory>" if data.size >= MIN_UNKNOWN_SIZE else f"<{data.size} bytes>"
    words = _format_bytes(data.content)
    return words if len(data.content) <= MAX_DATA_BYTES else f"<{words}>"


def _braced(words: Sequence[str], fields: int = 0) -> str:
    """Return words in braces; ``fields``: the number of fields of a structure, of which the words are a list, or 0."""
    return f"{{{', '.join(_group_fields(words, fields))}}}"


def _group_fields(words: Sequence[str], fields: int) -> list[str]:
    """Return the words of several structures with ``fields`` fields as one word for each; other words unchanged."""
    if not fields or len(words) <= fields or len(words) % fields:
        return list(words)
    return [_braced(words[start : start + fields]) for start in range(0, len(words), fields)]


def _format_bytes(content: bytes) -> str:
    return (
        f"{{{', '.join(f'{byte:#04x}' for byte in content)}}}"
        if len(content) <= MAX_DATA_BYTES
        else f"{len(content)} bytes"
    )


def _quoted(text: str) -> str:
    return '"' + escape_unprintable(text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")) + '"'


def format_outcome(call: Call, outcome: Outcome, tables: ReportTables, names: ValueNames | None = None) -> str:
    """Return the outcome of a call as text."""
    names = names or ValueNames(tables)
    match outcome:
        case Returned():
            return _format_returned(
                outcome,
                _find_function(call, tables),
                names,
                names.query_type(call),
            )
        case Died():
            return f"{PROCESS_END_TEXTS.get(outcome.how, 'died:')} {escape_unprintable(outcome.detail)}"
        case Hung():
            return f"no answer within {outcome.seconds:g} s"
        case Absent():
            return f"function not available ({outcome.how}: {escape_unprintable(outcome.detail)})"


def _format_returned(outcome: Returned, function: Function | None, names: ValueNames, queried: str) -> str:
    parts = []
    if function is None or function.returns != "void":
        parts.append(_format_value(outcome.value, function, names))
    parameters = {parameter.name: parameter for parameter in function.parameters} if function else {}
    for name, output in outcome.outputs.items():
        base = parameters[name].base if name in parameters else ""
        base = "cl_int errcode" if name == "errcode_ret" else queried if queried and base == "void" else base
        parts.append(f"{name} = {_format_output(output, base, names)}")
    parts += [f"wrote past the end of {name}" for name in outcome.overrun]
    parts += [_format_callback(called, names) for called in outcome.callbacks]
    return ", ".join(parts) or "returned"


def _format_callback(called: CallbackInvocation, names: ValueNames) -> str:
    """Return a callback call with its arguments as text."""
    words = []
    for name, value in called.arguments.items():
        if isinstance(value, int):
            text = names.number(value, STATUS_TYPE if name in STATUS_NAMES else "")
        elif isinstance(value, list | tuple):
            text = _braced([escape_unprintable(str(each)) if each is not None else "NULL" for each in value])
        else:
            text = escape_unprintable(str(value)) if value is not None else "NULL"
        words.append(f"{name} = {text}" if name else text)
    return f"called back {called.name}({', '.join(words)})"


def _format_value(value: float | str | None, function: Function | None, names: ValueNames) -> str:
    if value is None:
        return "NULL"
    if isinstance(value, str):
        return escape_unprintable(value)
    if isinstance(value, int) and (function is None or function.returns == "cl_int"):
        return names.error(value)
    return str(value)


def _format_output(output: Output, base: str, names: ValueNames) -> str:
    """Return an output as text; of an output that is stored in part, return its beginning and its full length."""
    shown = _format_whole_output(output, base, names)
    if not output.digest:
        return shown
    length = f"{output.count} values, {output.written} bytes, SHA-256 {escape_unprintable(output.digest)}..."
    return f"{shown[:MAX_PARTIAL_OUTPUT]}... (cut; in all {length})"


def _format_whole_output(output: Output, base: str, names: ValueNames) -> str:
    if output.unrecorded:
        return "not recorded"
    if not output.values:
        return (
            _format_bytes(output.raw)
            if output.raw
            else "untouched"
            if not output.written
            else f"{output.written} bytes"
        )
    fields = len(names.structure_fields(base))
    listed = ("propert" in base and len(output.values) > 1) or bool(fields)
    whole = [_as_element(value) for value in output.values]
    named = names.listed(whole, base) if listed else []
    words: list[str] = []
    for position, value in enumerate(output.values):
        if value is None:
            words.append("NULL")
        elif isinstance(value, int):
            one = names.error(value) if base == "cl_int errcode" else names.number(value, base)
            words.append(named[position] if listed else one)
        else:
            words.append(escape_unprintable(str(value)))
    kept = [word for word in words if word != UNTOUCHED]
    if len(words) == 1:
        return words[0]
    if words[: len(kept)] == kept and len(kept) < len(words):
        untouched = [f"{len(words) - len(kept)} untouched" if kept else UNTOUCHED]
        words = [*_shorten_list(_group_fields(kept, fields)), *untouched]
    else:
        words = _shorten_list(_group_fields(words, fields))
    return f"{{{', '.join(words)}}}" if words != [UNTOUCHED] else UNTOUCHED


def _as_element(value: float | str | None) -> int | Handle | None:
    """Return an element of an output as in an argument."""
    if isinstance(value, str):
        return Handle(value)
    return value if isinstance(value, int) else None


def _shorten_list(words: Sequence[str]) -> list[str]:
    """Return the words, but at most ``MAX_VALUES`` of them, followed by the number of omitted words."""
    return list(words) if len(words) <= MAX_VALUES else [*words[:MAX_VALUES], f"{len(words) - MAX_VALUES} more"]
