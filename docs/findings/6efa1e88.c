/* clReleaseContext/success: hangs
 *
 * clReleaseContext/success: The context has one reference less, and goes with the last one once nothing uses it.
 * allowed: CL_SUCCESS
 * observed: no answer within 10 s
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H100 80GB HBM3
 * calls made from several host threads at once follow one another here, so it may not show
 *
 * Build and run:  cc 6efa1e88.c -o 6efa1e88 -lOpenCL && ./6efa1e88     (older systems: -ldl as well)
 * ./6efa1e88 [PART OF THE PLATFORM'S NAME]     (or in the environment: CLCONFORM_PLATFORM)
 * Found with libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=libnvidia-opencl.so.580.159.04
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_0_APIS
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#define CL_USE_DEPRECATED_OPENCL_2_0_APIS
#define CL_USE_DEPRECATED_OPENCL_2_1_APIS
#define CL_USE_DEPRECATED_OPENCL_2_2_APIS
#include <CL/cl.h>
#include <dlfcn.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

/* names that common headers may lack */
#ifndef CL_SUCCESS
#define CL_SUCCESS 0
#endif
#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif

/* the functions called, each by an address of its own */
typedef cl_context (CL_API_CALL *clCreateContext_type)(const cl_context_properties *, cl_uint, const cl_device_id *, void *, void *, cl_int *);
static clCreateContext_type call_clCreateContext;
typedef cl_event (CL_API_CALL *clCreateUserEvent_type)(cl_context, cl_int *);
static clCreateUserEvent_type call_clCreateUserEvent;
typedef cl_int (CL_API_CALL *clReleaseEvent_type)(cl_event);
static clReleaseEvent_type call_clReleaseEvent;
typedef cl_int (CL_API_CALL *clReleaseContext_type)(cl_context);
static clReleaseContext_type call_clReleaseContext;

/* the objects, by the names that they have in the report */
static cl_platform_id platform1 MAYBE_UNUSED;
static cl_device_id device1 MAYBE_UNUSED;
static cl_context context1 MAYBE_UNUSED;
static cl_event event1 MAYBE_UNUSED;
static cl_event event2 MAYBE_UNUSED;
static cl_event event3 MAYBE_UNUSED;
static cl_event event4 MAYBE_UNUSED;
static cl_event event5 MAYBE_UNUSED;
static cl_event event6 MAYBE_UNUSED;
static cl_event event7 MAYBE_UNUSED;
static cl_event event8 MAYBE_UNUSED;
static cl_event event9 MAYBE_UNUSED;
static cl_event event10 MAYBE_UNUSED;
static cl_event event11 MAYBE_UNUSED;
static cl_event event12 MAYBE_UNUSED;
static cl_event event13 MAYBE_UNUSED;
static cl_event event14 MAYBE_UNUSED;
static cl_event event15 MAYBE_UNUSED;
static cl_event event16 MAYBE_UNUSED;
static cl_event event17 MAYBE_UNUSED;
static cl_event event18 MAYBE_UNUSED;
static cl_event event19 MAYBE_UNUSED;
static cl_event event20 MAYBE_UNUSED;
static cl_event event21 MAYBE_UNUSED;
static cl_event event22 MAYBE_UNUSED;
static cl_event event23 MAYBE_UNUSED;
static cl_event event24 MAYBE_UNUSED;
static cl_event event25 MAYBE_UNUSED;
static cl_event event26 MAYBE_UNUSED;
static cl_event event27 MAYBE_UNUSED;
static cl_event event28 MAYBE_UNUSED;
static cl_event event29 MAYBE_UNUSED;
static cl_event event30 MAYBE_UNUSED;
static cl_event event31 MAYBE_UNUSED;
static cl_event event32 MAYBE_UNUSED;
static cl_event event33 MAYBE_UNUSED;
static cl_event event34 MAYBE_UNUSED;
static cl_event event35 MAYBE_UNUSED;
static cl_event event36 MAYBE_UNUSED;
static cl_event event37 MAYBE_UNUSED;
static cl_event event38 MAYBE_UNUSED;
static cl_event event39 MAYBE_UNUSED;
static cl_event event40 MAYBE_UNUSED;

