/* A program for each kind of violation that drivers refuse, or that concerns kernel arguments and released objects:
 * `refused NAME wrong` violates one rule, and `refused NAME right` is the same program without the violation. */
#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char *source =
    "#define REAL float\n"
    "typedef struct { float x, y, z; } point;\n"
    "/* kernel void scale(global int *all) */\n"
    "kernel void scale(global int *all, int by) { all[get_global_id(0)] *= by; }\n"
    "kernel void vector(global float *all, float3 by) { all[get_global_id(0)] *= by.x; }\n"
    "kernel void keep(global int *all, local int *some) { some[0] = all[0]; all[0] = some[0] + 1; }\n"
    "kernel void shift(global float *all, point by) { all[get_global_id(0)] += by.x; }\n"
    "kernel void real(global REAL *all, REAL by) { all[get_global_id(0)] *= by; }\n"
    "#ifndef DOUBLE\nkernel void hidden(global float *all, float by) { all[get_global_id(0)] *= by; }\n#endif\n"
    "kernel void wide(global ulong *all, ulong by) { all[get_global_id(0) % 8] = by; }\n"
    "kernel __attribute__((reqd_work_group_size(8, 1, 1))) void eight(global int *all) { all[get_global_id(0)] = 8; }\n"
    "kernel void none(void) {}\n";
static const char *image_source =
    "kernel void copy(read_only image2d_t from, sampler_t by, global float *to) {\n"
    "  to[get_global_id(0)] = read_imagef(from, by, (int2)((int)get_global_id(0), 0)).x;\n"
    "}\n";

static cl_device_id device;
static cl_context context;
static cl_command_queue queue;
static cl_program program;
static cl_mem buffer;
static const size_t items = 16;
static int wrong;

static cl_program build(const char *text, const char *options) {
  cl_program made = clCreateProgramWithSource(context, 1, &text, NULL, NULL);
  clBuildProgram(made, 1, &device, options, NULL, NULL);
  return made;
}

static cl_kernel kernel(const char *name) { return clCreateKernel(program, name, NULL); }

static void launch(cl_kernel of) {
  clEnqueueNDRangeKernel(queue, of, 1, NULL, &items, NULL, 0, NULL, NULL);
  clFinish(queue);
}

static void end(cl_kernel of) {
  launch(of);
  clReleaseKernel(of);
}

static void set_size(const char *name, size_t right, size_t other_size) {
  char value[64] = {1};
  cl_kernel of = kernel(name);
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  clSetKernelArg(of, 1, wrong ? other_size : right, value);
  end(of);
}

static void scalar_size(void) { set_size("scale", 4, 8); }
static void vector_size(void) { set_size("vector", 16, 12); }
static void struct_size(void) { set_size("shift", 12, 16); }
static void macro_size(void) { set_size("real", 4, 8); }
static void hidden_size(void) { set_size("hidden", 4, 8); }
static void wide_size(void) { set_size("wide", 8, 4); }

static void object_size(void) {
  cl_kernel of = kernel("scale");
  int by = 3;
  clSetKernelArg(of, 0, wrong ? 64 : sizeof buffer, wrong ? (void *)&(char[64]){1} : &buffer);
  clSetKernelArg(of, 1, sizeof by, &by);
  end(of);
}

static void local_size(void) {
  cl_kernel of = kernel("keep");
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  clSetKernelArg(of, 1, wrong ? 0 : 64, NULL);
  end(of);
}

static void null_value(void) {
  cl_kernel of = kernel("scale");
  int by = 3;
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  clSetKernelArg(of, 1, sizeof by, wrong ? NULL : &by);
  end(of);
}

static void argument_index(void) {
  cl_kernel of = kernel("scale");
  int by = 3;
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  clSetKernelArg(of, 1, sizeof by, &by);
  if (wrong) clSetKernelArg(of, 2, sizeof by, &by);
  end(of);
}

static void unset(void) {
  cl_kernel of = kernel("scale");
  int by = 3;
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  if (!wrong) clSetKernelArg(of, 1, sizeof by, &by);
  end(of);
}

static void unset_of_all(void) {
  cl_kernel made[16];
  cl_uint count = 0;
  char name[64];
  int by = 3;
  clCreateKernelsInProgram(program, 16, made, &count);
  for (cl_uint each = 0; each < count; each++) {
    clGetKernelInfo(made[each], CL_KERNEL_FUNCTION_NAME, sizeof name, name, NULL);
    if (!strcmp(name, "scale")) {
      if (!wrong) clSetKernelArg(made[each], 0, sizeof buffer, &buffer);
      clSetKernelArg(made[each], 1, sizeof by, &by);
      launch(made[each]);
    }
    clReleaseKernel(made[each]);
  }
}

