/* {{ title }}
{%- for line in about %}
 * {{ line }}
{%- endfor %}
 *
{%- if direct %}
 * Build and run:  cc {{ id }}.c -o {{ id }} -lOpenCL{{ threads }} && ./{{ id }} [LIBRARY] [PART OF THE PLATFORM'S NAME]
 * (older systems: also -ldl). Found without a loader: the driver's library is opened and called by its dispatch table.
{%- else %}
 * cc {{ id }}.c -o {{ id }} -lOpenCL{{ threads }} && ./{{ id }} [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
{%- for library in libraries %}
 * Found with {{ library }}{% if loop.first %}; loaders use only this library with {{ settings }}{% endif %}
{%- endfor %}
{%- endif %}
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run{% if dies %}; a crash ends the program, perhaps after the last call{% endif %}.
 * Written by clconform {{ version }}.
 */
{%- for name, value in macros %}
#define {{ name }}{{ " " if value }}{{ value }}
{%- endfor %}
#include <CL/cl.h>
{%- for header in headers %}
#include <{{ header }}>
{%- endfor %}
{%- if pointer_bytes %}
_Static_assert(sizeof(void *) == {{ pointer_bytes }}, "this program is for a machine with pointers of {{ 8 * pointer_bytes }} bits");
{%- endif %}
{% for name, value in defines %}
#ifndef {{ name }} /* missing in some headers */
#define {{ name }} {{ value }}
#endif
{%- endfor %}
{%- for piece in pieces %}
{{ piece }}
{%- endfor %}

int main(int argc, char **argv) {
{%- set first = 2 if direct else 1 %}
    const char *wanted = argc > {{ first }} ? argv[{{ first }}] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : {{ platform_name }};
    cl_platform_id platforms[64], {{ platform_handle }} = NULL;
{%- if devices | length == 1 %}
    cl_device_id {{ devices[0] }} = NULL;
{%- else %}
    cl_device_id roots[{{ least }}] = {NULL};
{%- endif %}
    cl_uint count = 0, found_devices = 0;
    setvbuf(stdout, NULL, _IONBF, 0);
{%- if direct %}
    library = dlopen(argc > 1 ? argv[1] : {{ opened }}, RTLD_NOW);
    if (!library) { printf("%s\n", dlerror()); return 2; }
    void *(CL_API_CALL *by_name)(const char *) = dlsym(library, "clGetExtensionFunctionAddress");
    cl_int (CL_API_CALL *ids)(cl_uint, cl_platform_id *, cl_uint *) = by_name ? by_name("clIcdGetPlatformIDsKHR") : NULL;
    if (!ids) ids = dlsym(library, "clIcdGetPlatformIDsKHR");
    if (ids) ids(64, platforms, &count);
{%- else %}
    clGetPlatformIDs(64, platforms, &count);
{%- endif %}
    for (cl_uint i = 0; i < count && i < 64; i++) { /* the platform with that name; of several, the one with that version */
        char text[2][1024] = {"", ""};
{%- if direct %}
        cl_int (CL_API_CALL *clGetPlatformInfo)(cl_platform_id, cl_platform_info, size_t, void *, size_t *) =
            found(platforms[i], "clGetPlatformInfo", {{ place }});
{%- endif %}
        clGetPlatformInfo(platforms[i], CL_PLATFORM_NAME, sizeof text[0], text[0], NULL);
        clGetPlatformInfo(platforms[i], CL_PLATFORM_VERSION, sizeof text[1], text[1], NULL);
        printf("platform: %s, %s\n", text[0], text[1]);
        if (strstr(text[0], name) && (!{{ platform_handle }} || strstr(text[1], {{ platform_version }})))
            {{- "\n            " if platform_version | length > 44 else " " }}{{ platform_handle }} = platforms[i];
    }
    if (!{{ platform_handle }} && count == 1) { puts("the only platform has another name; using it"); {{ platform_handle }} = platforms[0]; }
    if (!{{ platform_handle }}) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
{%- for function in functions %}
{%- if function.width > 118 %}
    {{ function.declaration }} =
        {{ function.lookup }};
{%- else %}
    {{ function.declaration }} = {{ function.lookup }};
{%- endif %}
{%- endfor %}
    clGetDeviceIDs({{ platform_handle }}, CL_DEVICE_TYPE_ALL, {{ least }}, {{ "&" ~ devices[0] if devices | length == 1 else "roots" }}, &found_devices);
    if (found_devices < {{ least }}) { printf("the platform has %u devices, not {{ least }}\n", found_devices); return 2; }
{%- if devices | length != 1 %}
{%- for root, position in roots %}
    cl_device_id {{ root }} = roots[{{ position }}];
{%- endfor %}
{%- endif %}
{% for line in body %}
{{ "    " if line }}{{ line }}
{%- endfor %}
    puts("no {{ "crash in the calls" if dies else "deviation" }}");
    return 0;
}
