/* clFinish/success: crashes
 * The commands of the queue are submitted to the device, and after clFinish they are complete.
 * allowed: CL_SUCCESS; observed: abort SIGABRT
 * seen on: Oclgrind, OpenCL 1.2 (Oclgrind 21.10), device Oclgrind Simulator
 *
 * cc 317bd076.c -o 317bd076 -lOpenCL -pthread && ./317bd076 [PART OF THE PLATFORM'S NAME]   (or in the environment: CLCONFORM_PLATFORM)
 * Found with /usr/lib/oclgrind/liboclgrind-rt-icd.so; Debian's loader takes it alone by OCL_ICD_VENDORS=/usr/lib/oclgrind/liboclgrind-rt-icd.so
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried; a crash ends it by itself.
 * Written by clconform 0.1.0.
 */
#define _POSIX_C_SOURCE 200809L
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static const char *name_of(cl_int code) {
    static char number[16];
    snprintf(number, sizeof number, "%d", (int)code);
    return code == CL_SUCCESS ? "CL_SUCCESS" : number;
}
static cl_int result; /* of the last call */
#define CALL(...) do { fputs(#__VA_ARGS__, stdout); result = __VA_ARGS__; printf(" -> %s\n", name_of(result)); } while (0)
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
static struct { pthread_t thread; atomic_int over; cl_int result; const char *call; } lanes[3];
static struct call_1 {
    cl_int (CL_API_CALL *function)(cl_command_queue);
    cl_command_queue command_queue;
} call_1;
static void *call_in_thread_1(void *unused) {
    lanes[1].result = call_1.function(call_1.command_queue);
    atomic_store(&lanes[1].over, 1);
    return unused;
}
static struct call_2 {
    cl_int (CL_API_CALL *function)(cl_command_queue);
    cl_command_queue command_queue;
} call_2;
static void *call_in_thread_2(void *unused) {
    lanes[2].result = call_2.function(call_2.command_queue);
    atomic_store(&lanes[2].over, 1);
    return unused;
}
static void sleep_for(int milliseconds) {
    struct timespec time = {milliseconds / 1000, milliseconds % 1000 * 1000000};
    nanosleep(&time, NULL);
}
static void begin(int lane, void *(*function)(void *), const char *call) {
    lanes[lane].call = call;
    atomic_store(&lanes[lane].over, 0);
    printf("%s begins on host thread %d\n", call, lane);
    if (pthread_create(&lanes[lane].thread, NULL, function, NULL)) { puts("no host thread can be started"); exit(2); }
    sleep_for(5); /* so that the thread is in the call */
}
static cl_int host_join(int lane) {
    pthread_join(lanes[lane].thread, NULL);
    printf("%s on host thread %d -> %s\n", lanes[lane].call, lane, name_of(lanes[lane].result));
    return lanes[lane].result;
}
static int host_returned(int lane, int milliseconds) {
    while (!atomic_load(&lanes[lane].over) && milliseconds-- > 0) sleep_for(1);
    int over = atomic_load(&lanes[lane].over);
    printf("%s on host thread %d has%s returned\n", lanes[lane].call, lane, over ? "" : " not");
    return over;
}