static const struct { cl_int code; const char *name; } codes[] = {
    {0, "CL_SUCCESS"},
    {-1, "CL_DEVICE_NOT_FOUND"},
    {-2, "CL_DEVICE_NOT_AVAILABLE"},
    {-3, "CL_COMPILER_NOT_AVAILABLE"},
    {-4, "CL_MEM_OBJECT_ALLOCATION_FAILURE"},
    {-5, "CL_OUT_OF_RESOURCES"},
    {-6, "CL_OUT_OF_HOST_MEMORY"},
    {-7, "CL_PROFILING_INFO_NOT_AVAILABLE"},
    {-8, "CL_MEM_COPY_OVERLAP"},
    {-9, "CL_IMAGE_FORMAT_MISMATCH"},
    {-10, "CL_IMAGE_FORMAT_NOT_SUPPORTED"},
    {-11, "CL_BUILD_PROGRAM_FAILURE"},
    {-12, "CL_MAP_FAILURE"},
    {-13, "CL_MISALIGNED_SUB_BUFFER_OFFSET"},
    {-14, "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"},
    {-15, "CL_COMPILE_PROGRAM_FAILURE"},
    {-16, "CL_LINKER_NOT_AVAILABLE"},
    {-17, "CL_LINK_PROGRAM_FAILURE"},
    {-18, "CL_DEVICE_PARTITION_FAILED"},
    {-19, "CL_KERNEL_ARG_INFO_NOT_AVAILABLE"},
    {-30, "CL_INVALID_VALUE"},
    {-31, "CL_INVALID_DEVICE_TYPE"},
    {-32, "CL_INVALID_PLATFORM"},
    {-33, "CL_INVALID_DEVICE"},
    {-34, "CL_INVALID_CONTEXT"},
    {-35, "CL_INVALID_QUEUE_PROPERTIES"},
    {-36, "CL_INVALID_COMMAND_QUEUE"},
    {-37, "CL_INVALID_HOST_PTR"},
    {-38, "CL_INVALID_MEM_OBJECT"},
    {-39, "CL_INVALID_IMAGE_FORMAT_DESCRIPTOR"},
    {-40, "CL_INVALID_IMAGE_SIZE"},
    {-41, "CL_INVALID_SAMPLER"},
    {-42, "CL_INVALID_BINARY"},
    {-43, "CL_INVALID_BUILD_OPTIONS"},
    {-44, "CL_INVALID_PROGRAM"},
    {-45, "CL_INVALID_PROGRAM_EXECUTABLE"},
    {-46, "CL_INVALID_KERNEL_NAME"},
    {-47, "CL_INVALID_KERNEL_DEFINITION"},
    {-48, "CL_INVALID_KERNEL"},
    {-49, "CL_INVALID_ARG_INDEX"},
    {-50, "CL_INVALID_ARG_VALUE"},
    {-51, "CL_INVALID_ARG_SIZE"},
    {-52, "CL_INVALID_KERNEL_ARGS"},
    {-53, "CL_INVALID_WORK_DIMENSION"},
    {-54, "CL_INVALID_WORK_GROUP_SIZE"},
    {-55, "CL_INVALID_WORK_ITEM_SIZE"},
    {-56, "CL_INVALID_GLOBAL_OFFSET"},
    {-57, "CL_INVALID_EVENT_WAIT_LIST"},
    {-58, "CL_INVALID_EVENT"},
    {-59, "CL_INVALID_OPERATION"},
    {-60, "CL_INVALID_GL_OBJECT"},
    {-61, "CL_INVALID_BUFFER_SIZE"},
    {-62, "CL_INVALID_MIP_LEVEL"},
    {-63, "CL_INVALID_GLOBAL_WORK_SIZE"},
    {-64, "CL_INVALID_PROPERTY"},
    {-65, "CL_INVALID_IMAGE_DESCRIPTOR"},
    {-66, "CL_INVALID_COMPILER_OPTIONS"},
    {-67, "CL_INVALID_LINKER_OPTIONS"},
    {-68, "CL_INVALID_DEVICE_PARTITION_COUNT"},
    {-69, "CL_INVALID_PIPE_SIZE"},
    {-70, "CL_INVALID_DEVICE_QUEUE"},
    {-71, "CL_INVALID_SPEC_ID"},
    {-72, "CL_MAX_SIZE_RESTRICTION_EXCEEDED"},
    {-1000, "CL_INVALID_GL_SHAREGROUP_REFERENCE_KHR"},
    {-1001, "CL_PLATFORM_NOT_FOUND_KHR"},
    {-1002, "CL_INVALID_D3D10_DEVICE_KHR"},
    {-1003, "CL_INVALID_D3D10_RESOURCE_KHR"},
    {-1004, "CL_D3D10_RESOURCE_ALREADY_ACQUIRED_KHR"},
    {-1005, "CL_D3D10_RESOURCE_NOT_ACQUIRED_KHR"},
    {-1006, "CL_INVALID_D3D11_DEVICE_KHR"},
    {-1007, "CL_INVALID_D3D11_RESOURCE_KHR"},
    {-1008, "CL_D3D11_RESOURCE_ALREADY_ACQUIRED_KHR"},
    {-1009, "CL_D3D11_RESOURCE_NOT_ACQUIRED_KHR"},
    {-1010, "CL_INVALID_DX9_MEDIA_ADAPTER_KHR"},
    {-1011, "CL_INVALID_DX9_MEDIA_SURFACE_KHR"},
    {-1012, "CL_DX9_MEDIA_SURFACE_ALREADY_ACQUIRED_KHR"},
    {-1013, "CL_DX9_MEDIA_SURFACE_NOT_ACQUIRED_KHR"},
    {-1057, "CL_DEVICE_PARTITION_FAILED_EXT"},
    {-1058, "CL_INVALID_PARTITION_COUNT_EXT"},
    {-1059, "CL_INVALID_PARTITION_NAME_EXT"},
    {-1092, "CL_EGL_RESOURCE_NOT_ACQUIRED_KHR"},
    {-1093, "CL_INVALID_EGL_OBJECT_KHR"},
    {-1121, "CL_CONTEXT_TERMINATED_KHR"},
    {-1138, "CL_INVALID_COMMAND_BUFFER_KHR"},
    {-1139, "CL_INVALID_SYNC_POINT_WAIT_LIST_KHR"},
    {-1140, "CL_INCOMPATIBLE_COMMAND_QUEUE_KHR"},
    {-1141, "CL_INVALID_MUTABLE_COMMAND_KHR"},
    {-1142, "CL_INVALID_SEMAPHORE_KHR"},
};

