"""Open points of section 5.8: programs."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "left-by-a-failed-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE, and the status of a build: after a build that has failed for one of "
        "several devices, or after an earlier one that succeeded",
        "CL_INVALID_PROGRAM_EXECUTABLE and an answer are both right; the status and the options are those of this "
        "build or of the one before, but CL_BUILD_ERROR for at least one device",
        "the documents do not say that a build for several devices fails for all of them, whether it goes on after the "
        "first failure, or what becomes of an earlier executable",
    ),
    Interpretation(
        "options-of-a-refused-call",
        "5.8.9, CL_PROGRAM_BUILD_OPTIONS after a clBuildProgram or clCompileProgram that returned an error and built "
        "nothing",
        "the options are those of the build before, or of the call that was refused",
        "the document does not say what state a failed call leaves behind (OpenCL-Docs issue 623)",
    ),
    Interpretation(
        "built-in-without-a-build",
        "5.8.9, the kernel names of a program of built-in kernels",
        "CL_INVALID_PROGRAM_EXECUTABLE and the names of the kernels are both right",
        "they can be queried once an executable has been built; whether such a program has one from the start is not "
        "said",
    ),
    Interpretation(
        "bytes-of-a-binary",
        "5.8.1, CL_INVALID_BINARY",
        "bytes that are not a whole binary that a living program for the same device has told may be refused or loaded",
        "what a binary looks like is up to the implementation, which may load it without looking at all of it",
    ),
    Interpretation(
        "status-of-the-other-binaries",
        "5.8.1, binary_status where another device's binary is refused",
        "it is CL_SUCCESS for a device whose binary is valid",
        "binary_status returns a status for each device, and of the three that it may be no other fits; that a call "
        "which makes no program has loaded anything is not said",
    ),
    Interpretation(
        "binaries-that-grow",
        "5.8.9, CL_PROGRAM_BINARY_SIZES asked again without a build in between",
        "another size is right",
        "an implementation may compile more of a program when its kernels are used, and keep that with the binary; no "
        "sentence says that a binary stays as it is",
    ),
    Interpretation(
        "bytes-of-a-module",
        "5.8.1, CL_INVALID_VALUE: bytes that are no module of ours in a form that a device lists",
        "the bytes may be refused or loaded",
        "an implementation may take other intermediate languages, and versions that it does not list",
    ),
    Interpretation(
        "options-of-vendors",
        "5.8.6 and 5.8.7, options that the document does not have, or not for the device's version",
        "they may be refused or taken",
        "the lists of options may be extended by vendors and platforms",
    ),
    Interpretation(
        "options-without-support",
        "5.8.6.2 and 5.8.6.5, -cl-fp32-correctly-rounded-divide-sqrt and -cl-std for devices without support",
        "CL_INVALID_BUILD_OPTIONS or CL_INVALID_COMPILER_OPTIONS, and the failure of the build, are all right",
        "the program must not be compiled for such a device; by which error the call fails is not said",
    ),
    Interpretation(
        "features-not-listed",
        "3.0 and 4.2, macros of optional features of OpenCL C that CL_DEVICE_OPENCL_C_FEATURES does not list",
        "a source for OpenCL C 3.0 that has an #error unless such a macro is defined is not compiled for the device",
        "a feature whose macro is defined is supported, and the list has the features that the compiler supports",
    ),
    Interpretation(
        "options-of-a-binary",
        "5.8.4, options for a program from a binary",
        "they may be refused or taken",
        "options other than those that the binary was built with have implementation-defined behaviour",
    ),
    Interpretation(
        "headers-without-source",
        "5.8.4, a header that was not created with clCreateProgramWithSource",
        "the program may be compiled or not, and the call be refused for its program, its headers or lack of source",
        "headers are programs from source; which error the call has for another one is not said",
    ),
    Interpretation(
        "one-device-without-a-compiler",
        "5.8.3 to 5.8.5, CL_COMPILER_NOT_AVAILABLE and CL_LINKER_NOT_AVAILABLE for several devices",
        "if only some of the devices lack a compiler or a linker, the error is allowed, and success, too",
        "the document speaks of one device, and does not say which one that is",
    ),
    Interpretation(
        "sources-of-custom-devices",
        "5.8.1, source for custom devices",
        "any source may be built for a custom device, or not",
        "its source is defined by the implementation",
    ),
    Interpretation(
        "ends-after-the-call",
        "5.8.4 and 5.8.5, failures of a build with pfn_notify, or of a link without errcode_ret",
        "the failure may be returned or not",
        "with pfn_notify the call need not wait for the end, and a failed link may return a program",
    ),
    Interpretation(
        "builds-end-unseen",
        "5.8.4 and 5.8.5, CL_INVALID_OPERATION: a build in the background",
        "from the call until its callback has come, another build of the program may be refused or begin",
        "whether the first one has completed cannot be seen from outside before its callback comes",
    ),
    Interpretation(
        "kernels-in-use",
        "5.8.4 and 5.8.5, CL_INVALID_OPERATION: kernels that are attached",
        "kernels that the application has released count as attached as long as commands may not be over",
        "a command may keep its kernel (CTS#2574)",
    ),
    Interpretation(
        "what-can-be-linked",
        "5.8.5, CL_INVALID_OPERATION: programs that are neither compiled nor left as they were made",
        "an executable, a program whose build has failed, and an unknown binary may count as compiled or not",
        "the document does not say if what such a program holds is a compiled binary",
    ),
    Interpretation(
        "nothing-to-link",
        "5.8.5, no input program has a compiled binary for a device",
        "CL_INVALID_OPERATION, CL_LINK_PROGRAM_FAILURE and success are all right",
        "no link is performed for that device; what is returned where there is no other is not said (Docs#520)",
    ),
    Interpretation(
        "functions-defined-nowhere",
        "5.8.5, CL_LINK_PROGRAM_FAILURE",
        "an executable cannot be linked if a kernel calls a function that no input program defines",
        "OpenCL C needs a definition for each function that is called, as C does",
    ),
    Interpretation(
        "failed-link",
        "5.8.5, what a failed link returns",
        "CL_LINK_PROGRAM_FAILURE comes with a program, or with NULL",
        "a program is promised if the link can begin, and NULL for every error (Docs#798, Docs#1075)",
    ),
    Interpretation(
        "destructors-of-programs",
        "5.8.2, CL_INVALID_OPERATION: destructors of variables of a program",
        "for devices of other versions than 2.2 the error and success are both right",
        "only OpenCL 2.2 requires such destructors, and no query tells of them",
    ),
    Interpretation(
        "platform-of-a-loader",
        "5.8.8, CL_INVALID_PLATFORM of clUnloadPlatformCompiler through a loader",
        "NULL may be refused or accepted",
        "a loader may put its default platform in the place of NULL, so that the driver never sees it",
    ),
    Interpretation(
        "no-source-at-all",
        "5.8.9, CL_PROGRAM_SOURCE of a program that was not made from source",
        "an empty string with a terminator, no bytes at all, and some source are all right",
        "the document requires a null string, which may mean an empty string or no string",
    ),
    Interpretation(
        "false-before-a-build",
        "5.8.8, CL_INVALID_PROGRAM_EXECUTABLE: global constructors and destructors",
        "the error is allowed in addition to CL_FALSE for a program that has not been built",
        "where such kernels are not supported at all, the appendix on compatibility requires CL_FALSE",
    ),
)
