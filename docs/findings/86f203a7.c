/* clEnqueueReadBuffer/success: deviates, about one round in four
 *
 * One queue writes a new buffer and waits for that (a blocking write); then a second queue writes its last byte and is
 * finished. The byte must be the second queue's, and is the first one's in about 5000 of 20000 rounds. It never is where
 * the first queue is finished in between (give any argument), nor with one queue.
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, a CPU
 *
 * Build and run:  cc 86f203a7.c -o 86f203a7 -lOpenCL && ./86f203a7
 * Exit status: 1 the deviation shows, 0 it does not, 2 it could not be tried.
 * Written by hand, since what shows now and then needs a loop.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>

enum { SIZE = 64, ROUNDS = 20000 };

static void check(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        printf("%s: %d\n", what, code);
        exit(2);
    }
}

int main(int argc, char **argv)
{
    (void)argv;
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    char name[256];
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetPlatformInfo(platform, CL_PLATFORM_NAME, sizeof name, name, NULL), "clGetPlatformInfo");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queues[2];
    for (int i = 0; i < 2; i++) {
        queues[i] = clCreateCommandQueue(context, device, 0, &code);
        check(code, "clCreateCommandQueue");
    }
    unsigned char content[SIZE], seen[SIZE];
    const unsigned char last = 0xac;
    for (int i = 0; i < SIZE; i++)
        content[i] = (unsigned char)i;
    int wrong = 0;
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE, NULL, &code);
        check(code, "clCreateBuffer");
        check(clEnqueueWriteBuffer(queues[0], buffer, CL_TRUE, 0, SIZE, content, 0, NULL, NULL), "the first write");
        if (argc > 1)
            check(clFinish(queues[0]), "clFinish");
        check(clEnqueueWriteBuffer(queues[1], buffer, CL_FALSE, SIZE - 1, 1, &last, 0, NULL, NULL), "the second write");
        check(clFinish(queues[1]), "clFinish");
        check(clEnqueueReadBuffer(queues[1], buffer, CL_TRUE, 0, SIZE, seen, 0, NULL, NULL), "the read");
        wrong += seen[SIZE - 1] != last;
        check(clReleaseMemObject(buffer), "clReleaseMemObject");
    }
    printf("%s: the last byte was lost in %d of %d rounds\n", name, wrong, ROUNDS);
    clReleaseCommandQueue(queues[0]);
    clReleaseCommandQueue(queues[1]);
    clReleaseContext(context);
    return wrong > 0;
}
