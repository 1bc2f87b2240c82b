"""Kernel arguments: a table of calls, written from the error lists and descriptions of section 5.9.2."""

from __future__ import annotations

import pytest

from clconform.calls.values import Data, Handle, HandleBytes, OffsetPointer, Pointers, Value
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.images import Image, ImageDescription, ImageFormat
from clconform.oracles.model.kernels import Kernel
from clconform.oracles.model.memory_objects import Buffer, MemoryObject, Pipe
from clconform.oracles.model.pointer_memory import HostArea, SvmAllocation
from clconform.oracles.model.programs import SourceProgram
from clconform.oracles.model.queues import DeviceQueue, HostQueue
from clconform.oracles.model.samplers import Sampler

from .oracle_setup import OracleSetup, get_condition_ids, get_verdict

CONTEXT = "context1"
BUFFER, LARGE, FOREIGN, UNKNOWN_OBJECT = (Handle(name) for name in ("mem1", "mem2", "mem3", "mem4"))
PIPE, SAMPLER, QUEUE, HOST_QUEUE = (Handle(name) for name in ("mem5", "sampler1", "queue1", "queue2"))
IMAGE_2D, IMAGE_3D, IMAGE_ARRAY, DEPTH_IMAGE, READ_ONLY_IMAGE, WRITE_ONLY_IMAGE = (
    Handle(name) for name in ("image1", "image2", "image3", "image4", "image5", "image6")
)
SVM, FOREIGN_SVM, HOST_AREA = Handle("pointer1"), Handle("pointer2"), Handle("pointer3")
KERNELS = {
    "kernel1": "tell_values",
    "kernel2": "tell_memory",
    "kernel3": "sample_image2d_ui",
    "kernel4": "write_image2d_ui",
    "kernel5": "change_image2d_ui",
    "kernel6": "read_image3d_ui",
    "kernel7": "read_image2d_depth_f",
    "kernel8": "pour",
    "kernel9": "take_queue",
    "kernel10": "read_image2d_array_ui",
    "kernel11": "another",
}
ADDRESS_OF_NULL = Pointers((None,))
SIZE = "clSetKernelArg/CL_INVALID_ARG_SIZE/1"
VALUE = "clSetKernelArg/CL_INVALID_ARG_VALUE/1"
OBJECT = "clSetKernelArg/CL_INVALID_MEM_OBJECT/1"
DEPTH_OBJECT = "clSetKernelArg/CL_INVALID_MEM_OBJECT/2"
NO_SAMPLER = "clSetKernelArg/CL_INVALID_SAMPLER/1"
NO_QUEUE = "clSetKernelArg/CL_INVALID_DEVICE_QUEUE/1"
ACCESS = "clSetKernelArg/CL_INVALID_ARG_VALUE/2"
LIMIT = "clSetKernelArg/CL_MAX_SIZE_RESTRICTION_EXCEEDED/1"
INDEX = "clSetKernelArg/CL_INVALID_ARG_INDEX/1"


def create_world() -> OracleSetup:
    """Return a setup with kernels that have all kinds of arguments, and with objects to pass as arguments."""
    there = OracleSetup(version="3.0", extensions="")
    model = there.model
    (device,) = there.roots
    device.facts |= {"CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE": 65536, "CL_DEVICE_LOCAL_MEM_SIZE": 32768}
    device.facts["CL_DEVICE_SVM_CAPABILITIES"] = 1
    context, other = (Context(name, devices=[device]) for name in (CONTEXT, "context2"))
    program = SourceProgram("program1", context=context, devices=[device], built_devices=[device])
    program.kernels = tuple(name for name in KERNELS.values() if name != "another")
    colour, depth = ImageFormat(model.constant_value("CL_RGBA")), ImageFormat(model.constant_value("CL_DEPTH"))

    def image(handle: Handle, kind: str, form: ImageFormat = colour, flags: str = "CL_MEM_READ_WRITE") -> Image:
        shape = ImageDescription(f"CL_MEM_OBJECT_IMAGE{kind}", 4, 4)
        return Image(handle.name, context=context, flags=model.constant_value(flags), format=form, shape=shape)

    things = (
        context,
        other,
        program,
        *(Kernel(name, context=context, program=program, function=function) for name, function in KERNELS.items()),
        Buffer(BUFFER.name, context=context, size=64),
        Buffer(LARGE.name, context=context, size=65537),
        Buffer(FOREIGN.name, context=other, size=64),
        MemoryObject(UNKNOWN_OBJECT.name, context=context),
        Pipe(PIPE.name, context=context),
        Sampler(SAMPLER.name, context=context),
        DeviceQueue(QUEUE.name, context=context, queue_device=device),
        HostQueue(HOST_QUEUE.name, context=context, queue_device=device),
        image(IMAGE_2D, "2D"),
        image(IMAGE_3D, "3D"),
        image(IMAGE_ARRAY, "2D_ARRAY"),
        image(DEPTH_IMAGE, "2D", depth),
        image(READ_ONLY_IMAGE, "2D", flags="CL_MEM_READ_ONLY"),
        image(WRITE_ONLY_IMAGE, "2D", flags="CL_MEM_WRITE_ONLY"),
        SvmAllocation(SVM.name, context=context, size=64, known_alignment=128),
        SvmAllocation(FOREIGN_SVM.name, context=other, size=64, known_alignment=128),
        HostArea(HOST_AREA.name, size=64, known_alignment=4096),
    )
    for thing in things:
        model.add(thing)
    return there


