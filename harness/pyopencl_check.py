"""Repeats queries with pyopencl as an independent check of the harness's own results."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.protocol import PyopenclValues

if TYPE_CHECKING:
    from clconform.harness.names import ObjectNames

MAX_VALUES = 1 << 12
"""Maximum number of values in one result; a longer result is not compared."""
_CLASSES = {
    "platform": "Platform",
    "device": "Device",
    "context": "Context",
    "queue": "CommandQueue",
    "sampler": "Sampler",
    "kernel": "Kernel",
    "event": "Event",
}
_TYPES = {
    "Platform": "cl_platform_id",
    "Device": "cl_device_id",
    "Context": "cl_context",
    "CommandQueue": "cl_command_queue",
    "Program": "cl_program",
    "_Program": "cl_program",
}


def query_with_pyopencl(names: ObjectNames, handle: str, param_name: int) -> PyopenclValues:
    """Return the value of pyopencl's query; empty if pyopencl is missing or does not support the object or query."""
    try:
        pyopencl = importlib.import_module("pyopencl")
        made = getattr(pyopencl, _CLASSES[handle.rstrip("0123456789")])
        answer = made.from_int_ptr(names.address_of(handle), True).get_info(param_name)
        found = [_plain_value(value, names) for value in (answer if isinstance(answer, list) else [answer])]
        msgspec.msgpack.encode(found)  # raises for a value that cannot be sent: too large a number, or invalid text
        return PyopenclValues(found) if len(found) <= MAX_VALUES else PyopenclValues()
    except Exception:  # noqa: BLE001 (for whatever reason pyopencl fails, the check is omitted)
        return PyopenclValues()


def _plain_value(value: Any, names: ObjectNames) -> int | str | None:
    """Return a value as the harness decodes it; TypeError if pyopencl wraps it in an unknown type."""
    if value is None or isinstance(value, (int, str)):
        return int(value) if isinstance(value, bool) else value
    kind = _TYPES.get(type(value).__name__)
    if kind is None:
        raise TypeError(type(value).__name__)
    return names.name_of(kind, value.int_ptr)
