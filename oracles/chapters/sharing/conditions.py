"""Texts of the error conditions about objects shared with other APIs, as data.

The module ``coverage_points`` uses the texts of error conditions without a predicate, and declares these error
conditions untestable, with the reason.
"""

from __future__ import annotations

import functools

DX9_SURFACE = "clCreateFromDX9MediaSurfaceKHR"
GL_TEXTURE = "clCreateFromGLTexture"
GL_BUFFER = "clCreateFromGLBuffer"
GL_RENDERBUFFER = "clCreateFromGLRenderbuffer"
GL_INFO = "clGetGLContextInfoKHR"
CONTEXTS = ("clCreateContext", "clCreateContextFromType")
FROM_OPENGL_TEXT = "context is not valid, or was created without an OpenGL context to share with."
CONDITION_TEXTS = {
    "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/1": (
        "num_media_adapters is 0, or media_adapter_type or media_adapters is NULL."
    ),
    "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/2": (
        "An element of media_adapter_type or media_adapters is not valid."
    ),
    "clGetDeviceIDsFromDX9MediaAdapterKHR/CL_DEVICE_NOT_FOUND/1": "No OpenCL device corresponds to the media adapters.",
    "clGetImageInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1": (
        f"param_name is CL_IMAGE_DX9_MEDIA_PLANE_KHR, but image was not created by {DX9_SURFACE}."
    ),
    "clGetMemObjectInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1": (
        f"param_name is CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR, but memobj was not created by {DX9_SURFACE}."
    ),
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_VALUE/1": (
        "flags is not valid, or plane is not a plane of the resource in surface_info."
    ),
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1": (
        "The resource in surface_info is not valid, or does not belong to adapter_type."
    ),
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/2": (
        "shared_handle in surface_info is neither NULL nor a valid handle."
    ),
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1": (
        "The texture format of the resource has no corresponding OpenCL image format."
    ),
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_OPERATION/1": "No device of context supports adapter_type.",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1": (
        "The context of command_queue was not created from a device that can share the media surfaces."
    ),
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1": (
        "The context of command_queue was not created from a media object."
    ),
    "clCreateFromEGLImageKHR/CL_INVALID_VALUE/1": "properties, egldisplay or flags is not valid.",
    "clCreateFromEGLImageKHR/CL_INVALID_EGL_OBJECT_KHR/1": "eglimage is not a valid EGLImage.",
    "clCreateFromEGLImageKHR/CL_IMAGE_FORMAT_NOT_SUPPORTED/1": (
        "The implementation cannot create a memory object that is "
        "compatible with eglimage, for example because of its format."
    ),
    "clCreateFromEGLImageKHR/CL_INVALID_OPERATION/1": (
        "No device of context supports images, or flags is not supported for the type of eglimage."
    ),
    "clCreateEventFromEGLSyncKHR/CL_INVALID_CONTEXT/1": FROM_OPENGL_TEXT,
    "clCreateEventFromEGLSyncKHR/CL_INVALID_EGL_OBJECT_KHR/1": "sync is not a valid EGL fence sync object of display.",
    "clCreateFromGLBuffer/CL_INVALID_GL_OBJECT/1": (
        "bufobj is not an OpenGL buffer object, has no data store, or has size 0."
    ),
    "clCreateFromGLTexture/CL_INVALID_VALUE/1": "flags or target is not valid.",
    "clCreateFromGLTexture/CL_INVALID_MIP_LEVEL/1": (
        "miplevel is outside the levels that OpenGL defines for the texture."
    ),
    "clCreateFromGLTexture/CL_INVALID_MIP_LEVEL/2": (
        "miplevel is not 0, and the OpenGL implementation supports only level 0."
    ),
    "clCreateFromGLTexture/CL_INVALID_GL_OBJECT/1": (
        "texture does not match target or is incomplete, or miplevel is not defined or has a width or height of 0."
    ),
    "clCreateFromGLTexture/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1": (
        "The internal format of texture has no corresponding OpenCL image format."
    ),
    "clCreateFromGLTexture/CL_INVALID_OPERATION/1": "texture was created with a border.",
    "clCreateFromGLRenderbuffer/CL_INVALID_GL_OBJECT/1": (
        "renderbuffer is not an OpenGL renderbuffer object, or its width or height is 0."
    ),
    "clCreateFromGLRenderbuffer/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1": (
        "The internal format of renderbuffer has no corresponding OpenCL image format."
    ),
    "clCreateFromGLRenderbuffer/CL_INVALID_OPERATION/1": "renderbuffer is multisampled.",
    "clGetGLObjectInfo/CL_INVALID_GL_OBJECT/1": "memobj was not created from an OpenGL object.",
    "clGetGLTextureInfo/CL_INVALID_GL_OBJECT/1": "memobj was not created from an OpenGL texture.",
    "clCreateEventFromGLsyncKHR/CL_INVALID_GL_OBJECT/1": (
        "sync is not a sync object of the OpenGL share group of context."
    ),
    "clGetGLContextInfoKHR/CL_INVALID_OPERATION/1": (
        "The OpenGL properties name an unsupported binding API, or more than one binding API."
    ),
    "clGetGLContextInfoKHR/CL_INVALID_VALUE/1": "properties contains a property name that is not valid.",
}
"""Maps each error condition whose text does not follow a pattern to its text."""
QUEUE_FROM_OPENGL_TEXT = "The context of command_queue was not created from an OpenGL context."
SHARE_GROUP_TEXTS = {
    1: "The properties for EGL, GLX or WGL do not identify a valid OpenGL context that OpenCL can share with.",
    2: "CL_CGL_SHAREGROUP_KHR does not name a valid CGL share group.",
}
ORIGINS = {
    "DX9MediaSurfacesKHR": "a media surface",
    "D3D10ObjectsKHR": "a Direct3D 10 resource",
    "D3D11ObjectsKHR": "a Direct3D 11 resource",
    "EGLObjectsKHR": "an EGL resource",
    "GLObjects": "an OpenGL object",
}
"""Maps each suffix of an acquire or release command to the required origin of its memory objects."""


