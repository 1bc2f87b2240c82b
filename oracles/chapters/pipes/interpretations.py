"""Interpretations of section 5.4: pipes."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "packet-too-large-for-some-devices",
        "5.4.1, clCreatePipe: pipe_packet_size exceeds CL_DEVICE_PIPE_MAX_PACKET_SIZE of some devices in context",
        "success and CL_INVALID_PIPE_SIZE are both allowed",
        "the error condition names the limit of all devices, which may mean that each is exceeded, or that any is",
    ),
    Interpretation(
        "pipe-size-without-pipe-support",
        "5.4.1, clCreatePipe: a packet of any size if no device in context supports pipes, or none is known",
        "CL_INVALID_PIPE_SIZE is allowed in addition to CL_INVALID_OPERATION",
        "the limit of a device without pipes is 0, which every size exceeds; error conditions have no order",
    ),
    Interpretation(
        "pipe-flags-before-3.0",
        "5.4.1, clCreatePipe: CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY on drivers of versions before 3.0",
        "success and CL_INVALID_VALUE are both allowed, and CL_MEM_READ_WRITE alone is also a default of flags",
        "the reference pages of 2.0 list these flags for pipes, and differ in the default",
    ),
    Interpretation(
        "pipe-flags",
        "5.4.1, clCreatePipe, and 5.5.7, CL_MEM_FLAGS of a pipe",
        "after flags of 0 the value is 0 or CL_MEM_READ_WRITE | CL_MEM_HOST_NO_ACCESS; after one of these flags it is "
        "that flag, or both",
        "the query returns the flags given at creation, and 0 stands for the default; the host can never access a "
        "pipe, and CL_MEM_READ_WRITE is the default of the kernel access",
    ),
)
