/* CL_KERNEL_ATTRIBUTES: deviates
 *
 * CL_KERNEL_ATTRIBUTES: The attributes that the source gives the kernel, whatever the space between; an empty string without any.
 * allowed: 'reqd_work_group_size(4, 1, 1)'
 * observed: __attribute__((reqd_work_group_size(4, 1, 1 )))
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-skylake-avx512-AMD EPYC
 *
 * Build and run:  cc 7cbbba40.c -o 7cbbba40 -lOpenCL && ./7cbbba40     (older systems: -ldl as well)
 * ./7cbbba40 [PART OF THE PLATFORM'S NAME]     (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
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
#ifndef CL_KERNEL_ATTRIBUTES
#define CL_KERNEL_ATTRIBUTES 4501
#endif
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
typedef cl_program (CL_API_CALL *clCreateProgramWithSource_type)(cl_context, cl_uint, const char **, const size_t *, cl_int *);
static clCreateProgramWithSource_type call_clCreateProgramWithSource;
typedef cl_int (CL_API_CALL *clBuildProgram_type)(cl_program, cl_uint, const cl_device_id *, const char *, void *, void *);
static clBuildProgram_type call_clBuildProgram;
typedef cl_kernel (CL_API_CALL *clCreateKernel_type)(cl_program, const char *, cl_int *);
static clCreateKernel_type call_clCreateKernel;
typedef cl_int (CL_API_CALL *clGetKernelInfo_type)(cl_kernel, cl_kernel_info, size_t, void *, size_t *);
static clGetKernelInfo_type call_clGetKernelInfo;

/* the objects, by the names that they have in the report */
static cl_platform_id platform1 MAYBE_UNUSED;
static cl_device_id device1 MAYBE_UNUSED;
static cl_context context1 MAYBE_UNUSED;
static cl_program program1 MAYBE_UNUSED;
static cl_kernel kernel1 MAYBE_UNUSED;

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

/* CL_KERNEL_ATTRIBUTES: deviates */
MAYBE_UNUSED static int deviation(const char *observed) {
    printf("DEVIATION: CL_KERNEL_ATTRIBUTES: allowed %s; observed %s\n", "'reqd_work_group_size(4, 1, 1)'", observed);
    return 1;
}