@functools.cache
def condition_texts() -> dict[str, str]:
    """Return the texts of the error conditions about objects of other APIs, as a mapping from ids to texts."""
    every = (
        CONDITION_TEXTS
        | _context_texts()
        | _command_texts()
        | _direct3d_texts("D3D10", 1)
        | _direct3d_texts("D3D11", 2)
    )
    every |= {
        f"{function}/CL_INVALID_CONTEXT/1": FROM_OPENGL_TEXT for function in (GL_BUFFER, GL_TEXTURE, GL_RENDERBUFFER)
    }
    every["clCreateEventFromGLsyncKHR/CL_INVALID_CONTEXT/1"] = FROM_OPENGL_TEXT
    return every


def _context_texts() -> dict[str, str]:
    """Return the texts of the error conditions about context properties."""
    words = {}
    for function in (*CONTEXTS, GL_INFO):
        for number, text in SHARE_GROUP_TEXTS.items():
            words[f"{function}/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/{number}"] = text
    for function in CONTEXTS:
        words[f"{function}/CL_INVALID_DX9_MEDIA_ADAPTER_KHR/1"] = (
            "A CL_CONTEXT_ADAPTER_* property does not name a valid media adapter that the OpenCL devices can share "
            "with."
        )
        words[f"{function}/CL_INVALID_OPERATION/3"] = (
            "The OpenGL properties name an unsupported binding API or more than one, or a device cannot share with "
            "OpenGL."
        )
    return words


