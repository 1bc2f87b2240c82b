"""Interop calls without objects of the other interface: required and allowed errors, and undefined calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.common.interop import INTERFACES
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue

from .worlds import World, enqueued, verdict

if TYPE_CHECKING:
    from clconform.calls.values import Value

PLAIN, SHARING, BUFFER = Handle("context1"), Handle("context2"), Handle("buffer1")
UNDEFINED = "undefined"
BOTH = 3


@pytest.fixture
def world() -> World:
    """Return a setup whose platform reports every interface, with a plain context and one shared with OpenGL."""
    there = World(extensions=" ".join(INTERFACES))
    sharing = there.items("CL_GL_CONTEXT_KHR", 1, 0)
    contexts = [
        Context("context1", devices=list(there.roots)),
        Context("context2", devices=list(there.roots), properties=sharing),
        Context("context3", devices=list(there.roots), properties=there.items("CL_CONTEXT_INTEROP_USER_SYNC", 1, 0)),
    ]
    for thing in (
        *contexts,
        HostQueue("queue1", context=contexts[0], queue_device=there.roots[0]),
        HostQueue("queue2", context=contexts[1], queue_device=there.roots[0]),
        Buffer("buffer1", context=contexts[0], size=64),
        Buffer("unknown", context=contexts[0], size=64, tainted=True),
    ):
        there.model.add(thing)
    return there


def made(there: World, function: str, **arguments: Value) -> tuple[str, str]:
    """Return the verdict on a creating call; by default it has the plain context and null objects."""
    names = [each.name for each in there.model.tables.functions[function].parameters]
    usual: dict[str, Value] = dict.fromkeys(names)
    usual |= {
        name: value
        for name, value in {"context": PLAIN, "flags": 1, "errcode_ret": OutputBuffer(1)}.items()
        if name in names
    }
    usual |= {name: 1 for name in ("bufobj", "texture", "renderbuffer", "target") if name in names}
    usual |= {name: 0 for name in ("miplevel", "subresource", "plane", "adapter_type") if name in names}
    return verdict(there, function, **{**usual, **arguments})


OPENGL = {
    "clCreateFromGLBuffer": (
        "clCreateFromGLBuffer/CL_INVALID_CONTEXT/1",
        "clCreateFromGLBuffer/CL_INVALID_GL_OBJECT/1",
    ),
    "clCreateFromGLRenderbuffer": (
        "clCreateFromGLRenderbuffer/CL_INVALID_CONTEXT/1",
        (
            "clCreateFromGLRenderbuffer/CL_INVALID_GL_OBJECT/1 "
            "clCreateFromGLRenderbuffer/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
            "clCreateFromGLRenderbuffer/CL_INVALID_OPERATION/1"
        ),
    ),
    "clCreateFromGLTexture": (
        "clCreateFromGLTexture/CL_INVALID_CONTEXT/1",
        (
            "clCreateFromGLTexture/CL_INVALID_GL_OBJECT/1 "
            "clCreateFromGLTexture/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
            "clCreateFromGLTexture/CL_INVALID_MIP_LEVEL/1 clCreateFromGLTexture/CL_INVALID_MIP_LEVEL/2 "
            "clCreateFromGLTexture/CL_INVALID_OPERATION/1 clCreateFromGLTexture/CL_INVALID_VALUE/1"
        ),
    ),
}


@pytest.mark.parametrize("function", OPENGL)
def test_objects_of_opengl_need_its_context(world: World, function: str) -> None:
    without, open_ = OPENGL[function]
    for context in (PLAIN, None, Handle("context3")):
        assert made(world, function, context=context) == (without, open_)
    musts, mays = made(world, function, context=SHARING)
    assert (musts, without in mays) == ("", True)


def test_a_texture_has_a_target(world: World) -> None:
    musts, _ = made(world, "clCreateFromGLTexture", target=0)
    assert "clCreateFromGLTexture/CL_INVALID_VALUE/1" in musts
    musts, _ = made(world, "clCreateFromGLTexture", flags=6)
    assert "clCreateFromGLTexture/CL_INVALID_VALUE/1" in musts


NOTHING = [
    (
        "clCreateEventFromGLsyncKHR",
        "clCreateEventFromGLsyncKHR/CL_INVALID_CONTEXT/1 clCreateEventFromGLsyncKHR/CL_INVALID_GL_OBJECT/1",
        "",
        "sync",
    ),
    (
        "clCreateEventFromEGLSyncKHR",
        "clCreateEventFromEGLSyncKHR/CL_INVALID_CONTEXT/1 clCreateEventFromEGLSyncKHR/CL_INVALID_EGL_OBJECT_KHR/1",
        "",
        "sync",
    ),
    (
        "clCreateFromEGLImageKHR",
        "clCreateFromEGLImageKHR/CL_INVALID_EGL_OBJECT_KHR/1",
        (
            "clCreateFromEGLImageKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1 clCreateFromEGLImageKHR/CL_INVALID_OPERATION/1 "
            "clCreateFromEGLImageKHR/CL_INVALID_VALUE/1"
        ),
        "eglimage",
    ),
    (
        "clCreateFromD3D10BufferKHR",
        "clCreateFromD3D10BufferKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
        "",
        "resource",
    ),
    (
        "clCreateFromD3D11BufferKHR",
        "clCreateFromD3D11BufferKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
        "",
        "resource",
    ),
    (
        "clCreateFromD3D10Texture2DKHR",
        "clCreateFromD3D10Texture2DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
        (
            "clCreateFromD3D10Texture2DKHR/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
            "clCreateFromD3D10Texture2DKHR/CL_INVALID_VALUE/1"
        ),
        "resource",
    ),
    (
        "clCreateFromD3D10Texture3DKHR",
        "clCreateFromD3D10Texture3DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
        (
            "clCreateFromD3D10Texture3DKHR/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
            "clCreateFromD3D10Texture3DKHR/CL_INVALID_VALUE/1"
        ),
        "resource",
    ),
    (
        "clCreateFromD3D11Texture2DKHR",
        "clCreateFromD3D11Texture2DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
        (
            "clCreateFromD3D11Texture2DKHR/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
            "clCreateFromD3D11Texture2DKHR/CL_INVALID_VALUE/1"
        ),
        "resource",
    ),
    (
        "clCreateFromD3D11Texture3DKHR",
        "clCreateFromD3D11Texture3DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
        (
            "clCreateFromD3D11Texture3DKHR/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
            "clCreateFromD3D11Texture3DKHR/CL_INVALID_VALUE/1"
        ),
        "resource",
    ),
]


@pytest.mark.parametrize(("function", "must", "may", "thing"), NOTHING)
def test_nothing_is_no_object(world: World, function: str, must: str, may: str, thing: str) -> None:
    assert made(world, function) == (must, may)
    assert made(world, function, **{thing: 4096})[0] == UNDEFINED


@pytest.mark.parametrize(
    "record",
    [
        "clCreateFromD3D10Texture2DKHR/CL_INVALID_VALUE/1",
        "clCreateFromD3D10Texture3DKHR/CL_INVALID_VALUE/1",
        "clCreateFromD3D11Texture2DKHR/CL_INVALID_VALUE/1",
        "clCreateFromD3D11Texture3DKHR/CL_INVALID_VALUE/1",
        "clCreateFromEGLImageKHR/CL_INVALID_VALUE/1",
        "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_VALUE/1",
    ],
)
def test_flags_exclude_each_other(world: World, record: str) -> None:
    function = record.partition("/")[0]
    surface: dict[str, Value] = {"surface_info": Data(bytes(16))} if "DX9" in function else {}
    both = world.value("CL_MEM_READ_ONLY") | world.value("CL_MEM_WRITE_ONLY")
    assert record in made(world, function, flags=both, **surface)[0]
    assert record not in made(world, function, **surface)[0]


def test_a_display_and_properties_of_egl(world: World) -> None:
    function = "clCreateFromEGLImageKHR"
    assert made(world, function, egldisplay=4096)[0] == UNDEFINED
    assert made(world, function, properties=ElementList((1,)))[0] == UNDEFINED
    assert made(world, function, properties=ElementList((0,)))[0] == f"{function}/CL_INVALID_EGL_OBJECT_KHR/1"
    assert "clCreateFromEGLImageKHR/CL_INVALID_VALUE/1" in made(world, function, properties=ElementList((1, 1, 0)))[0]


def test_a_surface_of_nothing(world: World) -> None:
    function = "clCreateFromDX9MediaSurfaceKHR"
    must = "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1"
    may = (
        "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
        "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_OPERATION/1 "
        "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_VALUE/1"
    )
    musts, mays = made(world, function, surface_info=Data(bytes(16)))
    assert (musts, set(may.split()) <= set(mays.split())) == (must, True)
    for given in (None, Data(bytes(8)), Data(b"\1" * 16)):
        assert made(world, function, surface_info=given)[0] == UNDEFINED


OBJECTS = {
    "clEnqueueAcquireGLObjects": (
        "clEnqueueAcquireGLObjects/CL_INVALID_CONTEXT/1",
        "clEnqueueAcquireGLObjects/CL_INVALID_GL_OBJECT/1",
    ),
    "clEnqueueReleaseGLObjects": (
        "clEnqueueReleaseGLObjects/CL_INVALID_CONTEXT/1",
        "clEnqueueReleaseGLObjects/CL_INVALID_GL_OBJECT/1",
    ),
    "clEnqueueAcquireEGLObjectsKHR": ("", "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1"),
    "clEnqueueReleaseEGLObjectsKHR": ("", "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1"),
    "clEnqueueAcquireD3D10ObjectsKHR": (
        "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
        "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    ),
    "clEnqueueReleaseD3D10ObjectsKHR": (
        "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
        "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    ),
    "clEnqueueAcquireD3D11ObjectsKHR": (
        "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
        "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    ),
    "clEnqueueReleaseD3D11ObjectsKHR": (
        "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
        "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    ),
    "clEnqueueAcquireDX9MediaSurfacesKHR": (
        "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
        "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
    ),
    "clEnqueueReleaseDX9MediaSurfacesKHR": (
        "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
        "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
    ),
}
"""Function to its condition about the context and its condition about the origin of an object."""
ACQUIRED = {
    "clEnqueueAcquireD3D10ObjectsKHR": "clEnqueueAcquireD3D10ObjectsKHR/CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR/1",
    "clEnqueueReleaseD3D10ObjectsKHR": "clEnqueueReleaseD3D10ObjectsKHR/CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR/1",
    "clEnqueueAcquireD3D11ObjectsKHR": "clEnqueueAcquireD3D11ObjectsKHR/CL_D3D11_RESOURCE_ALREADY_ACQUIRED_KHR/1",
    "clEnqueueReleaseD3D11ObjectsKHR": "clEnqueueReleaseD3D11ObjectsKHR/CL_D3D11_RESOURCE_NOT_ACQUIRED_KHR/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR": (
        "clEnqueueAcquireDX9MediaSurfacesKHR/CL_DX9_MEDIA_SURFACE_ALREADY_ACQUIRED_KHR/1"
    ),
    "clEnqueueReleaseDX9MediaSurfacesKHR": (
        "clEnqueueReleaseDX9MediaSurfacesKHR/CL_DX9_MEDIA_SURFACE_NOT_ACQUIRED_KHR/1"
    ),
}
"""Function to its condition about objects that are already acquired, or not acquired."""


@pytest.mark.parametrize("function", OBJECTS)
def test_ordinary_objects_are_not_handed_over(world: World, function: str) -> None:
    context, objects = OBJECTS[function]
    assert enqueued(world, function, num_objects=0, mem_objects=None) == ("", context)
    musts, mays = enqueued(world, function, num_objects=1, mem_objects=ElementList((BUFFER,)))
    state = ACQUIRED.get(function, "")
    released = state if "Release" in function else ""
    assert (musts, mays) == (" ".join(sorted(filter(None, (context, objects)))), released)
    musts, mays = enqueued(world, function, num_objects=1, mem_objects=ElementList((Handle("unknown"),)))
    assert (musts, mays) == (context, " ".join(sorted(filter(None, (objects, state)))))


@pytest.mark.parametrize("function", OBJECTS)
def test_nothing_is_no_memory_object(world: World, function: str) -> None:
    musts, _ = enqueued(world, function, num_objects=1, mem_objects=ElementList((None,)))
    assert f"{function}/CL_INVALID_MEM_OBJECT/1" in musts
    egl = (
        "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1",
        "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    )
    assert "EGL" not in function or musts in egl


@pytest.mark.parametrize("function", OBJECTS)
def test_a_context_that_may_share_is_not_judged(world: World, function: str) -> None:
    context, _ = OBJECTS[function]
    world.model.objects["queue1"] = world.model.objects["queue2"]
    musts, mays = enqueued(world, function, num_objects=1, mem_objects=ElementList((Handle("unknown"),)))
    assert context not in musts.split()
    assert (context in mays.split()) == bool(context)


def asked(there: World, function: str, subject: Value, name: str) -> tuple[str, str]:
    first = there.model.tables.functions[function].parameters[0].name
    given: dict[str, Value] = {
        first: subject,
        "param_name": there.value(name),
        "param_value_size": 8,
        "param_value": OutputBuffer(8),
        "param_value_size_ret": OutputBuffer(1),
    }
    return verdict(there, function, **given)


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ("clGetMemObjectInfo/CL_INVALID_D3D10_RESOURCE_KHR/1", "CL_MEM_D3D10_RESOURCE_KHR"),
        ("clGetMemObjectInfo/CL_INVALID_D3D11_RESOURCE_KHR/1", "CL_MEM_D3D11_RESOURCE_KHR"),
        ("clGetMemObjectInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1", "CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR"),
        ("clGetGLTextureInfo/CL_INVALID_GL_OBJECT/1", "CL_GL_TEXTURE_TARGET"),
    ],
)
def test_other_objects_do_not_answer(world: World, record: str, name: str) -> None:
    function = record.partition("/")[0]
    assert record in asked(world, function, BUFFER, name)[0].split()
    assert record in asked(world, function, Handle("unknown"), name)[1].split()
    assert record not in " ".join(asked(world, function, None, name)).split()
    if function == "clGetMemObjectInfo":
        assert record not in " ".join(asked(world, function, BUFFER, "CL_MEM_SIZE")).split()


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ("clGetImageInfo/CL_INVALID_D3D10_RESOURCE_KHR/1", "CL_IMAGE_D3D10_SUBRESOURCE_KHR"),
        ("clGetImageInfo/CL_INVALID_D3D11_RESOURCE_KHR/1", "CL_IMAGE_D3D11_SUBRESOURCE_KHR"),
        ("clGetImageInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1", "CL_IMAGE_DX9_MEDIA_PLANE_KHR"),
    ],
)
def test_other_images_do_not_answer(world: World, record: str, name: str) -> None:
    predicate = world.oracle.rulebook.predicate(record)
    for given, holds in ((name, True), ("CL_IMAGE_WIDTH", False)):
        call = world.call("clGetImageInfo", BUFFER, world.value(given), 8, OutputBuffer(8), None)
        assert (getattr(predicate(call, world.model), "value", "") == "must") is holds


def test_an_object_without_opengl(world: World) -> None:
    record = "clGetGLObjectInfo/CL_INVALID_GL_OBJECT/1"
    outputs: dict[str, Value] = {"gl_object_type": OutputBuffer(1), "gl_object_name": None}
    assert verdict(world, "clGetGLObjectInfo", memobj=BUFFER, **outputs) == (record, "")
    assert record not in verdict(world, "clGetGLObjectInfo", memobj=None, **outputs)[0]


@pytest.mark.parametrize(
    ("function", "clause", "not_found", "api"),
    [
        (
            "clGetDeviceIDsFromD3D10KHR",
            "clGetDeviceIDsFromD3D10KHR/CL_INVALID_VALUE/1",
            "clGetDeviceIDsFromD3D10KHR/CL_DEVICE_NOT_FOUND/1",
            "D3D10",
        ),
        (
            "clGetDeviceIDsFromD3D11KHR",
            "clGetDeviceIDsFromD3D11KHR/CL_INVALID_VALUE/1",
            "clGetDeviceIDsFromD3D11KHR/CL_DEVICE_NOT_FOUND/1",
            "D3D11",
        ),
    ],
)
def test_devices_of_direct3d(world: World, function: str, clause: str, not_found: str, api: str) -> None:
    source, devices = world.value(f"CL_{api}_DEVICE_KHR"), world.value(f"CL_ALL_DEVICES_FOR_{api}_KHR")
    right: dict[str, Value] = {
        "platform": Handle("platform1"),
        "d3d_device_source": source,
        "d3d_object": None,
        "d3d_device_set": devices,
        "num_entries": 1,
        "devices": OutputBuffer(1),
        "num_devices": None,
    }
    assert verdict(world, function, **right) == ("", not_found)
    wrong: tuple[dict[str, Value], ...] = (
        {"d3d_device_source": 0},
        {"d3d_device_set": 0},
        {"num_entries": 0},
        {"num_entries": 0, "devices": None},
    )
    for each in wrong:
        assert verdict(world, function, **{**right, **each}) == (clause, not_found)
    assert verdict(world, function, **{**right, "d3d_object": 4096})[0] == UNDEFINED


def test_devices_of_no_adapter(world: World) -> None:
    function = "clGetDeviceIDsFromDX9MediaAdapterKHR"
    given: dict[str, Value] = {
        "platform": Handle("platform1"),
        "num_media_adapters": 0,
        "media_adapter_type": None,
        "media_adapters": None,
        "media_adapter_set": world.value("CL_ALL_DEVICES_FOR_DX9_MEDIA_ADAPTER_KHR"),
        "num_entries": 1,
        "devices": OutputBuffer(1),
        "num_devices": None,
    }
    musts, mays = verdict(world, function, **given)
    assert (musts, " ".join(each for each in mays.split() if not each.endswith("/3"))) == (
        "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/1",
        (
            "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_DEVICE_NOT_FOUND/1 "
            "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/2"
        ),
    )
    assert verdict(world, function, **{**given, "media_adapters": 4096})[0] == UNDEFINED


OF_CONTEXTS = (
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/2",
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/3",
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/4",
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/5",
    "clGetGLContextInfoKHR/CL_INVALID_OPERATION/2",
    "clGetGLContextInfoKHR/CL_INVALID_OPERATION/3",
    "clGetGLContextInfoKHR/CL_INVALID_OPERATION/4",
)


def test_contexts_of_opengl_that_are_asked_about(world: World) -> None:
    function, clause = "clGetGLContextInfoKHR", "clGetGLContextInfoKHR/CL_INVALID_VALUE/1"
    name = world.value("CL_DEVICES_FOR_GL_CONTEXT_KHR")

    def about(*elements: str | int) -> tuple[str, str]:
        sizes: dict[str, Value] = {"param_value_size": 0, "param_value": None, "param_value_size_ret": OutputBuffer(1)}
        return verdict(world, function, properties=world.items(*elements), param_name=name, **sizes)

    musts, mays = about(0x7FFF0003, 0, 0)
    assert musts == clause
    assert set(OF_CONTEXTS) <= set(mays.split())
    assert about(0)[0] == ""
    assert about("CL_GL_CONTEXT_KHR", 0, 0)[0] == UNDEFINED
    assert about(0x7FFF0003, 0)[0] == UNDEFINED
    world.model.through_loader = True
    assert about(0x7FFF0003, 0, 0)[0] == UNDEFINED, "a loader cannot choose a platform"
    assert about(0x7FFF0003, 0, "CL_CONTEXT_PLATFORM", 0, 0)[0] == clause
