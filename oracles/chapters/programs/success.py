"""Programs: from source, before and after they are built, and what they answer (section 5.8)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items, Text, Texts
from clconform.oracles.engine.answers import Answer, May, Reply, UnknownError
from clconform.oracles.engine.rules import Rules
from clconform.oracles.engine.wants import Anything, Element, OneOf, Promise, Such, Values, Want, handles
from clconform.oracles.model.known_kernels import KERNELS
from clconform.oracles.model.world import Answers, Child, Device, Model, Thing
from clconform.oracles.recurring.contexts import association
from clconform.oracles.recurring.making import exactly, made
from clconform.oracles.recurring.objects import valid_object

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.calls.call import Call

rules = Rules()

ARGUMENT_INFO = "-cl-kernel-arg-info"
BUILD_STATES = ("CL_BUILD_SUCCESS", "CL_BUILD_ERROR", "CL_BUILD_IN_PROGRESS")
"""What a build that goes on by itself may have come to."""
AFTER_A_BUILD = (
    "CL_PROGRAM_NUM_KERNELS",
    "CL_PROGRAM_KERNEL_NAMES",
    "CL_PROGRAM_SCOPE_GLOBAL_CTORS_PRESENT",
    "CL_PROGRAM_SCOPE_GLOBAL_DTORS_PRESENT",
)


NO_LANGUAGE: dict[str, Answers] = {"CL_PROGRAM_IL": ((),), "CL_PROGRAM_IL_KHR": ((),)}
"""What a program that was not made from intermediate language answers when it is asked for that."""


@rules.clause("clCreateProgramWithBinary/CL_INVALID_DEVICE/1", "clCreateProgramWithBuiltInKernels/CL_INVALID_DEVICE/1")
def device_not_for_the_program(call: Call, model: Model) -> Reply:
    """A device of the list is NULL, or not one that the context knows."""
    return _listed(call.device_list, model, lambda device: association(model.context(call.context), device))


@rules.clause("clBuildProgram/CL_INVALID_DEVICE/1")
def device_not_of_the_program(call: Call, model: Model) -> Reply:
    """A device of the list is NULL, or not one that the program's context knows; for a binary, not one of its own."""
    program = model.known(call.program)

    def judged(device: Device) -> Reply:
        if not isinstance(program, Child) or program.context is None:
            raise UnknownError("program")
        if program.binary:
            return device not in program.devices
        return association(program.context, device)

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


@rules.clause("clGetProgramBuildInfo/CL_INVALID_DEVICE/1")
def device_without_a_build(call: Call, model: Model) -> Reply:
    """The device is NULL, or not one of the program's."""
    reply = valid_object(call.device, "cl_device_id", model)
    if reply is not Answer.NO:
        return reply
    program = model.child(call.program)
    if not program.devices:
        raise UnknownError("the program's devices")
    return model.device(call.device) not in (*program.devices, *program.built)


@rules.clause("clGetProgramInfo/CL_INVALID_PROGRAM_EXECUTABLE/1")
def no_executable_to_tell_of(call: Call, model: Model) -> Reply:
    """The kernels are asked for before the program has been built for any device."""
    program = model.child(call.program)
    name = next((name for name in AFTER_A_BUILD if call.param_name == model.value(name)), None)
    if name is None or program.built:
        return May("unknown-fact") if name and being_built(program, model) else Answer.NO
    if program.sort == "built-in":
        return May("built-in-without-a-build")
    return May("false-before-a-build") if name.endswith("TORS_PRESENT") else Answer.MUST


def holding(kernels: tuple[str, ...]) -> dict[str, Answers]:
    """Return what an executable answers that holds these kernels, in whatever order; nothing where none are known."""
    if not kernels:
        return {}
    orders = tuple((";".join(order),) for order in (kernels, kernels[::-1]))
    return {"CL_PROGRAM_NUM_KERNELS": exactly(len(kernels)), "CL_PROGRAM_KERNEL_NAMES": orders}


@rules.success("clCreateProgramWithSource")
def program_made(call: Call, model: Model) -> Promise:
    """A new program for the context's devices, which repeats its source whole."""
    context = model.context(call.context)
    source = "".join(call.strings.contents) if isinstance(call.strings, Texts) else ""
    child = new_program(call, model, list(context.devices))
    names = [kernel.name for kernel in KERNELS.values() if kernel.source in source]
    if source == "".join(KERNELS[name].source for name in names):
        child.kernels = tuple(names)
    child.source = source
    child.echoes["CL_PROGRAM_SOURCE"] = exactly(source)
    child.echoes |= NO_LANGUAGE
    for device in context.devices:
        child.echoes |= unbuilt(device, model)
        child.echoes[f"CL_PROGRAM_BINARY_TYPE@{device.name}"] = exactly(model.value("CL_PROGRAM_BINARY_TYPE_NONE"))
    return made("cl_program", call, model, child)


