/* clEnqueueReadBuffer/success: deviates, in one of four rounds with two queues, in most with one out-of-order queue
 *
 * A queue writes a new buffer with a blocking write. Then the last bytes of the buffer are filled, by another queue or by
 * the same out-of-order queue, and that queue is finished. The bytes must be those of the fill, but are those of the
 * write. The deviation never shows if the first queue is finished in between.
 * seen on: Intel(R) OpenCL, OpenCL 3.1 LINUX, a CPU
 *
 * Build and run:  cc 86f203a7.c -o 86f203a7 -lOpenCL && ./86f203a7
 * Exit status: 1 deviation reproduced, 0 not reproduced, 2 could not be run.
 * Written by hand: the deviation shows only in some rounds of a loop.
 */
#define CL_TARGET_OPENCL_VERSION 120
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SIZE = 64, LAST = 4, ROUNDS = 5000 };

static void check(cl_int code, const char *what)
{
    if (code != CL_SUCCESS) {
        printf("%s: %d\n", what, code);
        exit(2);
    }
}

static int rounds(const char *words, cl_context context, cl_command_queue first, cl_command_queue second, int finished)
{
    unsigned char content[SIZE], seen[SIZE];
    const unsigned char last[LAST] = {0xac, 0xad, 0xae, 0xaf};
    cl_int code;
    int incorrect = 0;
    for (int i = 0; i < SIZE; i++)
        content[i] = (unsigned char)i;
    for (int round = 0; round < ROUNDS; round++) {
        cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, SIZE, NULL, &code);
        check(code, "clCreateBuffer");
        check(clEnqueueWriteBuffer(first, buffer, CL_TRUE, 0, SIZE, content, 0, NULL, NULL), "clEnqueueWriteBuffer");
        if (finished)
            check(clFinish(first), "clFinish");
        check(clEnqueueFillBuffer(second, buffer, last, LAST, SIZE - LAST, LAST, 0, NULL, NULL), "clEnqueueFillBuffer");
        check(clFinish(second), "clFinish");
        check(clEnqueueReadBuffer(second, buffer, CL_TRUE, 0, SIZE, seen, 0, NULL, NULL), "clEnqueueReadBuffer");
        incorrect += memcmp(seen + SIZE - LAST, last, LAST) != 0;
        check(clReleaseMemObject(buffer), "clReleaseMemObject");
    }
    printf("%s%s: the fill was lost in %d of %d rounds\n", words, finished ? ", finished in between" : "", incorrect, ROUNDS);
    return incorrect;
}

int main(void)
{
    cl_platform_id platform;
    cl_device_id device;
    cl_int code;
    check(clGetPlatformIDs(1, &platform, NULL), "clGetPlatformIDs");
    check(clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL), "clGetDeviceIDs");
    cl_context context = clCreateContext(NULL, 1, &device, NULL, NULL, &code);
    check(code, "clCreateContext");
    cl_command_queue queues[3];
    for (int i = 0; i < 3; i++) {
        queues[i] = clCreateCommandQueue(context, device, i == 2 ? CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE : 0, &code);
        check(code, "clCreateCommandQueue");
    }
    int incorrect = 0;
    for (int finished = 0; finished < 2; finished++) {
        incorrect += rounds("one in-order queue", context, queues[0], queues[0], finished);
        incorrect += rounds("two queues", context, queues[0], queues[1], finished);
        incorrect += rounds("one out-of-order queue", context, queues[2], queues[2], finished);
    }
    for (int i = 0; i < 3; i++)
        clReleaseCommandQueue(queues[i]);
    clReleaseContext(context);
    return incorrect > 0;
}