MAYBE_UNUSED static const char *code_name(cl_int code) {
    static char number[32];
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++)
        if (codes[i].code == code) return codes[i].name;
    snprintf(number, sizeof number, "%d", (int)code);
    return number;
}

/* memory for the driver to write into: filled with a pattern, and with guard bytes on both sides */
enum { FILL = 0xA5, GUARD = 0xC3, GUARD_BYTES = 64 };
struct room { unsigned char *at; size_t size; };

MAYBE_UNUSED static struct room make_room(size_t size) {
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES);
    if (!whole) { puts("out of memory"); exit(2); }
    memset(whole, GUARD, size + 2 * GUARD_BYTES);
    memset(whole + GUARD_BYTES, FILL, size);
    return (struct room){whole + GUARD_BYTES, size};
}

MAYBE_UNUSED static int all(const unsigned char *at, unsigned char byte, size_t size) {
    for (size_t i = 0; i < size; i++) if (at[i] != byte) return 0;
    return 1;
}

MAYBE_UNUSED static int overrun(struct room room) {
    return !all(room.at - GUARD_BYTES, GUARD, GUARD_BYTES) || !all(room.at + room.size, GUARD, GUARD_BYTES);
}

MAYBE_UNUSED static size_t written(struct room room) {
    size_t size = room.size;
    while (size && room.at[size - 1] == FILL) size--;
    return size;
}

