"""pyopencl as an independent check: its own result of a query on one of our handles."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

import msgspec

from clconform.calls.protocol import Witnessed

if TYPE_CHECKING:
    from clconform.harness.names import Names

MOST_VALUES = 1 << 12
"""Values of one answer; a longer one is not compared."""
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


def read(names: Names, handle: str, param_name: int) -> Witnessed:
    """Return what pyopencl reads; nothing if it is not installed, or does not support the object or the query."""
    try:
        pyopencl = importlib.import_module("pyopencl")
        made = getattr(pyopencl, _CLASSES[handle.rstrip("0123456789")])
        answer = made.from_int_ptr(names.address(handle), True).get_info(param_name)
        found = [_plain(value, names) for value in (answer if isinstance(answer, list) else [answer])]
        msgspec.msgpack.encode(found)  # a number of too many bits, or a text of no characters, is no answer either
        return Witnessed(found) if len(found) <= MOST_VALUES else Witnessed()
    except Exception:  # noqa: BLE001 (whatever keeps it from reading, it is then no witness)
        return Witnessed()


def _plain(value: Any, names: Names) -> int | str | None:
    """Return a value in the form of our own decoding; TypeError if pyopencl wraps it in its own type."""
    if value is None or isinstance(value, (int, str)):
        return int(value) if isinstance(value, bool) else value
    kind = _TYPES.get(type(value).__name__)
    if kind is None:
        raise TypeError(type(value).__name__)
    return names.name(kind, value.int_ptr)
