"""Lists the functions that release objects."""

from __future__ import annotations

RELEASE_FUNCTIONS = {
    "cl_event": "clReleaseEvent",
    "cl_command_buffer_khr": "clReleaseCommandBufferKHR",
    "cl_semaphore_khr": "clReleaseSemaphoreKHR",
    "cl_kernel": "clReleaseKernel",
    "cl_program": "clReleaseProgram",
    "cl_sampler": "clReleaseSampler",
    "cl_mem": "clReleaseMemObject",
    "void*": "clSVMFree",
    "cl_command_queue": "clReleaseCommandQueue",
    "cl_context": "clReleaseContext",
    "cl_device_id": "clReleaseDevice",
}
"""Maps each handle type to its release function, in the order of release: objects come before the objects they use."""
