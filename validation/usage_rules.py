"""Checks the usage rules that a recorded call shows to be violated, although no error condition covers them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.calls.call import call_handles
from clconform.calls.values import ElementList
from clconform.oracles.contents.access_rules import WAITING_FUNCTIONS
from clconform.oracles.contents.dependencies import create_command, is_blocking
from clconform.oracles.contents.effects import MemoryEffect
from clconform.oracles.contents.image_layout import ONE_D_ARRAY, WITHOUT_SLICES, accessible_image
from clconform.oracles.contents.mapped_contents import related_maps
from clconform.oracles.contents.storage import whole_places
from clconform.oracles.contents.transfers import triple_of
from clconform.oracles.engine.host_threads import BUILD_FUNCTIONS
from clconform.oracles.model.errors import UndefinedBehaviourError, UnknownFactError
from clconform.oracles.model.events import Event, UserEvent
from clconform.oracles.model.kernel_declarations import CONST, SHARED
from clconform.oracles.model.kernel_writes import read_written_arguments
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.spec_tables.requirements import UsageRule
from clconform.validation.findings import ADVICE, UNDEFINED
from clconform.validation.host_areas import CREATE_BUFFER, HostAreas
from clconform.validation.kernel_arguments import argument_objects
from clconform.validation.kernel_information import certain_source

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from clconform.calls.call import Call
    from clconform.oracles.model.enqueued_command import Command
    from clconform.oracles.model.state import Model
    from clconform.recording.file_format import CallEntry
    from clconform.spec_tables import Tables
    from clconform.validation.pending_call import PendingCall

CALLBACK_TOPIC = "expensive-calls-in-callback"
"""The topic of the rule on blocking and expensive calls in callbacks, which some registering functions have."""
OWN_OBJECT_TOPIC = "object-in-its-callback"
OUTPUT_TOPICS = {
    "event-in-its-wait-list": ("event", "event_wait_list", "num_events_in_wait_list", None),
    "sync-point-not-listed": ("sync_point", "sync_point_wait_list", "num_sync_points_in_wait_list", 4),
}
"""Maps topics to an output, the list that must not contain it, its number of elements, and their size in bytes.

