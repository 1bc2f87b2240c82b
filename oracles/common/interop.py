"""Other APIs whose objects OpenCL can share, by extension; the suites do not create objects of these APIs."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.spec_tables.entries import Function

INTERFACES = {
    "cl_khr_d3d10_sharing": "Direct3D 10",
    "cl_khr_d3d11_sharing": "Direct3D 11",
    "cl_khr_dx9_media_sharing": "DX9 media surfaces",
    "cl_khr_egl_image": "EGL",
    "cl_khr_egl_event": "EGL",
    "cl_khr_gl_sharing": "OpenGL",
    "cl_khr_gl_event": "OpenGL",
}
"""Extension to the name of the API whose objects it shares."""


def takes_foreign_objects(function: Function | None) -> bool:
    """Return whether a function belongs to one of these extensions: it can only succeed with objects of another API."""
    return function is not None and any(gate.name in INTERFACES for gate in function.applicability)
