"""Sharing with other interfaces: variations of calls that do not have objects of these interfaces."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList, OutputBuffer
from clconform.suites.chapters.sharing.valid_calls import UNKNOWN_PROPERTY
from clconform.suites.errors.negative_cases import Variation, VariationRegistry, bind_values

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.values import Handle, Value
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

variations = VariationRegistry()


@variations.declare(
    "clCreateFromGLBuffer/CL_INVALID_CONTEXT/1",
    "clCreateFromGLTexture/CL_INVALID_CONTEXT/1",
    "clCreateFromGLRenderbuffer/CL_INVALID_CONTEXT/1",
    "clCreateEventFromGLsyncKHR/CL_INVALID_CONTEXT/1",
    "clCreateEventFromEGLSyncKHR/CL_INVALID_CONTEXT/1",
)
def contexts_without_opengl() -> Iterator[Variation]:
    """Yield a context without OpenGL, a context whose property list names only the platform, and NULL."""
    yield Variation("a context without OpenGL", {})
    yield Variation(
        "a context that names its platform", lambda kit, _given: {"context": _create_context_with_platform(kit)}
    )
    yield Variation("context=NULL", {"context": None})


def _create_context_with_platform(kit: Kit) -> Handle:
    return kit.new_context(properties=kit.property_list("CL_CONTEXT_PLATFORM", kit.cl.platform))


@variations.declare(
    "clCreateFromGLBuffer/CL_INVALID_GL_OBJECT/1",
    "clCreateFromGLTexture/CL_INVALID_GL_OBJECT/1",
    "clCreateFromGLRenderbuffer/CL_INVALID_GL_OBJECT/1",
)
def null_names() -> Iterator[Variation]:
    """Yield 0 as the name of the OpenGL object."""
    yield Variation("0", {"bufobj": 0, "texture": 0, "renderbuffer": 0})


@variations.declare("clCreateFromGLTexture/CL_INVALID_VALUE/1")
def unknown_targets() -> Iterator[Variation]:
    """Yield an unknown texture target."""
    yield Variation("target=0", {"target": 0})


@variations.declare("clGetGLObjectInfo/CL_INVALID_GL_OBJECT/1", "clGetGLTextureInfo/CL_INVALID_GL_OBJECT/1")
def objects_without_opengl() -> Iterator[Variation]:
    """Yield a buffer and an image that were not created from OpenGL objects."""
    yield Variation("a buffer", {})
    yield Variation("an image", lambda kit, _given: {"memobj": kit.image()})


@variations.declare(
    "clCreateFromD3D10BufferKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D10Texture2DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D10Texture3DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D11BufferKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clCreateFromD3D11Texture2DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clCreateFromD3D11Texture3DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1",
    "clCreateFromEGLImageKHR/CL_INVALID_EGL_OBJECT_KHR/1",
    "clCreateEventFromGLsyncKHR/CL_INVALID_GL_OBJECT/1",
    "clCreateEventFromEGLSyncKHR/CL_INVALID_EGL_OBJECT_KHR/1",
)
def null_objects() -> Iterator[Variation]:
    """Yield the valid call, which passes NULL as the object of the other interface."""
    yield Variation("NULL", {})


@variations.declare(
    "clCreateFromD3D10Texture2DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D10Texture3DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D11Texture2DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D11Texture3DKHR/CL_INVALID_VALUE/1",
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_VALUE/1",
    "clCreateFromEGLImageKHR/CL_INVALID_VALUE/1",
)
def excluding_flags() -> Iterator[Variation]:
    """Yield flags that exclude each other."""
    both = ("CL_MEM_READ_ONLY", "CL_MEM_WRITE_ONLY")
    yield Variation("read-only and write-only", lambda kit, _given: {"flags": kit.constant(*both)})


@variations.declare("clGetDeviceIDsFromD3D10KHR/CL_INVALID_VALUE/1")
def invalid_direct3d_10_queries() -> Iterator[Variation]:
    """Yield queries of Direct3D 10 devices with an invalid source type, device set or output."""
    yield from _invalid_queries("CL_D3D10_DEVICE_KHR", "CL_ALL_DEVICES_FOR_D3D10_KHR")


@variations.declare("clGetDeviceIDsFromD3D11KHR/CL_INVALID_VALUE/1")
def invalid_direct3d_11_queries() -> Iterator[Variation]:
    """Yield queries of Direct3D 11 devices with an invalid source type, device set or output."""
    yield from _invalid_queries("CL_D3D11_DEVICE_KHR", "CL_ALL_DEVICES_FOR_D3D11_KHR")


@variations.declare("clGetDeviceIDsFromD3D10KHR/CL_INVALID_PLATFORM/1")
def null_platforms_for_direct3d_10() -> Iterator[Variation]:
    """Yield NULL as the platform in an otherwise valid query of Direct3D 10 devices."""
    right = {"d3d_device_source": "CL_D3D10_DEVICE_KHR", "d3d_device_set": "CL_ALL_DEVICES_FOR_D3D10_KHR"}
    yield Variation(
        "no platform, and kinds that there are", bind_values(_with_names_and_outputs, right, {"platform": None})
    )


@variations.declare("clGetDeviceIDsFromD3D11KHR/CL_INVALID_PLATFORM/1")
def null_platforms_for_direct3d_11() -> Iterator[Variation]:
    """Yield NULL as the platform in an otherwise valid query of Direct3D 11 devices."""
    right = {"d3d_device_source": "CL_D3D11_DEVICE_KHR", "d3d_device_set": "CL_ALL_DEVICES_FOR_D3D11_KHR"}
    yield Variation(
        "no platform, and kinds that there are", bind_values(_with_names_and_outputs, right, {"platform": None})
    )


def _invalid_queries(source: str, devices: str) -> Iterator[Variation]:
    """Yield queries with an invalid source type, device set or output.

    ``source`` and ``devices``: the names of the valid source type and device set.
    """
    for words, names, outputs in (
        ("no kind of source, and none of set", {}, {}),
        ("no kind of set", {"d3d_device_source": source}, {}),
        ("no kind of source", {"d3d_device_set": devices}, {}),
        ("num_entries=0 with devices", VALID_NAMES, {"num_entries": 0}),
        ("no outputs", VALID_NAMES, {"num_entries": 0, "devices": None, "num_devices": None}),
    ):
        chosen = {"d3d_device_source": source, "d3d_device_set": devices} if names is VALID_NAMES else names
        yield Variation(words, bind_values(_with_names_and_outputs, chosen, outputs))


VALID_NAMES: dict[str, str] = {"": ""}


def _with_names_and_outputs(
    kit: Kit, _given: Arguments, names: dict[str, str], outputs: dict[str, Value]
) -> dict[str, Value]:
    return {**{name: kit.constant(each) for name, each in names.items()}, **outputs}


@variations.declare("clGetGLContextInfoKHR/CL_INVALID_VALUE/1")
def unknown_properties() -> Iterator[Variation]:
    """Yield property lists with a name that is not in the registry."""
    yield Variation("an unknown name", {})
    yield Variation(
        "an unknown name in front of the platform",
        lambda kit, _given: {
            "properties": kit.property_list(UNKNOWN_PROPERTY, 0, "CL_CONTEXT_PLATFORM", kit.cl.platform)
        },
    )


@variations.declare("clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/1")
def missing_adapters() -> Iterator[Variation]:
    """Yield an empty list of adapters, and a number without a list."""
    yield Variation("none, and no list", {})
    yield Variation(
        "one, and no list",
        {"num_media_adapters": 1, "media_adapter_type": ElementList((0x2020,)), "devices": OutputBuffer(1)},
    )


@variations.declare(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireGLObjects/CL_INVALID_GL_OBJECT/1",
    "clEnqueueReleaseGLObjects/CL_INVALID_GL_OBJECT/1",
    "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1",
    "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1",
)
def ordinary_objects() -> Iterator[Variation]:
    """Yield a buffer and an image that were not created from external objects."""
    yield Variation("a buffer", lambda kit, _given: _list_objects(kit.first_buffer))
    yield Variation("a buffer and an image", lambda kit, _given: _list_objects(kit.first_buffer, kit.image()))


@variations.declare(
    "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1", "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1"
)
def null_in_lists() -> Iterator[Variation]:
    """Yield NULL in the list of memory objects."""
    yield Variation("{NULL}", {"num_objects": 1, "mem_objects": ElementList((None,))})


@variations.declare(
    "clEnqueueAcquireGLObjects/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseGLObjects/CL_INVALID_CONTEXT/1",
    "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
)
def queues_without_sharing() -> Iterator[Variation]:
    """Yield the valid call, whose queue belongs to a context without sharing."""
    yield Variation("no objects", {})


def _list_objects(*objects: Handle) -> dict[str, Value]:
    return {"num_objects": len(objects), "mem_objects": ElementList(objects)}