/* a call does not make here what the next ones use */
MAYBE_UNUSED static int untried(const char *function) {
    printf("%s made nothing, so that the deviation cannot be tried\n", function);
    return 2;
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
    platform = choose(name ? name : "Portable Computing Language", "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG");
    device_ids(platform, CL_DEVICE_TYPE_ALL, 64, roots, &found_roots);
    if (found_roots < 1) { printf("the platform has %u devices, not 1\n", (unsigned)found_roots); return 2; }
    platform1 = platform;
    device1 = roots[0];
    call_clCreateContext = (clCreateContext_type)clCreateContext;
    call_clCreateProgramWithSource = (clCreateProgramWithSource_type)clCreateProgramWithSource;
    call_clBuildProgram = (clBuildProgram_type)clBuildProgram;
    call_clCreateKernel = (clCreateKernel_type)clCreateKernel;
    call_clGetKernelInfo = (clGetKernelInfo_type)clGetKernelInfo;

    /* clCreateContext(NULL, 1, {device1}, NULL, NULL, NULL) -> context1 */
    {
        cl_device_id devices[] = {(cl_device_id)device1};
        printf("%s", "1: clCreateContext(NULL, 1, {device1}, NULL, NULL, NULL)");
        fflush(stdout);
        cl_context result = call_clCreateContext(NULL, 1, devices, NULL, NULL, NULL);
        printf(" -> %p\n", (void *)result);
        if (!result) return untried("clCreateContext");
        context1 = result;
    }

    /* clCreateProgramWithSource(context1, 7, {"__kernel void add_index(__global uint *data)\n{\n    size_t i = get_global_id(0);\n    data[i] = data[i] * 3u + (uint)i;\n}\n", "__kernel void copy_plus_one(__global uint *to, __global const uint *from)\n{\n    size_t i = get_global_id(0);\n    to[i] = from[i] + 1u;\n}\n", "__kernel void chase(__global uint *to, __global const uint *links)\n{\n    uint at = (uint)get_global_id(0);\n    for (int step = 0; step < 5; step++)\n        at = links[at] % (uint)get_global_size(0);\n    to[get_global_id(0)] = at;\n}\n", "__kernel void tally(__global uint *data)\n{\n    uint i = (uint)get_global_id(0);\n    uint number = i * 2654435761u;\n    switch (i % 4u) {\n    case 0: atomic_add(&data[0], number); break;\n    case 1: atomic_max(&data[1], number); break;\n    case 2: atomic_min(&data[2], number); break;\n    default: atomic_xor(&data[3], number); break;\n    }\n}\n", "__kernel void linger(__global uint *data)\n{\n    uint number = data[get_global_id(0)];\n    for (uint round = 0; round < 4194304u; round++) {\n        number ^= number << 13;\n        number ^= number >> 17;\n        number ^= number << 5;\n    }\n    data[get_global_id(0)] = number;\n}\n", "__kernel void walk(__global ulong *first)\n{\n    size_t i = get_global_id(0);\n    for (__global ulong *node = first; node; node = (__global ulong *)(uintptr_t)node[0]) {\n        __global uint *data = (__global uint *)(node + 1);\n        data[i] = data[i] * 3u + (uint)i;\n    }\n}\n", "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\nvoid add_scaled(__global uint *restrict data, __global const volatile uint *other,\n                __constant uint *scale, __local uint *shared, uint offset)\n{\n    size_t i = get_global_id(0);\n    shared[get_local_id(0)] = other[i] * scale[0];\n    data[i] += shared[get_local_id(0)] + offset;\n}\n"}, NULL, NULL) -> program1 */
    {
        const char *strings[] = {"__kernel void add_index(__global uint *data)\012{\012    size_t i = get_global_id(0);\012    data[i] = data[i] * 3u + (uint)i;\012}\012", "__kernel void copy_plus_one(__global uint *to, __global const uint *from)\012{\012    size_t i = get_global_id(0);\012    to[i] = from[i] + 1u;\012}\012", "__kernel void chase(__global uint *to, __global const uint *links)\012{\012    uint at = (uint)get_global_id(0);\012    for (int step = 0; step < 5; step++)\012        at = links[at] \045 (uint)get_global_size(0);\012    to[get_global_id(0)] = at;\012}\012", "__kernel void tally(__global uint *data)\012{\012    uint i = (uint)get_global_id(0);\012    uint number = i * 2654435761u;\012    switch (i \045 4u) {\012    case 0: atomic_add(&data[0], number); break;\012    case 1: atomic_max(&data[1], number); break;\012    case 2: atomic_min(&data[2], number); break;\012    default: atomic_xor(&data[3], number); break;\012    }\012}\012", "__kernel void linger(__global uint *data)\012{\012    uint number = data[get_global_id(0)];\012    for (uint round = 0; round < 4194304u; round++) {\012        number ^= number << 13;\012        number ^= number >> 17;\012        number ^= number << 5;\012    }\012    data[get_global_id(0)] = number;\012}\012", "__kernel void walk(__global ulong *first)\012{\012    size_t i = get_global_id(0);\012    for (__global ulong *node = first; node; node = (__global ulong *)(uintptr_t)node[0]) {\012        __global uint *data = (__global uint *)(node + 1);\012        data[i] = data[i] * 3u + (uint)i;\012    }\012}\012", "__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\012void add_scaled(__global uint *restrict data, __global const volatile uint *other,\012                __constant uint *scale, __local uint *shared, uint offset)\012{\012    size_t i = get_global_id(0);\012    shared[get_local_id(0)] = other[i] * scale[0];\012    data[i] += shared[get_local_id(0)] + offset;\012}\012"};
        printf("%s", "2: clCreateProgramWithSource(context1, 7, {\042__kernel void add_index(__global uint *data)\134n{\134n    size_t i = get_global_id(0);\134n    data[i] = data[i] * 3u + (uint)i;\134n}\134n\042, \042__kernel void copy_plus_one(__global uint *to, __global const uint *from)\134n{\134n    size_t i = get_global_id(0);\134n    to[i] = from[i] + 1u;\134n}\134n\042, \042__kernel void chase(__global uint *to, __global const uint *links)\134n{\134n    uint at = (uint)get_global_id(0);\134n    for (int step = 0; step < 5; step++)\134n        at = links[at] \045 (uint)get_global_size(0);\134n    to[get_global_id(0)] = at;\134n}\134n\042, \042__kernel void tally(__global uint *data)\134n{\134n    uint i = (uint)get_global_id(0);\134n    uint number = i * 2654435761u;\134n    switch (i \045 4u) {\134n    case 0: atomic_add(&data[0], number); break;\134n    case 1: atomic_max(&data[1], number); break;\134n    case 2: atomic_min(&data[2], number); break;\134n    default: atomic_xor(&data[3], number); break;\134n    }\134n}\134n\042, \042__kernel void linger(__global uint *data)\134n{\134n    uint number = data[get_global_id(0)];\134n    for (uint round = 0; round < 4194304u; round++) {\134n        number ^= number << 13;\134n        number ^= number >> 17;\134n        number ^= number << 5;\134n    }\134n    data[get_global_id(0)] = number;\134n}\134n\042, \042__kernel void walk(__global ulong *first)\134n{\134n    size_t i = get_global_id(0);\134n    for (__global ulong *node = first; node; node = (__global ulong *)(uintptr_t)node[0]) {\134n        __global uint *data = (__global uint *)(node + 1);\134n        data[i] = data[i] * 3u + (uint)i;\134n    }\134n}\134n\042, \042__kernel __attribute__((reqd_work_group_size(4, 1, 1)))\134nvoid add_scaled(__global uint *restrict data, __global const volatile uint *other,\134n                __constant uint *scale, __local uint *shared, uint offset)\134n{\134n    size_t i = get_global_id(0);\134n    shared[get_local_id(0)] = other[i] * scale[0];\134n    data[i] += shared[get_local_id(0)] + offset;\134n}\134n\042}, NULL, NULL)");
        fflush(stdout);
        cl_program result = call_clCreateProgramWithSource(context1, 7, (const char **)strings, NULL, NULL);
        printf(" -> %p\n", (void *)result);
        if (!result) return untried("clCreateProgramWithSource");
        program1 = result;
    }

    /* clBuildProgram(program1, 1, {device1}, "-cl-kernel-arg-info", NULL, NULL) -> CL_SUCCESS */
    {
        cl_device_id device_list[] = {(cl_device_id)device1};
        static char options[] = "-cl-kernel-arg-info";
        printf("%s", "3: clBuildProgram(program1, 1, {device1}, \042-cl-kernel-arg-info\042, NULL, NULL)");
        fflush(stdout);
        cl_int result = call_clBuildProgram(program1, 1, device_list, (const char *)options, NULL, NULL);
        printf(" -> %s\n", code_name(result));
    }

    /* clCreateKernel(program1, "add_scaled", NULL) -> kernel1 */
    {
        static char kernel_name[] = "add_scaled";
        printf("%s", "4: clCreateKernel(program1, \042add_scaled\042, NULL)");
        fflush(stdout);
        cl_kernel result = call_clCreateKernel(program1, (const char *)kernel_name, NULL);
        printf(" -> %p\n", (void *)result);
        if (!result) return untried("clCreateKernel");
        kernel1 = result;
    }

    /* clGetKernelInfo(kernel1, CL_KERNEL_ATTRIBUTES, 48, room 48, NULL) -> CL_SUCCESS, param_value = __attribute__((reqd_work_group_size(4, 1, 1 )))\x00 */
    {
        struct room param_value = make_room(48 * sizeof(unsigned char));
        printf("%s", "5: clGetKernelInfo(kernel1, CL_KERNEL_ATTRIBUTES, 48, room 48, NULL)");
        fflush(stdout);
        cl_int result = call_clGetKernelInfo(kernel1, CL_KERNEL_ATTRIBUTES, 48, (void *)param_value.at, NULL);
        printf(" -> %s\n", code_name(result));
        show("param_value", param_value, sizeof(unsigned char));
        if (overrun(param_value)) return deviation("it wrote beyond param_value");
        /* the outputs are to be compared: __attribute__((reqd_work_group_size(4, 1, 1 ))) */
        if (result == 0 && written(param_value) == 48 && memcmp(param_value.at, "\137\137\141\164\164\162\151\142\165\164\145\137\137\050\050\162\145\161\144\137\167\157\162\153\137\147\162\157\165\160\137\163\151\172\145\050\064\054\040\061\054\040\061\040\051\051\051\000", 48) == 0)
            return deviation("CL_SUCCESS, param_value = __attribute__((reqd_work_group_size(4, 1, 1 )))\134x00");
    }

    puts("no deviation");
    return 0;
}
