"""A valid program that, with an argument, violates a rule in each line with a comment WRONG and the rule's name.

The name is an error condition, or a kind of finding and a function.
"""
# ruff: noqa: ANN001, ANN201, B018, T201 (a program of a user)

import contextlib
import ctypes
import sys

import numpy as np
import pyopencl as cl

MISTAKES = len(sys.argv) > 1
copy, flags, maps = cl.enqueue_copy, cl.mem_flags, cl.map_flags
SOURCE = """
kernel void scale(global int *all, int by) { all[get_global_id(0)] *= by; }
kernel void keep(global int *all, local int *some) { some[0] = all[0]; all[0] = some[0] + 1; }
"""


refused = contextlib.suppress(cl.Error)


def keep_forever(thing):
    """Keep an object alive forever, so that its OpenCL objects are never released."""
    ctypes.pythonapi.Py_IncRef(ctypes.py_object(thing))


device = cl.get_platforms()[0].get_devices()[0]
context = cl.Context([device])
queue = cl.CommandQueue(context)
other = cl.CommandQueue(context, properties=cl.command_queue_properties.PROFILING_ENABLE)
numbers, back, more = np.arange(64, dtype=np.int32), np.zeros(64, np.int32), np.zeros(64, np.int32)
buffer = cl.Buffer(context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=numbers)
read_only = cl.Buffer(context, flags.READ_WRITE | flags.HOST_READ_ONLY, 256)
spare = cl.Buffer(context, flags.READ_WRITE, 256)
program = cl.Program(context, SOURCE).build()
scale, keep = cl.Kernel(program, "scale"), cl.Kernel(program, "keep")
four = np.array([1], dtype=np.int32)

if MISTAKES:
    with refused:
        cl.Buffer(context, flags.READ_ONLY | flags.WRITE_ONLY, 64)  # WRONG clCreateBuffer/CL_INVALID_VALUE
if MISTAKES:
    with refused:
        cl.Buffer(context, flags.READ_WRITE, 1 << 60)  # WRONG clCreateBuffer/CL_INVALID_BUFFER_SIZE
if MISTAKES:
    with refused:
        buffer.get_sub_region(0, 512)  # WRONG clCreateSubBuffer/CL_INVALID_VALUE

scale.set_args(buffer, np.int32(3))
keep.set_arg(1, cl.LocalMemory(1024))
if MISTAKES:
    with refused:
        keep.set_arg(1, cl.LocalMemory(40000))  # WRONG portability clSetKernelArg
if MISTAKES:
    with refused:
        cl.CommandQueue(context, properties=1 << 20)  # WRONG clCreateCommandQueueWithProperties/CL_INVALID_VALUE
launched = cl.enqueue_nd_range_kernel(queue, scale, (64,), None)
if MISTAKES:
    with refused:
        cl.enqueue_nd_range_kernel(queue, scale, (64,), (7,))  # WRONG clEnqueueNDRangeKernel/CL_INVALID_WORK_GROUP_SIZE

cl.enqueue_copy(queue, back, buffer, wait_for=[launched])
if MISTAKES:
    with refused:
        cl.enqueue_copy(queue, back, buffer, src_offset=4)  # WRONG clEnqueueReadBuffer/CL_INVALID_VALUE
if MISTAKES:
    with refused:
        cl.enqueue_copy(queue, read_only, numbers)  # WRONG clEnqueueWriteBuffer/CL_INVALID_OPERATION
if MISTAKES:
    with refused:
        copy(queue, buffer, buffer, byte_count=64, dst_offset=4)  # WRONG clEnqueueCopyBuffer/CL_MEM_COPY_OVERLAP
if MISTAKES:
    with refused:
        copy(queue, spare, buffer, byte_count=64, dst_offset=256)  # WRONG clEnqueueCopyBuffer/CL_INVALID_VALUE
if MISTAKES:
    with refused:
        cl.enqueue_fill_buffer(queue, spare, np.zeros(3, np.int8), 0, 255)  # WRONG clEnqueueFillBuffer/CL_INVALID_VALUE
if MISTAKES:
    with refused:
        cl.enqueue_fill_buffer(queue, spare, four, 2, 8)  # WRONG clEnqueueFillBuffer/CL_INVALID_VALUE
if MISTAKES:
    with refused:
        launched.profile.end  # WRONG clGetEventProfilingInfo/CL_PROFILING_INFO_NOT_AVAILABLE

gate = cl.UserEvent(context)
waiting = cl.enqueue_marker(queue, wait_for=[gate])
if MISTAKES:
    with refused:
        gate.set_status(cl.command_execution_status.RUNNING)  # WRONG clSetUserEventStatus/CL_INVALID_VALUE
gate.set_status(cl.command_execution_status.COMPLETE)
if MISTAKES:
    with refused:
        gate.set_status(cl.command_execution_status.COMPLETE)  # WRONG clSetUserEventStatus/CL_INVALID_OPERATION
waiting.wait()
if MISTAKES:
    with refused:
        cl.wait_for_events([])  # WRONG clWaitForEvents/CL_INVALID_VALUE

# two queues, with and without an order between them
written = cl.enqueue_copy(queue, spare, numbers, is_blocking=False)
queue.flush()
if MISTAKES:
    with refused:
        cl.enqueue_copy(other, back, spare)  # WRONG undefined clEnqueueReadBuffer
cl.enqueue_copy(other, back, spare, wait_for=[written])
queue.finish()

# host memory of a command that may still be running
read = cl.enqueue_copy(queue, more, buffer, is_blocking=False)
if MISTAKES:
    with refused:
        cl.enqueue_copy(other, spare, more)  # WRONG undefined clEnqueueWriteBuffer
queue.finish()
other.finish()

# mapped regions
mapped, _ = cl.enqueue_map_buffer(queue, buffer, maps.WRITE, 0, (32,), np.int32, is_blocking=True)
if MISTAKES:
    with refused:
        cl.enqueue_copy(queue, back[:16], buffer)  # WRONG undefined clEnqueueReadBuffer
mapped.base.release(queue)
queue.finish()

# a buffer after its release, which still exists because of its sub-buffer
parent = cl.Buffer(context, flags.READ_WRITE, 256)
part = parent.get_sub_region(0, 128)
if MISTAKES:
    once_more = cl.MemoryObject.from_int_ptr(parent.int_ptr, retain=False)
    keep_forever(once_more)
parent.release()
if MISTAKES:
    once_more.get_info(cl.mem_info.SIZE)  # WRONG undefined clGetMemObjectInfo

# a user event that is never set, and a buffer that is never released
if MISTAKES:
    left = cl.UserEvent(context)  # WRONG advice clCreateUserEvent
    kept = cl.Buffer(context, flags.READ_WRITE, 64)  # WRONG advice clCreateBuffer
    keep_forever(left)
    keep_forever(kept)
print(back[1])
