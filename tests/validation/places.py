"""Calls OpenCL through ctypes, which releases the interpreter's lock before each call."""

import ctypes
import threading

opencl = ctypes.CDLL("libOpenCL.so.1")
opencl.clCreateContext.restype = opencl.clCreateBuffer.restype = ctypes.c_void_p
platform, device, error = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_int()


def allocate(size: int) -> None:
    flags, bytes_ = ctypes.c_uint64(0), ctypes.c_size_t(size)
    opencl.clCreateBuffer(context, flags, bytes_, None, ctypes.byref(error))  # PLACE inside


def refuse(depth: int = 0) -> None:
    if depth:
        refuse(depth - 1)
    else:
        allocate(0)  # PLACE outside


opencl.clGetPlatformIDs(0, ctypes.byref(platform), None)  # PLACE first
opencl.clGetPlatformIDs(1, ctypes.byref(platform), None)
opencl.clGetDeviceIDs(platform, ctypes.c_uint64(0xFFFFFFFF), 1, ctypes.byref(device), None)
context = ctypes.c_void_p(opencl.clCreateContext(None, 1, ctypes.byref(device), None, None, None))
for _ in range(3):
    refuse()
    refuse(50)
thread = threading.Thread(target=refuse)
thread.start()
thread.join()
opencl.clReleaseContext(context)
