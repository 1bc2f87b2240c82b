"""Untestable requirements of sharing with other APIs (Direct3D, DX9, EGL, OpenGL): they need objects of these APIs."""

from __future__ import annotations

import fnmatch
from typing import TYPE_CHECKING

from clconform.oracles.chapters.sharing.conditions import condition_texts
from clconform.oracles.common.interop import INTERFACES, takes_foreign_objects
from clconform.oracles.engine.rules import Rules
from clconform.spec_tables.requirements import CommandType, Effect, ErrorCondition, Flag, Query, Success

if TYPE_CHECKING:
    from clconform.spec_tables import Tables
    from clconform.spec_tables.requirements import Requirement

rules = Rules()

TESTABLE_WITHOUT_OBJECTS = (
    "clCreateFromGL*/CL_INVALID_CONTEXT/1",
    "clGetGLObjectInfo/CL_INVALID_MEM_OBJECT/1",
    "clGetGLObjectInfo/CL_INVALID_GL_OBJECT/1",
    "clGetGLTextureInfo/CL_INVALID_MEM_OBJECT/1",
    "clGetGLTextureInfo/CL_INVALID_GL_OBJECT/1",
    "clGetGLContextInfoKHR/CL_INVALID_VALUE/1",
    "clEnqueue*/CL_INVALID_COMMAND_QUEUE/1",
    "clEnqueue*/CL_INVALID_EVENT_WAIT_LIST/1",
    "clEnqueue*EGLObjectsKHR/CL_INVALID_*",
    "clEnqueue*/success",
    "clCreateFromD3D1*/CL_INVALID_D3D1?_RESOURCE_KHR/1",
    "clCreateFromDX9MediaSurfaceKHR/CL_INVALID_DX9_MEDIA_SURFACE_KHR/1",
    "clCreateFromEGLImageKHR/CL_INVALID_EGL_OBJECT_KHR/1",
    "clGetDeviceIDsFromD3D1?KHR/CL_INVALID_*",
    "clGet[MI]*Info/CL_INVALID_D*",
)
"""Patterns of requirements that calls without objects of other APIs can cover."""
CONTEXT_FUNCTIONS = ("clCreateContext", "clCreateContextFromType", "clGetContextInfo")
"""Functions for whose properties and queries other modules declare the rules."""
REQUIREMENT_CLASSES = (ErrorCondition, Effect, Success, CommandType, Flag, Query)
"""Classes of requirements that ``declare_untestable`` considers."""


def interface_of(requirement: Requirement, tables: Tables) -> str:
    """Return the API whose objects a requirement is about, or an empty string."""
    function = tables.functions.get(getattr(requirement, "function", ""))
    names = {
        gate.name for gate in (*requirement.applicability, *(function.applicability if function is not None else ()))
    }
    return next((INTERFACES[name] for name in sorted(names) if name in INTERFACES), "")


@rules.completion
def declare_untestable(rules: Rules, tables: Tables) -> None:
    """Declare requirements untestable that need objects of another API, with one reason for each API.

    Without such objects these requirements do not apply, or other error conditions hold as well.
    """
    tested = {requirement for requirement, _ in rules.coverage_points.entries}
    for requirement in tables.requirements.values():
        interface = interface_of(requirement, tables) if isinstance(requirement, REQUIREMENT_CLASSES) else ""
        if not interface or any(fnmatch.fnmatchcase(requirement.id, each) for each in TESTABLE_WITHOUT_OBJECTS):
            continue
        if requirement.id in rules.not_testable.entries:
            continue
        if isinstance(requirement, ErrorCondition):
            if requirement.condition.kind.startswith("resources"):
                continue
            _set_text(requirement, interface, rules)
        elif getattr(requirement, "function", "") in CONTEXT_FUNCTIONS or (
            requirement.id in tested
            and not takes_foreign_objects(tables.functions.get(getattr(requirement, "function", "")))
        ):
            continue
        rules.not_testable.add(requirement.id, f"it needs objects of {interface}, which this suite does not create")


FORMAT_SECTIONS = {"5.3.3.1": "DX9 media surfaces", "5.3.3.2": "Direct3D", "5.3.3.3": "OpenGL"}
"""Maps each section with a format table to the API whose formats the table lists."""
rules.words["CL_GL_NUM_SAMPLES/effect/1"] = ""
UNGIVEN_PROPERTY_REASON = "no query returns the value of a property that is not in the list"


@rules.completion
def _declare_formats(rules: Rules, tables: Tables) -> None:
    """Declare the format tables untestable, and some requirements for images and contexts that are shared."""
    for requirement in tables.requirements.values():
        interface = FORMAT_SECTIONS.get(requirement.section.number, "")
        if interface and requirement.id not in rules.not_testable.entries:
            rules.not_testable.add(requirement.id, f"it needs objects of {interface}, which this suite does not create")
    for record_id in (
        "OpenCL:restrictions-on-depth-stencil-images/1",
        "OpenCL:restrictions-on-depth-stencil-images/2",
        "OpenCL:restrictions-on-multi-sample-images/1",
        "OpenCL:synchronization-with-opengl/1",
    ):
        rules.not_testable.add(record_id, "it needs objects of OpenGL, which this suite does not create")
    for name in ("CGL_SHAREGROUP", "CONTEXT_D3D10_DEVICE", "CONTEXT_D3D11_DEVICE", "EGL_DISPLAY", "GL_CONTEXT"):
        rules.not_testable.add(f"CL_{name}_KHR/effect/1", UNGIVEN_PROPERTY_REASON)
    rules.not_testable.add("CL_WGL_HDC_KHR/effect/1", UNGIVEN_PROPERTY_REASON)


def _set_text(requirement: ErrorCondition, interface: str, rules: Rules) -> None:
    """Set the text of an error condition if neither a predicate nor the tables provide a text."""
    if requirement.condition.kind == "other" and requirement.id not in rules.words:
        general = f"An object of {interface} in the call, or a memory object created from one, is not valid."
        rules.words[requirement.id] = condition_texts().get(requirement.id, general)