static void unset_of_clone(void) {
  cl_kernel of = kernel("scale");
  int by = 3;
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  cl_kernel made = clCloneKernel(of, NULL);
  if (!wrong) clSetKernelArg(made, 1, sizeof by, &by);
  launch(made);
  clReleaseKernel(made);
  clReleaseKernel(of);
}

static void no_arguments(void) {
  cl_kernel of = kernel("none");
  if (wrong) clSetKernelArg(of, 0, sizeof buffer, &buffer);
  end(of);
}

static void host_pointer(void) {
  cl_kernel of = kernel("scale");
  int by = 3, host[16] = {0};
  void *pointer = host;
  clSetKernelArg(of, 0, sizeof buffer, wrong ? (void *)&pointer : &buffer);
  clSetKernelArg(of, 1, sizeof by, &by);
  if (!wrong) launch(of);
  clReleaseKernel(of);
}

static void handle_as_number(void) { /* legal: a number may have the bits of a handle */
  cl_kernel of = kernel("wide");
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  cl_ulong number = (cl_ulong)(size_t)more;
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  clSetKernelArg(of, 1, sizeof number, &number);
  clReleaseMemObject(more);
  launch(of);
  clSetKernelArg(of, 1, sizeof number, &number);
  end(of);
}

static void null_buffer(void) { /* legal: NULL for a pointer to global memory */
  cl_kernel of = kernel("scale");
  cl_mem nothing = NULL;
  clSetKernelArg(of, 0, sizeof nothing, &nothing);
  clReleaseKernel(of);
}

static void released_argument(void) {
  cl_kernel of = kernel("scale");
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  if (wrong) clReleaseMemObject(more);
  clSetKernelArg(of, 0, sizeof more, &more);
  clReleaseKernel(of);
  if (!wrong) clReleaseMemObject(more);
}

static void released_before_launch(void) {
  cl_kernel of = kernel("scale");
  int by = 3;
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  clSetKernelArg(of, 0, sizeof more, &more);
  clSetKernelArg(of, 1, sizeof by, &by);
  if (!wrong) launch(of);
  clReleaseMemObject(more);
  if (wrong) launch(of);
  clReleaseKernel(of);
}

static void retained_before_launch(void) { /* legal: one reference is left */
  cl_kernel of = kernel("scale");
  int by = 3;
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  clSetKernelArg(of, 0, sizeof more, &more);
  clSetKernelArg(of, 1, sizeof by, &by);
  clRetainMemObject(more);
  clReleaseMemObject(more);
  end(of);
  clReleaseMemObject(more);
}

static void parent_before_launch(void) { /* legal: the sub-buffer keeps its buffer alive */
  cl_kernel of = kernel("scale");
  int by = 3;
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
  cl_buffer_region region = {0, 1024};
  cl_mem part = clCreateSubBuffer(more, CL_MEM_READ_WRITE, CL_BUFFER_CREATE_TYPE_REGION, &region, NULL);
  clSetKernelArg(of, 0, sizeof part, &part);
  clSetKernelArg(of, 1, sizeof by, &by);
  clReleaseMemObject(more);
  end(of);
  clReleaseMemObject(part);
}

static void replaced_before_launch(void) { /* legal: another buffer replaces the released one */
  cl_kernel of = kernel("scale");
  int by = 3;
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  clSetKernelArg(of, 0, sizeof more, &more);
  clSetKernelArg(of, 1, sizeof by, &by);
  clReleaseMemObject(more);
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  end(of);
}

static void images(void (*use)(cl_kernel, cl_mem, cl_sampler)) {
  cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 4};
  cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &description, NULL, NULL);
  cl_sampler sampler = clCreateSampler(context, CL_FALSE, CL_ADDRESS_CLAMP, CL_FILTER_NEAREST, NULL);
  cl_program built = build(image_source, "");
  cl_kernel of = clCreateKernel(built, "copy", NULL);
  clSetKernelArg(of, 0, sizeof image, &image);
  clSetKernelArg(of, 1, sizeof sampler, &sampler);
  clSetKernelArg(of, 2, sizeof buffer, &buffer);
  use(of, image, sampler);
  clReleaseKernel(of);
  clReleaseProgram(built);
}

