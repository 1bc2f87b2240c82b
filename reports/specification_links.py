"""Links to the published specifications, which may be of a later revision than the tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.reports.run_result import RequirementResult

_REGISTRY = "https://registry.khronos.org/OpenCL"
PAGES = {
    "OpenCL": f"{_REGISTRY}/specs/3.0-unified/html/OpenCL_API.html",
    "cl_intel_unified_shared_memory": f"{_REGISTRY}/extensions/intel/cl_intel_unified_shared_memory.html",
    "cl_ext_device_fission": f"{_REGISTRY}/extensions/ext/cl_ext_device_fission.txt",
    "cl_amd_bus_addressable_memory": f"{_REGISTRY}/extensions/amd/cl_amd_bus_addressable_memory.txt",
}
"""Maps documents to their published pages."""


def specification_url(requirement: RequirementResult) -> str:
    """Return the address of the section that contains a requirement; empty if its document is not published there."""
    page = PAGES.get(requirement.document, "")
    return f"{page}#{requirement.anchor}" if page.endswith(".html") and requirement.anchor else page
