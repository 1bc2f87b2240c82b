"""Error conditions about objects of other APIs that hold without such objects (5.2.5 to 5.5.13, 5.11.1, 5.18).

The suites do not create contexts that share with another API, or memory objects from objects of another API. The
predicates confirm this by the properties of the context, and by the function that created the memory object.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, ElementList, Handle
from clconform.oracles.common.flags import are_flags_invalid, find_flag_violations
from clconform.oracles.common.objects import find_invalid_object, is_invalid_object
from clconform.oracles.common.property_lists import parse_list
from clconform.oracles.engine.predicate_result import (
    MUST,
    NO,
    RELATED_TO_NULL,
    UNDEFINED,
    UNKNOWN,
    PredicateResult,
    may,
    strongest_result,
)
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.queues import CommandQueue

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

PLATFORM, USER_SYNC = "CL_CONTEXT_PLATFORM", "CL_CONTEXT_INTEROP_USER_SYNC"
UNRELATED_PROPERTIES = (PLATFORM, USER_SYNC, "CL_CONTEXT_MEMORY_INITIALIZE_KHR", "CL_CONTEXT_TERMINATE_KHR")
"""Properties of contexts that are unrelated to sharing."""


def lacks_sharing(value: object, model: Model) -> PredicateResult:
    """Return whether a context does not share with another API. The error is optional if its properties are unknown."""
    context = model.find(value)
    if not isinstance(context, Context):
        return RELATED_TO_NULL if value is None else UNKNOWN
    listed = parse_list(context.properties)
    plain = {model.constant_value(name) for name in UNRELATED_PROPERTIES}
    if context.tainted or listed is None or any(name not in plain for name, _ in listed):
        return UNKNOWN
    return MUST


def lacks_foreign_origin(value: object, model: Model) -> PredicateResult:
    """Return whether a memory object was not created from an object of another API. The error is optional for NULL."""
    if value is None:
        return RELATED_TO_NULL
    memory = model.find(value)
    if not isinstance(memory, MemoryObject):
        return UNKNOWN
    return UNKNOWN if memory.tainted else MUST


def _queue_lacks_sharing(call: Call, model: Model) -> PredicateResult:
    queue = model.find(call.command_queue)
    if not isinstance(queue, CommandQueue) or queue.context is None:
        return RELATED_TO_NULL if call.command_queue is None else UNKNOWN
    reply = lacks_sharing(Handle(queue.context.name), model)
    nothing = call.num_objects == 0 and call.mem_objects is None
    return may("acquire-without-objects") if nothing and reply is MUST else reply


@rules.clause(
    "clEnqueueAcquireGLObjects/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseGLObjects/CL_INVALID_CONTEXT/1",
)
def queue_lacks_opengl(call: Call, model: Model) -> PredicateResult:
    """The context of command_queue was not created from an OpenGL context.

    If num_objects is 0 and mem_objects is NULL, the error is optional.
    """
    return _queue_lacks_sharing(call, model)


@rules.clause(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
)
def queue_lacks_direct3d(call: Call, model: Model) -> PredicateResult:
    """The context of command_queue was not created for a Direct3D or DX9 device.

    If num_objects is 0 and mem_objects is NULL, the error is optional.
    """
    return _queue_lacks_sharing(call, model)


def _listed_objects(call: Call) -> tuple[object, ...]:
    return call.mem_objects.values if isinstance(call.mem_objects, ElementList) else ()


@rules.clause(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
)
def lacks_direct3d_origin(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects is not a valid memory object, or was not created from a Direct3D or DX9 resource."""
    replies = [is_invalid_object(value, "cl_mem", model) for value in _listed_objects(call)]
    return strongest_result(
        [*replies, *(lacks_foreign_origin(value, model) for value in _listed_objects(call) if value is not None)]
    )