MAYBE_UNUSED static void show(const char *name, struct room room, size_t element) {
    size_t count = room.size / element;
    printf("    %s = {", name);
    for (size_t i = 0; i < count && i < 64; i++) {
        const unsigned char *at = room.at + i * element;
        if (i) fputs(element == 1 ? " " : ", ", stdout);
        if (all(at, FILL, element)) { fputs(element == 1 ? "--" : "untouched", stdout); continue; }
        if (element == 4) { uint32_t value; memcpy(&value, at, 4); printf("%lu", (unsigned long)value); }
        else if (element == 8) { uint64_t value; memcpy(&value, at, 8); printf("%#llx", (unsigned long long)value); }
        else for (size_t j = 0; j < element; j++) printf("%02x", at[j]);
    }
    printf("%s}%s\n", count > 64 ? ", ..." : "", overrun(room) ? " and beyond its end" : "");
}

/* clReleaseContext/success: hangs */
MAYBE_UNUSED static int deviation(const char *observed) {
    printf("DEVIATION: clReleaseContext/success: allowed %s; observed %s\n", "CL_SUCCESS", observed);
    return 1;
}

/* a call does not make here what the next ones use */
MAYBE_UNUSED static int untried(const char *function) {
    printf("%s made nothing, so that the deviation cannot be tried\n", function);
    return 2;
}

static void too_late(int number) {
    static const char said[] = "\nDEVIATION: clReleaseContext/success: no answer before the deadline\n";
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
}



/* a function of an extension, as the loader hands it out for the platform */
MAYBE_UNUSED static void *find(cl_platform_id platform, const char *name, int position) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    (void)position;
    return found ? found : clGetExtensionFunctionAddress(name);
}

#define platform_ids clGetPlatformIDs
#define platform_info clGetPlatformInfo
#define device_ids clGetDeviceIDs

/* the platform of that name and version; of that name; or the only one there is */
static cl_platform_id choose(const char *name, const char *version) {
    cl_platform_id platforms[64];
    cl_uint count = 0;
    if (platform_ids(64, platforms, &count) != CL_SUCCESS || !count) { puts("there is no OpenCL platform"); exit(2); }
    if (count > 64) count = 64;
    for (int strict = 1; strict >= 0; strict--)
        for (cl_uint i = 0; i < count; i++) {
            static char text[2][4096];
            memset(text, 0, sizeof text);
            platform_info(platforms[i], CL_PLATFORM_NAME, sizeof text[0] - 1, text[0], NULL);
            platform_info(platforms[i], CL_PLATFORM_VERSION, sizeof text[1] - 1, text[1], NULL);
            if (strstr(text[0], name) && (!strict || strstr(text[1], version))) {
                printf("platform: %s, %s\n", text[0], text[1]);
                return platforms[i];
            }
        }
    if (count > 1) { printf("none of %u platforms has a name with: %s\n", (unsigned)count, name); exit(2); }
    puts("the only platform has another name; trying it");
    return platforms[0];
}

