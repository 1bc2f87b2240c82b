"""Error conditions about objects of other APIs that hold without such objects (5.2.5 to 5.5.13, 5.11.1, 5.18).

No context here shares with another API, and no memory object is created from an object of another API; the properties
of the context and the creating function show it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Data, Handle, Items
from clconform.oracles.engine.answers import BESIDE_NULL, UNKNOWN, Answer, May, Reply
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.memory_objects import MemoryObject
from clconform.oracles.model.queues import Queue
from clconform.oracles.recurring.flags import flags_not_valid
from clconform.oracles.recurring.objects import gravest, valid_object
from clconform.oracles.recurring.property_lists import read_list

if TYPE_CHECKING:
    from clconform.calls.call import Call
    from clconform.oracles.model.world import Model

rules = Rules()

PLATFORM, USER_SYNC = "CL_CONTEXT_PLATFORM", "CL_CONTEXT_INTEROP_USER_SYNC"
PLAIN = (PLATFORM, USER_SYNC, "CL_CONTEXT_MEMORY_INITIALIZE_KHR", "CL_CONTEXT_TERMINATE_KHR")
"""Properties of contexts that are unrelated to sharing."""


def shares_nothing(value: object, model: Model) -> Reply:
    """Return whether a context does not share with another API; unspecified if its properties are not all known."""
    context = model.known(value)
    if not isinstance(context, Context):
        return BESIDE_NULL if value is None else UNKNOWN
    listed = read_list(context.properties)
    plain = {model.value(name) for name in PLAIN}
    if context.tainted or listed is None or any(name not in plain for name, _ in listed):
        return UNKNOWN
    return Answer.MUST


def made_from_nothing(value: object, model: Model) -> Reply:
    """Return whether a memory object was not created from an object of another API; also for NULL."""
    if value is None:
        return BESIDE_NULL
    memory = model.known(value)
    if not isinstance(memory, MemoryObject):
        return UNKNOWN
    return UNKNOWN if memory.tainted else Answer.MUST


def _queue_shares_nothing(call: Call, model: Model) -> Reply:
    queue = model.known(call.command_queue)
    if not isinstance(queue, Queue) or queue.context is None:
        return BESIDE_NULL if call.command_queue is None else UNKNOWN
    reply = shares_nothing(Handle(queue.context.name), model)
    nothing = call.num_objects == 0 and call.mem_objects is None
    return May("nothing-to-hand-over") if nothing and reply is Answer.MUST else reply


@rules.clause(
    "clEnqueueAcquireGLObjects/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseGLObjects/CL_INVALID_CONTEXT/1",
)
def queue_without_opengl(call: Call, model: Model) -> Reply:
    """The context of command_queue was not created from an OpenGL context.

    Without objects the error is only allowed.
    """
    return _queue_shares_nothing(call, model)


@rules.clause(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_CONTEXT/1",
)
def queue_without_direct3d(call: Call, model: Model) -> Reply:
    """The context of command_queue was not created for a Direct3D or DX9 device.

    Without objects the error is only allowed.
    """
    return _queue_shares_nothing(call, model)


def _listed(call: Call) -> tuple[object, ...]:
    return call.mem_objects.values if isinstance(call.mem_objects, Items) else ()


@rules.clause(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D10ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_INVALID_MEM_OBJECT/1",
)
def not_made_from_direct3d(call: Call, model: Model) -> Reply:
    """An element of mem_objects is not a valid memory object, or was not created from a Direct3D or DX9 resource."""
    replies = [valid_object(value, "cl_mem", model) for value in _listed(call)]
    return gravest([*replies, *(made_from_nothing(value, model) for value in _listed(call) if value is not None)])


@rules.clause(
    "clEnqueueAcquireD3D10ObjectsKHR/CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR/1",
    "clEnqueueAcquireD3D11ObjectsKHR/CL_D3D11_RESOURCE_ALREADY_ACQUIRED_KHR/1",
    "clEnqueueAcquireDX9MediaSurfacesKHR/CL_DX9_MEDIA_SURFACE_ALREADY_ACQUIRED_KHR/1",
)
def already_acquired(call: Call, model: Model) -> Reply:
    """An element of mem_objects is already acquired; only objects created from a resource can be acquired."""
    ordinary = all(value is None or made_from_nothing(value, model) is Answer.MUST for value in _listed(call))
    return Answer.NO if ordinary else UNKNOWN


@rules.clause(
    "clEnqueueReleaseD3D10ObjectsKHR/CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR/1",
    "clEnqueueReleaseD3D11ObjectsKHR/CL_D3D11_RESOURCE_NOT_ACQUIRED_KHR/1",
    "clEnqueueReleaseDX9MediaSurfacesKHR/CL_DX9_MEDIA_SURFACE_NOT_ACQUIRED_KHR/1",
)
def not_acquired(call: Call, model: Model) -> Reply:
    """An element of mem_objects is not acquired.

    The error is only allowed for an object that was not created from a resource.
    """
    del model
    return UNKNOWN if _listed(call) else Answer.NO


@rules.clause(
    "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1", "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_MEM_OBJECT/1"
)
def no_memory_object(call: Call, model: Model) -> Reply:
    """An element of mem_objects is NULL or not a valid memory object."""
    return gravest(valid_object(value, "cl_mem", model) for value in _listed(call))


@rules.clause(
    "clEnqueueAcquireEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1",
    "clEnqueueReleaseEGLObjectsKHR/CL_INVALID_EGL_OBJECT_KHR/1",
)
def not_made_from_egl(call: Call, model: Model) -> Reply:
    """An element of mem_objects was not created from an EGL resource."""
    return gravest(made_from_nothing(value, model) for value in _listed(call))


@rules.clause(
    "clEnqueueAcquireGLObjects/CL_INVALID_GL_OBJECT/1",
    "clEnqueueReleaseGLObjects/CL_INVALID_GL_OBJECT/1",
)
def not_made_from_opengl(call: Call, model: Model) -> Reply:
    """An element of mem_objects was not created from an OpenGL object."""
    return gravest(made_from_nothing(value, model) for value in _listed(call))


@rules.clause("clGetGLObjectInfo/CL_INVALID_GL_OBJECT/1", "clGetGLTextureInfo/CL_INVALID_GL_OBJECT/1")
def asked_without_opengl(call: Call, model: Model) -> Reply:
    """memobj was not created from an OpenGL object or, for clGetGLTextureInfo, from an OpenGL texture."""
    return Answer.NO if call.memobj is None else made_from_nothing(call.memobj, model)


@rules.clause(
    "clCreateFromGLBuffer/CL_INVALID_CONTEXT/1",
    "clCreateFromGLTexture/CL_INVALID_CONTEXT/1",
    "clCreateFromGLRenderbuffer/CL_INVALID_CONTEXT/1",
    "clCreateEventFromGLsyncKHR/CL_INVALID_CONTEXT/1",
    "clCreateEventFromEGLSyncKHR/CL_INVALID_CONTEXT/1",
)
def context_without_opengl(call: Call, model: Model) -> Reply:
    """context is NULL, not a valid context, or was created without an OpenGL context to share with."""
    reply = valid_object(call.context, "cl_context", model)
    return reply if reply is not Answer.NO else shares_nothing(call.context, model)


@rules.clause("clCreateFromGLTexture/CL_INVALID_VALUE/1")
def texture_target_not_valid(call: Call, model: Model) -> Reply:
    """flags or target is not valid.

    Of the targets only 0 is known to be invalid.
    """
    if call.target == 0:
        return Answer.MUST
    return gravest([flags_not_valid(call.flags, "cl_mem_flags", call, model), UNKNOWN])


@rules.clause("clCreateEventFromGLsyncKHR/CL_INVALID_GL_OBJECT/1")
def no_sync_of_opengl(call: Call, model: Model) -> Reply:
    """sync is NULL, or not a sync object of the OpenGL share group of context; only NULL is passed."""
    del model
    return Answer.MUST if call.sync is None else Answer.UNDEFINED


@rules.clause("clCreateEventFromEGLSyncKHR/CL_INVALID_EGL_OBJECT_KHR/1")
def no_sync_of_egl(call: Call, model: Model) -> Reply:
    """sync is NULL, or not a fence sync object of display; only NULL is passed."""
    del model
    return Answer.MUST if call.sync is None and call.display is None else Answer.UNDEFINED


@rules.clause("clCreateFromEGLImageKHR/CL_INVALID_EGL_OBJECT_KHR/1")
def no_image_of_egl(call: Call, model: Model) -> Reply:
    """eglimage is NULL, or not a valid EGLImage; only NULL is passed."""
    del model
    return Answer.MUST if call.eglimage is None else Answer.UNDEFINED


@rules.clause("clCreateFromEGLImageKHR/CL_INVALID_VALUE/1")
def display_not_valid(call: Call, model: Model) -> Reply:
    """egldisplay is NULL or not a valid display, properties contains a property, or flags is not valid."""
    if call.egldisplay is not None:
        return Answer.UNDEFINED
    listed = read_list(call.properties)
    if listed is None:
        return Answer.UNDEFINED
    flags = flags_not_valid(call.flags, "cl_mem_flags", call, model)
    return Answer.MUST if listed or flags is Answer.MUST else May("display-of-no-image")


@rules.clause(
    "clCreateFromD3D10BufferKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D10Texture2DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D10Texture3DKHR/CL_INVALID_D3D10_RESOURCE_KHR/1",
    "clCreateFromD3D11BufferKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clCreateFromD3D11Texture2DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
    "clCreateFromD3D11Texture3DKHR/CL_INVALID_D3D11_RESOURCE_KHR/1",
)
def no_resource(call: Call, model: Model) -> Reply:
    """resource is NULL, or not a matching Direct3D resource; only NULL is passed."""
    del model
    return Answer.MUST if call.resource is None else Answer.UNDEFINED


@rules.clause(
    "clCreateFromD3D10Texture2DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D10Texture3DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D11Texture2DKHR/CL_INVALID_VALUE/1",
    "clCreateFromD3D11Texture3DKHR/CL_INVALID_VALUE/1",
)
def subresource_not_valid(call: Call, model: Model) -> Reply:
    """flags is not valid, or subresource is not a subresource of resource; unspecified for NULL."""
    return gravest([flags_not_valid(call.flags, "cl_mem_flags", call, model), BESIDE_NULL])


@rules.clause("clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1")
def no_surface(call: Call, model: Model) -> Reply:
    """The resource in surface_info is NULL or not a valid surface; only NULL is passed, with a NULL shared_handle."""
    del model
    empty = (
        isinstance(call.surface_info, Data)
        and len(call.surface_info.content) >= SURFACE
        and not any(call.surface_info.content)
    )
    return Answer.MUST if empty else Answer.UNDEFINED


SURFACE = 16
"""Size of a cl_dx9_surface_info_khr in bytes: two pointers."""


@rules.clause("clCreateFromDX9MediaSurfaceKHR/CL_INVALID_VALUE/1")
def plane_not_valid(call: Call, model: Model) -> Reply:
    """flags is not valid, or plane is not a plane of the resource; unspecified for NULL."""
    return gravest([flags_not_valid(call.flags, "cl_mem_flags", call, model), BESIDE_NULL])
