"""Interop calls without objects of the other interface: required and allowed errors, and undefined calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.values import Data, ElementList, Handle, OutputBuffer
from clconform.oracles.common.interop import INTERFACES
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import Buffer
from clconform.oracles.model.queues import HostQueue

from .oracle_setup import OracleSetup, get_enqueue_verdict, get_verdict

if TYPE_CHECKING:
    from clconform.calls.values import Value

PLAIN_CONTEXT, GL_CONTEXT, BUFFER = Handle("context1"), Handle("context2"), Handle("buffer1")
UNDEFINED = "undefined"
BOTH = 3


@pytest.fixture
def oracle_setup() -> OracleSetup:
    """Return a setup whose platform reports every interface, with a plain context and one shared with OpenGL."""
    there = OracleSetup(extensions=" ".join(INTERFACES))
    sharing = there.create_list("CL_GL_CONTEXT_KHR", 1, 0)
    contexts = [
        Context("context1", devices=list(there.roots)),
        Context("context2", devices=list(there.roots), properties=sharing),
        Context(
            "context3", devices=list(there.roots), properties=there.create_list("CL_CONTEXT_INTEROP_USER_SYNC", 1, 0)
        ),
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


def judge_creation(there: OracleSetup, function: str, **arguments: Value) -> tuple[str, str]:
    """Return the verdict on a call that creates an object, by default in the plain context and from null objects."""
    names = [each.name for each in there.model.tables.functions[function].parameters]
    usual: dict[str, Value] = dict.fromkeys(names)
    usual |= {
        name: value
        for name, value in {"context": PLAIN_CONTEXT, "flags": 1, "errcode_ret": OutputBuffer(1)}.items()
        if name in names
    }
    usual |= {name: 1 for name in ("bufobj", "texture", "renderbuffer", "target") if name in names}
    usual |= {name: 0 for name in ("miplevel", "subresource", "plane", "adapter_type") if name in names}
    return get_verdict(there, function, **{**usual, **arguments})


GL_CASES = {
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


@pytest.mark.parametrize("function", GL_CASES)
def test_creation_from_gl_object_without_gl_context_is_rejected(oracle_setup: OracleSetup, function: str) -> None:
    without, open_ = GL_CASES[function]
    for context in (PLAIN_CONTEXT, None, Handle("context3")):
        assert judge_creation(oracle_setup, function, context=context) == (without, open_)
    musts, mays = judge_creation(oracle_setup, function, context=GL_CONTEXT)
    assert (musts, without in mays) == ("", True)


def test_texture_with_invalid_target_or_flags_is_rejected(oracle_setup: OracleSetup) -> None:
    musts, _ = judge_creation(oracle_setup, "clCreateFromGLTexture", target=0)
    assert "clCreateFromGLTexture/CL_INVALID_VALUE/1" in musts
    musts, _ = judge_creation(oracle_setup, "clCreateFromGLTexture", flags=6)
    assert "clCreateFromGLTexture/CL_INVALID_VALUE/1" in musts


NULL_OBJECT_CASES = [
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


@pytest.mark.parametrize(("function", "must", "may", "thing"), NULL_OBJECT_CASES)
def test_creation_from_null_interop_object_is_rejected(
    oracle_setup: OracleSetup, function: str, must: str, may: str, thing: str
) -> None:
    assert judge_creation(oracle_setup, function) == (must, may)
    assert judge_creation(oracle_setup, function, **{thing: 4096})[0] == UNDEFINED


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
def test_creation_from_interop_object_with_exclusive_flags_is_rejected(oracle_setup: OracleSetup, record: str) -> None:
    function = record.partition("/")[0]
    surface: dict[str, Value] = {"surface_info": Data(bytes(16))} if "DX9" in function else {}
    both = oracle_setup.value("CL_MEM_READ_ONLY") | oracle_setup.value("CL_MEM_WRITE_ONLY")
    assert record in judge_creation(oracle_setup, function, flags=both, **surface)[0]
    assert record not in judge_creation(oracle_setup, function, **surface)[0]


def test_egl_image_with_invalid_display_or_properties_is_rejected(oracle_setup: OracleSetup) -> None:
    function = "clCreateFromEGLImageKHR"
    assert judge_creation(oracle_setup, function, egldisplay=4096)[0] == UNDEFINED
    assert judge_creation(oracle_setup, function, properties=ElementList((1,)))[0] == UNDEFINED
    assert (
        judge_creation(oracle_setup, function, properties=ElementList((0,)))[0]
        == f"{function}/CL_INVALID_EGL_OBJECT_KHR/1"
    )
    assert (
        "clCreateFromEGLImageKHR/CL_INVALID_VALUE/1"
        in judge_creation(oracle_setup, function, properties=ElementList((1, 1, 0)))[0]
    )


def test_creation_from_empty_media_surface_is_rejected(oracle_setup: OracleSetup) -> None:
    function = "clCreateFromDX9MediaSurfaceKHR"
    must = "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1"
    may = (
        "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1 "
        "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_OPERATION/1 "
        "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_VALUE/1"
    )
    musts, mays = judge_creation(oracle_setup, function, surface_info=Data(bytes(16)))
    assert (musts, set(may.split()) <= set(mays.split())) == (must, True)
    for given in (None, Data(bytes(8)), Data(b"\1" * 16)):
        assert judge_creation(oracle_setup, function, surface_info=given)[0] == UNDEFINED


ENQUEUE_CONDITIONS = {
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
"""Maps functions to their condition about the context and their condition about the origin of an object."""
ACQUIRE_STATE_CONDITIONS = {
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
"""Maps functions to their condition about objects that are already acquired, or not acquired."""


@pytest.mark.parametrize("function", ENQUEUE_CONDITIONS)
def test_acquire_and_release_of_plain_buffer_are_rejected(oracle_setup: OracleSetup, function: str) -> None:
    context, objects = ENQUEUE_CONDITIONS[function]
    assert get_enqueue_verdict(oracle_setup, function, num_objects=0, mem_objects=None) == ("", context)
    musts, mays = get_enqueue_verdict(oracle_setup, function, num_objects=1, mem_objects=ElementList((BUFFER,)))
    state = ACQUIRE_STATE_CONDITIONS.get(function, "")
    released = state if "Release" in function else ""
    assert (musts, mays) == (" ".join(sorted(filter(None, (context, objects)))), released)
    musts, mays = get_enqueue_verdict(
        oracle_setup, function, num_objects=1, mem_objects=ElementList((Handle("unknown"),))
    )
    assert (musts, mays) == (context, " ".join(sorted(filter(None, (objects, state)))))


@pytest.mark.parametrize("function", ENQUEUE_CONDITIONS)
def test_acquire_and_release_of_null_memory_object_are_rejected(oracle_setup: OracleSetup, function: str) -> None:
    musts, _ = get_enqueue_verdict(oracle_setup, function, num_objects=1, mem_objects=ElementList((None,)))
    assert f"{function}/CL_INVALID_MEM_OBJECT/1" in musts
    egl = (
        "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1",
        "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    )
    assert "EGL" not in function or musts in egl


@pytest.mark.parametrize("function", ENQUEUE_CONDITIONS)
def test_acquire_and_release_in_shared_context_may_be_rejected(oracle_setup: OracleSetup, function: str) -> None:
    context, _ = ENQUEUE_CONDITIONS[function]
    oracle_setup.model.objects["queue1"] = oracle_setup.model.objects["queue2"]
    musts, mays = get_enqueue_verdict(
        oracle_setup, function, num_objects=1, mem_objects=ElementList((Handle("unknown"),))
    )
    assert context not in musts.split()
    assert (context in mays.split()) == bool(context)


def judge_query(there: OracleSetup, function: str, subject: Value, name: str) -> tuple[str, str]:
    first = there.model.tables.functions[function].parameters[0].name
    given: dict[str, Value] = {
        first: subject,
        "param_name": there.value(name),
        "param_value_size": 8,
        "param_value": OutputBuffer(8),
        "param_value_size_ret": OutputBuffer(1),
    }
    return get_verdict(there, function, **given)


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ("clGetMemObjectInfo/CL_INVALID_D3D10_RESOURCE_KHR/1", "CL_MEM_D3D10_RESOURCE_KHR"),
        ("clGetMemObjectInfo/CL_INVALID_D3D11_RESOURCE_KHR/1", "CL_MEM_D3D11_RESOURCE_KHR"),
        ("clGetMemObjectInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1", "CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR"),
        ("clGetGLTextureInfo/CL_INVALID_GL_OBJECT/1", "CL_GL_TEXTURE_TARGET"),
    ],
)
def test_interop_query_of_plain_object_is_rejected(oracle_setup: OracleSetup, record: str, name: str) -> None:
    function = record.partition("/")[0]
    assert record in judge_query(oracle_setup, function, BUFFER, name)[0].split()
    assert record in judge_query(oracle_setup, function, Handle("unknown"), name)[1].split()
    assert record not in " ".join(judge_query(oracle_setup, function, None, name)).split()
    if function == "clGetMemObjectInfo":
        assert record not in " ".join(judge_query(oracle_setup, function, BUFFER, "CL_MEM_SIZE")).split()


@pytest.mark.parametrize(
    ("record", "name"),
    [
        ("clGetImageInfo/CL_INVALID_D3D10_RESOURCE_KHR/1", "CL_IMAGE_D3D10_SUBRESOURCE_KHR"),
        ("clGetImageInfo/CL_INVALID_D3D11_RESOURCE_KHR/1", "CL_IMAGE_D3D11_SUBRESOURCE_KHR"),
        ("clGetImageInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1", "CL_IMAGE_DX9_MEDIA_PLANE_KHR"),
    ],
)
def test_interop_query_of_plain_image_is_rejected(oracle_setup: OracleSetup, record: str, name: str) -> None:
    predicate = oracle_setup.oracle.rulebook.predicates.declared[record]
    for given, holds in ((name, True), ("CL_IMAGE_WIDTH", False)):
        call = oracle_setup.call("clGetImageInfo", BUFFER, oracle_setup.value(given), 8, OutputBuffer(8), None)
        assert predicate(call, oracle_setup.model).is_must is holds


def test_gl_object_info_of_plain_buffer_is_rejected(oracle_setup: OracleSetup) -> None:
    requirement = "clGetGLObjectInfo/CL_INVALID_GL_OBJECT/1"
    outputs: dict[str, Value] = {"gl_object_type": OutputBuffer(1), "gl_object_name": None}
    assert get_verdict(oracle_setup, "clGetGLObjectInfo", memobj=BUFFER, **outputs) == (requirement, "")
    assert requirement not in get_verdict(oracle_setup, "clGetGLObjectInfo", memobj=None, **outputs)[0]


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
def test_direct3d_device_query_with_invalid_arguments_is_rejected(
    oracle_setup: OracleSetup, function: str, clause: str, not_found: str, api: str
) -> None:
    source, devices = oracle_setup.value(f"CL_{api}_DEVICE_KHR"), oracle_setup.value(f"CL_ALL_DEVICES_FOR_{api}_KHR")
    right: dict[str, Value] = {
        "platform": Handle("platform1"),
        "d3d_device_source": source,
        "d3d_object": None,
        "d3d_device_set": devices,
        "num_entries": 1,
        "devices": OutputBuffer(1),
        "num_devices": None,
    }
    assert get_verdict(oracle_setup, function, **right) == ("", not_found)
    wrong: tuple[dict[str, Value], ...] = (
        {"d3d_device_source": 0},
        {"d3d_device_set": 0},
        {"num_entries": 0},
        {"num_entries": 0, "devices": None},
    )
    for each in wrong:
        assert get_verdict(oracle_setup, function, **{**right, **each}) == (clause, not_found)
    assert get_verdict(oracle_setup, function, **{**right, "d3d_object": 4096})[0] == UNDEFINED


def test_media_query_without_adapters_is_rejected(oracle_setup: OracleSetup) -> None:
    function = "clGetDeviceIDsFromDX9MediaAdapterKHR"
    given: dict[str, Value] = {
        "platform": Handle("platform1"),
        "num_media_adapters": 0,
        "media_adapter_type": None,
        "media_adapters": None,
        "media_adapter_set": oracle_setup.value("CL_ALL_DEVICES_FOR_DX9_MEDIA_ADAPTER_KHR"),
        "num_entries": 1,
        "devices": OutputBuffer(1),
        "num_devices": None,
    }
    musts, mays = get_verdict(oracle_setup, function, **given)
    assert (musts, " ".join(each for each in mays.split() if not each.endswith("/3"))) == (
        "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/1",
        (
            "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_DEVICE_NOT_FOUND/1 "
            "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/2"
        ),
    )
    assert get_verdict(oracle_setup, function, **{**given, "media_adapters": 4096})[0] == UNDEFINED


CONTEXT_CONDITIONS = (
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/2",
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/3",
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/4",
    "clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/5",
    "clGetGLContextInfoKHR/CL_INVALID_OPERATION/2",
    "clGetGLContextInfoKHR/CL_INVALID_OPERATION/3",
    "clGetGLContextInfoKHR/CL_INVALID_OPERATION/4",
)


def test_gl_context_query_with_invalid_properties_is_rejected(oracle_setup: OracleSetup) -> None:
    function, clause = "clGetGLContextInfoKHR", "clGetGLContextInfoKHR/CL_INVALID_VALUE/1"
    name = oracle_setup.value("CL_DEVICES_FOR_GL_CONTEXT_KHR")

    def about(*elements: str | int) -> tuple[str, str]:
        sizes: dict[str, Value] = {"param_value_size": 0, "param_value": None, "param_value_size_ret": OutputBuffer(1)}
        return get_verdict(
            oracle_setup, function, properties=oracle_setup.create_list(*elements), param_name=name, **sizes
        )

    musts, mays = about(0x7FFF0003, 0, 0)
    assert musts == clause
    assert set(CONTEXT_CONDITIONS) <= set(mays.split())
    assert about(0)[0] == ""
    assert about("CL_GL_CONTEXT_KHR", 0, 0)[0] == UNDEFINED
    assert about(0x7FFF0003, 0)[0] == UNDEFINED
    oracle_setup.model.through_loader = True
    assert about(0x7FFF0003, 0, 0)[0] == UNDEFINED, "a loader cannot choose a platform"
    assert about(0x7FFF0003, 0, "CL_CONTEXT_PLATFORM", 0, 0)[0] == clause
