"""Writes the remedy of a finding: a sentence with the names of the call's objects and arguments.

A rule has templates of its remedy in ``rules.toml``, a requirement in ``remedies.toml``. A template applies if all
names in its braces are known in the call; a finding has no remedy if no template applies.
"""

from __future__ import annotations

import functools
import string
from typing import TYPE_CHECKING

from clconform.calls.release_functions import RELEASE_FUNCTIONS
from clconform.calls.values import Handle
from clconform.oracles.engine.wording import CAPABILITY_NAMES, OBJECT_NAMES, join_names
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.parameters import ArgumentKind
from clconform.oracles.model.pointer_memory import SvmAllocation, UsmAllocation
from clconform.reports.call_formatting import ValueNames, format_argument
from clconform.reports.id_patterns import matches_pattern
from clconform.spec_tables.requirements import ErrorCondition
from clconform.validation.kernel_arguments import describe_argument, describe_kernel
from clconform.validation.rules import OTHER, kind_of, read_remedies, read_rules

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Requirement
    from clconform.validation.rules import RemedyEntry

_POSITIONS = ("first", "second", "third")
_MAX_UNSET = 8
_MAX_TEXT = 80
"""Longer texts of arguments are not part of a remedy."""


class RemedyWriter:
    """Writes the remedies of the findings in one recording."""

    def __init__(self, tables: Tables) -> None:
        self._tables, self._names = tables, ValueNames(tables)

    def write_remedy(self, rule: str, call: Call, model: Model, values: Mapping[str, str]) -> str:
        """Return the remedy for a call that violates a rule; empty if there is none.

        ``values``: values of the finding by their names in templates, which precede those of the call.
        """
        requirement = self._tables.requirements.get(rule)
        known = {**self._call_values(call, model), **values}
        if requirement is None:
            return _fill_first(read_rules()[rule].remedies, known)
        known |= self._condition_values(requirement, call)
        entries = (each for each in _entries_for(requirement) if all(call.arguments.get(name) for name in each.given))
        return _fill_first((each.text for each in entries), known)

    def _call_values(self, call: Call, model: Model) -> dict[str, str]:
        """Return the arguments other than NULL as text, and the facts about their objects."""
        function = self._tables.functions.get(call.function)
        known = {"function": call.function}
        for parameter in function.parameters if function is not None else ():
            value = call.arguments.get(parameter.name)
            text = format_argument(value, parameter, self._names) if value is not None else ""
            if 0 < len(text) <= _MAX_TEXT:
                known[parameter.name] = text
        return known | _kernel_values(call, model) | _buffer_values(call, model)

    def _condition_values(self, requirement: Requirement, call: Call) -> dict[str, str]:
        """Return the values of an error condition, with the argument of its only parameter."""
        if not isinstance(requirement, ErrorCondition):
            return {}
        names, known = requirement.condition.parameters, condition_values(requirement)
        function = self._tables.functions.get(call.function)
        parameters = {each.name: each for each in function.parameters} if function is not None else {}
        if len(names) == 1 and names[0] in call.arguments:
            text = format_argument(call.arguments[names[0]], parameters.get(names[0]), self._names)
            known |= {"value": text} if len(text) <= _MAX_TEXT else {}
        return known


def condition_values(condition: ErrorCondition) -> dict[str, str]:
    """Return the values of an error condition that do not depend on the call: its parameters and kind of object."""
    names, values = condition.condition.parameters, condition.condition.values
    known = dict(zip(_POSITIONS, names, strict=False))
    if names:
        known["parameters"] = join_names(names, "and")
    if values:
        known["object"] = OBJECT_NAMES.get("/".join(values), OBJECT_NAMES.get(values[0], values[0]))
        known["required"] = join_names([CAPABILITY_NAMES.get(each, each) for each in values], "or")
    return known


def _kernel_values(call: Call, model: Model) -> dict[str, str]:
    """Return what is known about the kernel of a call, and about the argument that the call sets."""
    kernel = model.find(call.arguments.get("kernel"))
    if not isinstance(kernel, Kernel):
        return {}
    known = {"kernel_label": describe_kernel(kernel)}
    if kernel.declared_arguments is not None:
        known["argument_count"] = str(len(kernel.declared_arguments))
    if kernel.unset_arguments:
        unset = [describe_argument(kernel, index) for index in kernel.unset_arguments[:_MAX_UNSET]]
        known["unset_arguments"] = join_names(unset, "and")
    index = call.arguments.get("arg_index")
    declared = kernel.declared_argument(index) if isinstance(index, int) else None
    if isinstance(index, int):
        known["argument"] = describe_argument(kernel, index)
    if declared is not None and declared.kind is ArgumentKind.LOCAL:
        known["argument_size"] = "the number of bytes of local memory"
    elif declared is not None:
        size = declared.argument_size(model.pointer_bytes)
        if size is not None:
            known["argument_size"] = f"{_size_expression(declared.kind, declared.type_name)}, {size},"
    return known


def _size_expression(kind: ArgumentKind, type_name: str) -> str:
    if kind is ArgumentKind.VALUE:
        return f"sizeof(cl_{type_name})"
    handles = {ArgumentKind.SAMPLER: "cl_sampler", ArgumentKind.QUEUE: "cl_command_queue"}
    return f"sizeof({handles.get(kind, 'cl_mem')})"


def _buffer_values(call: Call, model: Model) -> dict[str, str]:
    buffer = model.find(call.arguments.get("buffer"))
    return {"buffer_size": f"{buffer.size} bytes"} if isinstance(buffer, MemoryObject) and buffer.size else {}


def object_values(name: str, type_name: str) -> dict[str, str]:
    """Return the values of a finding about an object, for templates."""
    release = RELEASE_FUNCTIONS.get(type_name)
    return {"object": name, **({"release": release} if release else {})}


def memory_values(name: str, model: Model) -> dict[str, str]:
    """Return the values of a finding about shared or unified memory, for templates."""
    thing = model.find(Handle(name))
    if isinstance(thing, SvmAllocation):
        return {"object": name, "release": "clSVMFree"}
    return {"object": name, "release": "clMemFreeINTEL"} if isinstance(thing, UsmAllocation) else {"object": name}


@functools.lru_cache(maxsize=1024)
def _entries_for(requirement: Requirement) -> tuple[RemedyEntry, ...]:
    """Return the entries of ``remedies.toml`` for a requirement, in their order."""
    kind = kind_of(requirement)
    ids = [requirement.id]
    if isinstance(requirement, ErrorCondition) and requirement.inherited_from:
        ids.append(requirement.inherited_from)
    return tuple(
        each
        for each in read_remedies()
        if each.kind == kind
        or (kind == OTHER and any(matches_pattern(pattern, id_) for pattern in each.requirements for id_ in ids))
    )


def remedy_templates(requirement: Requirement) -> tuple[str, ...]:
    """Return the templates of the remedies for a requirement, the best first."""
    return tuple(each.text for each in _entries_for(requirement))


def template_names(template: str) -> tuple[str, ...]:
    """Return the names in the braces of a template."""
    return tuple(name for _, name, _, _ in string.Formatter().parse(template) if name is not None)


def _fill_first(templates: Iterator[str] | tuple[str, ...], known: Mapping[str, str]) -> str:
    """Return the first template whose names are all known, with their values; empty if there is none."""
    for template in templates:
        if all(name in known for name in template_names(template)):
            return template.format_map(known)
    return ""
