"""Faults of queries. Each fault applies to every query function that returns a value of the affected type."""

from __future__ import annotations

import functools
import os
import signal
from typing import TYPE_CHECKING

import msgspec

from clconform.calls.call import Outcome, Output, Returned
from clconform.calls.values import Handle, OutputBuffer
from clconform.oracles.common.object_creation import is_reference_count
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.feature_sources import macro_of
from clconform.oracles.model.images import Image
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, SubBuffer
from clconform.oracles.model.programs import BuiltInProgram, ProgramWithoutSource
from clconform.selftest.faults.registry import SIZE, VALUE, Faults, SimulatedStep
from clconform.spec_tables.requirements import Limit

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.matchers import Element
    from clconform.spec_tables.requirements import Query

    _Fault = Callable[[SimulatedStep, Query], Outcome | None]
    _Body = Callable[[SimulatedStep], Outcome | None]
    _Change = Callable[[MemoryObject, Element], Element]

faults = Faults()

UNKNOWN_BIT = 1 << 40
"""A bit that is not used in any bit-field of the documents."""
GARBAGE, GARBAGE_ADDRESS = b"garbage\0", 0x1000
"""A text and an address that no object has."""
LISTS = ("CL_CONTEXT_PROPERTIES", "CL_QUEUE_PROPERTIES_ARRAY", "CL_MEM_PROPERTIES", "CL_SAMPLER_PROPERTIES")
"""The queries of property lists."""


def _plant_query(output: str = VALUE) -> Callable[[_Fault], _Fault]:
    """Return a decorator that declares a fault of all queries of objects with this output; it receives the query."""

    def declare(change: _Fault) -> _Fault:
        @faults.plant(output=output, succeeded=True)
        @functools.wraps(change)
        def fault(step: SimulatedStep) -> Outcome | None:
            subject = next(iter(step.call.arguments.values()))
            if not _is_query(step) or step.outcome.value != 0 or not isinstance(subject, Handle):
                return None
            query = step.model.lookups.query(step.call.function, step.call.param_name)
            return change(step, query) if query is not None else None

        return change

    return declare


@_plant_query(SIZE)
def query_size_off_by_one(step: SimulatedStep, _query: Query) -> Outcome | None:
    """param_value_size_ret is one byte too large."""
    (size,) = step.outcome.outputs[SIZE].values
    return step.outcome.with_outputs(**{SIZE: Output([size + 1], 8)}) if isinstance(size, int) else None


@_plant_query()
def string_terminator_missing(step: SimulatedStep, query: Query) -> Outcome | None:
    """Strings are returned with another character instead of their terminator."""
    raw = step.outcome.outputs[VALUE].raw.rstrip(b"\0") + b"!"
    return _with_text(step, raw) if query.shape == "string" else None


@_plant_query()
def value_below_minimum(step: SimulatedStep, query: Query) -> Outcome | None:
    """Values with a lower limit, and reference counts, are zero."""
    limits = [each for each in step.model.lookups.requirements_about(query.name) if isinstance(each, Limit)]
    small = is_reference_count(query.name) or any(each.relation == "at-least" for each in limits)
    zeros: list[Element] = [0] * len(step.outcome.outputs[VALUE].values)
    return step.outcome.with_outputs(param_value=Output(zeros, 4)) if small else None


@_plant_query()
def unknown_bit_set(step: SimulatedStep, query: Query) -> Outcome | None:
    """Values of bit-fields have an unknown bit set."""
    known = step.simulation.tables.types.get(query.type)
    values = step.outcome.outputs[VALUE].values
    wrong = [value | UNKNOWN_BIT if isinstance(value, int) else value for value in values]
    bits = known is not None and known.kind == "bitfield"
    return step.outcome.with_outputs(param_value=Output(wrong, 8)) if bits else None


@_plant_query()
def listed_value_replaced_by_next(step: SimulatedStep, query: Query) -> Outcome | None:
    """Each value from a documented list is replaced by the next larger value of that list."""
    listed = sorted({step.constant(flag.name) for flag in step.model.lookups.flags_of(query.type)})
    following = dict(zip(listed, [*listed[1:], *listed[:1]], strict=True))
    values = step.outcome.outputs[VALUE].values
    return step.with_values(VALUE, [following.get(each, each) if isinstance(each, int) else each for each in values])


@_plant_query()
def query_values_of_first_object(step: SimulatedStep, query: Query) -> Outcome:
    """Every object returns the query values of the first queried object."""
    first: dict[str, Output] = step.state("first_answers", {})
    return step.outcome.with_outputs(param_value=first.setdefault(query.name, step.outcome.outputs[VALUE]))


@_plant_query()
def query_overruns_buffer(step: SimulatedStep, _query: Query) -> Outcome:
    """A query writes one byte past the end of its output buffer."""
    return msgspec.structs.replace(step.outcome, overrun=[VALUE])


@faults.plant(output=VALUE, succeeded=False)
def failed_query_writes_buffer(step: SimulatedStep) -> Outcome | None:
    """A failing query still changes the output buffer."""
    given = step.argument(VALUE, OutputBuffer)
    room = given is not None and given.count and step.outcome.value is not None
    return step.with_bytes(VALUE, b"\1") if room and _is_query(step) else None


