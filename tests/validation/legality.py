"""An independent checker for edited recordings: finds illegal calls by references, mapped regions and events.

It does not use the oracle, and supports only the calls of ``lifetimes.c``: one in-order queue, blocking transfers, and
kernels with two arguments. A handle is valid while the program itself holds references to it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from clconform.recording.file_format import CallEntry, CallReturn

POINTER = 8
CREATES = {
    "clCreateContext",
    "clCreateCommandQueue",
    "clCreateCommandQueueWithProperties",
    "clCreateBuffer",
    "clCreateSubBuffer",
    "clCreateProgramWithSource",
    "clCreateKernel",
    "clCreateUserEvent",
}
HANDLES = (
    "context",
    "command_queue",
    "memobj",
    "mem",
    "buffer",
    "src_buffer",
    "dst_buffer",
    "program",
    "kernel",
    "event",
)
"""Parameters that are objects in all functions; ``event`` only if it is not an output."""
TRANSFERS = ("clEnqueueReadBuffer", "clEnqueueWriteBuffer")


@dataclass
class ProgramState:
    """The state of a program's objects at one time.

    ``all_handles``: the handles that the program ever has. ``references``: maps handles to the numbers of held
    references. ``maps``: maps pointers of mapped regions to buffers. ``unset``: user events that are not set.
    ``waiting``: user events for which a command waits. ``set_arguments``: maps kernels to their set arguments.
    ``built``: built programs. ``kernels``: maps kernels to their programs.
    """

    all_handles: frozenset[int]
    references: dict[int, int] = field(default_factory=dict)
    maps: dict[int, int] = field(default_factory=dict)
    unset: set[int] = field(default_factory=set)
    waiting: set[int] = field(default_factory=set)
    set_arguments: dict[int, set[int]] = field(default_factory=dict)
    built: set[int] = field(default_factory=set)
    kernels: dict[int, int] = field(default_factory=dict)

    def is_illegal(self, begun: CallEntry, ended: CallReturn) -> bool:
        """Return whether a call is illegal; apply its effects if it is legal."""
        if any(self.references.get(each, 0) <= 0 for each in self._used_objects(begun)) or self._is_rejected(begun):
            return True
        self._apply_effects(begun, ended)
        return False

    def _used_objects(self, begun: CallEntry) -> list[int]:
        found = [
            given.bits
            for name, given in begun.arguments.items()
            if name in HANDLES and given.bits and not (name == "event" and begun.function.startswith("clEnqueue"))
        ]
        for name in ("event_wait_list", "event_list"):
            content = begun.arguments[name].content if name in begun.arguments else None
            found += _unpack_addresses(content) if isinstance(content, bytes) else []
        content = begun.arguments["arg_value"].content if "arg_value" in begun.arguments else None
        if isinstance(content, bytes) and len(content) == POINTER:
            found += [each for each in _unpack_addresses(content) if each in self.all_handles]
        return found

    def _is_rejected(self, begun: CallEntry) -> bool:
        """Return whether a call is illegal although the program holds all its objects."""
        function, given = begun.function, {name: each.bits for name, each in begun.arguments.items()}
        if function == "clSetUserEventStatus":
            return given["event"] not in self.unset
        if function == "clEnqueueUnmapMemObject":
            return self.maps.get(given["mapped_ptr"]) != given["memobj"]
        if function in ("clEnqueueMapBuffer", *TRANSFERS):
            return given["buffer"] in self.maps.values()
        if function == "clEnqueueNDRangeKernel":
            return self.set_arguments.get(given["kernel"], set()) != {0, 1}
        if function == "clCreateKernel":
            return given["program"] not in self.built
        if function == "clBuildProgram":
            return given["program"] in self.kernels.values()
        return function.startswith("clRelease") and function != "clReleaseEvent" and bool(self.waiting & self.unset)

    def _apply_effects(self, begun: CallEntry, ended: CallReturn) -> None:
        function, given = begun.function, {name: each.bits for name, each in begun.arguments.items()}
        if function.startswith("clRetain"):
            self.references[next(iter(given.values()))] += 1
        elif function.startswith("clRelease"):
            self._release_handle(next(iter(given.values())))
        elif function in CREATES and ended.result:
            self.references[ended.result] = 1
        self._apply_event_effects(begun, ended)
        if function == "clEnqueueMapBuffer":
            self.maps[ended.result] = given["buffer"]
        elif function == "clEnqueueUnmapMemObject":
            del self.maps[given["mapped_ptr"]]
        elif function == "clBuildProgram":
            self.built.add(given["program"])
        elif function == "clCreateKernel":
            self.kernels[ended.result], self.set_arguments[ended.result] = given["program"], set()
        elif function == "clSetKernelArg":
            self.set_arguments[given["kernel"]].add(given["arg_index"])

    def _apply_event_effects(self, begun: CallEntry, ended: CallReturn) -> None:
        """Track user events and the commands that wait for them."""
        function, given = begun.function, begun.arguments
        if function == "clCreateUserEvent":
            self.unset.add(ended.result)
        elif function == "clSetUserEventStatus":
            self.unset.discard(given["event"].bits)
        elif function in ("clWaitForEvents", "clFinish"):
            self.waiting.clear()
        waited = given["event_wait_list"].content if "event_wait_list" in given else None
        self.waiting |= set(_unpack_addresses(waited)) if isinstance(waited, bytes) else set()
        made = ended.outputs.get("event") if function.startswith("clEnqueue") else None
        for each in _unpack_addresses(made) if made else []:
            self.references[each] = 1

    def _release_handle(self, handle: int) -> None:
        self.references[handle] -= 1
        if not self.references[handle]:
            self.kernels.pop(handle, None)


def find_illegal_calls(calls: Sequence[tuple[CallEntry, CallReturn]], ever: frozenset[int]) -> list[int]:
    """Return the positions of the illegal calls; the effects of illegal calls are not applied."""
    checked = ProgramState(ever)
    return [position for position, (begun, ended) in enumerate(calls) if checked.is_illegal(begun, ended)]


def created_handles(calls: Iterable[tuple[CallEntry, CallReturn]]) -> frozenset[int]:
    """Return all handles that the calls of a program return."""
    found = {ended.result for begun, ended in calls if begun.function in CREATES}
    for _, ended in calls:
        made = ended.outputs.get("event")
        found |= set(_unpack_addresses(made)) if made else set()
    return frozenset(found)


def _unpack_addresses(content: bytes) -> list[int]:
    whole = len(content) // POINTER * POINTER
    return [int.from_bytes(content[at : at + POINTER], "little") for at in range(0, whole, POINTER)]
