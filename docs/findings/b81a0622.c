/* clGetEventInfo/success: hangs
 * A call that has not returned after 5 s never returns (register: deadline-of-a-call).
 * allowed: CL_SUCCESS; observed: no answer within 10 s
 * seen on: rusticl, OpenCL 3.0 , device llvmpipe (LLVM 15.0.6, 256 bits)
 *
 * cc b81a0622.c -o b81a0622 -lOpenCL -pthread && ./b81a0622 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/x86_64-linux-gnu/libRusticlOpenCL.so.1.0.0
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

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
static long long counted(long long number) {
    printf(" -> %lld\n", number);
    return number;
}
#define COUNT(...) (fputs(#__VA_ARGS__, stdout), counted(__VA_ARGS__))
static void series(unsigned char *at, size_t size, unsigned first, unsigned step, unsigned modulus) {
    for (size_t i = 0; i < size; i++) at[i] = (unsigned char)((first + i * step) % modulus);
}
static void too_late(int number) {
    static const char said[] = "\nDEVIATION: clGetEventInfo/success: no answer before the deadline\n";
    (void)number;
    if (write(STDOUT_FILENO, said, sizeof said - 1) < 0) _exit(1);
    _exit(1);
}
static atomic_uint told_times;
static cl_uint host_await(atomic_uint *counted, cl_uint times, cl_uint milliseconds) {
    const struct timespec pause = {0, 1000000};
    for (cl_uint waited = 0; *counted < times && waited < milliseconds; waited++) nanosleep(&pause, NULL);
    return *counted;
}
static void *(*_Atomic inside_told)(void *); /* the call that it makes */
static void CL_CALLBACK told(cl_event event, cl_int event_command_status, void * user_data) {
    printf("    told was called back: event = %p, event_command_status = %lld, user_data = %lld\n", (void *)event, (long long)(intptr_t)event_command_status, (long long)(intptr_t)user_data);
    told_times++;
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
static void sleep_for(int milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}
static pthread_t no_thread;
static void begin_inside(void *(*_Atomic *callback)(void *), int lane, void *(*function)(void *), const char *call) {
    lanes[lane].call = call;
    lanes[lane].thread = no_thread;
    atomic_store(&lanes[lane].over, 0);
    printf("%s is to be called from inside a callback\n", call);
    atomic_store(callback, function);
}
static cl_int host_join(int lane) {
    if (lanes[lane].thread) pthread_join(lanes[lane].thread, NULL);
    while (!atomic_load(&lanes[lane].over)) sleep_for(1);
    printf("%s on host thread %d -> %s\n", lanes[lane].call, lane, name_of(lanes[lane].result));
    return lanes[lane].result;
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

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    cl_mem mem2 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    static _Alignas(128) unsigned char ptr[4096];
    series(ptr, 241, 178, 7, 241);
    series(ptr + 241, 241, 181, 7, 241);
    series(ptr + 482, 241, 184, 7, 241);
    series(ptr + 723, 241, 187, 7, 241);
    series(ptr + 964, 241, 190, 7, 241);
    series(ptr + 1205, 241, 193, 7, 241);
    series(ptr + 1446, 241, 196, 7, 241);
    series(ptr + 1687, 241, 199, 7, 241);
    series(ptr + 1928, 241, 202, 7, 241);
    series(ptr + 2169, 241, 205, 7, 241);
    series(ptr + 2410, 241, 208, 7, 241);
    series(ptr + 2651, 241, 211, 7, 241);
    series(ptr + 2892, 241, 214, 7, 241);
    series(ptr + 3133, 241, 217, 7, 241);
    series(ptr + 3374, 241, 220, 7, 241);
    series(ptr + 3615, 241, 223, 7, 241);
    series(ptr + 3856, 240, 226, 7, 241);
    CALL(clEnqueueWriteBuffer(queue1, mem2, CL_TRUE, 0, 4096, ptr, 0, NULL, NULL));
    cl_event event1 = NULL;
    DO(clEnqueueCopyBuffer(queue1, mem2, mem1, 0, 0, 4096, 0, NULL, &event1));
    /* The next call on host thread 1 is made from inside told. */
    call_1 = (struct call_1){clGetEventInfo, event1, CL_EVENT_COMMAND_EXECUTION_STATUS, 4, (cl_ulong[1]){0}, NULL};
    begin_inside(&inside_told, 1, call_in_thread_1, "clGetEventInfo");
    CALL(clSetEventCallback(event1, 0, (void *)told, (void *)7));
    CALL(clFlush(queue1));
    COUNT(host_await(&told_times, 1, 2000));
    puts("the next call is expected to hang; waiting 10 s");
    signal(SIGALRM, too_late);
    alarm(10);
    host_join(1);
    puts("no deviation");
    return 0;
}
