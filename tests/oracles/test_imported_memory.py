"""Import of memory by property lists: errors, calls that are never sent, and objects that were not imported."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue

from .oracle_setup import DevicePlan, OracleSetup, get_enqueue_verdict, get_verdict

if TYPE_CHECKING:
    from clconform.calls.values import Value

BUFFER, IMAGE = "clCreateBufferWithProperties", "clCreateImageWithProperties"
DEVICES = "CL_MEM_DEVICE_HANDLE_LIST_KHR"
FD, DMA, WIN32 = (f"CL_EXTERNAL_MEMORY_HANDLE_{name}_KHR" for name in ("OPAQUE_FD", "DMA_BUF", "OPAQUE_WIN32"))
FIRST, OTHER = Handle("device1"), Handle("device2")
UNDEFINED = "undefined"
IMAGE_CONDITIONS = {
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/1": "clCreateImageWithProperties/CL_INVALID_PROPERTY/1",
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/3": "clCreateImageWithProperties/CL_INVALID_PROPERTY/3",
    "clCreateBufferWithProperties/CL_INVALID_PROPERTY/4": "clCreateImageWithProperties/CL_INVALID_PROPERTY/4",
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/2": "clCreateImageWithProperties/CL_INVALID_DEVICE/2",
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/3": "clCreateImageWithProperties/CL_INVALID_DEVICE/3",
    "clCreateBufferWithProperties/CL_INVALID_DEVICE/4": "clCreateImageWithProperties/CL_INVALID_DEVICE/4",
    "clCreateBufferWithProperties/CL_INVALID_VALUE/2": "clCreateImageWithProperties/CL_INVALID_VALUE/4",
    "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/2": "clCreateImageWithProperties/CL_INVALID_HOST_PTR/2",
}
"""Maps error conditions of buffers to the corresponding ones of images."""
CONDITION_IDS = {
    "value": "clCreateBufferWithProperties/CL_INVALID_PROPERTY/1",
    "no handle": "clCreateBufferWithProperties/CL_INVALID_PROPERTY/3",
    "handles": "clCreateBufferWithProperties/CL_INVALID_PROPERTY/4",
    "device": "clCreateBufferWithProperties/CL_INVALID_DEVICE/2",
    "named": "clCreateBufferWithProperties/CL_INVALID_DEVICE/3",
    "nobody": "clCreateBufferWithProperties/CL_INVALID_DEVICE/4",
    "flags": "clCreateBufferWithProperties/CL_INVALID_VALUE/2",
    "pointer": "clCreateBufferWithProperties/CL_INVALID_HOST_PTR/2",
}


@pytest.fixture
def world() -> OracleSetup:
    """Return a setup of two devices and three contexts. Only the first device can import file descriptors."""
    there = OracleSetup(
        DevicePlan(), DevicePlan(), extensions="cl_khr_external_memory cl_khr_external_memory_opaque_fd"
    )
    first, second = there.roots
    for device, types in ((first, (there.value(FD),)), (second, (there.value(WIN32),))):
        device.facts["CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR"] = types
        device.facts["CL_DEVICE_MAX_MEM_ALLOC_SIZE"] = 1 << 20
        device.facts["CL_DEVICE_IMAGE_SUPPORT"] = 1
    both = Context("context2", devices=[first, second])
    for thing in (
        Context("context1", devices=[first]),
        both,
        Context("context3", devices=[second]),
        HostQueue("queue1", context=both, queue_device=first),
        HostQueue("queue2", context=both, queue_device=second),
        Buffer("plain", context=both, size=64),
        Buffer("unknown", context=both, size=64, tainted=True),
        Buffer("imported", context=both, size=64, properties=there.create_list(FD, 3, 0)),
    ):
        there.model.add(thing)
    there.model.get(Buffer, Handle("imported")).properties = ElementList(
        (there.value(FD), 3, there.value(DEVICES), FIRST, 0, 0)
    )
    return there


ROWS: list[tuple[str, tuple[str | int | Handle, ...], str, str]] = [
    ("context1", (0,), "", ""),
    ("context1", (FD, -1, 0), "value", ""),
    ("context1", (FD, -1, DEVICES, FIRST, 0, 0), "value", ""),
    ("context1", (FD, -1, FD, -1, 0), "handles value", ""),
    ("context1", (DMA, -1, 0), "nobody", "value"),
    ("context2", (FD, -1, 0), "nobody", "value"),
    ("context2", (FD, -1, DEVICES, FIRST, 0, 0), "value", ""),
    ("context2", (FD, -1, DEVICES, OTHER, 0, 0), "named", "value no handle"),
    ("context2", (FD, -1, DEVICES, FIRST, OTHER, 0, 0), "named", "value no handle"),
    ("context1", (DEVICES, FIRST, 0, 0), "no handle", "value"),
    ("context1", (DEVICES, OTHER, 0, 0), "device no handle", "value"),
    ("context1", (DEVICES, FIRST, OTHER, 0, FD, -1, 0), "device named", "value no handle"),
    ("context3", (WIN32, 0, 0), "", "value"),
    ("context1", (FD, 0, 0), UNDEFINED, ""),
    ("context1", (FD, 7, 0), UNDEFINED, ""),
    ("context3", (WIN32, 7, 0), UNDEFINED, ""),
    ("context1", (FD, -1), UNDEFINED, ""),
    ("context1", (0x7777, 1, 0), "value", ""),
]


def expand_names(words: str, function: str) -> str:
    """Return the ids of a function's error conditions by their short names in ``CONDITION_IDS``."""
    if words == UNDEFINED:
        return words
    left, found = words, []
    for name, requirement in CONDITION_IDS.items():
        if name in left:
            left = left.replace(name, "", 1)
            found.append(requirement if function == BUFFER else IMAGE_CONDITIONS[requirement])
    return " ".join(sorted(found))