def kernel_handle(function: str) -> Handle:
    """Return the handle of a kernel by its function."""
    return Handle(next(name for name, each in KERNELS.items() if each == function))


def expect_argument(function: str, index: int, size: int, given: Value) -> tuple[str, str]:
    """Return the error conditions that must and may hold for setting an argument."""
    arguments = {"kernel": kernel_handle(function), "arg_index": index, "arg_size": size, "arg_value": given}
    return get_verdict(create_world(), "clSetKernelArg", **arguments)


SIZES = {1: 1, 2: 2, 3: 4, 4: 8, 5: 4, 6: 2, 7: 16, 8: 16, 9: 64, 10: 12}
"""Maps indices of value arguments to the sizes of their types in bytes; a 3-vector has the size of a 4-vector."""


@pytest.mark.parametrize(("index", "size"), SIZES.items())
def test_arg_size_that_differs_from_the_value_type_is_rejected(index: int, size: int) -> None:
    for given in (size - 1, size, size + 1):
        wrong = SIZE if given != size else ""
        assert expect_argument("tell_values", index, given, Data(bytes(size + 1))) == (wrong, "")


@pytest.mark.parametrize(
    ("function", "index", "size", "given", "must", "may"),
    [
        ("tell_values", 7, 12, Data(bytes(12)), SIZE, ""),
        ("tell_values", 3, 4, None, VALUE, ""),
        ("tell_values", 10, 12, None, VALUE, ""),
        ("tell_values", 11, 3, Data(bytes(3)), "", ""),
        ("tell_values", 11, 4, Data(bytes(4)), SIZE, ""),
        ("tell_values", 12, 4, Data(bytes(4)), INDEX, ""),
        ("tell_values", 0xFFFFFFFF, 4, Data(bytes(4)), INDEX, ""),
        (
            "another",
            0,
            4,
            Data(bytes(4)),
            "",
            " ".join(sorted((SIZE, VALUE, OBJECT, DEPTH_OBJECT, ACCESS, LIMIT, INDEX))),
        ),
        # buffers
        *(("tell_memory", index, 8, HandleBytes(BUFFER), "", "") for index in (0, 1, 2)),
        *(("tell_memory", index, 8, null, "", "") for index in (0, 1, 2) for null in (None, ADDRESS_OF_NULL)),
        *(("tell_memory", index, 4, HandleBytes(BUFFER), SIZE, "") for index in (0, 1, 2)),
        *(("tell_memory", index, 0, HandleBytes(BUFFER), SIZE, "") for index in (0, 1, 2)),
        ("tell_memory", 1, 16, Pointers((BUFFER, None)), SIZE, ""),
        ("tell_memory", 1, 8, Data(bytes([1] * 8)), "undefined", ""),
        ("tell_memory", 1, 8, HandleBytes(Handle("mem99")), "undefined", ""),
        ("tell_memory", 1, 8, HandleBytes(IMAGE_2D), VALUE, OBJECT),
        ("tell_memory", 1, 8, HandleBytes(PIPE), VALUE, OBJECT),
        ("tell_memory", 1, 8, HandleBytes(UNKNOWN_OBJECT), "", f"{VALUE} {OBJECT}"),
        ("tell_memory", 1, 8, HandleBytes(SAMPLER), "", f"{VALUE} {OBJECT}"),
        ("tell_memory", 1, 8, HandleBytes(FOREIGN), "", f"{VALUE} {OBJECT}"),
        ("tell_memory", 1, 8, HandleBytes(LARGE), "", ""),
        ("tell_memory", 2, 8, HandleBytes(LARGE), "", f"{VALUE} {OBJECT} {LIMIT}"),
        # local memory
        ("tell_memory", 3, 0, None, SIZE, ""),
        ("tell_memory", 3, 1, None, "", ""),
        ("tell_memory", 3, 32768, None, "", ""),
        ("tell_memory", 3, 32769, None, "", LIMIT),
        ("tell_memory", 3, 8, Data(bytes(8)), "", VALUE),
        # images
        ("sample_image2d_ui", 0, 8, HandleBytes(IMAGE_2D), "", ""),
        ("sample_image2d_ui", 0, 8, HandleBytes(READ_ONLY_IMAGE), "", ""),
        ("sample_image2d_ui", 0, 8, HandleBytes(WRITE_ONLY_IMAGE), ACCESS, ""),
        ("write_image2d_ui", 0, 8, HandleBytes(WRITE_ONLY_IMAGE), "", ""),
        ("write_image2d_ui", 0, 8, HandleBytes(READ_ONLY_IMAGE), ACCESS, ""),
        ("change_image2d_ui", 0, 8, HandleBytes(IMAGE_2D), "", ""),
        *(
            ("change_image2d_ui", 0, 8, HandleBytes(one), "", f"{VALUE} {OBJECT}")
            for one in (READ_ONLY_IMAGE, WRITE_ONLY_IMAGE)
        ),
        *(("sample_image2d_ui", 0, 8, null, OBJECT, VALUE) for null in (None, ADDRESS_OF_NULL, Data(bytes(8)))),
        ("sample_image2d_ui", 0, 4, HandleBytes(IMAGE_2D), SIZE, ""),
        ("sample_image2d_ui", 0, 8, HandleBytes(BUFFER), VALUE, OBJECT),
        ("sample_image2d_ui", 0, 8, HandleBytes(IMAGE_3D), VALUE, OBJECT),
        ("sample_image2d_ui", 0, 8, HandleBytes(IMAGE_ARRAY), VALUE, OBJECT),
        ("sample_image2d_ui", 0, 8, HandleBytes(DEPTH_IMAGE), "", f"{VALUE} {OBJECT}"),
        ("read_image3d_ui", 0, 8, HandleBytes(IMAGE_3D), "", ""),
        ("read_image3d_ui", 0, 8, HandleBytes(IMAGE_2D), VALUE, OBJECT),
        ("read_image2d_array_ui", 0, 8, HandleBytes(IMAGE_ARRAY), "", ""),
        ("read_image2d_depth_f", 0, 8, HandleBytes(DEPTH_IMAGE), "", ""),
        ("read_image2d_depth_f", 0, 8, HandleBytes(IMAGE_2D), DEPTH_OBJECT, f"{VALUE} {OBJECT}"),
        ("read_image2d_depth_f", 0, 8, HandleBytes(IMAGE_ARRAY), f"{VALUE} {DEPTH_OBJECT}", OBJECT),
        ("read_image2d_depth_f", 0, 8, HandleBytes(BUFFER), f"{VALUE} {DEPTH_OBJECT}", OBJECT),
        ("read_image2d_depth_f", 0, 8, None, f"{OBJECT} {DEPTH_OBJECT}", VALUE),
        # samplers, device queues and pipes
        ("sample_image2d_ui", 1, 8, HandleBytes(SAMPLER), "", ""),
        ("sample_image2d_ui", 1, 4, HandleBytes(SAMPLER), SIZE, ""),
        *(("sample_image2d_ui", 1, 8, null, NO_SAMPLER, VALUE) for null in (None, ADDRESS_OF_NULL)),
        ("sample_image2d_ui", 1, 8, HandleBytes(BUFFER), "", f"{VALUE} {NO_SAMPLER}"),
        ("take_queue", 1, 8, HandleBytes(QUEUE), "", ""),
        ("take_queue", 1, 7, HandleBytes(QUEUE), SIZE, ""),
        *(("take_queue", 1, 8, null, NO_QUEUE, VALUE) for null in (None, ADDRESS_OF_NULL)),
        ("take_queue", 1, 8, HandleBytes(HOST_QUEUE), "", f"{VALUE} {NO_QUEUE}"),
        ("pour", 0, 8, HandleBytes(PIPE), "", ""),
        ("pour", 0, 4, HandleBytes(PIPE), SIZE, ""),
        ("pour", 0, 8, HandleBytes(BUFFER), VALUE, OBJECT),
        *(("pour", 0, 8, null, OBJECT, VALUE) for null in (None, ADDRESS_OF_NULL)),
    ],
    ids=str,
)
def test_invalid_kernel_arguments_are_rejected(
    function: str, index: int, size: int, given: Value, must: str, may: str
) -> None:
    if function == "another":
        may = " ".join(sorted((*may.split(), NO_SAMPLER, NO_QUEUE)))
    told = expect_argument(function, index, size, given)
    assert tuple(" ".join(sorted(each.split())) for each in told) == (
        " ".join(sorted(must.split())),
        " ".join(sorted(may.split())),
    )


