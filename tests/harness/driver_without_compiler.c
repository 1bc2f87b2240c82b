/* A driver that reports that its devices have no compiler, and does not build programs from source.
 *
 * It changes the dispatch table of another driver, whose library is the macro DRIVER. INFO, BUILD, COMPILE and
 * PROGRAM_INFO are the indices of its functions in the table. CL_DEVICE_COMPILER_AVAILABLE is 0x1028,
 * CL_PROGRAM_SOURCE 0x1164, CL_COMPILER_NOT_AVAILABLE -3.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef int (*info_function)(void *, unsigned, size_t, void *, size_t *);
typedef int (*build_function)(void *, unsigned, void *const *, const char *, void *, void *);
typedef int (*platforms_function)(unsigned, void **, unsigned *);
typedef void *(*address_function)(const char *);

static info_function device_info, program_info;
static build_function build;
static address_function real_address;

static int get_device_info(void *device, unsigned name, size_t size, void *value, size_t *needed)
{
    int code = device_info(device, name, size, value, needed);
    if (code == 0 && name == 0x1028 && value)
        memset(value, 0, 4);
    return code;
}

static int build_program(void *program, unsigned count, void *const *devices, const char *options, void *notify,
                         void *data)
{
    size_t size = 0;
    if (program && program_info(program, 0x1164, 0, NULL, &size) == 0 && size > 1)
        return -3;
    return build(program, count, devices, options, notify, data);
}

static int compile_program(void)
{
    return -3;
}

static void change(void **table)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uintptr_t start = (uintptr_t)table / page * page;
    if (build)
        return;
    mprotect((void *)start, 4 * page, PROT_READ | PROT_WRITE);
    device_info = (info_function)table[INFO];
    program_info = (info_function)table[PROGRAM_INFO];
    build = (build_function)table[BUILD];
    table[INFO] = (void *)get_device_info;
    table[BUILD] = (void *)build_program;
    table[COMPILE] = (void *)compile_program;
}

static int get_platforms(unsigned count, void **platforms, unsigned *found)
{
    platforms_function real = (platforms_function)real_address("clIcdGetPlatformIDsKHR");
    int code = real(count, platforms, found);
    if (code == 0 && platforms && count)
        change(*(void ***)platforms[0]);
    return code;
}

void *clGetExtensionFunctionAddress(const char *name)
{
    if (!real_address)
        real_address = (address_function)dlsym(dlopen(DRIVER, RTLD_NOW | RTLD_LOCAL), "clGetExtensionFunctionAddress");
    return strcmp(name, "clIcdGetPlatformIDsKHR") ? real_address(name) : (void *)get_platforms;
}

int clIcdGetPlatformIDsKHR(unsigned count, void **platforms, unsigned *found)
{
    clGetExtensionFunctionAddress("clIcdGetPlatformIDsKHR");
    return get_platforms(count, platforms, found);
}
