{#- The pieces of C that programs consist of: a macro each. reports/c_helpers.py lists their dependencies. -#}
{% macro name_of(program) %}
static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return {% for name in program.codes %}code == {{ name }} ? "{{ name }}"
        {%- if not loop.last and loop.index % 2 == 0 %}
        :{% else %} :{% endif %} {% endfor %}number;
}
{% endmacro %}
{% macro pauses(program) %}
/* In a second attempt, commands have time to complete after each call, as in the test run. */
static int is_second_attempt(void) { return getenv("CLCONFORM_PAUSES") != NULL; }
static void pause_after_call(void) { if (is_second_attempt()) sleep_for(20); }
static void try_again(char **argv) {
    if (is_second_attempt()) return;
    puts("not shown; the same calls again, with a pause after each of them");
    alarm(0);
    setenv("CLCONFORM_PAUSES", "1", 1);
    execv("/proc/self/exe", argv);
}
{% endmacro %}
{% macro call(program) %}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result));{{ " pause_after_call();" if "pauses" in program.helpers }} } while (0)
{% endmacro %}
{% macro do(program) %}
#define DO(...) do { CALL(__VA_ARGS__); if (result != CL_SUCCESS) { puts("no object was created, so the deviation cannot be tested"); exit(2); } } while (0)
{% endmacro %}
{% macro error(program) %}
static cl_int error; /* the errcode_ret of the calls before the last */
{% endmacro %}
{% macro make(program) %}
static void *made(void *object) {
    printf(" -> %p\n", object);
{%- if "error" in program.helpers %}
    if (!object) { printf("no object was created (error code %d), so the deviation cannot be tested\n", (int)error); exit(2); }
{%- else %}
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
{%- endif %}
{%- if "pauses" in program.helpers %}
    pause_after_call();
{%- endif %}
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
{% endmacro %}
{% macro get(program) %}
static void *got(void *object) {
    printf(" -> %p\n", object);
    return object;
}
#define GET(...) (fputs(#__VA_ARGS__, stdout), got(__VA_ARGS__))
{% endmacro %}
{% macro count(program) %}
static long long counted(long long number) {
    printf(" -> %lld\n", number);
    return number;
}
#define COUNT(...) (fputs(#__VA_ARGS__, stdout), counted(__VA_ARGS__))
{% endmacro %}
{% macro run(program) %}
#define RUN(...) do { fputs(#__VA_ARGS__, stdout); __VA_ARGS__; puts("");{{ " pause_after_call();" if "pauses" in program.helpers }} } while (0)
{% endmacro %}
{% macro series(program) %}
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
{% endmacro %}
{% macro reuse(program) %}
static void reuse(void *at, size_t size) { /* after the call that read this memory, as applications may do */
    for (size_t i = 0; i < size; i++) ((unsigned char *)at)[i] ^= 0xff;
}
{% endmacro %}
{% macro fill(program) %}
enum { FILL = 0xA5{{ ", GUARD = 0xC3, GUARD_BYTES = 64" if "guard" in program.helpers }} };
{% endmacro %}
{% macro guard(program) %}
{% endmacro %}
{% macro all(program) %}
static int all(const void *at, int byte, size_t size) {
    for (size_t i = 0; i < size; i++) if (((const unsigned char *)at)[i] != byte) return 0;
    return 1;
}
{% endmacro %}
{% macro output(program) %}
static void *output(size_t size) { /* an output buffer between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES);
    if (!whole) exit(2);
    memset(whole, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole + GUARD_BYTES, FILL, size);
}
{% endmacro %}
{% macro overrun(program) %}
#define overrun(at, size) (!all((char *)(at) - GUARD_BYTES, GUARD, GUARD_BYTES) || \
    !all((char *)(at) + (size), GUARD, GUARD_BYTES))
{% endmacro %}
{% macro written(program) %}
static size_t written(const unsigned char *at, size_t size) { /* bytes up to the last one that the call has written */
    while (size && at[size - 1] == FILL) size--;
    return size;
}
{% endmacro %}
{% macro show(program) %}
static void show(const char *name, const void *at, size_t size) {
    printf("    %s (a5: not written):", name);
    for (size_t i = 0; i < size && i < 256; i++) printf(" %02x", ((const unsigned char *)at)[i]);
    puts(size > 256 ? " ..." : "");
}
{% endmacro %}
{% macro host_allocate(program) %}
static void *host_allocate(size_t size, size_t alignment) { /* between guard bytes */
    unsigned char *whole = malloc(size + 2 * GUARD_BYTES + alignment);
    if (!whole) exit(2);
    whole += GUARD_BYTES + (alignment - ((uintptr_t)whole + GUARD_BYTES) % alignment) % alignment;
    memset(whole - GUARD_BYTES, GUARD, size + 2 * GUARD_BYTES);
    return memset(whole, FILL, size);
}
{% endmacro %}
{% macro host_atomics(program) %}
/* performs operations on each instance: two 4-byte objects, two 2-byte fields for observed values, and 4 bytes */
static cl_uint host_atomics(void *pointer, size_t instances, const char *operations) {
    for (size_t index = 0; index < instances; index++) {
        cl_uint *own = (cl_uint *)pointer + 4 * index;
        for (const char *next = operations; next; next = strchr(next, ';') ? strchr(next, ';') + 2 : NULL) {
            char what[8], named[8];
            unsigned at, number;
            if (sscanf(next, "%7s %u %u %7[a-z_]", what, &at, &number, named) != 4) exit(2);
            int order = !strcmp(named, "relaxed")   ? __ATOMIC_RELAXED
                        : !strcmp(named, "acquire") ? __ATOMIC_ACQUIRE
                        : !strcmp(named, "release") ? __ATOMIC_RELEASE
                        : !strcmp(named, "acq_rel") ? __ATOMIC_ACQ_REL
                                                    : __ATOMIC_SEQ_CST;
            cl_ushort *tells = (cl_ushort *)(own + 2) + number;
            if (!strcmp(what, "store")) __atomic_store_n(own + at, number, order);
            else if (!strcmp(what, "add")) *tells = (cl_ushort)__atomic_fetch_add(own + at, 1, order);
            else *tells = (cl_ushort)__atomic_load_n(own + at, order);
        }
    }
    return 1;
}
{% endmacro %}
{% macro deviation(program) %}
static void end_shown(int number) {
    (void)number;
    _exit(1);
}
static int deviation(const char *observed) {
    printf("%s %s\n",
        {{ program.told }}, observed);
    signal(SIGABRT, end_shown); /* the driver may still end the process when it is unloaded */
    signal(SIGSEGV, end_shown);
    return 1;
}
{% endmacro %}
{% macro await_crash(program) %}
static void await_crash(void) { /* a thread of the driver may still be running */
    puts("all calls have returned; a crash of the process, also at its end, is the deviation");
    sleep_for(3000);
}
{% endmacro %}
{% macro too_late(program) %}
static void too_late(int number) {
    static const char said[] = {{ program.too_late }};
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
}
{% endmacro %}
{% macro driver_ended_it(program) %}
static int finished;
static void driver_ended_it(void) {
    if (!finished) _exit(deviation("the driver ended the process"));
}
{% endmacro %}
{% macro note_callback(program) %}
static atomic_flag noting = ATOMIC_FLAG_INIT; /* callbacks may be called on any thread */
static char called_back[4096];
static void note_callback(const char *text) {
    while (atomic_flag_test_and_set(&noting)) continue;
    size_t used = strlen(called_back);
    snprintf(called_back + used, sizeof called_back - used, "%s;", text);
    atomic_flag_clear(&noting);
}
{% endmacro %}
{% macro forget_callbacks(program) %}
static void forget_callbacks(void) {
    while (atomic_flag_test_and_set(&noting)) continue;
    *called_back = 0;
    atomic_flag_clear(&noting);
}
{% endmacro %}
{% macro host_await(program) %}
{%- for name in program.awaited %}
static atomic_uint {{ name }}_times;
{%- endfor %}
static cl_uint host_await(atomic_uint *counted, cl_uint times, cl_uint milliseconds) {
    const struct timespec pause = {0, 1000000};
    for (cl_uint waited = 0; *counted < times && waited < milliseconds; waited++) nanosleep(&pause, NULL);
    return *counted;
}
{% endmacro %}
{% macro callbacks(program) %}
{%- for name in program.lanes.inside %}
static void *(*_Atomic inside_{{ name }})(void *); /* the call that the callback makes */
{%- endfor %}
{%- for function in program.callbacks %}
static void CL_CALLBACK {{ function.identifier }}({{ function.parameters }}) {
    printf({{ function.print_arguments }});
{%- if "note_callback" in program.helpers %}
    char text[256];
    snprintf(text, sizeof text, {{ function.record_arguments }});
    note_callback(text);
{%- endif %}
{%- if function.name in program.awaited %}
    {{ function.name }}_times++;
{%- endif %}
{%- if function.name in program.lanes.inside %}
    void *(*inside)(void *) = atomic_exchange(&inside_{{ function.name }}, NULL);
    if (inside) inside(NULL);
{%- endif %}
}
{%- endfor %}
{% endmacro %}
{% macro sleep_for(program) %}
static void sleep_for(int milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}
{% endmacro %}
{% macro lanes(program) %}
static struct { pthread_t thread; atomic_int over; cl_int result; const char *call; } lanes[{{ program.lanes.count }}];
{%- for thread in program.lanes.functions %}
static struct call_{{ thread.number }} {
{%- for field in thread.fields %}
    {{ field }}
{%- endfor %}
} call_{{ thread.number }};
static void *call_in_thread_{{ thread.number }}(void *unused) {
    lanes[{{ thread.host_thread }}].result = call_{{ thread.number }}.function({{ thread.arguments }});
    atomic_store(&lanes[{{ thread.host_thread }}].over, 1);
    return unused;
}
{%- endfor %}
{%- if program.lanes.threads %}
static void begin(int lane, void *(*function)(void *), const char *call) {
    lanes[lane].call = call;
    atomic_store(&lanes[lane].over, 0);
    printf("%s begins on host thread %d\n", call, lane);
    if (pthread_create(&lanes[lane].thread, NULL, function, NULL)) { puts("a host thread cannot be started"); exit(2); }
    sleep_for(5); /* until the thread is in the call */
}
{%- endif %}
{%- if program.lanes.inside %}
static pthread_t no_thread;
static void begin_inside(void *(*_Atomic *callback)(void *), int lane, void *(*function)(void *), const char *call) {
    lanes[lane].call = call;
    lanes[lane].thread = no_thread;
    atomic_store(&lanes[lane].over, 0);
    printf("%s will be called from inside a callback\n", call);
    atomic_store(callback, function);
}
{%- endif %}
{% endmacro %}
{% macro host_join(program) %}
static cl_int host_join(int lane) {
{%- if program.lanes.inside %}
    if (lanes[lane].thread) pthread_join(lanes[lane].thread, NULL);
    while (!atomic_load(&lanes[lane].over)) sleep_for(1);
{%- else %}
    pthread_join(lanes[lane].thread, NULL);
{%- endif %}
    printf("%s on host thread %d -> %s\n", lanes[lane].call, lane, name_of(lanes[lane].result));
    return lanes[lane].result;
}
{% endmacro %}
{% macro host_returned(program) %}
static int host_returned(int lane, int milliseconds) {
    while (!atomic_load(&lanes[lane].over) && milliseconds-- > 0) sleep_for(1);
    int over = atomic_load(&lanes[lane].over);
    printf("%s on host thread %d has%s returned\n", lanes[lane].call, lane, over ? "" : " not");
    return over;
}
{% endmacro %}
{% macro find(program) %}
/* a function, as the loader returns it for the platform */
static void *find(cl_platform_id platform, const char *name) {
    void *found = clGetExtensionFunctionAddressForPlatform(platform, name);
    return found ? found : clGetExtensionFunctionAddress(name);
}
{% endmacro %}
{% macro find_in_library(program) %}
static void *library;
/* the driver's own function: as returned to loaders, from its dispatch table, or exported by its library */
static void *find(cl_platform_id platform, const char *name, int position) {
    void *(CL_API_CALL *by_name)(const char *) = dlsym(library, "clGetExtensionFunctionAddress");
    void *(CL_API_CALL *by_platform)(cl_platform_id, const char *) =
        dlsym(library, "clIcdGetFunctionAddressForPlatformKHR");
    if (!by_platform && by_name) by_platform = by_name("clIcdGetFunctionAddressForPlatformKHR");
    void *found = by_platform ? by_platform(platform, name) : NULL;
    if (!found && position >= 0) found = (*(void ***)platform)[position];
    if (!found) found = dlsym(library, name);
    return found || !by_name ? found : by_name(name);
}
{% endmacro %}
{% macro found(program) %}
{%- set position = ", int position" if program.direct else "" %}
static void *found(cl_platform_id platform, const char *name{{ position }}) {
    void *function = find(platform, name{{ ", position" if program.direct else "" }});
    if (!function) { printf("the platform lacks %s\n", name); exit(2); }
    return function;
}
{% endmacro %}
