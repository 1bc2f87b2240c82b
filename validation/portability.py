"""Detects calls that work on this device but perhaps not on others: sizes above the minimum for all devices."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import ElementList
from clconform.spec_tables.requirements import Limit
from clconform.validation.call_attribution import AttributedVerdict
from clconform.validation.findings import PORTABILITY, PROGRAM

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.calls.call import Call
    from clconform.spec_tables import Tables

_2D = ("CL_DEVICE_IMAGE2D_MAX_WIDTH", "CL_DEVICE_IMAGE2D_MAX_HEIGHT")
_3D = ("CL_DEVICE_IMAGE3D_MAX_WIDTH", "CL_DEVICE_IMAGE3D_MAX_HEIGHT", "CL_DEVICE_IMAGE3D_MAX_DEPTH")
_DIMENSIONS = ("image_width", "image_height", "image_depth")
_ARRAY = ("CL_DEVICE_IMAGE_MAX_ARRAY_SIZE",)
IMAGE_LIMIT_QUERIES = {
    "CL_MEM_OBJECT_IMAGE1D": (_2D[:1], ()),
    "CL_MEM_OBJECT_IMAGE1D_ARRAY": (_2D[:1], _ARRAY),
    "CL_MEM_OBJECT_IMAGE1D_BUFFER": (("CL_DEVICE_IMAGE_MAX_BUFFER_SIZE",), ()),
    "CL_MEM_OBJECT_IMAGE2D": (_2D, ()),
    "CL_MEM_OBJECT_IMAGE2D_ARRAY": (_2D, _ARRAY),
    "CL_MEM_OBJECT_IMAGE3D": (_3D, ()),
}
"""Maps image types to the queries that limit their dimensions, and to the query that limits their layers."""
LIMITED_QUERIES = (
    *_2D,
    *_3D,
    *_ARRAY,
    "CL_DEVICE_IMAGE_MAX_BUFFER_SIZE",
    "CL_DEVICE_LOCAL_MEM_SIZE",
    "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS",
)
"""The queries whose minimum limits calls are compared with."""
_TYPE_INDEX, _SIZES_INDEX, _LAYERS_INDEX = 0, 1, 4
"""Positions of fields in an image descriptor."""


def unguaranteed_sizes(call: Call, tables: Tables) -> Iterator[AttributedVerdict]:
    """Yield a verdict for each size above the minimum limit of the full profile; ``call``: a successful call."""
    for query, name, asked in _requested_sizes(call, tables):
        limit = tables.requirements.get(f"{query}/limit/1")
        if isinstance(limit, Limit) and asked > limit.value:
            words = f"{name} is {asked}, and a device need not support more than {limit.value} ({query})"
            values = {"query": query, "subject": name}
            yield AttributedVerdict(PROGRAM, PORTABILITY, (limit.id,), words, "CL_SUCCESS", values=values)


def _requested_sizes(call: Call, tables: Tables) -> Iterator[tuple[str, str, int]]:
    """Yield each limited size in a call: the query of its limit, its name and its value."""
    given = call.arguments
    if call.function in ("clCreateImage", "clCreateImageWithProperties") and isinstance(
        given["image_desc"], ElementList
    ):
        values = [value if isinstance(value, int) else 0 for value in given["image_desc"].values]
        kinds = (name for name in IMAGE_LIMIT_QUERIES if tables.enumerants[name].value == values[_TYPE_INDEX])
        sizes, layers = IMAGE_LIMIT_QUERIES.get(next(kinds, ""), ((), ()))
        yield from zip(sizes, _DIMENSIONS, values[_SIZES_INDEX:], strict=False)
        yield from zip(layers, ("image_array_size",), values[_LAYERS_INDEX:], strict=False)
    elif call.function in ("clCreateImage2D", "clCreateImage3D"):
        for query, name in zip(_2D if call.function.endswith("2D") else _3D, _DIMENSIONS, strict=False):
            yield query, name, _integer_or_zero(given[name])
    elif call.function == "clSetKernelArg" and given["arg_value"] is None:
        yield "CL_DEVICE_LOCAL_MEM_SIZE", "local memory", _integer_or_zero(given["arg_size"])
    elif call.function == "clEnqueueNDRangeKernel":
        yield "CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS", "work_dim", _integer_or_zero(given["work_dim"])


def _integer_or_zero(value: object) -> int:
    return value if isinstance(value, int) else 0
