"""Error conditions of queries about other APIs that hold without their objects (4.2, 5.3.9, 5.5.6 and 5.18)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.sharing.error_conditions.objects import lacks_foreign_origin
from clconform.oracles.common.parameters import describe_missing_output, find_null
from clconform.oracles.common.property_lists import parse_list
from clconform.oracles.engine.predicate_result import MUST, NO, UNDEFINED, UNKNOWN, PredicateResult, must_if
from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.oracles.model.state import Model

rules = Rules()

PARAMETERS_BY_CODE = {
    "CL_INVALID_D3D10_RESOURCE_KHR": ("CL_MEM_D3D10_RESOURCE_KHR", "CL_IMAGE_D3D10_SUBRESOURCE_KHR"),
    "CL_INVALID_D3D11_RESOURCE_KHR": ("CL_MEM_D3D11_RESOURCE_KHR", "CL_IMAGE_D3D11_SUBRESOURCE_KHR"),
    "CL_INVALID_DX9_MEDIA_SURFACE_KHR": ("CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR", "CL_IMAGE_DX9_MEDIA_PLANE_KHR"),
}
"""Maps each error code to the values of param_name for which the code may be returned."""


def _queries_other_object(call: Call, code: str, model: Model) -> PredicateResult:
    """Return whether a call queries an object of another API, but the memory object does not have such an origin.

    ``code``: the error code for this query.
    """
    if call.param_name not in map(model.constant_value, PARAMETERS_BY_CODE[code]):
        return NO
    subject = next(iter(call.arguments.values()))
    return NO if subject is None else lacks_foreign_origin(subject, model)


@rules.clause("clGetMemObjectInfo/CL_INVALID_D3D10_RESOURCE_KHR/1", "clGetImageInfo/CL_INVALID_D3D10_RESOURCE_KHR/1")
def is_not_direct3d_10(call: Call, model: Model) -> PredicateResult:
    """param_name queries a Direct3D 10 resource, but the memory object was not created from a Direct3D 10 resource.

    The memory object is memobj of clGetMemObjectInfo, or image of clGetImageInfo. The values of param_name are
    CL_MEM_D3D10_RESOURCE_KHR and CL_IMAGE_D3D10_SUBRESOURCE_KHR.
    """
    return _queries_other_object(call, "CL_INVALID_D3D10_RESOURCE_KHR", model)


@rules.clause("clGetMemObjectInfo/CL_INVALID_D3D11_RESOURCE_KHR/1", "clGetImageInfo/CL_INVALID_D3D11_RESOURCE_KHR/1")
def is_not_direct3d_11(call: Call, model: Model) -> PredicateResult:
    """param_name queries a Direct3D 11 resource, but the memory object was not created from a Direct3D 11 resource.

    The memory object is memobj of clGetMemObjectInfo, or image of clGetImageInfo. The values of param_name are
    CL_MEM_D3D11_RESOURCE_KHR and CL_IMAGE_D3D11_SUBRESOURCE_KHR.
    """
    return _queries_other_object(call, "CL_INVALID_D3D11_RESOURCE_KHR", model)


@rules.clause(
    "clGetMemObjectInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1", "clGetImageInfo/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1"
)
def is_not_dx9(call: Call, model: Model) -> PredicateResult:
    """param_name queries a DX9 media surface, but the memory object was not created from a DX9 media surface.

    The memory object is memobj of clGetMemObjectInfo, or image of clGetImageInfo. The values of param_name are
    CL_MEM_DX9_MEDIA_SURFACE_INFO_KHR and CL_IMAGE_DX9_MEDIA_PLANE_KHR.
    """
    return _queries_other_object(call, "CL_INVALID_DX9_MEDIA_SURFACE_KHR", model)


# devices of other APIs


@rules.clause("clGetDeviceIDsFromD3D10KHR/CL_INVALID_VALUE/1", "clGetDeviceIDsFromD3D11KHR/CL_INVALID_VALUE/1")
def has_invalid_device_query(call: Call, model: Model) -> PredicateResult:
    """d3d_device_source or d3d_device_set is not valid, or num_entries and the outputs are inconsistent.

    The outputs are inconsistent if num_entries is 0 and devices is not NULL, or if devices and num_devices are both
    NULL.
    """
    if call.d3d_object is not None:
        return UNDEFINED
    return must_if(any(find_device_query_violations(call, model)))


@rules.alternatives_of("clGetDeviceIDsFromD3D10KHR/CL_INVALID_VALUE/1", "clGetDeviceIDsFromD3D11KHR/CL_INVALID_VALUE/1")
def find_device_query_violations(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: the source or the set is not valid, or the outputs are inconsistent."""
    api = "d3d11" if "D3D11" in call.function else "d3d10"
    if call.d3d_device_source not in model.tables.values_of_group(f"cl_{api}_device_source_khr").values():
        yield "d3d_device_source is not valid"
    if call.d3d_device_set not in model.tables.values_of_group(f"cl_{api}_device_set_khr").values():
        yield "d3d_device_set is not valid"
    if (call.num_entries == 0 and call.devices is not None) or (call.devices is None and call.num_devices is None):
        yield describe_missing_output(call, "num_entries", "devices", "num_devices")


@rules.clause("clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/1")
def lacks_adapters(call: Call, model: Model) -> PredicateResult:
    """num_media_adapters is 0, or media_adapter_type or media_adapters is NULL.

    The suites never pass a media adapter.
    """
    del model
    if call.media_adapters is not None:
        return UNDEFINED
    return MUST


@rules.alternatives_of("clGetDeviceIDsFromDX9MediaAdapterKHR/CL_INVALID_VALUE/1")
def find_missing_adapters(call: Call, model: Model) -> Iterator[str]:
    """Yield each alternative that holds: num_media_adapters is 0, and each list that is NULL."""
    del model
    if call.num_media_adapters == 0:
        yield "num_media_adapters is 0"
    yield from find_null(call, "media_adapter_type", "media_adapters")


@rules.clause("clGetGLContextInfoKHR/CL_INVALID_VALUE/1")
def has_unknown_property(call: Call, model: Model) -> PredicateResult:
    """properties contains a property name that the documents do not define for contexts."""
    listed = parse_list(call.properties)
    if listed is None:
        return UNDEFINED
    if model.through_loader and model.constant_value("CL_CONTEXT_PLATFORM") not in [name for name, _ in listed]:
        return UNDEFINED  # the loader cannot select a driver, and returns an error itself
    known = set(model.tables.values_of_group("cl_context_properties").values())
    return must_if(any(name not in known for name, _ in listed))


@rules.clause("clGetGLContextInfoKHR/CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR/2")
def lacks_opengl_context(call: Call, model: Model) -> PredicateResult:
    """properties does not identify exactly one OpenGL context to share with.

    The suites pass only lists without an OpenGL context, for which the error is optional.
    """
    handles = {
        model.constant_value(f"CL_{name}_KHR")
        for name in CONTEXT_PROPERTIES
        if f"CL_{name}_KHR" in model.tables.enumerants
    }
    listed = parse_list(call.properties) or []
    return UNDEFINED if any(name in handles for name, _ in listed) else UNKNOWN


CONTEXT_PROPERTIES = ("GL_CONTEXT", "EGL_DISPLAY", "GLX_DISPLAY", "WGL_HDC", "CGL_SHAREGROUP")
"""Parts of property names that identify an OpenGL context."""
