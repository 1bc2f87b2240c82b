"""Interpretations of section 5.8: programs."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "state-after-failed-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE, and the build status: after a build that failed for one of several "
        "devices, or after an earlier successful build",
        "CL_INVALID_PROGRAM_EXECUTABLE and a value are both allowed; the status and the options are those of this "
        "build or of the previous one, but CL_BUILD_ERROR for at least one device",
        "the documents do not specify whether a build for several devices fails for all of them, whether it continues "
        "after the first failure, or whether an earlier executable remains",
    ),
    Interpretation(
        "options-of-a-refused-call",
        "5.8.9, CL_PROGRAM_BUILD_OPTIONS after a clBuildProgram or clCompileProgram that returned an error and built "
        "nothing",
        "the options are those of the previous build or of the rejected call",
        "the document does not specify the state after a failed call (OpenCL-Docs issue 623)",
    ),
    Interpretation(
        "built-in-kernels-without-build",
        "5.8.9, the kernel names of a program of built-in kernels",
        "CL_INVALID_PROGRAM_EXECUTABLE and the names of the kernels are both allowed",
        "the names can be queried after an executable has been built; the document does not specify whether such a "
        "program has one from the start",
    ),
    Interpretation(
        "unknown-binary",
        "5.8.1, CL_INVALID_BINARY",
        (
            "bytes other than a whole binary that an existing program for the same device reported may be rejected or "
            "loaded"
        ),
        "the format of a binary is up to the implementation, which may load it without checking all of it",
    ),
    Interpretation(
        "status-of-the-other-binaries",
        "5.8.1, binary_status if another device's binary is rejected",
        "it is CL_SUCCESS for a device with a valid binary",
        "binary_status returns a status for each device, and of the three possible values only CL_SUCCESS fits; the "
        "document does not specify whether a call that creates no program loads any binary",
    ),
    Interpretation(
        "binaries-that-grow",
        "5.8.9, repeated queries of CL_PROGRAM_BINARY_SIZES without a build in between",
        "another size is allowed",
        "an implementation may compile more of a program when its kernels are used, and store the result in the "
        "binary; no sentence requires a binary to stay unchanged",
    ),
    Interpretation(
        "unknown-il-module",
        "5.8.1, CL_INVALID_VALUE: bytes other than one of our modules in a form that a device lists",
        "the bytes may be rejected or loaded",
        "an implementation may accept other intermediate languages, and versions that it does not list",
    ),
    Interpretation(
        "vendor-build-options",
        "5.8.6 and 5.8.7, options that the document does not list, or not for the device's version",
        "they may be rejected or accepted",
        "vendors and platforms may extend the lists of options",
    ),
    Interpretation(
        "unsupported-build-options",
        "5.8.6.2 and 5.8.6.5, -cl-fp32-correctly-rounded-divide-sqrt and -cl-std for devices without support",
        "CL_INVALID_BUILD_OPTIONS or CL_INVALID_COMPILER_OPTIONS, and the error of a failed build, are all allowed",
        "the program must not be compiled for such a device; the document does not specify the error code",
    ),
    Interpretation(
        "features-not-listed",
        "3.0 and 4.2, macros of optional features of OpenCL C that CL_DEVICE_OPENCL_C_FEATURES does not list",
        "a source for OpenCL C 3.0 that has an #error unless such a macro is defined fails to compile for the device",
        "a feature is supported if its macro is defined, and the list contains the features that the compiler supports",
    ),
    Interpretation(
        "atomic-features-without-fences",
        "3.4.2 and the appendix on optional features: the macros of atomic orders and scopes, on a device that reports "
        "an order or a scope for atomic operations and not for fences, or the reverse",
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES alone decides whether the device lists the feature",
        "each feature is paired with one query, and without the macro a program cannot use the order or the scope in "
        "the atomic operations for which the device reports it; the appendix names operations and fences together",
    ),
    Interpretation(
        "constant-without-languages",
        "5.8.3 and the appendix on optional features, clSetProgramSpecializationConstant: a program from source or a "
        "binary on devices of 3.0 or later that do not support an intermediate language",
        "CL_INVALID_OPERATION is required, and CL_INVALID_PROGRAM is also allowed",
        "the appendix states the error for each call on such devices. None of their programs was created from an "
        "intermediate language, so that the sentence would never apply if the other error were required",
    ),
    Interpretation(
        "options-of-a-binary",
        "5.8.4, options for a program from a binary",
        "they may be rejected or accepted",
        "options other than those that the binary was built with have implementation-defined behaviour",
    ),
    Interpretation(
        "headers-without-source",
        "5.8.4, a header that was not created with clCreateProgramWithSource",
        "the program may be compiled or not, and the error may be about the program, its headers or the missing source",
        "headers are programs from source; the document does not specify the error for other programs",
    ),
    Interpretation(
        "one-device-without-a-compiler",
        "5.8.3 to 5.8.5, CL_COMPILER_NOT_AVAILABLE and CL_LINKER_NOT_AVAILABLE for several devices",
        "if only some of the devices lack a compiler or a linker, both the error and success are allowed",
        "the document refers to one device, without specifying which",
    ),
    Interpretation(
        "no-compiler-fails-a-build",
        "5.8.3 and 5.8.4, CL_BUILD_PROGRAM_FAILURE and CL_COMPILE_PROGRAM_FAILURE without a compiler",
        "the error for a failed build is allowed in addition to CL_COMPILER_NOT_AVAILABLE",
        "a build without a compiler is also a failure to build the program, and the error conditions have no order",
    ),
    Interpretation(
        "sources-of-custom-devices",
        "5.8.1, source for custom devices",
        "any source may be accepted or rejected for a custom device",
        "the implementation defines the source language of a custom device",
    ),
    Interpretation(
        "build-fails-after-call",
        "5.8.4 and 5.8.5, failures of a build with pfn_notify, or of a link without errcode_ret",
        "the failure may be returned or not",
        "with pfn_notify the call need not wait for the build to finish, and a failed link may return a program",
    ),
    Interpretation(
        "build-in-progress",
        "5.8.4 and 5.8.5, CL_INVALID_OPERATION: a build in the background",
        "from the call until its callback is called, another build of the program may be rejected or start",
        "before its callback is called, it is not observable whether the first build has completed",
    ),
    Interpretation(
        "kernels-in-use",
        "5.8.4 and 5.8.5, CL_INVALID_OPERATION: attached kernels",
        "kernels that the application has released may count as attached until every command that runs a kernel is "
        "complete, and as long as a command-buffer exists",
        "a kernel is deleted when no enqueued command needs it any more; a command may retain its kernel (CTS#2574)",
    ),
    Interpretation(
        "linkable-programs",
        "5.8.5, CL_INVALID_OPERATION: programs that are neither compiled nor unchanged since their creation",
        "an executable, a program with a failed build, and an unknown binary may count as compiled or not",
        "the document does not specify whether such a program contains a compiled binary",
    ),
    Interpretation(
        "nothing-to-link",
        "5.8.5, no input program has a compiled binary for a device",
        "CL_INVALID_OPERATION, CL_LINK_PROGRAM_FAILURE and success are all allowed",
        (
            "no link is performed for that device; the document does not specify the result if there is no other "
            "device (Docs#520)"
        ),
    ),
    Interpretation(
        "undefined-functions",
        "5.8.5, CL_LINK_PROGRAM_FAILURE",
        "an executable cannot be linked if a kernel calls a function that no input program defines",
        "OpenCL C, like C, requires a definition of each function that is called",
    ),
    Interpretation(
        "failed-link",
        "5.8.5, return value of a failed link",
        "a link without pfn_notify that fails with CL_LINK_PROGRAM_FAILURE, and whose arguments are all valid, returns "
        "a program; if it may fail for another reason, NULL is allowed too",
        "the link could begin, and then the document requires a program, and names this error for a link that began "
        "and failed; NULL is for links that cannot begin. The program is the only way to the build log. The working "
        "group has not closed the question (Docs#798, Docs#1075), but the official tests demand the program "
        "(CTS#2725)",
    ),
    Interpretation(
        "destructors-of-programs",
        "5.8.2, CL_INVALID_OPERATION: destructors of program scope variables",
        "for devices of other versions than 2.2, the error and success are both allowed",
        "only OpenCL 2.2 requires such destructors, and no query reports their support",
    ),
    Interpretation(
        "default-platform-of-loader",
        "5.8.8, CL_INVALID_PLATFORM of clUnloadPlatformCompiler through a loader",
        "NULL may be rejected or accepted",
        "a loader may replace NULL with its default platform before it calls the driver",
    ),
    Interpretation(
        "program-without-source",
        "5.8.9, CL_PROGRAM_SOURCE of a program that was not created from source",
        "an empty string with a terminator, an empty value, and some source are all allowed",
        "the document requires a null string, which may mean an empty string or no string",
    ),
    Interpretation(
        "constructors-before-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE: global constructors and destructors",
        "the error is allowed in addition to CL_FALSE for a program that has not been built",
        "if such kernels are not supported at all, the appendix on compatibility requires CL_FALSE",
    ),
)