def new_program(call: Call, model: Model, devices: list[Device]) -> Child:
    """Return a program for these devices, of which nothing else is known yet."""
    context = model.context(call.context)
    child = Child("cl_program", "", context=context, devices=devices)
    child.echoes["CL_PROGRAM_CONTEXT"] = exactly(context.name)
    return child


def unbuilt(device: Device, model: Model) -> dict[str, Answers]:
    """Return what a program answers about a device that nothing was built for."""
    return {
        f"CL_PROGRAM_BUILD_STATUS@{device.name}": exactly(model.value("CL_BUILD_NONE")),
        f"CL_PROGRAM_BUILD_OPTIONS@{device.name}": exactly(""),
        f"CL_PROGRAM_BUILD_LOG@{device.name}": exactly(""),
    }


def being_built(program: Child, model: Model) -> bool:
    """Tell whether a build may go on, or its end is not known, on some device."""
    done = (exactly(model.value("CL_BUILD_SUCCESS")), exactly(model.value("CL_BUILD_ERROR")))
    status = "CL_PROGRAM_BUILD_STATUS@"
    return any(key.startswith(status) and answers not in done for key, answers in program.echoes.items())


@rules.success("clBuildProgram")
def program_built(call: Call, model: Model) -> Promise:
    """The program can be run on the devices given, or on all of its own; where a callback tells, that may be later."""
    program = model.child(call.program)
    devices = program.devices
    if isinstance(call.device_list, Items):
        devices = [model.device(value) for value in call.device_list.values]
    options = call.options.content if isinstance(call.options, Text) else ""

    def apply(_value: Element, _seen: dict[str, Values]) -> None:
        program.built += [device for device in devices if device not in program.built]
        program.argument_info = ARGUMENT_INFO in options
        program.facts.clear()
        program.echoes |= holding(program.kernels)
        for device in devices:
            program.echoes.pop(f"CL_PROGRAM_BUILD_LOG@{device.name}", None)
            if call.pfn_notify is not None:
                program.echoes.pop(f"CL_PROGRAM_BINARY_TYPE@{device.name}", None)
                program.echoes |= {
                    f"CL_PROGRAM_BUILD_STATUS@{device.name}": tuple((model.value(name),) for name in BUILD_STATES),
                    f"CL_PROGRAM_BUILD_OPTIONS@{device.name}": exactly(options),
                }
                continue
            program.echoes |= {
                f"CL_PROGRAM_BUILD_STATUS@{device.name}": exactly(model.value("CL_BUILD_SUCCESS")),
                f"CL_PROGRAM_BUILD_OPTIONS@{device.name}": exactly(options),
                f"CL_PROGRAM_BINARY_TYPE@{device.name}": exactly(model.value("CL_PROGRAM_BINARY_TYPE_EXECUTABLE")),
            }

    return Promise(apply=apply)


@rules.aftermath("clBuildProgram")
def build_failed(call: Call, model: Model, code: str) -> None:
    """Keep that a build was tried: its status is an error, and its log and options are known no more."""
    program = model.known(call.program)
    if code != "CL_BUILD_PROGRAM_FAILURE" or not isinstance(program, Child):
        return
    devices = program.devices
    if isinstance(call.device_list, Items):
        devices = [model.device(value) for value in call.device_list.values]
    program.facts.clear()
    for device in devices:
        program.echoes.pop(f"CL_PROGRAM_BUILD_LOG@{device.name}", None)
        program.echoes.pop(f"CL_PROGRAM_BINARY_TYPE@{device.name}", None)
        program.echoes[f"CL_PROGRAM_BUILD_STATUS@{device.name}"] = exactly(model.value("CL_BUILD_ERROR"))
        options = call.options.content if isinstance(call.options, Text) else ""
        program.echoes[f"CL_PROGRAM_BUILD_OPTIONS@{device.name}"] = exactly(options)


@rules.answer("CL_PROGRAM_NUM_DEVICES")
def number_of_devices(thing: Thing, model: Model) -> Want:
    """How many devices the program is for; with cl_ext_device_fission also those for which a build has succeeded."""
    del model
    if not isinstance(thing, Child) or not thing.devices:
        return Anything()
    union = {device.name for device in (*thing.devices, *thing.built)}
    return OneOf(tuple((count,) for count in sorted({len(union), len(thing.devices)})), ("CL_PROGRAM_NUM_DEVICES",))


@rules.answer("CL_PROGRAM_DEVICES")
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


@rules.answer("CL_PROGRAM_BINARY_SIZES")
def sizes_of_binaries(thing: Thing, model: Model) -> Want:
    """One size for each of the program's devices."""
    del model
    if not isinstance(thing, Child) or not thing.devices:
        return Anything()
    counts = {len(thing.devices), len({device.name for device in (*thing.devices, *thing.built)})}
    words = " or ".join(f"{count} sizes" for count in sorted(counts))
    most = max(counts)
    return Such(lambda seen: len(seen) in counts, words, ("CL_PROGRAM_BINARY_SIZES",), (1,) * most)
