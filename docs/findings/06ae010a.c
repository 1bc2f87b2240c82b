/* clEnqueueFillImage/success: hangs
 * The command fills the region with the colour and changes no other texel. A call that has not returned after 5 s never returns (register: deadline-of-a-call).
 * allowed: CL_SUCCESS, CL_INVALID_IMAGE_SIZE; observed: no answer within 10 s
 * seen on: NVIDIA CUDA, OpenCL 3.0 CUDA 13.0.98, device NVIDIA H100 80GB HBM3
 *
 * cc 06ae010a.c -o 06ae010a -lOpenCL && ./06ae010a [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/local/nvidia/lib64/libnvidia-opencl.so.580.159.04; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/local/nvidia/lib64/libnvidia-opencl.so.580.159.04
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : code == CL_INVALID_IMAGE_SIZE ? "CL_INVALID_IMAGE_SIZE" : number;
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
static void too_late(int number) {
    static const char said[] = "\nDEVIATION: clEnqueueFillImage/success: no answer before the deadline\n";
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
}

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
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE,
        &error));
    cl_image_format image_format[] = {{.image_channel_order = CL_RG, .image_channel_data_type = CL_SIGNED_INT16}};
    cl_image_desc image_desc[] = {
        {.image_type = CL_MEM_OBJECT_IMAGE3D, .image_width = 6, .image_height = 5, .image_depth = 4, .image_row_pitch
        = 112}
    };
    static _Alignas(128) unsigned char host_ptr[4096];
    series(host_ptr, 241, 15, 7, 241);
    series(host_ptr + 241, 241, 18, 7, 241);
    series(host_ptr + 482, 241, 21, 7, 241);
    series(host_ptr + 723, 241, 24, 7, 241);
    series(host_ptr + 964, 241, 27, 7, 241);
    series(host_ptr + 1205, 241, 30, 7, 241);
    series(host_ptr + 1446, 241, 33, 7, 241);
    series(host_ptr + 1687, 241, 36, 7, 241);
    series(host_ptr + 1928, 241, 39, 7, 241);
    series(host_ptr + 2169, 241, 42, 7, 241);
    series(host_ptr + 2410, 241, 45, 7, 241);
    series(host_ptr + 2651, 241, 48, 7, 241);
    series(host_ptr + 2892, 241, 51, 7, 241);
    series(host_ptr + 3133, 241, 54, 7, 241);
    series(host_ptr + 3374, 241, 57, 7, 241);
    series(host_ptr + 3615, 241, 60, 7, 241);
    series(host_ptr + 3856, 240, 63, 7, 241);
    cl_mem mem1 = MAKE(clCreateImage(context1, CL_MEM_READ_WRITE | CL_MEM_COPY_HOST_PTR, image_format, image_desc,
        host_ptr, &error));
    cl_event event1 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event2 = NULL;
    DO(clEnqueueMarkerWithWaitList(queue1, 0, NULL, &event2));
    static _Alignas(128) unsigned char fill_color[] = {
        0x11, 0x00, 0x00, 0x00, 0x22, 0x00, 0x00, 0x00, 0x33, 0x00, 0x00, 0x00, 0x44, 0x00, 0x00, 0x00
    };
    puts("the next call is expected to hang; waiting 10 s");
    signal(SIGALRM, too_late);
    alarm(10);
    CALL(clEnqueueFillImage(queue1, mem1, fill_color, (size_t[]){5, 0, 0}, (size_t[]){1, 5, 1}, 2,
        (cl_event[]){event2, event1}, NULL));
    puts("no deviation");
    return 0;
}
