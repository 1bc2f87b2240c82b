/* {{ title }}
 *
{%- for line in story %}
 * {{ line }}
{%- endfor %}
 *
 * Build and run:  cc {{ id }}.c -o {{ id }} -lOpenCL && ./{{ id }}     (older systems: -ldl as well)
{%- if direct %}
 * Found past the loader, so the driver's library is opened here and called by its dispatch table:
 * ./{{ id }} [LIBRARY] [PART OF THE PLATFORM'S NAME]
{%- else %}
 * ./{{ id }} [PART OF THE PLATFORM'S NAME]     (or in the environment: CLCONFORM_PLATFORM)
{%- for library in libraries %}
 * Found with {{ library }}; Debian's loader takes it alone by OCL_ICD_VENDORS={{ library }}
{%- endfor %}
{%- endif %}
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried{% if dies %}; a crash ends it by itself{% endif %}.
 * Written by clconform {{ version }}.
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
{%- for name, value in defines %}
#ifndef {{ name }}
#define {{ name }} {{ value }}
#endif
{%- endfor %}
#if defined(__GNUC__)
#define MAYBE_UNUSED __attribute__((unused))
#else
#define MAYBE_UNUSED
#endif

/* the functions called, each by an address of its own */
{%- for function in functions %}
typedef {{ function.returns }} (CL_API_CALL *{{ function.name }}_type)({{ function.parameters }});
static {{ function.name }}_type call_{{ function.name }};
{%- endfor %}

/* the objects, by the names that they have in the report */
{%- for name, type in variables %}
static {{ type }} {{ name }} MAYBE_UNUSED;
{%- endfor %}

static const struct { cl_int code; const char *name; } codes[] = {
{%- for value, name in codes %}
    {{ "{" }}{{ value }}, "{{ name }}"},
{%- endfor %}
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

{% if host_steps -%}
/* memory of the host's, given to the driver or reached through its pointers: areas lie between guard bytes */
static struct room areas[256];
static size_t area_count;

MAYBE_UNUSED static void *host_allocate(size_t size, size_t alignment) {
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES + alignment);
    uintptr_t at = (uintptr_t)whole + GUARD_BYTES;
    if (!whole || area_count == sizeof areas / sizeof *areas) { puts("out of memory"); exit(2); }
    whole += (at + alignment - 1) / alignment * alignment - (uintptr_t)whole;
    memset(whole - GUARD_BYTES, GUARD, size + 2 * GUARD_BYTES);
    memset(whole, FILL, size);
    areas[area_count++] = (struct room){whole, size};
    return whole;
}

MAYBE_UNUSED static void host_write(void *pointer, size_t size, const void *content) { memcpy(pointer, content, size); }
MAYBE_UNUSED static void host_read(const void *pointer, size_t size, void *content) { memcpy(content, pointer, size); }

MAYBE_UNUSED static int beyond_an_area(void) {
    for (size_t i = 0; i < area_count; i++) if (overrun(areas[i])) return 1;
    return 0;
}

{% endif -%}
/* {{ title }} */
MAYBE_UNUSED static int deviation(const char *observed) {
    printf("DEVIATION: {{ titles }}: allowed %s; observed %s\n", {{ allowed }}, observed);
    return 1;
}

/* a call does not make here what the next ones use */
MAYBE_UNUSED static int untried(const char *function) {
    printf("%s made nothing, so that the deviation cannot be tried\n", function);
    return 2;
}
{% if alarmed %}
static void too_late(int number) {
    static const char said[] = "\nDEVIATION: {{ titles }}: no answer before the deadline\n";
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
}
{% endif %}{% if exits %}
static int finished;
static void driver_ended_it(void) {
    if (finished) return;
    deviation("the driver ended the process");
    fflush(stdout);
    _exit(1);
}
{% endif %}
{%- if callbacks.names %}
/* the callbacks: each prints and notes with what it was called, on whatever thread that is */
static atomic_flag noting = ATOMIC_FLAG_INIT;
static char called_back[4096];
{%- for name in callbacks.names %}
static atomic_uint {{ name }}_times;
{%- endfor %}

MAYBE_UNUSED static void note_callback(const char *name, const char *numbers) {
    while (atomic_flag_test_and_set(&noting)) continue;
    size_t used = strlen(called_back);
    snprintf(called_back + used, sizeof called_back - used, "%s%s%s;", name, *numbers ? " " : "", numbers);
    atomic_flag_clear(&noting);
}

MAYBE_UNUSED static void forget_callbacks(void) {
    while (atomic_flag_test_and_set(&noting)) continue;
    *called_back = 0;
    atomic_flag_clear(&noting);
}