@faults.plant(succeeded=False)
def short_query_buffer_accepted(step: SimulatedStep) -> Outcome | None:
    """A query succeeds with too small an output buffer, and fills the buffer."""
    given = step.argument(VALUE, OutputBuffer)
    if given is None or not _is_query(step):
        return None
    again = step.repeat(param_value_size=1 << 16, param_value=OutputBuffer(1 << 16))
    if not isinstance(again, Returned) or again.value != 0:
        return None
    raw = again.outputs[VALUE].raw[: given.count]
    return again.with_outputs(param_value=Output([], len(raw), raw))


@_plant_query()
def concurrent_query_value_off_by_one(step: SimulatedStep, _query: Query) -> Outcome | None:
    """Of several concurrent queries, all but the first return a number that is one too large."""
    wrong = [value + 1 if isinstance(value, int) else value for value in step.outcome.outputs[VALUE].values]
    return step.with_values(VALUE, wrong) if step.simulation.thread else None


@_plant_query(SIZE)
def missing_list_reported_terminated(step: SimulatedStep, query: Query) -> Outcome | None:
    """An object created without a property list returns a list that contains only the terminating zero."""
    if query.name not in LISTS or step.outcome.outputs[SIZE].values != [0]:
        return None
    told = {SIZE: Output([8], 8), VALUE: Output([0], 8)}
    given = {name: output for name, output in told.items() if step.argument(name, OutputBuffer) is not None}
    return step.outcome.with_outputs(**given)


@_plant_query()
def attribute_group_size_reversed(step: SimulatedStep, query: Query) -> Outcome | None:
    """The work-group size in CL_KERNEL_ATTRIBUTES is reversed."""
    raw = step.outcome.outputs[VALUE].raw.replace(b"4, 1, 1", b"1, 1, 4")
    return _with_text(step, raw) if query.name == "CL_KERNEL_ATTRIBUTES" else None


def _plant_memory_query(name: str) -> Callable[[_Change], _Change]:
    """Return a decorator that declares a fault of this query of memory objects: it returns another value."""

    def declare(change: _Change) -> _Change:
        @faults.plant("clGetMemObjectInfo", query=name, succeeded=True)
        @functools.wraps(change)
        def fault(step: SimulatedStep) -> Outcome | None:
            memory, values = step.find("memobj", MemoryObject), step.outcome.outputs[VALUE].values
            return step.with_values(VALUE, [change(memory, one) for one in values]) if memory is not None else None

        return change

    return declare


@_plant_memory_query("CL_MEM_SIZE")
def memory_size_rounded_down(_memory: MemoryObject, size: Element) -> Element:
    """CL_MEM_SIZE is rounded down to a multiple of 128."""
    return int(size or 0) // 128 * 128


@_plant_memory_query("CL_MEM_HOST_PTR")
def sub_buffer_reports_parent_host_ptr(memory: MemoryObject, address: Element) -> Element:
    """CL_MEM_HOST_PTR of a sub-buffer does not include the sub-buffer's offset."""
    buffer = memory.buffer if isinstance(memory, SubBuffer) else None
    whole = buffer.host.address if buffer is not None and buffer.host is not None else None
    return address if whole is None else whole


@_plant_memory_query("CL_MEM_HOST_PTR")
def host_ptr_not_reported(_memory: MemoryObject, _address: Element) -> Element:
    """CL_MEM_HOST_PTR is always NULL."""
    return 0


@_plant_memory_query("CL_MEM_USES_SVM_POINTER")
def sub_buffer_svm_not_reported(memory: MemoryObject, shared: Element) -> Element:
    """A sub-buffer does not report CL_MEM_USES_SVM_POINTER although its buffer uses SVM."""
    return 0 if isinstance(memory, SubBuffer) else shared


@faults.plant("clGetMemObjectInfo", query="CL_MEM_FLAGS", succeeded=True)
def sub_buffer_access_not_inherited(step: SimulatedStep) -> Outcome | None:
    """A sub-buffer does not report CL_MEM_WRITE_ONLY although its buffer has that flag."""
    (flags,) = step.outcome.outputs[VALUE].values
    kept = int(flags or 0) & ~step.constant("CL_MEM_WRITE_ONLY")
    return step.with_values(VALUE, [kept]) if step.find("memobj", SubBuffer) is not None else None


@faults.plant(succeeded=False)
def query_name_0_accepted(step: SimulatedStep) -> Outcome | None:
    """A query of the name 0 succeeds and returns nothing."""
    return step.accept() if _is_query(step) and step.call.param_name == 0 else None


@faults.plant()
def unknown_query_name_crashes(step: SimulatedStep) -> None:
    """An unknown query name kills the process."""
    if _is_query(step) and step.call.param_name >= 1 << 30:
        os.kill(os.getpid(), signal.SIGSEGV)


def _is_query(step: SimulatedStep) -> bool:
    """Return whether a call is to a query function; False for harness actions, which the tables do not contain."""
    function = step.simulation.tables.functions.get(step.call.function)
    return function is not None and bool(function.queries)