def _command_texts() -> dict[str, str]:
    """Return the texts of the error conditions about memory objects that a command acquires or releases."""
    words = {}
    for suffix, made_from in ORIGINS.items():
        also = "" if suffix == "EGLObjectsKHR" else f", or was not created from {made_from}"
        for function in (f"clEnqueueAcquire{suffix}", f"clEnqueueRelease{suffix}"):
            words[f"{function}/CL_INVALID_MEM_OBJECT/1"] = (
                f"An element of mem_objects is not a valid memory object{also}."
            )
            for code in ("CL_INVALID_EGL_OBJECT_KHR", "CL_INVALID_GL_OBJECT"):
                words[f"{function}/{code}/1"] = f"An element of mem_objects was not created from {made_from}."
            for thing in ("D3D10_RESOURCE", "D3D11_RESOURCE", "DX9_MEDIA_SURFACE"):
                words[f"{function}/CL_{thing}_ALREADY_ACQUIRED_KHR/1"] = (
                    "An element of mem_objects is already acquired."
                )
                words[f"{function}/CL_{thing}_NOT_ACQUIRED_KHR/1"] = "An element of mem_objects is not acquired."
    for function in ("clEnqueueAcquireGLObjects", "clEnqueueReleaseGLObjects"):
        words[f"{function}/CL_INVALID_CONTEXT/1"] = QUEUE_FROM_OPENGL_TEXT
    return words


def _direct3d_texts(api: str, number: int) -> dict[str, str]:
    """Return the texts of the error conditions about a version of Direct3D.

    ``api``: the version, as function names contain it. ``number``: the last part of the id of the CL_INVALID_OPERATION
    condition.
    """
    full = f"Direct3D {api.removeprefix('D3D')}"
    devices, queue = (
        f"clGetDeviceIDsFrom{api}KHR",
        f"The context of command_queue was not created from a {full} device.",
    )
    unlike = f"resource is not a {full} {{}} of the device that context uses, is immutable{{}}, or has a memory object."
    resource = f"CL_INVALID_{api}_RESOURCE_KHR/1"
    not_made = f"was not created from a {full} resource."
    words = {
        f"{devices}/CL_INVALID_VALUE/1": "d3d_device_source or d3d_device_set is not valid, num_entries is 0 and "
        "devices is not NULL, or devices and num_devices are both NULL.",
        f"{devices}/CL_DEVICE_NOT_FOUND/1": "No OpenCL device corresponds to d3d_object.",
        f"clCreateFrom{api}BufferKHR/{resource}": unlike.format("buffer", ""),
        f"clGetImageInfo/{resource}": f"param_name is CL_IMAGE_{api}_SUBRESOURCE_KHR, but image {not_made}",
        f"clGetMemObjectInfo/{resource}": f"param_name is CL_MEM_{api}_RESOURCE_KHR, but memobj {not_made}",
        f"clEnqueueAcquire{api}ObjectsKHR/CL_INVALID_CONTEXT/1": queue,
        f"clEnqueueRelease{api}ObjectsKHR/CL_INVALID_CONTEXT/1": queue,
    }
    for function in CONTEXTS:
        words[f"{function}/CL_INVALID_{api}_DEVICE_KHR/1"] = (
            f"CL_CONTEXT_{api}_DEVICE_KHR does not name a valid {full} device that the OpenCL devices can share with."
        )
        words[f"{function}/CL_INVALID_OPERATION/{number}"] = (
            f"properties requests sharing with {full} and with another graphics API."
        )
    for function in (f"clCreateFrom{api}Texture2DKHR", f"clCreateFrom{api}Texture3DKHR"):
        words[f"{function}/{resource}"] = unlike.format("texture", " or multisampled")
        words[f"{function}/CL_INVALID_VALUE/1"] = (
            "flags is not valid, or subresource is not a subresource index of resource."
        )
        words[f"{function}/CL_INVALID_IMAGE_FORMAT_DESCRIPTOR/1"] = (
            f"The {full} format of resource has no corresponding OpenCL image format."
        )
    return words