def evaluate_creation(
    there: OracleSetup, function: str, context: str, elements: tuple[str | int | Handle, ...], **more: Value
) -> object:
    given = ElementList(tuple(there.value(each) if isinstance(each, str) else each for each in elements))
    image: dict[str, Value] = {
        "image_format": ElementList((there.value("CL_RGBA"), there.value("CL_UNORM_INT8"))),
        "image_desc": ElementList((there.value("CL_MEM_OBJECT_IMAGE2D"), 4, 4, 0, 0, 0, 0, 0, 0, None)),
    }
    usual: dict[str, Value] = {
        "context": Handle(context),
        "properties": given,
        "flags": 0,
        **({"size": 64} if function == BUFFER else image),
        "host_ptr": None,
        "errcode_ret": OutputBuffer(1),
    }
    musts, mays = get_verdict(there, function, **{**usual, **more})
    ours = set(CONDITION_IDS.values()) | set(IMAGE_CONDITIONS.values())
    return (
        musts if musts == UNDEFINED else tuple(" ".join(i for i in each.split() if i in ours) for each in (musts, mays))
    )


@pytest.mark.parametrize("function", [BUFFER, IMAGE])
@pytest.mark.parametrize(("context", "elements", "must", "may"), ROWS)
def test_invalid_import_property_lists_are_rejected(
    world: OracleSetup, function: str, context: str, elements: tuple[str | int | Handle, ...], must: str, may: str
) -> None:
    wanted = UNDEFINED if must == UNDEFINED else (expand_names(must, function), expand_names(may, function))
    assert evaluate_creation(world, function, context, elements) == wanted


@pytest.mark.parametrize("function", [BUFFER, IMAGE])
@pytest.mark.parametrize("flag", ["CL_MEM_USE_HOST_PTR", "CL_MEM_ALLOC_HOST_PTR", "CL_MEM_COPY_HOST_PTR"])
def test_host_pointer_flags_are_rejected_for_imported_memory(world: OracleSetup, function: str, flag: str) -> None:
    pointer = None if "ALLOC" in flag else Data(bytes(64))
    flags = world.value(flag)
    found = evaluate_creation(world, function, "context1", (FD, -1, 0), flags=flags, host_ptr=pointer)
    assert found == (expand_names("flags value" + (" pointer" if pointer else ""), function), "")
    assert evaluate_creation(world, function, "context1", (0,), flags=flags, host_ptr=pointer) == ("", "")
    found = evaluate_creation(world, function, "context1", (DMA, -1, 0), flags=flags, host_ptr=pointer)
    assert found == (
        expand_names("nobody", function),
        expand_names("flags value" + (" pointer" if pointer else ""), function),
    )


COMMANDS: list[tuple[str, str, str, str]] = [
    ("imported", "queue1", "", ""),
    ("plain", "queue1", "CL_INVALID_MEM_OBJECT/1", ""),
    ("unknown", "queue1", "", "CL_INVALID_MEM_OBJECT/1"),
    ("imported", "queue2", "CL_INVALID_COMMAND_QUEUE/3", ""),
    ("plain", "queue2", "CL_INVALID_MEM_OBJECT/1", ""),
]
FUNCTIONS = {
    "clEnqueueAcquireExternalMemObjectsKHR": {
        "CL_INVALID_MEM_OBJECT/1": "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
        "CL_INVALID_COMMAND_QUEUE/3": "clEnqueueAcquireExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
    },
    "clEnqueueReleaseExternalMemObjectsKHR": {
        "CL_INVALID_MEM_OBJECT/1": "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_MEM_OBJECT/1",
        "CL_INVALID_COMMAND_QUEUE/3": "clEnqueueReleaseExternalMemObjectsKHR/CL_INVALID_COMMAND_QUEUE/3",
    },
}


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize(("name", "queue", "must", "may"), COMMANDS)
def test_acquire_or_release_of_memory_that_is_not_imported_is_rejected(
    world: OracleSetup, function: str, name: str, queue: str, must: str, may: str
) -> None:
    given: dict[str, Value] = {"num_mem_objects": 1, "mem_objects": ElementList((Handle(name),))}
    if queue == "queue2":
        world.model.objects["queue1"] = world.model.objects["queue2"]
    known = FUNCTIONS[function]
    assert get_enqueue_verdict(world, function, **given) == (known.get(must, ""), known.get(may, ""))
