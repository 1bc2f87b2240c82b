"""Facts about memory objects, kernels and devices that a condition names and that are not arguments of the call.

``offset + size is more than the size of buffer`` names the size of an object. ``size is more than
CL_DEVICE_MAX_MEM_ALLOC_SIZE`` names a value that a device reports. A fact is included only if the model knows it and
the object is unambiguous.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from clconform.calls.call import call_handles
from clconform.calls.values import ElementList
from clconform.oracles.model.contexts import Context, ContextObject
from clconform.oracles.model.devices import Device
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import MemoryObject, SubBuffer
from clconform.spec_tables.requirements import Query

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.calls.values import Value
    from clconform.oracles.model.state import Model

MEMORY_FACT = re.compile(
    r"(?:the\s+)?\b(?P<label>size|offset|flags|CL_MEM_SIZE|CL_MEM_OFFSET|CL_MEM_FLAGS)\s+of\s+(?P<of>\w+)"
    r"|\bpast\s+(?:(?:the\s+end|that)\s+of\s+)?(?P<past>\w+)"
    r"|\b(?P<made>\w+)\s+was\s+(?:not\s+)?created\s+with\s+CL_MEM_"
    r"|\b(?P<part>\w+)\s+is\s+a\s+sub-buffer\s+whose\s+offset"
)
"""Matches the size, the offset or the flags of a memory object in a condition."""
MODEL_FIELDS = {"size": "size", "CL_MEM_SIZE": "size", "offset": "origin", "CL_MEM_OFFSET": "origin"}
"""Name of a fact in a condition to the field of ``MemoryObject``; names without an entry stand for the flags."""
ARGUMENT_COUNT = re.compile(r"number of (?:the kernel's arguments|arguments of kernel)")
ENUM_NAME = re.compile(r"\bCL_[A-Z0-9_]+\b")


def find_object_facts(call: Call, model: Model, text: str) -> Iterator[tuple[int, int, str, Value]]:
    """Yield each fact about a memory object or kernel that the text names: its start, end, label and value."""
    for match in MEMORY_FACT.finditer(text):
        label, name = _named_fact(match)
        value = _memory_fact(model.find(call.arguments.get(name)), label)
        if value is not None:
            yield match.start(), match.end(), f"{label} of {name}", value
    for match in ARGUMENT_COUNT.finditer(text):
        kernel = model.find(call.arguments.get("kernel"))
        if isinstance(kernel, Kernel) and kernel.buffer_kernel is not None:
            yield match.start(), match.end(), match[0], len(kernel.buffer_kernel.arguments)


def _named_fact(match: re.Match[str]) -> tuple[str, str]:
    """Return the label of the matched fact, and the name of the parameter that contains the fact's object."""
    if match["of"]:
        return match["label"], match["of"]
    if match["past"]:
        return "size", match["past"]
    return ("flags", match["made"]) if match["made"] else ("offset", match["part"])


def _memory_fact(thing: object, label: str) -> int | None:
    """Return a fact about a memory object; None if ``thing`` is not a memory object, or if the fact is unknown."""
    if not isinstance(thing, MemoryObject) or thing.tainted:
        return None
    field = MODEL_FIELDS.get(label, "flags")
    if field == "origin":
        return thing.origin if isinstance(thing, SubBuffer) else None
    return thing.flags if field == "flags" else thing.size or None


def find_device_facts(call: Call, model: Model, text: str) -> list[tuple[int, str, Value]]:
    """Return the device queries that the text names: position, name, and the value that the devices report.

    A query is included only if the model knows its value for all relevant devices, and the values are equal.
    """
    found: list[tuple[int, str, Value]] = []
    for match in ENUM_NAME.finditer(text):
        query = model.tables.requirements.get(match[0])
        if isinstance(query, Query) and query.function == "clGetDeviceInfo":
            facts = [device.facts.get(match[0]) for device in _relevant_devices(call, model, text)]
            fact = facts[0] if facts and all(each == facts[0] for each in facts) else None
            if isinstance(fact, int):
                found.append((match.start(), match[0], fact))
            elif isinstance(fact, tuple) and all(isinstance(each, int) for each in fact):
                found.append(
                    (match.start(), match[0], ElementList(tuple(each for each in fact if isinstance(each, int))))
                )
    return found


def _relevant_devices(call: Call, model: Model, text: str) -> list[Device]:
    """Return the devices in the arguments of a call and those of its queues, or else the devices of its contexts.

    If the text mentions a context, all devices of the contexts count. The list is empty if the devices are unknown.
    """
    things = [thing for thing in map(model.find, call_handles(call)) if thing is not None]
    own = [thing.device if isinstance(thing, ContextObject) else thing for thing in things]
    devices = [thing for thing in own if isinstance(thing, Device)]
    if devices and not re.search(r"\bcontext\b", text):
        return devices
    around = [thing.context if isinstance(thing, ContextObject) else thing for thing in things]
    contexts = [thing for thing in around if isinstance(thing, Context)]
    if any(context.candidates for context in contexts):
        return []
    return [device for context in contexts for device in context.devices]
