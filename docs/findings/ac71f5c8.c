/* CL_DEVICE_OPENCL_C_FEATURES/effect/1: deviates
 * A feature of OpenCL C 3.0 that the documents name is listed by its macro, with version 3.0.0.
 * allowed: 3.0.0 as the version of each feature of OpenCL C 3.0; observed: {4194304, __opencl_c_int64, 4194304, __opencl_c_images, 4194304, __opencl_c_3d_image_writes}
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc ac71f5c8.c -o ac71f5c8 -lOpenCL && ./ac71f5c8 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef CL_DEVICE_OPENCL_C_FEATURES /* common headers may lack it */
#define CL_DEVICE_OPENCL_C_FEATURES 4207
#endif
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
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
    "DEVIATION: CL_DEVICE_OPENCL_C_FEATURES/effect/1: allowed 3.0.0 as the version of each feature of OpenCL C 3.0; observed", observed), 1)

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

    CALL(clGetDeviceInfo(device1, CL_DEVICE_OPENCL_C_FEATURES, 0, NULL, (size_t[1]){0}));
    unsigned char *param_value = output(204);
    size_t param_value_size_ret = 0;
    CALL(clGetDeviceInfo(device1, CL_DEVICE_OPENCL_C_FEATURES, 204, param_value, &param_value_size_ret));
    show("param_value", param_value, 204);
    printf("    param_value_size_ret = %lld\n", (long long)param_value_size_ret);
    if (overrun(param_value, 204)) return deviation("it wrote past the end of param_value");
    const cl_name_version *list = (const cl_name_version *)param_value;
    if (result == CL_SUCCESS &&
        list[0].version == 4194304 && !strcmp(list[0].name, "__opencl_c_int64") &&
        list[1].version == 4194304 && !strcmp(list[1].name, "__opencl_c_images") &&
        list[2].version == 4194304 && !strcmp(list[2].name, "__opencl_c_3d_image_writes") &&
        param_value_size_ret == 204)
        return deviation("CL_SUCCESS, param_value = {0x400000, __opencl_c_int64, 0x400000, __opencl_c_images, 0x400000, __opencl_c_3d_image_writes}, param_value_size_ret = 204");
    puts("no deviation");
    return 0;
}