The size None is that of a pointer.
"""
CREATING_PREFIXES = ("clCreateContext", "clCreateCommandQueue")
LAUNCHES = ("clEnqueueNDRangeKernel", "clEnqueueTask")
MAPPED_FOR_WRITING = "OpenCL:accessing-mapped-regions-of-a-memory-object/usage/2"
MAPPED_FOR_READING = "OpenCL:accessing-mapped-regions-of-a-memory-object/usage/3"
OVERLAPPING_AREAS = "{function}/usage/4"
IMAGE_TRANSFERS = {"clEnqueueReadImage": "", "clEnqueueWriteImage": "input_"}
"""Maps transfers of images to the prefix of their pitch parameters."""
COPIES = ("clEnqueueCopyBuffer", "clEnqueueCopyBufferRect")
MAX_EVENTS = 256
"""The maximum number of stored user events that callbacks have set."""
SET_STATUS = "clSetUserEventStatus"
UNFLUSHED = "clFlush/usage/1"


class UsageViolation(NamedTuple):
    """A violated rule: the kind of finding, the ids of its requirements, and the reason.

    ``rule``: the id of a rule in ``rules.toml``, if it has no requirements. ``values``: values for the remedy.
    """

    kind: str
    requirements: tuple[str, ...]
    reason: str
    rule: str = ""
    values: Mapping[str, str] = {}


class UsageRules:
    """The usage rules for one program."""

    def __init__(self, tables: Tables) -> None:
        rules = (each for each in tables.requirements.values() if isinstance(each, UsageRule))
        self._ids = {(each.function, each.topic): each.id for each in rules}
        self._areas = HostAreas()
        self._set_by: dict[str, Command] = {}

    def find_violations(self, begun: PendingCall, model: Model) -> Iterator[UsageViolation]:
        """Yield the rules that a call violates, whatever its result, except for those on callbacks."""
        call = begun.call
        for topic, (output, listed, count, size) in OUTPUT_TOPICS.items():
            rule = self._ids.get((call.function, topic))
            if rule is not None and _is_output_in_list(
                begun.entered, output, listed, count, size or model.pointer_bytes
            ):
                yield UsageViolation(UNDEFINED, (rule,), f"{output} points to an element of {listed}")
        if call.function in IMAGE_TRANSFERS:
            yield from _find_small_pitches(call, model)
        if call.function in LAUNCHES:
            yield from _find_mapped_arguments(call, model)
        if call.function in COPIES:
            yield from self._find_overlapping_copy(call, model)

    def find_callback_violations(self, begun: PendingCall) -> Iterator[UsageViolation]:
        """Yield the rules on callbacks that a call inside a callback violates."""
        if begun.callback is None:
            return
        call, registering = begun.call, begun.callback.call
        rule = self._ids.get((registering.function, CALLBACK_TOPIC))
        if rule is not None and _is_forbidden_in_callbacks(call):
            yield UsageViolation(UNDEFINED, (rule,), f"a callback of {registering.function} calls {call.function}")
        rule = self._ids.get((registering.function, OWN_OBJECT_TOPIC))
        own = registering.arguments.get("memobj")
        if rule is not None and own is not None and own in call.arguments.values():
            reason = f"a callback of {registering.function} passes its own object to {call.function}"
            yield UsageViolation(UNDEFINED, (rule,), reason)

    def note_success(self, begun: PendingCall, model: Model) -> None:
        """Note the user event that a callback has set, with the command for whose event the callback is."""
        if begun.call.function != SET_STATUS or begun.callback is None:
            return
        subject, event = model.find(begun.callback.call.arguments.get("event")), model.find(begun.call.event)
        if isinstance(subject, Event) and subject.command is not None and event is not None:
            self._set_by[event.name] = subject.command
            if len(self._set_by) > MAX_EVENTS:
                del self._set_by[next(iter(self._set_by))]

    def find_unsubmitted_callback(self, call: Call, model: Model) -> UsageViolation | None:
        """Return advice about a wait that may never end, or None. The program must have only one host thread.

        The host waits for a user event that only a callback can set or has set, and the command for whose event the
        callback is need not have been submitted (5.15).
        """
        if call.function not in WAITING_FUNCTIONS:
            return None
        waited_for = [each for each in model.find_all(call_handles(call)) if isinstance(each, UserEvent)]
        setters = [self._set_by[each.name] for each in waited_for if each.name in self._set_by]
        if any(each.command is not None and not each.command.is_complete for each in waited_for):
            setters = _commands_with_callbacks(model)
        if not setters or any(each.queue is None or each.is_flushed or each.is_complete for each in setters):
            return None
        reason = (
            f"only a callback for {setters[0].function} can end this wait, and the program has not flushed the queue "
            "of this command"
        )
        queue = setters[0].queue
        return UsageViolation(ADVICE, (UNFLUSHED,), reason, values={"queue": queue.name} if queue is not None else {})

    def find_creation_advice(self, begun: PendingCall, name: str, model: Model) -> UsageViolation | None:
        """Return advice about a new buffer, or None: another buffer uses the same host memory."""
        other = self._areas.note_created(begun.entered, name, model)
        if not other:
            return None
        reason = (
            f"{other} uses the same host memory: commands that operate on both buffers are undefined, and the contents "
            "of both are unknown after a write to either"
        )
        return UsageViolation(ADVICE, (OVERLAPPING_AREAS.format(function=begun.call.function),), reason)

    def _find_overlapping_copy(self, call: Call, model: Model) -> Iterator[UsageViolation]:
        source, target = model.find(call.src_buffer), model.find(call.dst_buffer)
        if isinstance(source, MemoryObject) and isinstance(target, MemoryObject):
            roots = source.root_object, target.root_object
            if roots[0] is not roots[1] and self._areas.are_overlapping(*(each.name for each in roots)):
                reason = f"{roots[0].name} and {roots[1].name} use the same host memory"
                yield UsageViolation(UNDEFINED, (OVERLAPPING_AREAS.format(function=CREATE_BUFFER[0]),), reason)


def _is_output_in_list(entered: CallEntry, output: str, listed: str, number: str, size: int) -> bool:
    """Return whether an output pointer of a call points into a list that the call reads."""
    given = entered.arguments
    if not {output, listed, number} <= given.keys() or not given[output].bits:
        return False
    start = given[listed].bits
    return start <= given[output].bits < start + size * given[number].bits


def _is_forbidden_in_callbacks(call: Call) -> bool:
    """Return whether a call is undefined in an event callback: it blocks, or creates a context or a queue (5.11.1)."""
    if call.function.startswith(CREATING_PREFIXES) or call.function in WAITING_FUNCTIONS:
        return True
    if call.function in BUILD_FUNCTIONS:
        return call.arguments["pfn_notify"] is None
    return call.function.startswith("clEnqueue") and is_blocking(call)


def _find_small_pitches(call: Call, model: Model) -> Iterator[UsageViolation]:
    """Yield the pitches that are too small for the region, unless an error condition covers them (5.3.4)."""
    prefix = IMAGE_TRANSFERS[call.function]
    names = [f"{prefix}{name}_pitch" for name in ("row", "slice")]
    row, slice_ = (call.arguments[name] for name in names)
    try:
        image = accessible_image(call.image, model)
        width, height, _ = triple_of(call.region)
    except (UnknownFactError, UndefinedBehaviourError):
        return
    if not isinstance(row, int) or not isinstance(slice_, int):
        return
    least = width * image.format.element_size
    if row and row < least:
        reason = f"{names[0]} is {row}, but a row of the region has {least} bytes"
        yield UsageViolation(UNDEFINED, (), reason, "small-pitch", _pitch_values(names[0], row, least))
    elif slice_ and image.shape.image_type not in (*WITHOUT_SLICES, ONE_D_ARRAY) and slice_ < (row or least) * height:
        reason = f"{names[1]} is {slice_}, but a slice of the region has {(row or least) * height} bytes"
        yield UsageViolation(
            UNDEFINED, (), reason, "small-pitch", _pitch_values(names[1], slice_, (row or least) * height)
        )


def _pitch_values(parameter: str, size: int, needed: int) -> dict[str, str]:
    return {"parameter": parameter, "size": str(size), "needed": str(needed)}


def _find_mapped_arguments(call: Call, model: Model) -> Iterator[UsageViolation]:
    """Yield the arguments of a kernel that are mapped: undefined if mapped for writing (5.5.4), else advice."""
    kernel = model.find(call.kernel)
    if not isinstance(kernel, Kernel) or not model.mapped_regions or _is_delayed(call, model):
        return
    for index, thing in argument_objects(kernel):
        if not isinstance(thing, MemoryObject):
            continue
        maps = [each for place in whole_places((thing,)) for each in related_maps(place, model)]
        mapped = [each for each in maps if not (each.is_uncertain or each.may_be_unmapped)]
        for_writing = next((each for each in mapped if each.is_writable), None)
        words, values = f"argument {index} of {kernel.name} is {thing.name}, which is mapped", {"object": thing.name}
        if for_writing is not None:
            reason = f"{words} for writing, by {for_writing.function}"
            yield UsageViolation(UNDEFINED, (MAPPED_FOR_WRITING,), reason, values=values)
        elif mapped and not _is_only_read(kernel, index):
            is_written = index in _written_arguments(kernel, call)
            rest = "and the kernel writes to it" if is_written else "so the kernel must not write to it"
            reason = f"{words} for reading, by {mapped[0].function}, {rest}"
            yield UsageViolation(UNDEFINED if is_written else ADVICE, (MAPPED_FOR_READING,), reason, values=values)


def _is_only_read(kernel: Kernel, index: int) -> bool:
    """Return whether an argument is declared as a pointer to constants or to constant memory."""
    declared = kernel.declared_argument(index)
    return declared is not None and (CONST in declared.qualifiers or declared.address_qualifier == SHARED[1])


def _written_arguments(kernel: Kernel, call: Call) -> frozenset[int]:
    """Return the indices of the arguments to which the source shows that a launch writes."""
    sizes, text = call.arguments.get("global_work_size"), certain_source(kernel)
    has_items = call.function != LAUNCHES[0] or (
        isinstance(sizes, ElementList) and all(isinstance(each, int) and each for each in sizes.values)
    )
    if text is None or not has_items:
        return frozenset()
    return read_written_arguments(*text).get(kernel.function_name, frozenset())


def _is_delayed(call: Call, model: Model) -> bool:
    """Return whether a command may wait for a user event, before which the program can still unmap memory."""
    try:
        return create_command(call, model, MemoryEffect()).waits_for_user_event
    except (UnknownFactError, UndefinedBehaviourError):
        return True


def _commands_with_callbacks(model: Model) -> list[Command]:
    """Return the commands whose event has a callback that was not called; empty if there are other callbacks."""
    subjects = [each.subject for each in model.callback_registrations if not each.call_count]
    commands = [each.command for each in subjects if isinstance(each, Event) and each.command is not None]
    return commands if len(commands) == len(subjects) else []
