/* clEnqueueCopyImageToBuffer/success: deviates
 * The command copies the texels of the region, as left by the commands before it, and changes no other texel.
 * allowed: 0x04 at byte 0; observed: byte 0 is 0x11; 1 of 12 bytes are wrong
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H100 80GB HBM3
 *
 * cc 2d9ad6e3.c -o 2d9ad6e3 -lOpenCL && ./2d9ad6e3 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/local/nvidia/lib64/libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/local/nvidia/lib64/libnvidia-opencl.so.580.159.04
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
#define DO(...) do { CALL(__VA_ARGS__); if (result != CL_SUCCESS) { puts("no object was created, so the deviation cannot be tested"); exit(2); } } while (0)
static cl_int error; /* the errcode_ret of the calls before the last */
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { printf("no object was created (error code %d), so the deviation cannot be tested\n", (int)error); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
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
static void show(const char *name, const void *at, size_t size) {
    printf("    %s (a5: not written):", name);
    for (size_t i = 0; i < size && i < 256; i++) printf(" %02x", ((const unsigned char *)at)[i]);
    puts(size > 256 ? " ..." : "");
}
#define deviation(observed) (printf("%s %s\n", \
    "DEVIATION: clEnqueueCopyImageToBuffer/success: allowed 0x04 at byte 0; observed", observed), 1)

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "NVIDIA CUDA";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 CUDA 13.0.98"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 2048, NULL, &error));
    static _Alignas(128) unsigned char ptr[2048];
    series(ptr, 241, 180, 7, 241);
    series(ptr + 241, 241, 183, 7, 241);
    series(ptr + 482, 241, 186, 7, 241);
    series(ptr + 723, 241, 189, 7, 241);
    series(ptr + 964, 241, 192, 7, 241);
    series(ptr + 1205, 241, 195, 7, 241);
    series(ptr + 1446, 241, 198, 7, 241);
    series(ptr + 1687, 241, 201, 7, 241);
    series(ptr + 1928, 120, 204, 7, 241);
    CALL(clEnqueueWriteBuffer(queue1, mem1, CL_TRUE, 0, 2048, ptr, 0, NULL, NULL));
    cl_image_format image_format[] = {{.image_channel_order = CL_R, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_ARRAY, .image_width = 11, .image_array_size = 3, .image_row_pitch = 192}
    };
    static _Alignas(128) unsigned char host_ptr[4096];
    series(host_ptr, 241, 142, 7, 241);
    series(host_ptr + 241, 241, 145, 7, 241);
    series(host_ptr + 482, 241, 148, 7, 241);
    series(host_ptr + 723, 241, 151, 7, 241);
    series(host_ptr + 964, 241, 154, 7, 241);
    series(host_ptr + 1205, 241, 157, 7, 241);
    series(host_ptr + 1446, 241, 160, 7, 241);
    series(host_ptr + 1687, 241, 163, 7, 241);
    series(host_ptr + 1928, 241, 166, 7, 241);
    series(host_ptr + 2169, 241, 169, 7, 241);
    series(host_ptr + 2410, 241, 172, 7, 241);
    series(host_ptr + 2651, 241, 175, 7, 241);
    series(host_ptr + 2892, 241, 178, 7, 241);
    series(host_ptr + 3133, 241, 181, 7, 241);
    series(host_ptr + 3374, 241, 184, 7, 241);
    series(host_ptr + 3615, 241, 187, 7, 241);
    series(host_ptr + 3856, 240, 190, 7, 241);
    cl_mem mem2 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, image_format, image_desc,
        host_ptr, &error));
    cl_image_format image_format_2[] = {{.image_channel_order = CL_R, .image_channel_data_type = CL_UNSIGNED_INT8}};
    cl_image_desc image_desc_2[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 12, .mem_object = mem1}
    };
    cl_mem mem3 = MAKE(clCreateImage(context1, 0, image_format_2, image_desc_2, NULL, &error));
    static _Alignas(128) unsigned char fill_color[] = {
        0x33, 0x00, 0x00, 0x00, 0x66, 0x00, 0x00, 0x00, 0x19, 0x00, 0x00, 0x00, 0x4c, 0x00, 0x00, 0x00
    };
    cl_event event1 = NULL;
    DO(clEnqueueFillImage(queue1, mem2, fill_color, (size_t[]){0, 2, 0}, (size_t[]){1, 1, 1}, 0, NULL, &event1));
    static _Alignas(128) unsigned char fill_color_2[] = {
        0x11, 0x00, 0x00, 0x00, 0x22, 0x00, 0x00, 0x00, 0x33, 0x00, 0x00, 0x00, 0x44, 0x00, 0x00, 0x00
    };
    CALL(clEnqueueFillImage(queue1, mem3, fill_color_2, (size_t[]){0, 0, 0}, (size_t[]){11, 1, 1}, 1,
        (cl_event[]){event1}, NULL));
    cl_event event2 = MAKE(clCreateUserEvent(context1, &error));
    DO(clEnqueueCopyImageToBuffer(queue1, mem2, mem1, (size_t[]){9, 2, 0}, (size_t[]){1, 1, 1}, 0, 2,
        (cl_event[]){event2, event1}, (cl_event[1]){0}));
    cl_event event4 = MAKE(clCreateUserEvent(context1, &error));
    CALL(clSetUserEventStatus(event2, 0));
    CALL(clSetUserEventStatus(event4, 0));
    CALL(clEnqueueMigrateMemObjects(queue1, 1, (cl_mem[]){mem3}, 0, 0, NULL, NULL));
    unsigned char *ptr_2 = output(12);
    CALL(clEnqueueReadImage(queue1, mem3, CL_TRUE, (size_t[]){0, 0, 0}, (size_t[]){12, 1, 1}, 0, 0, ptr_2, 0, NULL,
        NULL));
    show("ptr", ptr_2, 12);
    if (overrun(ptr_2, 12)) return deviation("it wrote past the end of ptr_2");
    if (result == CL_SUCCESS && memcmp(ptr_2, "\021\021\021\021\021\021\021\021\021\021\021\020", 12) == 0)
        return deviation("CL_SUCCESS, ptr = 12 bytes");
    puts("no deviation");
    return 0;
}
