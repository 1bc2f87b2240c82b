"""Queues, buffers, programs and kernels, as far as running one kernel on a device needs them (sections 5.1 to 5.10)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, HandleBytes, Items, Room, Texts
from clconform.oracles.answers import Answer, May, Reply, UnknownError
from clconform.oracles.common import valid_object
from clconform.oracles.contexts import release_context
from clconform.oracles.kernels import KERNELS, run
from clconform.oracles.model import Child, Context, Device, Model, Thing
from clconform.oracles.partition.lifetime import let_go
from clconform.oracles.promises import Anything, Element, Fresh, OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.rules import SURE, answer, clause, promise

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call

QUEUE_CLAUSES = ("clCreateCommandQueue/CL_INVALID_DEVICE/1", "clCreateCommandQueueWithProperties/CL_INVALID_DEVICE/1")
for _record in QUEUE_CLAUSES:
    SURE[_record] = "inferred"


@clause(*QUEUE_CLAUSES)
def device_not_of_the_context(call: Call, model: Model) -> Reply:
    """The device is NULL, or not one that the context knows (with cl_ext_device_fission: nor a descendant of one)."""
    reply = valid_object(call.device, "cl_device_id", model)
    if reply is not Answer.NO:
        return reply
    context, device = model.context(call.context), model.device(call.device)
    return _association(context, device)


@clause("clCreateProgramWithBinary/CL_INVALID_DEVICE/1")
def device_not_for_the_binary(call: Call, model: Model) -> Reply:
    """A device of the list is NULL, or not one that the context knows."""
    return _listed(call.device_list, model, lambda device: _association(model.context(call.context), device))


@clause("clBuildProgram/CL_INVALID_DEVICE/1")
def device_not_of_the_program(call: Call, model: Model) -> Reply:
    """A device of the list is NULL, or not one that the program's context knows; for a binary, not one of its own."""
    program = model.known(call.program)

    def judged(device: Device) -> Reply:
        if not isinstance(program, Child) or program.context is None:
            raise UnknownError("program")
        if program.binary:
            return device not in program.devices
        return _association(program.context, device)

    return _listed(call.device_list, model, judged)


def _listed(devices: object, model: Model, judged: Callable[[Device], Reply]) -> Reply:
    """Judge a list of devices: each must be a valid one before it is looked at in its own right."""
    if not isinstance(devices, Items):
        return Answer.NO
    replies = [valid_object(value, "cl_device_id", model) for value in devices.values]
    if Answer.MUST in replies or Answer.UNDEFINED in replies:
        return Answer.UNDEFINED if Answer.UNDEFINED in replies else Answer.MUST
    found = [judged(model.device(value)) for value in devices.values]
    return next((reply for reply in found if reply not in (Answer.NO, False)), Answer.NO)


def _association(context: Context, device: Device) -> Reply:
    if not context.devices:
        return May("unknown-fact")
    if device in context.devices:
        return Answer.NO
    if any(ancestor in context.devices for ancestor in device.ancestors):
        by_fission = device.partition is not None and device.partition.function == "clCreateSubDevicesEXT"
        return Answer.NO if by_fission else May("associated-device")
    return Answer.MUST


