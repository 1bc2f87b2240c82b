"""Open points of section 5.9: kernels."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "no-pointers-at-an-address",
        "5.9.2, clSetKernelExecInfo: a list of pointers with a size of 0 at an address other than NULL, and an empty "
        "list of pointers to unified shared memory",
        "success and CL_INVALID_VALUE are both right",
        "an empty list is described as a size of 0 and NULL, for pointers to shared virtual memory (OpenCL-Docs issue "
        "1419)",
    ),
    Interpretation(
        "odd-information",
        "5.9.2, clSetKernelExecInfo: a value of the type cl_bool that is neither CL_TRUE nor CL_FALSE",
        "success, CL_INVALID_VALUE and, where no device supports fine-grain system SVM, CL_INVALID_OPERATION are right",
        "the clauses name CL_TRUE and sizes that are not valid, but C treats every value but zero as true",
    ),
    Interpretation(
        "code-of-an-argument",
        "5.9.2, clSetKernelArg: NULL for an argument that is an image, a pipe, a sampler or a device queue, and a "
        "memory object of another kind than the argument is declared as",
        "CL_INVALID_ARG_VALUE is right as well as the code for an object that is not valid",
        "a value that is no valid object is no valid value either, and no clause goes before the other",
    ),
    Interpretation(
        "nothing-for-an-argument",
        "5.9.2, clSetKernelArg: NULL as arg_value for an argument that is a value, an image, a pipe, a sampler or a "
        "device queue",
        "the call must fail",
        "only pointers to global, constant and local memory are said to take NULL, and for all others it must point to "
        "the value or object; which code that is has been asked (OpenCL-Docs issue 1506)",
    ),
    Interpretation(
        "address-for-local-memory",
        "5.9.2, clSetKernelArg: an address for an argument in local memory",
        "success and CL_INVALID_ARG_VALUE are both right",
        "the description demands NULL, but no clause names an error for anything else (OpenCL-Docs issue 1497)",
    ),
    Interpretation(
        "local-memory-of-no-byte",
        "5.9.2, clSetKernelArg: local memory of 0 bytes",
        "CL_INVALID_ARG_SIZE is required",
        "the clause says so in these words (OpenCL-Docs issue 1317); the official tests do not ask for it while the "
        "working group discusses the case (OpenCL-CTS pull request 2573)",
    ),
    Interpretation(
        "local-memory-of-no-byte-in-3.1",
        "5.9.2, clSetKernelArg: local memory of 0 bytes on devices of 3.1",
        "success and CL_INVALID_ARG_SIZE are both right",
        "the text of 3.1 has the error for older versions only, whatever the tables are by which a device is judged",
    ),
    Interpretation(
        "names-without-an-executable",
        "5.9.1, clCreateKernel: a name where there is no executable, or it is open whether there is one",
        "CL_INVALID_KERNEL_NAME is right as well as CL_INVALID_PROGRAM_EXECUTABLE",
        "no kernel is found in a program that has no executable, whatever its source declares",
    ),
    Interpretation(
        "executable-without-kernels",
        "5.8.9 and 5.9.1, clGetProgramInfo, clCreateKernel and clCreateKernelsInProgram: a program that was built and "
        "has no kernels",
        "CL_INVALID_PROGRAM_EXECUTABLE is right, and so is the answer that there are none",
        "whether something without a kernel is an executable is not said",
    ),
    Interpretation(
        "object-against-the-declaration",
        "5.9.2, clSetKernelArg: an image for a pointer, a buffer for an image, an image of another type",
        "the call must fail with CL_INVALID_ARG_VALUE or CL_INVALID_MEM_OBJECT; such calls are only made with "
        "--robustness",
        "the description of the argument's value says what the memory object must be, and a value that is something "
        "else is not a valid one; but the list of errors does not name the case",
    ),
    Interpretation(
        "argument-of-another-context",
        "5.9.2, clSetKernelArg: a memory object of another context than the kernel's",
        "success, CL_INVALID_ARG_VALUE and CL_INVALID_MEM_OBJECT are all right; such a kernel is not run",
        "the description demands the kernel's context, but no clause names another one as an error",
    ),
    Interpretation(
        "depth-of-an-argument",
        "5.9.2, clSetKernelArg: a depth image for an argument of a type without depth, and the reverse",
        "success, CL_INVALID_ARG_VALUE and CL_INVALID_MEM_OBJECT are all right where no clause about depth images "
        "holds",
        "a depth image is an image of the declared type, too, and the clause about depth images is about arguments "
        "that are declared as such",
    ),
    Interpretation(
        "access-to-read-and-write",
        "5.9.2, clSetKernelArg: an image with CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY for an argument declared "
        "read_write",
        "success, CL_INVALID_ARG_VALUE and CL_INVALID_MEM_OBJECT are all right",
        "the clause names arguments declared read_only and write_only; for read_write only the kernel's work would "
        "be wrong",
    ),
    Interpretation(
        "limits-of-constant-memory",
        "5.9.2, clSetKernelArg: a buffer larger than CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE for constant memory, and more "
        "local memory than CL_DEVICE_LOCAL_MEM_SIZE",
        "success, CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT and CL_MAX_SIZE_RESTRICTION_EXCEEDED are all right",
        "the description forbids the size without naming a code, and the clause about sizes speaks of what the "
        "language restricts",
    ),
    Interpretation(
        "argument-at-no-allocation",
        "5.9.2, clSetKernelArgSVMPointer: NULL, and an address in no allocation of shared virtual memory of the "
        "kernel's context",
        "success and CL_INVALID_ARG_VALUE are both right",
        "the clause does not say which values are not valid; a device may share all memory of the host, and a kernel "
        "may test a pointer for NULL",
    ),
    Interpretation(
        "address-of-an-image",
        "5.9.4, CL_KERNEL_ARG_ADDRESS_QUALIFIER of an image or a pipe that is declared without an address space",
        "CL_KERNEL_ARG_ADDRESS_GLOBAL and CL_KERNEL_ARG_ADDRESS_PRIVATE are both right",
        "without a qualifier the default, private, is to be returned; but OpenCL C has such objects in global memory",
    ),
    Interpretation(
        "built-for-one-of-several",
        "5.9.4, clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo: device",
        "CL_INVALID_DEVICE and success are both right for NULL where the program has several devices, but was built "
        "for one of them only",
        "one sentence counts all devices of the context as the kernel's, but only one of them has the kernel",
    ),
    Interpretation(
        "argument-info-kept",
        "5.9.4, CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
        "an answer is allowed in addition to the error where the program was built without -cl-kernel-arg-info, or "
        "not from source",
        "the clause does not forbid an implementation to keep the information without being asked to",
    ),
)