MAYBE_UNUSED static cl_uint host_await(atomic_uint *counted, cl_uint times, cl_uint milliseconds) {
    const struct timespec pause = {0, 1000000};
    for (cl_uint waited = 0; *counted < times && waited < milliseconds; waited++) nanosleep(&pause, NULL);
    return *counted;
}
{% for function in callbacks.functions %}
static void CL_CALLBACK {{ function.identifier }}({{ function.parameters }}) {
    char text[256];
    snprintf(text, sizeof text, {{ function.shown }});
    printf("    {{ function.name }} was called back: %s\n", text);
    snprintf(text, sizeof text, {{ function.noted }});
    note_callback("{{ function.name }}", text);
    {{ function.name }}_times++;
}
{% endfor %}
{%- endif %}

{% if direct %}
static void *library;
typedef cl_int (CL_API_CALL *ids_type)(cl_uint, cl_platform_id *, cl_uint *);
typedef cl_int (CL_API_CALL *info_type)(cl_platform_id, cl_platform_info, size_t, void *, size_t *);
typedef cl_int (CL_API_CALL *devices_type)(cl_platform_id, cl_device_type, cl_uint, cl_device_id *, cl_uint *);
typedef void *(CL_API_CALL *by_name_type)(const char *);
typedef void *(CL_API_CALL *by_platform_type)(cl_platform_id, const char *);

/* the driver's own function: as it tells loaders, or from its dispatch table, or as its library exports it */
static void *find(cl_platform_id platform, const char *name, int position) {
    by_name_type by_name = (by_name_type)dlsym(library, "clGetExtensionFunctionAddress");
    by_platform_type by_platform = (by_platform_type)dlsym(library, "clIcdGetFunctionAddressForPlatformKHR");
    void *found = NULL;
    if (!by_platform && by_name) by_platform = (by_platform_type)by_name("clIcdGetFunctionAddressForPlatformKHR");
    if (by_platform) found = by_platform(platform, name);
    if (!found && position >= 0) found = (*(void ***)platform)[position];
    if (!found) found = dlsym(library, name);
    if (!found && by_name) found = by_name(name);
    return found;
}

static cl_int platform_ids(cl_uint room, cl_platform_id *platforms, cl_uint *count) {
    by_name_type by_name = (by_name_type)dlsym(library, "clGetExtensionFunctionAddress");
    ids_type ids = by_name ? (ids_type)by_name("clIcdGetPlatformIDsKHR") : NULL;
    if (!ids) ids = (ids_type)dlsym(library, "clIcdGetPlatformIDsKHR");
    if (!ids) { puts("the library hands out no platforms"); exit(2); }
    return ids(room, platforms, count);
}

#define platform_info(platform, ...) (((info_type)find(platform, "clGetPlatformInfo", {{ positions.info }}))(platform, __VA_ARGS__))
#define device_ids(platform, ...) (((devices_type)find(platform, "clGetDeviceIDs", {{ positions.devices }}))(platform, __VA_ARGS__))
{% else %}
/* a function of an extension, as the loader hands it out for the platform */
MAYBE_UNUSED static void *find(cl_platform_id platform, const char *name, int position) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    (void)position;
    return found ? found : clGetExtensionFunctionAddress(name);
}

#define platform_ids clGetPlatformIDs
#define platform_info clGetPlatformInfo
#define device_ids clGetDeviceIDs
{% endif %}
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
{%- if direct %}
    library = dlopen(argc > 1 ? argv[1] : {{ opened }}, RTLD_NOW);
    if (!library) { printf("%s\n", dlerror()); return 2; }
    if (argc > 2) name = argv[2];
{%- else %}
    if (argc > 1) name = argv[1];
{%- endif %}
    platform = choose(name ? name : {{ platform_name }}, {{ platform_version }});
    device_ids(platform, CL_DEVICE_TYPE_ALL, 64, roots, &found_roots);
    if (found_roots < {{ roots | length }}) { printf("the platform has %u devices, not {{ roots | length }}\n", (unsigned)found_roots); return 2; }
    {{ platform_handle }} = platform;
{%- for root in roots %}
    {{ root }} = roots[{{ loop.index0 }}];
{%- endfor %}
{%- for function in functions %}
{%- if function.extension or direct %}
    call_{{ function.name }} = ({{ function.name }}_type)find(platform, "{{ function.name }}", {{ function.position }});
{%- if not function.absent %}
    if (!call_{{ function.name }}) { puts("the platform has no {{ function.name }}"); return 2; }
{%- endif %}
{%- else %}
    call_{{ function.name }} = ({{ function.name }}_type){{ function.name }};
{%- endif %}
{%- endfor %}
{%- if exits %}
    atexit(driver_ended_it);
{%- endif %}
{% for block in blocks %}
{{ block }}
{% endfor %}
{%- if exits %}
    finished = 1;
{%- endif %}
    puts("no deviation");
    return 0;
}