static void buffer_as_image_of(cl_kernel of, cl_mem image, cl_sampler sampler) {
  if (wrong) clSetKernelArg(of, 0, sizeof buffer, &buffer);
  if (!wrong) launch(of);
  clReleaseMemObject(image);
  clReleaseSampler(sampler);
}

static void released_sampler_of(cl_kernel of, cl_mem image, cl_sampler sampler) {
  if (!wrong) launch(of);
  clReleaseSampler(sampler);
  if (wrong) launch(of);
  clReleaseMemObject(image);
}

static void buffer_as_image(void) { images(buffer_as_image_of); }
static void released_sampler(void) { images(released_sampler_of); }

static void released_event(void) {
  int zero = 0;
  cl_event event;
  clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 64, 0, NULL, &event);
  clFinish(queue);
  if (wrong) clReleaseEvent(event);
  clEnqueueFillBuffer(queue, buffer, &zero, sizeof zero, 0, 64, 1, &event, NULL);
  clFinish(queue);
  if (!wrong) clReleaseEvent(event);
}

static void released_in_list(void) {
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL), both[] = {buffer, more};
  if (wrong) clReleaseMemObject(more);
  clEnqueueMigrateMemObjects(queue, 2, both, CL_MIGRATE_MEM_OBJECT_HOST, 0, NULL, NULL);
  clFinish(queue);
  if (!wrong) clReleaseMemObject(more);
}

static void released_in_descriptor(void) {
  cl_image_format format = {CL_RGBA, CL_FLOAT};
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, NULL);
  cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE1D_BUFFER, .image_width = 16, .buffer = more};
  if (wrong) clReleaseMemObject(more);
  cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &description, NULL, NULL);
  if (image) clReleaseMemObject(image);
  if (!wrong) clReleaseMemObject(more);
}

static void freed_before_launch(void) {
  cl_kernel of = kernel("scale");
  int by = 3;
  void *shared = clSVMAlloc(context, CL_MEM_READ_WRITE, 64, 0);
  clSetKernelArgSVMPointer(of, 0, shared);
  clSetKernelArg(of, 1, sizeof by, &by);
  if (!wrong) launch(of);
  clSVMFree(context, shared);
  if (wrong) launch(of);
  clReleaseKernel(of);
}

static void released_by_clone(void) { /* a clone has the arguments of its source, and retains none of them */
  cl_kernel of = kernel("scale");
  int by = 3;
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  clSetKernelArg(of, 0, sizeof more, &more);
  clSetKernelArg(of, 1, sizeof by, &by);
  cl_kernel made = clCloneKernel(of, NULL);
  clReleaseKernel(of);
  if (!wrong) launch(made);
  clReleaseMemObject(more);
  if (wrong) launch(made);
  clReleaseKernel(made);
}

static void group_size(void) {
  size_t many = 1 << 24, group = wrong ? 1 << 22 : 1;
  cl_kernel of = kernel("none");
  clEnqueueNDRangeKernel(queue, of, 1, NULL, wrong ? &many : &items, &group, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(of);
}

static void group_multiple(void) {
  size_t group = wrong ? 5 : 4;
  cl_kernel of = kernel("none");
  clEnqueueNDRangeKernel(queue, of, 1, NULL, &items, &group, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(of);
}

static void required_group(void) {
  size_t group = wrong ? 4 : 8;
  cl_kernel of = kernel("eight");
  clSetKernelArg(of, 0, sizeof buffer, &buffer);
  clEnqueueNDRangeKernel(queue, of, 1, NULL, &items, &group, 0, NULL, NULL);
  clFinish(queue);
  clReleaseKernel(of);
}

static void kernel_name(void) {
  cl_kernel of = kernel(wrong ? "nones" : "none");
  if (of) end(of);
}

static void missing_kernel(void) { /* the later calls with NULL follow from the first */
  cl_kernel of = kernel(wrong ? "nones" : "none");
  if (wrong) {
    clSetKernelArg(of, 0, sizeof buffer, &buffer);
    launch(of);
  } else {
    end(of);
  }
}

static void missing_buffer(void) {
  int zero = 0;
  cl_mem more = clCreateBuffer(context, CL_MEM_READ_WRITE, wrong ? 0 : 64, NULL, NULL);
  clEnqueueWriteBuffer(queue, more, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL);
  clEnqueueReadBuffer(queue, more, CL_TRUE, 0, sizeof zero, &zero, 0, NULL, NULL);
  if (more) clReleaseMemObject(more);
}

static void failed_build(void) {
  cl_program made = build(wrong ? "kernel void none(void) { missing; }" : "kernel void none(void) {}", "");
  cl_kernel of = clCreateKernel(made, "none", NULL);
  launch(of);
  if (of) clReleaseKernel(of);
  clReleaseProgram(made);
}

static void small_log(void) {
  char text[4096], small[8];
  size_t size = 0;
  cl_program made = build("kernel void none(void) { missing_name; another_name; }", "");
  clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, sizeof small, small, NULL);
  if (!wrong) clGetProgramBuildInfo(made, device, CL_PROGRAM_BUILD_LOG, sizeof text, text, &size);
  clReleaseProgram(made);
}

static void small_name(void) {
  char text[4096], small[2];
  clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof small, small, NULL);
  if (!wrong) clGetDeviceInfo(device, CL_DEVICE_NAME, sizeof text, text, NULL);
}