int main(int argc, char **argv) {
    const char *wanted = argc > 1 ? argv[1] : getenv("CLCONFORM_PLATFORM"), *name = wanted ? wanted : "Oclgrind";
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
        if (strstr(text[0], name) && (!platform1 || strstr(text[1], "OpenCL 1.2 (Oclgrind 21.10)"))) platform1 = platforms[i];
    }
    if (!platform1 && count == 1) { puts("the only platform has another name; trying it"); platform1 = platforms[0]; }
    if (!platform1) { printf("none of the %u platforms has a name that contains: %s\n", count, name); return 2; }
    clGetDeviceIDs(platform1, CL_DEVICE_TYPE_ALL, 1, &device1, &found_devices);
    if (found_devices < 1) { printf("the platform has %u devices, not 1\n", found_devices); return 2; }

    cl_context context1 = MAKE(clCreateContext(NULL, 1, (cl_device_id[]){device1}, NULL, NULL, &error));
    cl_event event1 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event2 = MAKE(clCreateUserEvent(context1, &error));
    cl_event event3 = MAKE(clCreateUserEvent(context1, &error));
    CALL(clSetUserEventStatus(event2, 0));
    CALL(clSetUserEventStatus(event3, 0));
    cl_mem mem1 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    cl_command_queue queue1 = MAKE(clCreateCommandQueue(context1, device1, 0, &error));
    static _Alignas(128) unsigned char ptr[4096];
    series(ptr, 241, 1, 7, 241);
    series(ptr + 241, 241, 4, 7, 241);
    series(ptr + 482, 241, 7, 7, 241);
    series(ptr + 723, 241, 10, 7, 241);
    series(ptr + 964, 241, 13, 7, 241);
    series(ptr + 1205, 241, 16, 7, 241);
    series(ptr + 1446, 241, 19, 7, 241);
    series(ptr + 1687, 241, 22, 7, 241);
    series(ptr + 1928, 241, 25, 7, 241);
    series(ptr + 2169, 241, 28, 7, 241);
    series(ptr + 2410, 241, 31, 7, 241);
    series(ptr + 2651, 241, 34, 7, 241);
    series(ptr + 2892, 241, 37, 7, 241);
    series(ptr + 3133, 241, 40, 7, 241);
    series(ptr + 3374, 241, 43, 7, 241);
    series(ptr + 3615, 241, 46, 7, 241);
    series(ptr + 3856, 240, 49, 7, 241);
    CALL(clEnqueueWriteBuffer(queue1, mem1, CL_TRUE, 0, 4096, ptr, 0, NULL, NULL));
    cl_mem mem2 = MAKE(clCreateBuffer(context1, CL_MEM_READ_WRITE, 4096, NULL, &error));
    static _Alignas(128) unsigned char ptr_2[4096];
    series(ptr_2, 241, 60, 7, 241);
    series(ptr_2 + 241, 241, 63, 7, 241);
    series(ptr_2 + 482, 241, 66, 7, 241);
    series(ptr_2 + 723, 241, 69, 7, 241);
    series(ptr_2 + 964, 241, 72, 7, 241);
    series(ptr_2 + 1205, 241, 75, 7, 241);
    series(ptr_2 + 1446, 241, 78, 7, 241);
    series(ptr_2 + 1687, 241, 81, 7, 241);
    series(ptr_2 + 1928, 241, 84, 7, 241);
    series(ptr_2 + 2169, 241, 87, 7, 241);
    series(ptr_2 + 2410, 241, 90, 7, 241);
    series(ptr_2 + 2651, 241, 93, 7, 241);
    series(ptr_2 + 2892, 241, 96, 7, 241);
    series(ptr_2 + 3133, 241, 99, 7, 241);
    series(ptr_2 + 3374, 241, 102, 7, 241);
    series(ptr_2 + 3615, 241, 105, 7, 241);
    series(ptr_2 + 3856, 240, 108, 7, 241);
    CALL(clEnqueueWriteBuffer(queue1, mem2, CL_TRUE, 0, 4096, ptr_2, 0, NULL, NULL));
    CALL(clEnqueueCopyBuffer(queue1, mem1, mem2, 0, 0, 4096, 3, (cl_event[]){event2, event1, event3}, NULL));
    call_1 = (struct call_1){clFinish, queue1};
    begin(1, call_in_thread_1, "clFinish");
    call_2 = (struct call_2){clFinish, queue1};
    begin(2, call_in_thread_2, "clFinish");
    host_returned(1, 30);
    CALL(clSetUserEventStatus(event1, 0));
    puts("the next call is expected to crash");
    host_join(1);
    puts("no deviation");
    return 0;
}