@rules.alternatives_of(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
)
def find_objects_without_direct3d(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of mem_objects that is not valid, or was not created from a Direct3D or DX9 resource."""
    yield from find_invalid_object("mem_objects", call.mem_objects, "cl_mem", model)
    for at, value in enumerate(_listed_objects(call)):
        if value is not None and lacks_foreign_origin(value, model).is_must:
            yield f"mem_objects[{at}] was not created from a Direct3D or DX9 resource"


@rules.clause(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_D3D11_RESOURCE_ALREADY_ACQUIRED_KHR/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_DX9_MEDIA_SURFACE_ALREADY_ACQUIRED_KHR/1",
)
def is_already_acquired(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects is already acquired.

    Only a memory object that was created from a resource of the API can be acquired.
    """
    ordinary = all(value is None or lacks_foreign_origin(value, model) is MUST for value in _listed_objects(call))
    return NO if ordinary else UNKNOWN


@rules.clause(
    "clEnqueueReleaseD3D10ObjectsKHR/CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_D3D11_RESOURCE_NOT_ACQUIRED_KHR/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_DX9_MEDIA_SURFACE_NOT_ACQUIRED_KHR/1",
)
def is_not_acquired(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects is not acquired.

    The error is optional for a memory object that was not created from a resource of the API.
    """
    del model
    return UNKNOWN if _listed_objects(call) else NO


@rules.clause(
    "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1", "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1"
)
def has_invalid_memory_object(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects is NULL or not a valid memory object."""
    return strongest_result(is_invalid_object(value, "cl_mem", model) for value in _listed_objects(call))


@rules.alternatives_of(
    "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1", "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1"
)
def find_invalid_memory_objects(call: Call, model: Model) -> Iterator[str]:
    """Yield each element of mem_objects that is NULL or not a valid memory object."""
    return find_invalid_object("mem_objects", call.mem_objects, "cl_mem", model)


@rules.clause(
    "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1",
    "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1",
)
def lacks_egl_origin(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects was not created from an EGL resource."""
    return strongest_result(lacks_foreign_origin(value, model) for value in _listed_objects(call))


@rules.clause(
    "clEnqueueAcquireGLObjects/CL_INVALID_GL_OBJECT/1",
    "clEnqueueReleaseGLObjects/CL_INVALID_GL_OBJECT/1",
)
def lacks_opengl_origin(call: Call, model: Model) -> PredicateResult:
    """An element of mem_objects was not created from an OpenGL object."""
    return strongest_result(lacks_foreign_origin(value, model) for value in _listed_objects(call))


@rules.clause("clGetGLObjectInfo/CL_INVALID_GL_OBJECT/1", "clGetGLTextureInfo/CL_INVALID_GL_OBJECT/1")
def is_query_without_opengl(call: Call, model: Model) -> PredicateResult:
    """memobj was not created from an OpenGL object or, for clGetGLTextureInfo, from an OpenGL texture."""
    return NO if call.memobj is None else lacks_foreign_origin(call.memobj, model)


@rules.clause(
    "clCreateFromGLBuffer/CL_INVALID_CONTEXT/1",
    "clCreateFromGLTexture/CL_INVALID_CONTEXT/1",
    "clCreateFromGLRenderbuffer/CL_INVALID_CONTEXT/1",
    "clCreateEventFromGLsyncKHR/CL_INVALID_CONTEXT/1",
    "clCreateEventFromEGLSyncKHR/CL_INVALID_CONTEXT/1",
)
def context_lacks_opengl(call: Call, model: Model) -> PredicateResult:
    """context is NULL, not a valid context, or was created without an OpenGL context to share with."""
    reply = is_invalid_object(call.context, "cl_context", model)
    return reply if reply is not NO else lacks_sharing(call.context, model)


@rules.alternatives_of(
    "clCreateFromGLBuffer/CL_INVALID_CONTEXT/1",
    "clCreateFromGLTexture/CL_INVALID_CONTEXT/1",
    "clCreateFromGLRenderbuffer/CL_INVALID_CONTEXT/1",
    "clCreateEventFromGLsyncKHR/CL_INVALID_CONTEXT/1",
    "clCreateEventFromEGLSyncKHR/CL_INVALID_CONTEXT/1",
)
def find_context_violation(call: Call, model: Model) -> Iterator[str]:
    """Yield the alternative that holds: context is NULL, not a valid context, or does not share with OpenGL."""
    found = list(find_invalid_object("context", call.context, "cl_context", model))
    yield from found or ["context was created without an OpenGL context to share with"]


@rules.clause("clCreateFromGLTexture/CL_INVALID_VALUE/1")
def is_texture_target_invalid(call: Call, model: Model) -> PredicateResult:
    """flags or target is not valid.

    Only the target 0 is known to be invalid; for other targets the error is optional.
    """
    if call.target == 0:
        return MUST
    return strongest_result([are_flags_invalid(call.flags, "cl_mem_flags", call, model), UNKNOWN])


@rules.alternatives_of("clCreateFromGLTexture/CL_INVALID_VALUE/1")
def find_texture_target_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: target is 0, or flags is not valid."""
    if call.target == 0:
        yield "target is 0"
    yield from find_flag_violations("flags", call.flags, "cl_mem_flags", call, model)


@rules.clause("clCreateEventFromGLsyncKHR/CL_INVALID_GL_OBJECT/1")
def lacks_opengl_sync(call: Call, model: Model) -> PredicateResult:
    """sync is NULL, or not a sync object of the OpenGL share group of context; the suites pass only NULL."""
    del model
    return MUST if call.sync is None else UNDEFINED


@rules.clause("clCreateEventFromEGLSyncKHR/CL_INVALID_EGL_OBJECT_KHR/1")
def lacks_egl_sync(call: Call, model: Model) -> PredicateResult:
    """sync is NULL, or not a fence sync object of display; the suites pass only NULL."""
    del model
    return MUST if call.sync is None and call.display is None else UNDEFINED


@rules.clause("clCreateFromEGLImageKHR/CL_INVALID_EGL_OBJECT_KHR/1")
def lacks_egl_image(call: Call, model: Model) -> PredicateResult:
    """eglimage is NULL, or not a valid EGLImage; the suites pass only NULL."""
    del model
    return MUST if call.eglimage is None else UNDEFINED


@rules.clause("clCreateFromEGLImageKHR/CL_INVALID_VALUE/1")
def is_display_invalid(call: Call, model: Model) -> PredicateResult:
    """egldisplay is NULL or not a valid display, properties contains a property, or flags is not valid.

    The error is optional if egldisplay is NULL, and properties and flags are valid.
    """
    if call.egldisplay is not None:
        return UNDEFINED
    listed = parse_list(call.properties)
    if listed is None:
        return UNDEFINED
    flags = are_flags_invalid(call.flags, "cl_mem_flags", call, model)
    return MUST if listed or flags is MUST else may("egl-display-without-image")


@rules.alternatives_of("clCreateFromEGLImageKHR/CL_INVALID_VALUE/1")
def find_display_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: properties contains a property, or flags is not valid."""
    if parse_list(call.properties):
        yield "properties contains a property"
    yield from find_flag_violations("flags", call.flags, "cl_mem_flags", call, model)


@rules.clause(
    "clCreateFromD3D10BufferKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D10Texture2DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D10Texture3DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D11BufferKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clCreateFromD3D11Texture2DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clCreateFromD3D11Texture3DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
)
def lacks_resource(call: Call, model: Model) -> PredicateResult:
    """resource is NULL, or not a matching Direct3D resource; the suites pass only NULL."""
    del model
    return MUST if call.resource is None else UNDEFINED


@rules.clause(
    "clCreateFromD3D10Texture2DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D10Texture3DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D11Texture2DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D11Texture3DKHR/CL_INVALID_VALUE/1",
)
def is_subresource_invalid(call: Call, model: Model) -> PredicateResult:
    """flags is not valid, or subresource is not a subresource of resource.

    The error is optional if resource is NULL and flags is valid.
    """
    return strongest_result([are_flags_invalid(call.flags, "cl_mem_flags", call, model), RELATED_TO_NULL])


@rules.clause("clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1")
def lacks_surface(call: Call, model: Model) -> PredicateResult:
    """The resource in surface_info is NULL or not a valid surface.

    The suites pass only a NULL resource with a NULL shared_handle.
    """
    del model
    empty = (
        isinstance(call.surface_info, Data)
        and len(call.surface_info.content) >= SURFACE_INFO_BYTES
        and not any(call.surface_info.content)
    )
    return MUST if empty else UNDEFINED


SURFACE_INFO_BYTES = 16
"""Size of a cl_dx9_surface_info_khr in bytes: two pointers."""


@rules.clause("clCreateFromDX9MediaSurfaceKHR/CL_INVALID_VALUE/1")
def is_plane_invalid(call: Call, model: Model) -> PredicateResult:
    """flags is not valid, or plane is not a plane of the resource in surface_info.

    If the resource is NULL and flags is valid, the error is optional.
    """
    return strongest_result([are_flags_invalid(call.flags, "cl_mem_flags", call, model), RELATED_TO_NULL])
