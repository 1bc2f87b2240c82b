/* clSetUserEventStatus/success: hangs
 * The execution status of the user event is the one that was set. A call that has not returned after 5 s never returns (register: deadline-of-a-call).
 * allowed: CL_SUCCESS; observed: no answer within 10 s
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc 8f25acd6.c -o 8f25acd6 -lOpenCL -pthread && ./8f25acd6 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
static void *made(void *object) {
    printf(" -> %p\n", object);
    if (!object) { puts("no object was created, so the deviation cannot be tested"); exit(2); }
    return object;
}
#define MAKE(...) (fputs(#__VA_ARGS__, stdout), made(__VA_ARGS__))
static void too_late(int number) {
    static const char said[] = "\nDEVIATION: clSetUserEventStatus/success: no answer before the deadline\n";
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
}
static void *(*_Atomic inside_told)(void *); /* the call that it makes */
static void CL_CALLBACK told(cl_event event, cl_int event_command_status, void * user_data) {
    printf("    told was called back: event = %p, event_command_status = %lld, user_data = %lld\n", (void *)event, (long long)(intptr_t)event_command_status, (long long)(intptr_t)user_data);
    void *(*inside)(void *) = atomic_exchange(&inside_told, NULL);
    if (inside) inside(NULL);
}
static struct { pthread_t thread; atomic_int over; cl_int result; const char *call; } lanes[2];
static struct call_1 {
    cl_int (CL_API_CALL *function)(cl_event, cl_event_info, size_t, void *, size_t *);
    cl_event event;
    cl_event_info param_name;
    size_t param_value_size;
    void *param_value;
    size_t *param_value_size_ret;
} call_1;
static void *call_in_thread_1(void *unused) {
    lanes[1].result = call_1.function(call_1.event, call_1.param_name, call_1.param_value_size, call_1.param_value, call_1.param_value_size_ret);
    atomic_store(&lanes[1].over, 1);
    return unused;
}
static pthread_t no_thread;
static void begin_inside(void *(*_Atomic *callback)(void *), int lane, void *(*function)(void *), const char *call) {
    lanes[lane].call = call;
    lanes[lane].thread = no_thread;
    atomic_store(&lanes[lane].over, 0);
    printf("%s is to be called from inside a callback\n", call);
    atomic_store(callback, function);
}

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
    cl_event event1 = MAKE(clCreateUserEvent(context1, NULL));
    /* The next call on host thread 1 is made from inside told. */
    call_1 = (struct call_1){clGetEventInfo, event1, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, (cl_ulong[1]){0}, NULL};
    begin_inside(&inside_told, 1, call_in_thread_1, "clGetEventInfo");
    CALL(clSetEventCallback(event1, 0, (void *)told, (void *)7));
    puts("the next call is expected to hang; waiting 10 s");
    signal(SIGALRM, too_late);
    alarm(10);
    CALL(clSetUserEventStatus(event1, 0));
    puts("no deviation");
    return 0;
}
