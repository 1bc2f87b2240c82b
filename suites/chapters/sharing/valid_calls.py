"""One call of each function that takes objects of other interfaces.

The call must fail, because it does not pass such an object.

The calls pass NULL, or numbers that are not addresses. They never pass invented objects of another interface.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, OutputBuffer
from clconform.suites.kit.valid_calls import ValidCalls

if TYPE_CHECKING:
    from clconform.suites.kit.kit import Kit
    from clconform.suites.kit.valid_calls import Arguments

valid_calls = ValidCalls()
SURFACE = 16
"""Bytes of a surface description, which consists of two pointers."""


def _creation_arguments(kit: Kit, **more: object) -> Arguments:
    return {"context": kit.context, "flags": kit.constant("CL_MEM_READ_WRITE"), **more}  # type: ignore[dict-item]


@valid_calls.declare("clCreateFromGLBuffer")
def buffer_without_opengl(kit: Kit) -> Arguments:
    """Pass an OpenGL buffer name in a context without OpenGL."""
    return _creation_arguments(kit, bufobj=1)


@valid_calls.declare("clCreateFromGLTexture")
def texture_without_opengl(kit: Kit) -> Arguments:
    """Pass an OpenGL texture name in a context without OpenGL."""
    return _creation_arguments(kit, target=GL_TEXTURE_2D, miplevel=0, texture=1)


GL_TEXTURE_2D = 0x0DE1


@valid_calls.declare("clCreateFromGLRenderbuffer")
def renderbuffer_without_opengl(kit: Kit) -> Arguments:
    """Pass an OpenGL renderbuffer name in a context without OpenGL."""
    return _creation_arguments(kit, renderbuffer=1)


@valid_calls.declare("clGetGLObjectInfo")
def query_object_of_buffer(kit: Kit) -> Arguments:
    """Query the OpenGL object of an ordinary buffer."""
    return {"memobj": kit.first_buffer, "gl_object_type": OutputBuffer(1), "gl_object_name": OutputBuffer(1)}


@valid_calls.declare("clCreateEventFromGLsyncKHR")
def null_sync(kit: Kit) -> Arguments:
    """Pass NULL as the OpenGL sync object."""
    return {"context": kit.context, "sync": None}


@valid_calls.declare("clCreateEventFromEGLSyncKHR")
def null_fence(kit: Kit) -> Arguments:
    """Pass NULL as the EGL fence."""
    return {"context": kit.context, "sync": None, "display": None}


@valid_calls.declare("clCreateFromEGLImageKHR")
def null_image(kit: Kit) -> Arguments:
    """Pass NULL as the EGL image."""
    return _creation_arguments(kit, egldisplay=None, eglimage=None)


@valid_calls.declare("clCreateFromD3D10BufferKHR", "clCreateFromD3D11BufferKHR")
def null_resource(kit: Kit) -> Arguments:
    """Pass NULL as the Direct3D resource."""
    return _creation_arguments(kit, resource=None)


@valid_calls.declare(
    "clCreateFromD3D10Texture2DKHR",
    "clCreateFromD3D10Texture3DKHR",
    "clCreateFromD3D11Texture2DKHR",
    "clCreateFromD3D11Texture3DKHR",
)
def null_direct3d_texture(kit: Kit) -> Arguments:
    """Pass NULL as the Direct3D texture."""
    return _creation_arguments(kit, resource=None, subresource=0)


@valid_calls.declare("clCreateFromDX9MediaSurfaceKHR")
def empty_surface(kit: Kit) -> Arguments:
    """Pass a surface description whose bytes are zero."""
    return _creation_arguments(
        kit, adapter_type=kit.constant("CL_ADAPTER_D3D9_KHR"), surface_info=Data(bytes(SURFACE)), plane=0
    )


@valid_calls.declare("clGetDeviceIDsFromD3D10KHR", "clGetDeviceIDsFromD3D11KHR")
def query_devices_without_source(kit: Kit) -> Arguments:
    """Query devices with source type 0 and a NULL source."""
    return {
        "platform": kit.cl.platform,
        "d3d_device_source": 0,
        "d3d_object": None,
        "d3d_device_set": 0,
        "num_entries": 1,
        "devices": OutputBuffer(1),
        "num_devices": OutputBuffer(1),
    }


@valid_calls.declare("clGetDeviceIDsFromDX9MediaAdapterKHR")
def query_devices_without_adapters(kit: Kit) -> Arguments:
    """Query the devices of an empty list of adapters."""
    return {
        "platform": kit.cl.platform,
        "num_media_adapters": 0,
        "media_adapter_type": None,
        "media_adapters": None,
        "media_adapter_set": kit.constant("CL_ALL_DEVICES_FOR_DX9_MEDIA_ADAPTER_KHR"),
        "num_entries": 1,
        "devices": OutputBuffer(1),
        "num_devices": OutputBuffer(1),
    }


@valid_calls.declare("clGetGLTextureInfo")
def query_texture_of_buffer(kit: Kit) -> Arguments:
    """Query the OpenGL texture of an ordinary buffer."""
    return {
        "memobj": kit.first_buffer,
        "param_name": kit.constant("CL_GL_TEXTURE_TARGET"),
        "param_value_size": 4,
        "param_value": OutputBuffer(4),
        "param_value_size_ret": OutputBuffer(1),
    }


@valid_calls.declare("clGetGLContextInfoKHR")
def query_unknown_context(kit: Kit) -> Arguments:
    """Query the devices of a context, for property lists with an unknown name.

    The list also contains the platform, so that a loader can dispatch the call.
    """
    return {
        "properties": kit.property_list("CL_CONTEXT_PLATFORM", kit.cl.platform, UNKNOWN_PROPERTY, 0),
        "param_name": kit.constant("CL_DEVICES_FOR_GL_CONTEXT_KHR"),
        "param_value_size": 0,
        "param_value": None,
        "param_value_size_ret": OutputBuffer(1),
    }


UNKNOWN_PROPERTY = 0x7FFF0003
"""A property name that is not in the registry."""
