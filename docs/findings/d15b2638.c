/* clCreateBufferWithProperties/CL_INVALID_PROPERTY/1: deviates
 *
 * clCreateBufferWithProperties/CL_INVALID_PROPERTY/1: A property's name is not known, its value is not valid, or it is given twice.
 * allowed: CL_INVALID_PROPERTY
 * observed: CL_INVALID_VALUE
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, device AMD EPYC
 *
 * Build and run:  cc d15b2638.c -o d15b2638 -lOpenCL && ./d15b2638     (older systems: -ldl as well)
 * ./d15b2638 [PART OF THE PLATFORM'S NAME]     (or in the environment: CLCONFORM_PLATFORM)
 * Found with libintelocl.so; Debian's loader takes it alone by OCL_ICD_VENDORS=libintelocl.so
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
#ifndef CL_INVALID_VALUE
#define CL_INVALID_VALUE -30
#endif
#ifndef CL_MEM_READ_WRITE
#define CL_MEM_READ_WRITE 1
#endif
#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif

/* the functions called, each by an address of its own */
typedef cl_context (CL_API_CALL *clCreateContext_type)(const cl_context_properties *, cl_uint, const cl_device_id *, void *, void *, cl_int *);
static clCreateContext_type call_clCreateContext;
typedef cl_mem (CL_API_CALL *clCreateBufferWithProperties_type)(cl_context, const cl_mem_properties *, cl_mem_flags, size_t, void *, cl_int *);
static clCreateBufferWithProperties_type call_clCreateBufferWithProperties;

/* the objects, by the names that they have in the report */
static cl_platform_id platform1 MAYBE_UNUSED;
static cl_device_id device1 MAYBE_UNUSED;
static cl_context context1 MAYBE_UNUSED;

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

/* clCreateBufferWithProperties/CL_INVALID_PROPERTY/1: deviates */
MAYBE_UNUSED static int deviation(const char *observed) {
    printf("DEVIATION: clCreateBufferWithProperties/CL_INVALID_PROPERTY/1: allowed %s; observed %s\n", "CL_INVALID_PROPERTY", observed);
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
    platform = choose(name ? name : "Intel(R) OpenCL", "OpenCL 3.1 LINUX");
    device_ids(platform, CL_DEVICE_TYPE_ALL, 64, roots, &found_roots);
    if (found_roots < 1) { printf("the platform has %u devices, not 1\n", (unsigned)found_roots); return 2; }
    platform1 = platform;
    device1 = roots[0];
    call_clCreateContext = (clCreateContext_type)clCreateContext;
    call_clCreateBufferWithProperties = (clCreateBufferWithProperties_type)clCreateBufferWithProperties;

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

    /* clCreateBufferWithProperties(context1, {0x7fff0001, 0, 0x7fff0001, 0, 0}, CL_MEM_READ_WRITE, 1, NULL, room 1) -> NULL, errcode_ret = CL_INVALID_VALUE */
    {
        cl_mem_properties properties[] = {2147418113, 0, 2147418113, 0, 0};
        struct room errcode_ret = make_room(1 * sizeof(cl_int));
        printf("%s", "2: clCreateBufferWithProperties(context1, {0x7fff0001, 0, 0x7fff0001, 0, 0}, CL_MEM_READ_WRITE, 1, NULL, room 1)");
        fflush(stdout);
        cl_mem result = call_clCreateBufferWithProperties(context1, properties, CL_MEM_READ_WRITE, 1, NULL, (cl_int *)errcode_ret.at);
        printf(" -> %p\n", (void *)result);
        printf("    errcode_ret = %s\n", code_name(*(cl_int *)errcode_ret.at));
        if (overrun(errcode_ret)) return deviation("it wrote beyond errcode_ret");
        if (*(cl_int *)errcode_ret.at != -64) return deviation(code_name(*(cl_int *)errcode_ret.at));
    }

    puts("no deviation");
    return 0;
}
