/* CL_CONTEXT_NUM_DEVICES: deviates
 * The answer is the number of devices that the context was created with.
 * allowed: 2; observed: 1
 * seen on: Portable Computing Language, OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG, device pthread-skylake-avx512-AMD EPYC
 *
 * cc 3abbde28.c -o 3abbde28 -lOpenCL && ./3abbde28 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libpocl.so.2.10.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define CL_TARGET_OPENCL_VERSION 300
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
#define DO(...) do { CALL(__VA_ARGS__); if (result != CL_SUCCESS) { puts("that made nothing, so that the deviation cannot be tried"); exit(2); } } while (0)
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("that made nothing, so that the deviation cannot be tried"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
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
    "DEVIATION: CL_CONTEXT_NUM_DEVICES: allowed 2; observed", observed), 1)

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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 3.0 PoCL 3.1+debian  Linux, None+Asserts, RELOC, SPIR, LLVM 15.0.6, SLEEF, DISTRO, POCL_DEBUG")))
            platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of %u platforms has a name with: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_device_id out_devices[8] = {NULL};
    DO(clCreateSubDevices(device1, (cl_device_partition_property[]){CL_DEVICE_PARTITION_EQUALLY, 1, 0}, 8,
        out_devices, NULL));
    cl_device_id device8 = out_devices[6];
    cl_device_id device9 = out_devices[7];
    cl_context context1 = MAKE(clCreateContext(NULL, 2, (cl_device_id[]){device8, device9}, NULL, NULL, NULL));
    unsigned char *param_value = output(4);
    CALL(clGetContextInfo(context1, CL_CONTEXT_NUM_DEVICES, 4, param_value, NULL));
    printf("    param_value = %#llx\n", (unsigned long long)*(cl_uint *)param_value);
    if (overrun(param_value, 4)) return deviation("it wrote beyond param_value");
    if (result == CL_SUCCESS && *(cl_uint *)param_value == 1u)
        return deviation("CL_SUCCESS, param_value = 1");
    puts("no deviation");
    return 0;
}
