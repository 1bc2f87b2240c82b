/* clEnqueueUnmapMemObject/success: deviates
 * What the host wrote to the mapped region is visible to devices when the command is complete.
 * allowed: 0xc4 at byte 0; observed: byte 0 is 0x00; 4 of 4 bytes are wrong
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc 485b790a.c -o 485b790a -lOpenCL && ./485b790a [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("no object was created (error code %d), so the deviation cannot be tested\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
#define RUN(...) do { fputs(#__VA_ARGS__, stdout); __VA_ARGS__; puts(""); } while (0)
enum { FILL = 0xA5, GUARD = 0xC3, GUARD_BYTES = 64 };

static int all(const void *at, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) if (((const unsigned char *)at)[i] != byte) return 0;
    return 1;
}
static void *output(size_t size) { /* an output buffer between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES);
    if (!whole) exit(2);
    memset(whole, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole + GUARD_BYTES, FILL, size);
}
#define overrun(at, size) (!all((char *)(at) - GUARD_BYTES, GUARD, GUARD_BYTES) || \
    !all((char *)(at) + (size), GUARD, GUARD_BYTES))
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueUnmapMemObject/success: allowed 0xc4 at byte 0; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "rusticl";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 "))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, NULL));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, NULL));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 55, NULL, &error));
    cl_image_format image_format[] = {{.image_channel_order = CL_RGBA, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 12, .mem_object = mem1}
    };
    cl_mem mem2 = MAKE(clCreateImage(context1, 0, image_format, image_desc, NULL, &error));
    void *pointer1 = MAKE(clEnqueueMapImage(queue1, mem2, CL_TRUE, CL_MAP_WRITE, (size_t[]){0, 0, 0},
        (size_t[]){1, 1, 1}, (size_t[1]){0}, (size_t[1]){0}, 0, NULL, NULL, &error));
    static _Alignas(128) unsigned char content[] = {0xc4, 0xcb, 0xd2, 0xd9};
    RUN(memcpy(pointer1, content, 4));
    CALL(clEnqueueUnmapMemObject(queue1, mem2, pointer1, 0, NULL, NULL));
    CALL(clFinish(queue1));
    void *pointer2 = MAKE(clEnqueueMapImage(queue1, mem2, CL_TRUE, CL_MAP_READ, (size_t[]){0, 0, 0},
        (size_t[]){1, 1, 1}, (size_t[1]){0}, (size_t[1]){0}, 0, NULL, NULL, &error));
    unsigned char *content_2 = output(4);
    RUN(memcpy(content_2, pointer2, 4));
    printf("    content = %#llx\n", (unsigned long long)*(cl_uint *)content_2);
    if (overrun(content_2, 4)) return deviation("it wrote past the end of content_2");
    if (*(cl_uint *)content_2 == 0u) return deviation("content = {0x00, 0x00, 0x00, 0x00}");
    puts("no deviation");
    return 0;
}