def _with_text(step: SimulatedStep, raw: bytes) -> Returned:
    return step.outcome.with_outputs(param_value=Output([raw.decode()], len(raw), raw))


def _plant_feature_list(old: str, new: str) -> Callable[[_Body], _Body]:
    """Return a decorator that declares a fault: a list of features has one feature in place of another."""

    def declare(body: _Body) -> _Body:
        @faults.plant("clGetDeviceInfo", query="CL_DEVICE_OPENCL_C_FEATURES", succeeded=True)
        @functools.wraps(body)
        def fault(step: SimulatedStep) -> Outcome | None:
            values = step.outcome.outputs[VALUE].values
            changed = [macro_of(new) if str(each).rstrip("\0") == macro_of(old) else each for each in values]
            return step.with_values(VALUE, changed)

        return fault

    return declare


@_plant_feature_list("atomic_scope_all_devices", "vendor_scope")
def reported_scope_not_listed(_step: SimulatedStep) -> None:
    """CL_DEVICE_OPENCL_C_FEATURES lacks the scope of all devices, which the atomic capabilities contain."""


@_plant_feature_list("int64", "vendor_integers")
def long_integers_not_listed(_step: SimulatedStep) -> None:
    """CL_DEVICE_OPENCL_C_FEATURES lacks 64-bit integers on a device of the full profile."""


@_plant_feature_list("int64", "subgroups")
def unreported_feature_listed(_step: SimulatedStep) -> None:
    """CL_DEVICE_OPENCL_C_FEATURES lists sub-groups, which the device does not support."""


@faults.plant("clGetProgramInfo", query="CL_PROGRAM_SOURCE", succeeded=True)
def source_of_program_without_source_is_garbage(step: SimulatedStep) -> Outcome | None:
    """CL_PROGRAM_SOURCE of a program that was not created from source is another text."""
    program = step.find("program", ProgramWithoutSource)
    if program is None or step.call.param_value_size < len(GARBAGE):
        return None
    size = {SIZE: Output([len(GARBAGE)], 8)} if SIZE in step.outcome.outputs else {}
    return _with_text(step, GARBAGE).with_outputs(**size)


@faults.plant("clGetContextInfo", query="CL_CONTEXT_DEVICES", succeeded=True)
def context_of_type_lists_one_device_only(step: SimulatedStep) -> Outcome | None:
    """CL_CONTEXT_DEVICES of a context that was created for a device type lists its first device several times."""
    context, values = step.find("context", Context), step.outcome.outputs[VALUE].values
    return step.with_values(VALUE, values[:1] * len(values)) if context is not None and context.candidates else None


@faults.plant("clGetImageInfo", query="CL_IMAGE_ROW_PITCH", succeeded=True)
def row_pitch_of_image_of_buffer_is_larger(step: SimulatedStep) -> Outcome | None:
    """CL_IMAGE_ROW_PITCH of an image of a buffer is one element larger than requested."""
    image, (pitch,) = step.find("image", Image), step.outcome.outputs[VALUE].values
    if image is None or not isinstance(image.source, Buffer):
        return None
    return step.with_values(VALUE, [int(pitch or 0) + image.format.element_size])


@faults.plant("clGetKernelWorkGroupInfo", query="CL_KERNEL_WORK_GROUP_SIZE", succeeded=True)
def work_group_size_of_kernel_is_zero(step: SimulatedStep) -> Outcome | None:
    """CL_KERNEL_WORK_GROUP_SIZE is 0."""
    return step.with_values(VALUE, [0])


@faults.plant("clGetProgramBuildInfo", query="CL_PROGRAM_BUILD_STATUS", succeeded=True)
def built_in_program_reports_error(step: SimulatedStep) -> Outcome | None:
    """CL_PROGRAM_BUILD_STATUS of a program of built-in kernels is CL_BUILD_ERROR, although nothing was built."""
    built_in = step.find("program", BuiltInProgram) is not None
    return step.with_values(VALUE, [step.constant("CL_BUILD_ERROR")]) if built_in else None


@faults.plant("clGetKernelSubGroupInfo", query="CL_KERNEL_MAX_NUM_SUB_GROUPS", succeeded=True)
def kernel_has_more_sub_groups_than_device(step: SimulatedStep) -> Outcome | None:
    """CL_KERNEL_MAX_NUM_SUB_GROUPS is one more than CL_DEVICE_MAX_NUM_SUB_GROUPS."""
    device = next(iter(step.model.root_devices()), None)
    most = device.facts.get("CL_DEVICE_MAX_NUM_SUB_GROUPS") if device is not None else None
    return step.with_values(VALUE, [most + 1]) if isinstance(most, int) else None


@faults.plant("clGetMemObjectInfo", query="CL_MEM_HOST_PTR", succeeded=True)
def image_of_buffer_reports_host_ptr(step: SimulatedStep) -> Outcome | None:
    """CL_MEM_HOST_PTR of an image of a buffer is an address, although the buffer is not on host memory."""
    image = step.find("memobj", Image)
    return step.with_values(VALUE, [GARBAGE_ADDRESS]) if image is not None and image.source is not None else None