static void small_names(void) { /* three queries at one place, of which the first succeeds later, and with `right` all */
  char text[4096], small[2];
  cl_device_info names[] = {CL_DEVICE_NAME, CL_DEVICE_VENDOR, CL_DRIVER_VERSION};
  for (int each = 0; each < 3; each++) clGetDeviceInfo(device, names[each], sizeof small, small, NULL);
  for (int each = 0; each < (wrong ? 1 : 3); each++) clGetDeviceInfo(device, names[each], sizeof text, text, NULL);
}

static void unknown_query(void) { /* legal: programs detect features in this way */
  char text[64];
  clGetDeviceInfo(device, 0x40FF, sizeof text, text, NULL);
}

static void read_past_end(void) {
  char bytes[128];
  clEnqueueReadBuffer(queue, buffer, CL_TRUE, 0, wrong ? 128 : 64, bytes, 0, NULL, NULL);
}

static void image_format(void) {
  cl_image_format format = {wrong ? CL_RGB : CL_RGBA, CL_FLOAT};
  cl_image_desc description = {.image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = 16, .image_height = 4};
  cl_mem image = clCreateImage(context, CL_MEM_READ_ONLY, &format, &description, NULL, NULL);
  if (image) clReleaseMemObject(image);
}

#define CASE(name) {#name, name}
static const struct {
  const char *name;
  void (*run)(void);
} cases[] = {CASE(scalar_size),
             CASE(vector_size),
             CASE(struct_size),
             CASE(macro_size),
             CASE(hidden_size),
             CASE(wide_size),
             CASE(object_size),
             CASE(local_size),
             CASE(null_value),
             CASE(argument_index),
             CASE(unset),
             CASE(unset_of_all),
             CASE(unset_of_clone),
             CASE(no_arguments),
             CASE(host_pointer),
             CASE(handle_as_number),
             CASE(null_buffer),
             CASE(released_argument),
             CASE(released_before_launch),
             CASE(retained_before_launch),
             CASE(parent_before_launch),
             CASE(replaced_before_launch),
             CASE(buffer_as_image),
             CASE(released_sampler),
             CASE(released_event),
             CASE(released_in_list),
             CASE(released_in_descriptor),
             CASE(freed_before_launch),
             CASE(released_by_clone),
             CASE(group_size),
             CASE(group_multiple),
             CASE(required_group),
             CASE(kernel_name),
             CASE(missing_kernel),
             CASE(missing_buffer),
             CASE(failed_build),
             CASE(small_log),
             CASE(small_name),
             CASE(small_names),
             CASE(unknown_query),
             CASE(read_past_end),
             CASE(image_format)};

int main(int count, char **words) {
  cl_platform_id platform;
  const char *options = getenv("BUILD_OPTIONS");
  wrong = count > 2 && !strcmp(words[2], "wrong");
  clGetPlatformIDs(1, &platform, NULL);
  clGetDeviceIDs(platform, CL_DEVICE_TYPE_ALL, 1, &device, NULL);
  context = clCreateContext(NULL, 1, &device, NULL, NULL, NULL);
  queue = clCreateCommandQueue(context, device, 0, NULL);
  program = build(source, options ? options : "");
  buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 64, NULL, NULL);
  for (size_t each = 0; each < sizeof cases / sizeof *cases; each++)
    if (count > 1 && !strcmp(words[1], cases[each].name)) cases[each].run();
  clReleaseMemObject(buffer);
  clReleaseProgram(program);
  clReleaseCommandQueue(queue);
  clReleaseContext(context);
  if (getenv("SKIP_EXIT_HANDLERS")) _exit(0);
  return 0;
}