def test_arg_size_zero_of_local_memory_may_be_accepted_from_3_1() -> None:
    there = create_world()
    there.roots[0].version = (3, 1)
    arguments = {"kernel": kernel_handle("tell_memory"), "arg_index": 3, "arg_size": 0, "arg_value": None}
    assert get_verdict(there, "clSetKernelArg", **arguments) == ("", SIZE)


NO_SVM_DEVICE = "clSetKernelArgSVMPointer/CL_INVALID_OPERATION/1"
NOT_SVM = "clSetKernelArgSVMPointer/CL_INVALID_ARG_VALUE/1"
NO_ARGUMENT = "clSetKernelArgSVMPointer/CL_INVALID_ARG_INDEX/1"
MISALIGNED, NO_POINTER = "clSetKernelArgSVMPointer/usage/1", "clSetKernelArgSVMPointer/usage/2"


@pytest.mark.parametrize(
    ("function", "index", "given", "told"),
    [
        *(("tell_memory", index, SVM, ("", "")) for index in (0, 1, 2)),
        ("tell_memory", 1, OffsetPointer(SVM, 60), ("", "")),
        ("tell_memory", 1, OffsetPointer(SVM, 64), ("", NOT_SVM)),
        ("tell_memory", 1, None, ("", NOT_SVM)),
        ("tell_memory", 1, HOST_AREA, ("", NOT_SVM)),
        ("tell_memory", 1, FOREIGN_SVM, ("", NOT_SVM)),
        ("tell_memory", 1, Handle("pointer99"), ("undefined", "")),
        ("tell_memory", 1, OffsetPointer(SVM, 2), ("undefined", MISALIGNED)),
        ("sample_image2d_ui", 2, OffsetPointer(SVM, 16), ("", "")),
        ("sample_image2d_ui", 2, OffsetPointer(SVM, 4), ("undefined", MISALIGNED)),
        ("tell_memory", 3, SVM, ("undefined", NO_POINTER)),
        ("tell_memory", 4, SVM, ("undefined", NO_POINTER)),
        ("sample_image2d_ui", 0, SVM, ("undefined", NO_POINTER)),
        ("tell_memory", 5, SVM, (NO_ARGUMENT, "")),
        ("another", 0, SVM, ("", NO_ARGUMENT)),
    ],
    ids=str,
)
def test_kernel_argument_outside_svm_allocations_may_be_rejected(
    function: str, index: int, given: Value, told: tuple[str, str]
) -> None:
    arguments = {"kernel": kernel_handle(function), "arg_index": index, "arg_value": given}
    assert get_verdict(create_world(), "clSetKernelArgSVMPointer", **arguments) == told


@pytest.mark.parametrize(("shares", "told"), [(1, ("", "")), (0, (NO_SVM_DEVICE, ""))])
def test_set_svm_pointer_argument_without_svm_device_is_rejected(shares: int, told: tuple[str, str]) -> None:
    there = create_world()
    there.roots[0].facts["CL_DEVICE_SVM_CAPABILITIES"] = shares
    asked = there.expect("clSetKernelArgSVMPointer", kernel_handle("tell_memory"), 1, SVM)
    assert get_condition_ids(asked) == told