int main(int argc, char **argv) {
    const char *name = getenv("CLCONFORM_PLATFORM");
    cl_device_id roots[64] = {NULL};
    cl_uint found_roots = 0;
    cl_platform_id platform;
    setvbuf(stdout, NULL, _IOLBF, 0);
    if (argc > 1) name = argv[1];
    platform = choose(name ? name : "NVIDIA CUDA", "OpenCL 3.0 CUDA 13.0.98");
    device_ids(platform, CL_DEVICE_TYPE_ALL, 64, roots, &found_roots);
    if (found_roots < 1) { printf("the platform has %u devices, not 1\n", (unsigned)found_roots); return 2; }
    platform1 = platform;
    device1 = roots[0];
    call_clCreateContext = (clCreateContext_type)clCreateContext;
    call_clCreateUserEvent = (clCreateUserEvent_type)clCreateUserEvent;
    call_clReleaseEvent = (clReleaseEvent_type)clReleaseEvent;
    call_clReleaseContext = (clReleaseContext_type)clReleaseContext;

    /* clCreateContext(NULL, 1, {device1}, NULL, NULL, room 1) -> context1, errcode_ret = CL_SUCCESS */
    {
        cl_device_id devices[] = {(cl_device_id)device1};
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "1: clCreateContext(NULL, 1, {device1}, NULL, NULL, room 1)");
        fflush(stdout);
        cl_context result = call_clCreateContext(NULL, 1, devices, NULL, NULL, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateContext");
        context1 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event1, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "2: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event1 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event2, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "3: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event2 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event3, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "4: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event3 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event4, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "5: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event4 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event5, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "6: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event5 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event6, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "7: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event6 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event7, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "8: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event7 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event8, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "9: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event8 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event1) -> CL_SUCCESS */
    {
        printf("%s", "10: clReleaseEvent(event1)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event1);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event2) -> CL_SUCCESS */
    {
        printf("%s", "11: clReleaseEvent(event2)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event2);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event3) -> CL_SUCCESS */
    {
        printf("%s", "12: clReleaseEvent(event3)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event3);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event4) -> CL_SUCCESS */
    {
        printf("%s", "13: clReleaseEvent(event4)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event4);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event5) -> CL_SUCCESS */
    {
        printf("%s", "14: clReleaseEvent(event5)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event5);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event6) -> CL_SUCCESS */
    {
        printf("%s", "15: clReleaseEvent(event6)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event6);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event7) -> CL_SUCCESS */
    {
        printf("%s", "16: clReleaseEvent(event7)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event7);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event8) -> CL_SUCCESS */
    {
        printf("%s", "17: clReleaseEvent(event8)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event8);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event9, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "18: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event9 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event10, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "19: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event10 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event11, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "20: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event11 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event12, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "21: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event12 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event13, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "22: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event13 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event14, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "23: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event14 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event15, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "24: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event15 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event16, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "25: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event16 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event9) -> CL_SUCCESS */
    {
        printf("%s", "26: clReleaseEvent(event9)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event9);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event10) -> CL_SUCCESS */
    {
        printf("%s", "27: clReleaseEvent(event10)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event10);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event11) -> CL_SUCCESS */
    {
        printf("%s", "28: clReleaseEvent(event11)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event11);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event12) -> CL_SUCCESS */
    {
        printf("%s", "29: clReleaseEvent(event12)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event12);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event13) -> CL_SUCCESS */
    {
        printf("%s", "30: clReleaseEvent(event13)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event13);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event14) -> CL_SUCCESS */
    {
        printf("%s", "31: clReleaseEvent(event14)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event14);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event15) -> CL_SUCCESS */
    {
        printf("%s", "32: clReleaseEvent(event15)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event15);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event16) -> CL_SUCCESS */
    {
        printf("%s", "33: clReleaseEvent(event16)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event16);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event17, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "34: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event17 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event18, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "35: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event18 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event19, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "36: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event19 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event20, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "37: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event20 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event21, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "38: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event21 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event22, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "39: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event22 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event23, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "40: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event23 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event24, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "41: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event24 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event17) -> CL_SUCCESS */
    {
        printf("%s", "42: clReleaseEvent(event17)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event17);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event18) -> CL_SUCCESS */
    {
        printf("%s", "43: clReleaseEvent(event18)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event18);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event19) -> CL_SUCCESS */
    {
        printf("%s", "44: clReleaseEvent(event19)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event19);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event20) -> CL_SUCCESS */
    {
        printf("%s", "45: clReleaseEvent(event20)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event20);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event21) -> CL_SUCCESS */
    {
        printf("%s", "46: clReleaseEvent(event21)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event21);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event22) -> CL_SUCCESS */
    {
        printf("%s", "47: clReleaseEvent(event22)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event22);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event23) -> CL_SUCCESS */
    {
        printf("%s", "48: clReleaseEvent(event23)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event23);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event24) -> CL_SUCCESS */
    {
        printf("%s", "49: clReleaseEvent(event24)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event24);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event25, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "50: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event25 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event26, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "51: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event26 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event27, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "52: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event27 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event28, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "53: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event28 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event29, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "54: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event29 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event30, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "55: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event30 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event31, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "56: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event31 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event32, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "57: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event32 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event25) -> CL_SUCCESS */
    {
        printf("%s", "58: clReleaseEvent(event25)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event25);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event26) -> CL_SUCCESS */
    {
        printf("%s", "59: clReleaseEvent(event26)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event26);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event27) -> CL_SUCCESS */
    {
        printf("%s", "60: clReleaseEvent(event27)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event27);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event28) -> CL_SUCCESS */
    {
        printf("%s", "61: clReleaseEvent(event28)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event28);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event29) -> CL_SUCCESS */
    {
        printf("%s", "62: clReleaseEvent(event29)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event29);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event30) -> CL_SUCCESS */
    {
        printf("%s", "63: clReleaseEvent(event30)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event30);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event31) -> CL_SUCCESS */
    {
        printf("%s", "64: clReleaseEvent(event31)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event31);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event32) -> CL_SUCCESS */
    {
        printf("%s", "65: clReleaseEvent(event32)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event32);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event33, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "66: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event33 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event34, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "67: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event34 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event35, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "68: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event35 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event36, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "69: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event36 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event37, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "70: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event37 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event38, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "71: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event38 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event39, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "72: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event39 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clCreateUserEvent(context1, room 1) -> event40, errcode_ret = CL_SUCCESS */
    {
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "73: clCreateUserEvent(context1, room 1)");
        fflush(stdout);
        cl_event result = call_clCreateUserEvent(context1, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (!result) return untried("clCreateUserEvent");
        event40 = result;
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event33) -> CL_SUCCESS */
    {
        printf("%s", "74: clReleaseEvent(event33)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event33);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event34) -> CL_SUCCESS */
    {
        printf("%s", "75: clReleaseEvent(event34)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event34);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event35) -> CL_SUCCESS */
    {
        printf("%s", "76: clReleaseEvent(event35)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event35);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event36) -> CL_SUCCESS */
    {
        printf("%s", "77: clReleaseEvent(event36)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event36);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event37) -> CL_SUCCESS */
    {
        printf("%s", "78: clReleaseEvent(event37)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event37);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event38) -> CL_SUCCESS */
    {
        printf("%s", "79: clReleaseEvent(event38)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event38);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event39) -> CL_SUCCESS */
    {
        printf("%s", "80: clReleaseEvent(event39)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event39);
        printf(" -> %s\n", code_name(result));
    }

    /* One of 8 calls made from several host threads at once. */
    /* clReleaseEvent(event40) -> CL_SUCCESS */
    {
        printf("%s", "81: clReleaseEvent(event40)");
        fflush(stdout);
        cl_int result = call_clReleaseEvent(event40);
        printf(" -> %s\n", code_name(result));
    }

    /* clReleaseContext(context1) -> no answer within 10 s */
    {
        printf("%s", "82: clReleaseContext(context1)");
        puts("\nthe next call is expected to give no answer; waiting 10 s");
        signal(SIGALRM, too_late);
        alarm(10);
        fflush(stdout);
        cl_int result = call_clReleaseContext(context1);
        printf(" -> %s\n", code_name(result));
    }

    puts("no deviation");
    return 0;
}
