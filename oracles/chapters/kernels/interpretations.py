"""Interpretations of section 5.9: kernels."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "empty-pointer-list",
        "5.9.2, clSetKernelExecInfo: a list of pointers with a size of 0 at an address other than NULL, and an empty "
        "list of USM pointers",
        "success and CL_INVALID_VALUE are both allowed",
        "for SVM pointers, an empty list is described as a size of 0 and NULL (OpenCL-Docs issue 1419)",
    ),
    Interpretation(
        "boolean-neither-true-nor-false",
        "5.9.2, clSetKernelExecInfo: a value of the type cl_bool that is neither CL_TRUE nor CL_FALSE",
        (
            "success and CL_INVALID_VALUE are allowed, and CL_INVALID_OPERATION if no device supports fine-grain "
            "system SVM"
        ),
        "the error conditions name CL_TRUE and sizes that are not valid, but C treats every value but zero as true",
    ),
    Interpretation(
        "code-for-invalid-argument-object",
        "5.9.2, clSetKernelArg: NULL for an argument that is an image, a pipe, a sampler or a device queue, and a "
        "memory object of another kind than the argument is declared as",
        "CL_INVALID_ARG_VALUE is allowed in addition to the code for an object that is not valid",
        "a value other than a valid object is also not a valid value, and error conditions have no order",
    ),
    Interpretation(
        "null-argument-value",
        "5.9.2, clSetKernelArg: NULL as arg_value for an argument that is a value, an image, a pipe, a sampler or a "
        "device queue",
        "the call must fail",
        "only pointers to global, constant and local memory accept NULL, and for all others arg_value must point to "
        "the value or object; the error code is an open question (OpenCL-Docs issue 1506)",
    ),
    Interpretation(
        "pointer-for-local-memory",
        "5.9.2, clSetKernelArg: an address for an argument in local memory",
        "success and CL_INVALID_ARG_VALUE are both allowed",
        "the description requires NULL, but no error condition covers other values (OpenCL-Docs issue 1497)",
    ),
    Interpretation(
        "local-memory-size-zero",
        "5.9.2, clSetKernelArg: local memory of 0 bytes",
        "CL_INVALID_ARG_SIZE is required",
        "the error condition states it explicitly (OpenCL-Docs issue 1317), and so do the official tests before 3.1",
    ),
    Interpretation(
        "local-memory-size-zero-in-3.1",
        "5.9.2, clSetKernelArg: local memory of 0 bytes on devices of 3.1",
        "success and CL_INVALID_ARG_SIZE are both allowed",
        "the text of 3.1 has the error for older versions only, whichever revision of the tables a device is judged by",
    ),
    Interpretation(
        "kernel-name-without-executable",
        (
            "5.9.1, clCreateKernel: a kernel name if the program has no executable, or it is unspecified whether it "
            "has one"
        ),
        "CL_INVALID_KERNEL_NAME is allowed in addition to CL_INVALID_PROGRAM_EXECUTABLE",
        "a program without an executable does not contain any kernel, whatever its source declares",
    ),
    Interpretation(
        "executable-without-kernels",
        "5.8.9 and 5.9.1, clGetProgramInfo, clCreateKernel and clCreateKernelsInProgram: a built program without "
        "kernels",
        "CL_INVALID_PROGRAM_EXECUTABLE is allowed, and so is a result without kernels",
        "the document does not specify whether a program without kernels has an executable",
    ),
    Interpretation(
        "argument-object-kind-mismatch",
        "5.9.2, clSetKernelArg: an image for a pointer, a buffer for an image, an image of another type",
        "the call must fail with CL_INVALID_ARG_VALUE or CL_INVALID_MEM_OBJECT",
        "the description of arg_value specifies the kind of memory object, so any other value is not valid; but the "
        "list of errors does not name the case. All memory objects have the type cl_mem, and a valid object of another "
        "kind is not what the glossary leaves to the implementation",
    ),
    Interpretation(
        "argument-of-another-context",
        "5.9.2, clSetKernelArg: a memory object of another context than the kernel's",
        "success, CL_INVALID_ARG_VALUE and CL_INVALID_MEM_OBJECT are all allowed; such a kernel is not enqueued",
        "the description requires the kernel's context, but no error condition names another context",
    ),
    Interpretation(
        "depth-image-argument",
        "5.9.2, clSetKernelArg: a depth image for an argument of a type without depth, and the reverse",
        "success, CL_INVALID_ARG_VALUE and CL_INVALID_MEM_OBJECT are all allowed unless an error condition about "
        "depth images holds",
        "a depth image is also an image of the declared type, and the error condition about depth images is about "
        "arguments declared as depth images",
    ),
    Interpretation(
        "read-write-image-argument",
        "5.9.2, clSetKernelArg: an image with CL_MEM_READ_ONLY or CL_MEM_WRITE_ONLY for an argument declared "
        "read_write",
        "success, CL_INVALID_ARG_VALUE and CL_INVALID_MEM_OBJECT are all allowed",
        "the error condition names arguments declared read_only and write_only; for read_write only the kernel's "
        "accesses would be invalid",
    ),
    Interpretation(
        "memory-limits-of-arguments",
        "5.9.2, clSetKernelArg: a buffer larger than CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE for constant memory",
        "success, CL_INVALID_ARG_VALUE, CL_INVALID_MEM_OBJECT and CL_MAX_SIZE_RESTRICTION_EXCEEDED are all allowed; "
        "such a kernel is not enqueued",
        "the description forbids the size without naming a code, and the error condition about sizes concerns "
        "restrictions of the language",
    ),
    Interpretation(
        "local-memory-limit-of-arguments",
        "5.9.2, clSetKernelArg: more local memory than CL_DEVICE_LOCAL_MEM_SIZE",
        "success and CL_MAX_SIZE_RESTRICTION_EXCEEDED are both allowed",
        "the description forbids the size without naming a code, and the error condition about sizes concerns "
        "restrictions of the language; an error condition of the kernel enqueue also covers too much local memory",
    ),
    Interpretation(
        "svm-pointer-outside-allocation",
        "5.9.2, clSetKernelArgSVMPointer: NULL, and an address outside any SVM allocation of the kernel's context",
        "success and CL_INVALID_ARG_VALUE are both allowed",
        "the error condition does not specify which values are not valid; a device may share all host memory, and a "
        "kernel may compare a pointer with NULL",
    ),
    Interpretation(
        "system-pointer-as-argument",
        "5.9.2, clSetKernelArgSVMPointer: a pointer to memory of the host that clSVMAlloc has not returned",
        "success and CL_INVALID_ARG_VALUE are both allowed; after success, the kernel may be enqueued",
        "section 5.10 defines both cases of an enqueue: a device with fine-grain system SVM accepts system pointers as "
        "arguments, and for any other device it returns CL_INVALID_OPERATION",
    ),
    Interpretation(
        "address-qualifier-of-image",
        "5.9.4, CL_KERNEL_ARG_ADDRESS_QUALIFIER of an image or a pipe that is declared without an address space",
        "CL_KERNEL_ARG_ADDRESS_GLOBAL and CL_KERNEL_ARG_ADDRESS_PRIVATE are both allowed",
        (
            "without a qualifier the default, private, is to be returned; but OpenCL C places such objects in global "
            "memory"
        ),
    ),
    Interpretation(
        "built-for-one-of-several-devices",
        "5.9.4, clGetKernelWorkGroupInfo, clGetKernelSubGroupInfo: device",
        "CL_INVALID_DEVICE and success are both allowed for NULL if the program has several devices, but was built "
        "for only one of them",
        "one sentence associates the kernel with all devices of the context, but only one of them has the kernel",
    ),
    Interpretation(
        "argument-info-kept",
        "5.9.4, CL_KERNEL_ARG_INFO_NOT_AVAILABLE",
        "a result is allowed in addition to the error if the program was built without -cl-kernel-arg-info, or was "
        "not created from source",
        "the error condition does not forbid an implementation to retain the information without a request",
    ),
)