def _made(type_name: str, function: str, model: Model, child: Child) -> Promise:
    def apply(value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(value, str):
            child.name = value
            model.add(child)
            if child.device is not None:
                child.device.attached += 1

    return Promise(Fresh(type_name, 1, 1, (f"{function}/success",), model.alive(type_name)), apply=apply)


@promise("clCreateCommandQueue", "clCreateCommandQueueWithProperties")
def queue_made(call: Call, model: Model) -> Promise:
    """A new queue on exactly that device."""
    context, device = model.context(call.context), model.device(call.device)
    child = Child("cl_command_queue", "", context=context, device=device)
    return _made("cl_command_queue", call.function, model, child)


@promise("clCreateBuffer")
def buffer_made(call: Call, model: Model) -> Promise:
    """A new buffer; its content is not defined unless it is copied from the host."""
    child = Child("cl_mem", "", context=model.context(call.context), size=call.size)
    if isinstance(call.host_ptr, Data):
        child.content = bytearray(call.host_ptr.content)
    return _made("cl_mem", call.function, model, child)


@promise("clCreateProgramWithSource")
def program_made(call: Call, model: Model) -> Promise:
    """A new program for the context's devices."""
    context = model.context(call.context)
    source = "".join(call.strings.contents) if isinstance(call.strings, Texts) else ""
    child = Child("cl_program", "", context=context, devices=list(context.devices), source=source)
    return _made("cl_program", call.function, model, child)


@promise("clCreateProgramWithBinary")
def program_from_binary(call: Call, model: Model) -> Promise:
    """A new program for exactly the devices given."""
    if not isinstance(call.device_list, Items):
        raise UnknownError("no devices")
    devices = [model.device(value) for value in call.device_list.values]
    child = Child("cl_program", "", context=model.context(call.context), devices=devices, binary=True)
    made = _made("cl_program", call.function, model, child)
    if isinstance(call.binary_status, Room):
        made.outputs["binary_status"] = Anything((0,) * len(devices))
    return made


@promise("clBuildProgram")
def program_built(call: Call, model: Model) -> Promise:
    """The program can be run on the devices given, or on all of its own."""
    program = model.child(call.program)
    devices = program.devices
    if isinstance(call.device_list, Items):
        devices = [model.device(value) for value in call.device_list.values]

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        program.built += [device for device in devices if device not in program.built]

    return Promise(apply=apply)


@promise("clCreateKernel")
def kernel_made(call: Call, model: Model) -> Promise:
    """A new kernel of that name."""
    program = model.child(call.program)
    child = Child("cl_kernel", "", context=program.context, parent=program, source=call.kernel_name.content)
    return _made("cl_kernel", call.function, model, child)


@promise("clSetKernelArg")
def argument_set(call: Call, model: Model) -> Promise:
    """The argument is kept for the next launches."""
    kernel = model.child(call.kernel)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(call.arg_value, HandleBytes):
            kernel.arguments[call.arg_index] = model.known(call.arg_value.handle)

    return Promise(apply=apply)


@promise("clEnqueueWriteBuffer")
def buffer_written(call: Call, model: Model) -> Promise:
    """The buffer holds the host's bytes where they were written."""
    memory = model.child(call.buffer)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        if isinstance(call.ptr, Data):
            if memory.content is None and call.offset == 0 and call.size == memory.size:
                memory.content = bytearray(memory.size)
            if memory.content is not None:
                memory.content[call.offset : call.offset + call.size] = call.ptr.content[: call.size]

    return Promise(apply=apply)


@promise("clEnqueueReadBuffer")
def buffer_read(call: Call, model: Model) -> Promise:
    """A blocking read gives the bytes that the commands before it left in the buffer."""
    memory = model.child(call.buffer)
    if memory.content is None or not call.blocking_read or not isinstance(call.ptr, Room):
        return Promise()
    content = bytes(memory.content[call.offset : call.offset + call.size])
    return Promise(outputs={"ptr": OneOf(((content.hex(),),), ("clEnqueueReadBuffer/success",))})


@promise("clEnqueueNDRangeKernel")
def kernel_run(call: Call, model: Model) -> Promise:
    """Each work-item does the kernel's work once."""
    kernel = model.child(call.kernel)

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        memory = kernel.arguments.get(0)
        known = KERNELS.get(kernel.source)
        if isinstance(memory, Child) and memory.content is not None and isinstance(call.global_work_size, Items):
            if known is None:
                memory.content = None
            else:
                (items,) = (size for size in call.global_work_size.values if isinstance(size, int))
                run(known, memory.content, items)

    return Promise(apply=apply)


@promise("clFinish", "clFlush")
def queue_finished(call: Call, model: Model) -> Promise:
    """Commands of the queue are done, or on their way."""
    model.child(call.command_queue)
    return Promise()


@promise("clReleaseCommandQueue", "clReleaseMemObject", "clReleaseProgram", "clReleaseKernel")
def one_reference_less(call: Call, model: Model) -> Promise:
    """The object has one reference less, and goes with the last one once nothing uses it."""
    child = model.child(next(iter(call.arguments.values())))

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        child.references -= 1
        release_child(child, model)

    return Promise(apply=apply)


def release_child(child: Child, model: Model) -> None:
    """Take a context's object out of the model once nobody holds it, and give back what it held."""
    used = any(isinstance(thing, Child) and thing.parent is child for thing in model.things.values())
    if child.references > 0 or used or model.things.get(child.name) is not child:
        return
    model.drop(child)
    if child.parent is not None:
        release_child(child.parent, model)
    if child.device is not None:
        child.device.attached -= 1
        let_go(child.device, model)
    if child.context is not None:
        release_context(child.context, model)


@answer("CL_QUEUE_DEVICE")
def device_of_a_queue(thing: Thing, model: Model) -> Want:
    """The device that the queue was made on, a sub-device too."""
    del model
    device = thing.device if isinstance(thing, Child) else None
    return OneOf(((device.name,),), ("CL_QUEUE_DEVICE",)) if device else Anything()


@answer("CL_QUEUE_CONTEXT")
def context_of_a_queue(thing: Thing, model: Model) -> Want:
    """The context that the queue was made in."""
    del model
    context = thing.context if isinstance(thing, Child) else None
    return OneOf(((context.name,),), ("CL_QUEUE_CONTEXT",)) if context else Anything()


@answer("CL_PROGRAM_DEVICES")
def devices_of_a_program(thing: Thing, model: Model) -> Want:
    """The context's devices; with cl_ext_device_fission also those for which a build has succeeded."""
    del model
    if not isinstance(thing, Child) or not thing.devices:
        return Anything()
    own = sorted(device.name for device in thing.devices)
    union = sorted({*own, *(device.name for device in thing.built)})

    def fits(seen: Values) -> bool:
        return sorted(handles(seen)) in (own, union)

    words = " or ".join(dict.fromkeys(", ".join(names) for names in (own, union)))
    return Such(fits, words, ("CL_PROGRAM_DEVICES",), tuple(union))


@answer("CL_PROGRAM_BINARY_SIZES")
def sizes_of_binaries(thing: Thing, model: Model) -> Want:
    """One size for each of the program's devices."""
    del model
    if not isinstance(thing, Child) or not thing.devices:
        return Anything()
    counts = {len(thing.devices), len({device.name for device in (*thing.devices, *thing.built)})}
    words = " or ".join(f"{count} sizes" for count in sorted(counts))
    most = max(counts)
    return Such(lambda seen: len(seen) in counts, words, ("CL_PROGRAM_BINARY_SIZES",), (1,) * most)
