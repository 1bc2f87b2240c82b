/* clCommandCopyImageKHR/success: deviates
 * The command is recorded, to be executed whenever the command-buffer is enqueued. The synchronization-point is one that no other command of the command-buffer has. Queries of the handle, if one is requested, return what the command was recorded with.
 * allowed: CL_SUCCESS, CL_INVALID_IMAGE_SIZE, CL_INVALID_MEM_OBJECT; observed: CL_INVALID_EVENT_WAIT_LIST
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 6.1-pre  Linux, Release, RELOC, LLVM 15.0.6, SLEEF, POCL_DEBUG, device cpu
 *
 * cc ec08277f.c -o ec08277f -lOpenCL && ./ec08277f [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with libpocl.so.2.14.0; Debian's loader takes it alone by OCL_ICD_VENDORS=libpocl.so.2.14.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_1_APIS
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_MEM_OBJECT ? "CL_INVALID_MEM_OBJECT"
        : code == CL_INVALID_IMAGE_SIZE ? "CL_INVALID_IMAGE_SIZE" : code == CL_INVALID_EVENT_WAIT_LIST ? "CL_INVALID_EVENT_WAIT_LIST" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clCommandCopyImageKHR/success: allowed CL_SUCCESS, CL_INVALID_IMAGE_SIZE, CL_INVALID_MEM_OBJECT; observed", observed), 1)
/* a function, as the loader returns it for the platform */
static void *find(cl_platform_id platform, const char *name) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    return found ? found : clGetExtensionFunctionAddress(name);
}
static void *found(cl_platform_id platform, const char *name) {
    void *function = find(platform, name);
    if (!function) { printf("the platform has no %s\n", name); exit(2); }
    return function;
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Portable Computing Language";
    cl_platform_id platforms[64], platform1 = NULL;
    cl_device_id device1 = NULL;
    cl_uint count = 0, found_devices = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
    clGetPlatformIDs(64, platforms, &count);
    for (cl_uint i = 0; i < count && i < 64; i++) { /* the platform of that name; of two, that of the version */
        char text[2][1024] = {"", ""};
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text[0], text[0], NULL);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof text[1], text[1], NULL);
        printf("platform: %s, %s\n", text[0], text[1]);
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 6.1-pre  Linux, Release, RELOC, LLVM 15.0.6, SLEEF, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    void *(CL_API_CALL *clCreateCommandBufferKHR)(cl_uint, const cl_command_queue *, const cl_ulong *, cl_int *) =
        found(platform1, "clCreateCommandBufferKHR");
    cl_int (CL_API_CALL *clCommandFillBufferKHR)(void *, cl_command_queue, const cl_ulong *, cl_mem, const void *, size_t, size_t, size_t, cl_uint, const cl_uint *, cl_uint *, void * *) =
        found(platform1, "clCommandFillBufferKHR");
    cl_int (CL_API_CALL *clCommandCopyImageKHR)(void *, cl_command_queue, const cl_ulong *, cl_mem, cl_mem, const size_t *, const size_t *, const size_t *, cl_uint, const cl_uint *, cl_uint *, void * *) =
        found(platform1, "clCommandCopyImageKHR");
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    void *command_buffer_khr1 = MAKE(clCreateCommandBufferKHR(1, (cl_command_queue[]){queue1}, NULL, NULL));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 64, NULL, NULL));
    cl_mem mem2 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 64, NULL, NULL));
    static _Alignas(128) unsigned char pattern[] = {0x11, 0x12, 0x13, 0x14};
    CALL(clCommandFillBufferKHR(command_buffer_khr1, NULL, NULL, mem1, pattern, 1, 0, 1, 0, NULL, (cl_uint[1]){0},
        NULL));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .mem_object = mem1}
    };
    cl_mem mem3 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE, image_format, image_desc, NULL, NULL));
    cl_image_format image_format_2[] = {
        {.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}
    };
    cl_image_desc image_desc_2[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .mem_object = mem2}
    };
    cl_mem mem4 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE, image_format_2, image_desc_2, NULL, NULL));
    CALL(clCommandCopyImageKHR(command_buffer_khr1, NULL, NULL, mem3, mem4, (size_t[]){0, 0, 0}, (size_t[]){0, 0, 0},
        (size_t[]){1, 1, 1}, 1, (cl_uint[]){1}, (cl_uint[1]){0}, NULL));
    if (result != CL_SUCCESS && result != CL_INVALID_MEM_OBJECT && result != CL_INVALID_IMAGE_SIZE) return deviation(name_of(result));
    puts("no deviation");
    return 0;
}
