/* The base driver: one platform of OpenCL 1.2 with one device that has buffers, queues and events, and no compiler:
 * programs are created, and never built.
 *
 * It conforms if HOSTILE is not set. Commands run immediately, or when the user event for which they wait is set. Each
 * entry holds one lock, and releases it while it waits for commands or events.
 * HOSTILE_DEVICES: number of devices, at most 2.
 */
#include "base.h"

#define LENGTH(array) (sizeof(array) / sizeof *(array))
#define INVALID_IF(condition, code) if (condition) return fail(error, code)

/* Behaviours */

extern const struct behaviour __start_behaviours[], __stop_behaviours[];
static struct { struct behaviour of; char entry[64]; int at; atomic_int calls; } chosen;

int is_the_time(void) {
  return ++chosen.calls == chosen.at || !chosen.at;
}

static void called(const char *entry) {
  if (chosen.of.before && !strcmp(chosen.entry, entry) && is_the_time()) chosen.of.before();
}

static void choose(void) {
  const char *how = getenv("HOSTILE");
  size_t length = how ? strcspn(how, "@") : 0;
  if (!length) return;
  for (const struct behaviour *one = __start_behaviours; one < __stop_behaviours; one++)
    if (strlen(one->name) == length && !strncmp(one->name, how, length)) chosen.of = *one;
  if (!chosen.of.name) {
    fprintf(stderr, "HOSTILE=%s: no such behaviour\n", how);
    abort();
  }
  strcpy(chosen.entry, chosen.of.entry);
  if (how[length]) sscanf(how + length, "@%63[^#]#%d", chosen.entry, &chosen.at);
}

void sleep_for_ever(void) {
  for (;;) pause();
}

struct delayed { int milliseconds; void (*what)(void *); void *of; };

static void *wait_and_do(void *started) {
  struct delayed one = *(struct delayed *)started;
  free(started);
  usleep(1000 * one.milliseconds);
  one.what(one.of);
  return NULL;
}

void later(int milliseconds, void (*what)(void *), void *of) {
  struct delayed *one = malloc(sizeof *one);
  pthread_t thread;
  *one = (struct delayed){milliseconds, what, of};
  if (!pthread_create(&thread, NULL, wait_and_do, one)) pthread_detach(thread);
}

/* Threads */

static pthread_mutex_t lock = PTHREAD_RECURSIVE_MUTEX_INITIALIZER_NP;  /* a callback may make calls */
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;

static int entered(void) { return pthread_mutex_lock(&lock); }
static void left(int *unused) { (void)unused, pthread_mutex_unlock(&lock); }
static void wait_for_a_change(void) { pthread_cond_wait(&changed, &lock); }

#define ENTERED called(__func__); __attribute__((cleanup(left), unused)) int entered_ = entered()

atomic_int at_work;

void wait_for_work(void) {
  while (at_work) usleep(1000);
}

/* Query values */

int answer(const void *value, size_t size, size_t room, void *place, size_t *size_ret) {
  if (place && room < size) return CL_INVALID_VALUE;
  if (place) memcpy(place, value, size);
  if (size_ret) *size_ret = size;
  return CL_SUCCESS;
}

int text(const char *value, size_t room, void *place, size_t *size_ret) {
  return answer(value, strlen(value) + 1, room, place, size_ret);
}

#define ANSWER(type, ...) do { type value_ = __VA_ARGS__; return answer(&value_, sizeof value_, room, place, size_ret); } while (0)

static int is(const object *one, enum kind kind) {
  return one && one->kind == kind && one->references > 0;
}

static void *fail(int32_t *error, int32_t code) {
  if (error) *error = code;
  return NULL;
}

static object *made(enum kind kind, object *context, int32_t *error) {
  object *one = calloc(1, sizeof *one);
  one->dispatch = table;
  one->kind = kind;
  one->references = 1;
  one->context = context;
  if (context) context->references++;
  if (error) *error = CL_SUCCESS;
  return one;
}

/* Drops one reference; an object without references stays allocated, so that its handle is never reused. */
static int gave_back(object *one) {
  if (--one->references) return 0;
  for (int i = one->destroyed; i--;) one->destructors[i].call(one, one->destructors[i].data);
  if (one->bytes && !one->parent && one->bytes != one->host_ptr) free(one->bytes);
  free(one->source);
  if (one->parent) gave_back(one->parent);
  if (one->queue) gave_back(one->queue);
  if (one->context) gave_back(one->context);
  return 1;
}

/* Platforms and devices */

object platform = {.dispatch = table, .kind = PLATFORM, .references = 1};
object devices[2] = {
  {.dispatch = table, .kind = DEVICE, .references = 1, .flags = 0},
  {.dispatch = table, .kind = DEVICE, .references = 1, .flags = 1},
};

static uint32_t device_count(void) {
  const char *said = getenv("HOSTILE_DEVICES");
  return said ? (uint32_t)atoi(said) : 1;
}

int clGetPlatformIDs(uint32_t room, object **places, uint32_t *count) {
  if ((places && !room) || (!places && !count)) return CL_INVALID_VALUE;
  if (places) places[0] = &platform;
  if (count) *count = 1;
  return CL_SUCCESS;
}

int clGetPlatformInfo(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  if (!is(of, PLATFORM)) return CL_INVALID_PLATFORM;
  switch (name) {
    case CL_PLATFORM_PROFILE: return text("EMBEDDED_PROFILE", room, place, size_ret);
    case CL_PLATFORM_VERSION: return text("OpenCL 1.2 base", room, place, size_ret);
    case CL_PLATFORM_NAME: return text("Base platform", room, place, size_ret);
    case CL_PLATFORM_VENDOR: return text("clconform", room, place, size_ret);
    case CL_PLATFORM_EXTENSIONS: return text("cl_khr_icd", room, place, size_ret);
    case CL_PLATFORM_ICD_SUFFIX_KHR: return text("BASE", room, place, size_ret);
  }
  return CL_INVALID_VALUE;
}

int clGetDeviceIDs(object *of, uint64_t type, uint32_t room, object **places, uint32_t *count) {
  ENTERED;
  uint64_t known = CL_DEVICE_TYPE_DEFAULT | CL_DEVICE_TYPE_CPU | CL_DEVICE_TYPE_GPU | CL_DEVICE_TYPE_ACCELERATOR |
                   CL_DEVICE_TYPE_CUSTOM;
  if (!is(of, PLATFORM)) return CL_INVALID_PLATFORM;
  if (!type || (type != CL_DEVICE_TYPE_ALL && type & ~known)) return CL_INVALID_DEVICE_TYPE;
  if ((places && !room) || (!places && !count)) return CL_INVALID_VALUE;
  uint32_t found = type & CL_DEVICE_TYPE_CPU ? device_count() : type & CL_DEVICE_TYPE_DEFAULT ? 1 : 0;
  for (uint32_t i = 0; places && i < found && i < room; i++) places[i] = &devices[i];
  if (count) *count = found;
  return found ? CL_SUCCESS : CL_DEVICE_NOT_FOUND;
}

static const struct { uint32_t name, bytes; uint64_t value; } facts[] = {
  {CL_DEVICE_TYPE, 8, CL_DEVICE_TYPE_CPU},
  {CL_DEVICE_VENDOR_ID, 4, 0x10000},
  {CL_DEVICE_MAX_COMPUTE_UNITS, 4, 4},
  {CL_DEVICE_MAX_WORK_ITEM_DIMENSIONS, 4, 3},
  {CL_DEVICE_MAX_WORK_GROUP_SIZE, 8, 256},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_CHAR, 4, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_SHORT, 4, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_INT, 4, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_LONG, 4, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_FLOAT, 4, 1},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE, 4, 0},
  {CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF, 4, 0},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_CHAR, 4, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_SHORT, 4, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_INT, 4, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_LONG, 4, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_FLOAT, 4, 1},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE, 4, 0},
  {CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF, 4, 0},
  {CL_DEVICE_MAX_CLOCK_FREQUENCY, 4, 1000},
  {CL_DEVICE_ADDRESS_BITS, 4, 64},
  {CL_DEVICE_MAX_MEM_ALLOC_SIZE, 8, 1 << 28},
  {CL_DEVICE_IMAGE_SUPPORT, 4, 0},
  {CL_DEVICE_MAX_READ_IMAGE_ARGS, 4, 0},
  {CL_DEVICE_MAX_WRITE_IMAGE_ARGS, 4, 0},
  {CL_DEVICE_IMAGE2D_MAX_WIDTH, 8, 0},
  {CL_DEVICE_IMAGE2D_MAX_HEIGHT, 8, 0},
  {CL_DEVICE_IMAGE3D_MAX_WIDTH, 8, 0},
  {CL_DEVICE_IMAGE3D_MAX_HEIGHT, 8, 0},
  {CL_DEVICE_IMAGE3D_MAX_DEPTH, 8, 0},
  {CL_DEVICE_IMAGE_MAX_BUFFER_SIZE, 8, 0},
  {CL_DEVICE_IMAGE_MAX_ARRAY_SIZE, 8, 0},
  {CL_DEVICE_MAX_SAMPLERS, 4, 0},
  {CL_DEVICE_MAX_PARAMETER_SIZE, 8, 1024},
  {CL_DEVICE_MEM_BASE_ADDR_ALIGN, 4, 1024},
  {CL_DEVICE_MIN_DATA_TYPE_ALIGN_SIZE, 4, 128},
  {CL_DEVICE_SINGLE_FP_CONFIG, 8, CL_FP_ROUND_TO_NEAREST | CL_FP_INF_NAN},
  {CL_DEVICE_DOUBLE_FP_CONFIG, 8, 0},
  {CL_DEVICE_GLOBAL_MEM_CACHE_TYPE, 4, CL_READ_WRITE_CACHE},
  {CL_DEVICE_GLOBAL_MEM_CACHELINE_SIZE, 4, 64},
  {CL_DEVICE_GLOBAL_MEM_CACHE_SIZE, 8, 1 << 16},
  {CL_DEVICE_GLOBAL_MEM_SIZE, 8, 1 << 30},
  {CL_DEVICE_MAX_CONSTANT_BUFFER_SIZE, 8, 1 << 16},
  {CL_DEVICE_MAX_CONSTANT_ARGS, 4, 8},
  {CL_DEVICE_LOCAL_MEM_TYPE, 4, CL_GLOBAL},
  {CL_DEVICE_LOCAL_MEM_SIZE, 8, 1 << 15},
  {CL_DEVICE_ERROR_CORRECTION_SUPPORT, 4, 0},
  {CL_DEVICE_HOST_UNIFIED_MEMORY, 4, 1},
  {CL_DEVICE_PROFILING_TIMER_RESOLUTION, 8, 1},
  {CL_DEVICE_ENDIAN_LITTLE, 4, 1},
  {CL_DEVICE_AVAILABLE, 4, 1},
  {CL_DEVICE_COMPILER_AVAILABLE, 4, 0},
  {CL_DEVICE_LINKER_AVAILABLE, 4, 0},
  {CL_DEVICE_EXECUTION_CAPABILITIES, 8, CL_EXEC_KERNEL},
  {CL_DEVICE_QUEUE_PROPERTIES, 8, CL_QUEUE_PROFILING_ENABLE},
  {CL_DEVICE_PRINTF_BUFFER_SIZE, 8, 1 << 20},
  {CL_DEVICE_PREFERRED_INTEROP_USER_SYNC, 4, 1},
  {CL_DEVICE_PARENT_DEVICE, 8, 0},
  {CL_DEVICE_PARTITION_MAX_SUB_DEVICES, 4, 0},
  {CL_DEVICE_PARTITION_AFFINITY_DOMAIN, 8, 0},
  {CL_DEVICE_REFERENCE_COUNT, 4, 1},
};

int clGetDeviceInfo(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  if (!is(of, DEVICE)) return CL_INVALID_DEVICE;
  for (size_t i = 0; i < LENGTH(facts); i++)
    if (facts[i].name == name) return answer(&facts[i].value, facts[i].bytes, room, place, size_ret);
  switch (name) {
    case CL_DEVICE_MAX_WORK_ITEM_SIZES: {
      size_t sizes[] = {256, 256, 256};
      return answer(sizes, sizeof sizes, room, place, size_ret);
    }
    case CL_DEVICE_PARTITION_PROPERTIES:
    case CL_DEVICE_PARTITION_TYPE: ANSWER(intptr_t, 0);
    case CL_DEVICE_PLATFORM: ANSWER(object *, &platform);
    case CL_DEVICE_NAME: return text(of->flags ? "Base device 2" : "Base device", room, place, size_ret);
    case CL_DEVICE_VENDOR: return text("clconform", room, place, size_ret);
    case CL_DRIVER_VERSION: return text("1.0", room, place, size_ret);
    case CL_DEVICE_PROFILE: return text("EMBEDDED_PROFILE", room, place, size_ret);
    case CL_DEVICE_VERSION: return text("OpenCL 1.2 base", room, place, size_ret);
    case CL_DEVICE_OPENCL_C_VERSION: return text("OpenCL C 1.2 base", room, place, size_ret);
    case CL_DEVICE_EXTENSIONS:
      return text("cl_khr_byte_addressable_store cl_khr_global_int32_base_atomics cl_khr_global_int32_extended_atomics "
                  "cl_khr_local_int32_base_atomics cl_khr_local_int32_extended_atomics", room, place, size_ret);
    case CL_DEVICE_BUILT_IN_KERNELS: return text("", room, place, size_ret);
  }
  return CL_INVALID_VALUE;
}

int clRetainDevice(object *of) {
  ENTERED;
  return is(of, DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

int clReleaseDevice(object *of) {
  ENTERED;
  return is(of, DEVICE) ? CL_SUCCESS : CL_INVALID_DEVICE;
}

int clCreateSubDevices(object *of, const intptr_t *properties, uint32_t room, object **places, uint32_t *count) {
  ENTERED;
  (void)properties, (void)room, (void)places, (void)count;
  return is(of, DEVICE) ? CL_INVALID_VALUE : CL_INVALID_DEVICE;
}

/* Contexts */

/* Returns the error of a context's property list, and counts its elements including the terminating 0. */
static int32_t listed(const intptr_t *properties, size_t *count) {
  int platforms = 0, syncs = 0;
  for (*count = 0; properties && properties[*count]; *count += 2) {
    intptr_t value = properties[*count + 1];
    if (properties[*count] == CL_CONTEXT_PLATFORM) {
      if (platforms++) return CL_INVALID_PROPERTY;
      if ((object *)value != &platform) return CL_INVALID_PLATFORM;
    } else if (properties[*count] == CL_CONTEXT_INTEROP_USER_SYNC) {
      if (syncs++ || (value != 0 && value != 1)) return CL_INVALID_PROPERTY;
    } else {
      return CL_INVALID_PROPERTY;
    }
  }
  *count += properties != NULL;
  return CL_SUCCESS;
}

object *clCreateContext(const intptr_t *properties, uint32_t count, object *const *given, complaint *notify, void *data,
                        int32_t *error) {
  ENTERED;
  size_t length;
  int32_t wrong = listed(properties, &length);
  INVALID_IF(wrong, wrong);
  INVALID_IF(!given || !count || (!notify && data), CL_INVALID_VALUE);
  for (uint32_t i = 0; i < count; i++) INVALID_IF(!is(given[i], DEVICE), CL_INVALID_DEVICE);
  object *one = made(CONTEXT, NULL, error);
  for (uint32_t i = 0; i < count; i++) {
    uint32_t known = 0;
    while (known < one->count && one->devices[known] != given[i]) known++;
    if (known == one->count) one->devices[one->count++] = given[i];
  }
  one->listed = length;
  if (length) memcpy(one->properties, properties, length * sizeof *properties);
  return one;
}

object *clCreateContextFromType(const intptr_t *properties, uint64_t type, complaint *notify, void *data,
                                int32_t *error) {
  ENTERED;
  object *found[2];
  uint32_t count;
  size_t length;
  int32_t wrong = listed(properties, &length);
  INVALID_IF(wrong, wrong);
  INVALID_IF(!notify && data, CL_INVALID_VALUE);
  wrong = clGetDeviceIDs(&platform, type, 2, found, &count);
  INVALID_IF(wrong, wrong);
  return clCreateContext(properties, count, found, notify, data, error);
}

int clRetainContext(object *of) {
  ENTERED;
  if (!is(of, CONTEXT)) return CL_INVALID_CONTEXT;
  of->references++;
  return CL_SUCCESS;
}

int clReleaseContext(object *of) {
  ENTERED;
  if (!is(of, CONTEXT)) return CL_INVALID_CONTEXT;
  gave_back(of);
  return CL_SUCCESS;
}

int clGetContextInfo(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  if (!is(of, CONTEXT)) return CL_INVALID_CONTEXT;
  switch (name) {
    case CL_CONTEXT_REFERENCE_COUNT: ANSWER(uint32_t, (uint32_t)of->references);
    case CL_CONTEXT_NUM_DEVICES: ANSWER(uint32_t, of->count);
    case CL_CONTEXT_DEVICES: return answer(of->devices, of->count * sizeof *of->devices, room, place, size_ret);
    case CL_CONTEXT_PROPERTIES:
      return answer(of->properties, of->listed * sizeof *of->properties, room, place, size_ret);
  }
  return CL_INVALID_VALUE;
}

/* Queues */

static int is_in(object *context, object *device) {
  for (uint32_t i = 0; i < context->count; i++)
    if (context->devices[i] == device) return 1;
  return 0;
}

object *clCreateCommandQueue(object *context, object *device, uint64_t properties, int32_t *error) {
  ENTERED;
  INVALID_IF(!is(context, CONTEXT), CL_INVALID_CONTEXT);
  INVALID_IF(!is(device, DEVICE), CL_INVALID_DEVICE);
  INVALID_IF(!is_in(context, device), CL_INVALID_DEVICE);
  INVALID_IF(properties & ~3ull, CL_INVALID_VALUE);
  INVALID_IF(properties & 1, CL_INVALID_QUEUE_PROPERTIES);
  object *one = made(QUEUE, context, error);
  one->device = device;
  one->flags = properties;
  return one;
}

int clRetainCommandQueue(object *of) {
  ENTERED;
  if (!is(of, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  of->references++;
  return CL_SUCCESS;
}

int clReleaseCommandQueue(object *of) {
  ENTERED;
  if (!is(of, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  gave_back(of);
  return CL_SUCCESS;
}

int clSetCommandQueueProperty(object *of, uint64_t properties, uint32_t enable, uint64_t *old_properties) {
  ENTERED;
  if (!is(of, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (properties & ~3ull) return CL_INVALID_VALUE;
  if (properties & 1) return CL_INVALID_QUEUE_PROPERTIES;
  if (old_properties) *old_properties = of->flags;
  of->flags = enable ? of->flags | properties : of->flags & ~properties;
  return CL_SUCCESS;
}

int clGetCommandQueueInfo(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  if (!is(of, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  switch (name) {
    case CL_QUEUE_CONTEXT: ANSWER(object *, of->context);
    case CL_QUEUE_DEVICE: ANSWER(object *, of->device);
    case CL_QUEUE_REFERENCE_COUNT: ANSWER(uint32_t, (uint32_t)of->references);
    case CL_QUEUE_PROPERTIES: ANSWER(uint64_t, of->flags);
  }
  return CL_INVALID_VALUE;
}

/* Events */

static void reach(object *event, int32_t status) {
  event->status = status;
  pthread_cond_broadcast(&changed);
  for (int i = 0; i < event->called; i++) {
    callback *call = event->callbacks[i].call;
    if (call && (status < 0 || status <= event->callbacks[i].when)) {
      event->callbacks[i].call = NULL;
      call(event, status < 0 ? status : event->callbacks[i].when, event->callbacks[i].data);
    }
  }
}

object *clCreateUserEvent(object *context, int32_t *error) {
  ENTERED;
  INVALID_IF(!is(context, CONTEXT), CL_INVALID_CONTEXT);
  object *one = made(EVENT, context, error);
  one->type = CL_COMMAND_USER;
  one->status = CL_SUBMITTED;
  return one;
}

int clSetEventCallback(object *of, int32_t when, callback *call, void *data) {
  ENTERED;
  if (!is(of, EVENT)) return CL_INVALID_EVENT;
  if (!call || (when != CL_SUBMITTED && when != CL_RUNNING && when != CL_COMPLETE)) return CL_INVALID_VALUE;
  if (of->status < 0 || of->status <= when) {
    call(of, of->status < 0 ? of->status : when, data);
    return CL_SUCCESS;
  }
  if (of->called == LENGTH(of->callbacks)) return CL_OUT_OF_RESOURCES;
  of->callbacks[of->called].call = call;
  of->callbacks[of->called].when = when;
  of->callbacks[of->called++].data = data;
  return CL_SUCCESS;
}

int clRetainEvent(object *of) {
  ENTERED;
  if (!is(of, EVENT)) return CL_INVALID_EVENT;
  of->references++;
  return CL_SUCCESS;
}

int clReleaseEvent(object *of) {
  ENTERED;
  if (!is(of, EVENT)) return CL_INVALID_EVENT;
  gave_back(of);
  return CL_SUCCESS;
}

int clGetEventInfo(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  if (!is(of, EVENT)) return CL_INVALID_EVENT;
  switch (name) {
    case CL_EVENT_COMMAND_QUEUE: ANSWER(object *, of->queue);
    case CL_EVENT_CONTEXT: ANSWER(object *, of->context);
    case CL_EVENT_COMMAND_TYPE: ANSWER(uint32_t, of->type);
    case CL_EVENT_COMMAND_EXECUTION_STATUS: ANSWER(int32_t, of->status);
    case CL_EVENT_REFERENCE_COUNT: ANSWER(uint32_t, (uint32_t)of->references);
  }
  return CL_INVALID_VALUE;
}

/* Commands, executed in the order of their enqueueing */

static struct command {
  object *queue, *event, *buffer, *source;
  unsigned char *to;
  const unsigned char *from;
  size_t size;
  object *waits[16];
  uint32_t count;
  struct command *next;
} *pending;

/* Returns 1 if a command may start, a negative status if it can no longer start, 0 if it has to wait. */
static int32_t readiness(struct command *one) {
  for (struct command *before = pending; before && before != one; before = before->next)
    if (before->queue == one->queue) return 0;
  for (uint32_t i = 0; i < one->count; i++) {
    if (one->waits[i]->status < 0) return CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
    if (one->waits[i]->status > CL_COMPLETE) return 0;
  }
  return 1;
}

static void carry_out(void) {
  for (struct command **at = &pending; *at;) {
    struct command *one = *at;
    int32_t ready = readiness(one);
    if (!ready) {
      at = &one->next;
      continue;
    }
    if (ready > 0 && one->size) memmove(one->to, one->from, one->size);
    *at = one->next;
    if (ready > 0) reach(one->event, CL_RUNNING);
    reach(one->event, ready > 0 ? CL_COMPLETE : ready);
    for (uint32_t i = 0; i < one->count; i++) gave_back(one->waits[i]);
    if (one->buffer) gave_back(one->buffer);
    if (one->source) gave_back(one->source);
    gave_back(one->event);
    free(one);
    pthread_cond_broadcast(&changed);
    at = &pending;
  }
}

static int enqueued(object *queue, uint32_t type, object *buffer, object *source, void *to, const void *from,
                    size_t size, uint32_t count, object *const *waits, object **event) {
  if (!count != !waits || count > 16) return CL_INVALID_EVENT_WAIT_LIST;
  for (uint32_t i = 0; i < count; i++) {
    if (!is(waits[i], EVENT)) return CL_INVALID_EVENT_WAIT_LIST;
    if (waits[i]->context != queue->context) return CL_INVALID_CONTEXT;
  }
  struct command *one = calloc(1, sizeof *one), **last = &pending;
  one->queue = queue;
  one->event = made(EVENT, queue->context, NULL);
  one->event->queue = queue;
  queue->references++;
  one->event->type = type;
  one->event->status = CL_QUEUED;
  one->buffer = buffer;
  if (buffer) buffer->references++;
  one->source = source;
  if (source) source->references++;
  one->to = to, one->from = from, one->size = size, one->count = count;
  for (uint32_t i = 0; i < count; i++) (one->waits[i] = waits[i])->references++;
  while (*last) last = &(*last)->next;
  *last = one;
  if (event) {
    *event = one->event;
    one->event->references++;
  }
  carry_out();
  return CL_SUCCESS;
}

/* Enqueues a command and, if it is blocking, waits for its end. */
static int carried_out(uint32_t blocking, object *queue, uint32_t type, object *buffer, void *to, const void *from,
                       size_t size, uint32_t count, object *const *waits, object **event) {
  object *own;
  if (blocking) wait_for_work();
  int32_t wrong = enqueued(queue, type, buffer, NULL, to, from, size, count, waits, &own);
  if (wrong) return wrong;
  while (blocking && own->status > CL_COMPLETE) wait_for_a_change();
  if (blocking && own->status < 0) wrong = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (event && !wrong) *event = own;
  else gave_back(own);
  return wrong;
}

int clSetUserEventStatus(object *of, int32_t status) {
  ENTERED;
  if (!is(of, EVENT) || of->type != CL_COMMAND_USER) return CL_INVALID_EVENT;
  if (status > CL_COMPLETE) return CL_INVALID_VALUE;
  if (of->status <= CL_COMPLETE) return CL_INVALID_OPERATION;
  reach(of, status);
  carry_out();
  return CL_SUCCESS;
}

int clWaitForEvents(uint32_t count, object *const *waits) {
  ENTERED;
  if (!count || !waits) return CL_INVALID_VALUE;
  for (uint32_t i = 0; i < count; i++) {
    if (!is(waits[i], EVENT)) return CL_INVALID_EVENT;
    if (waits[i]->context != waits[0]->context) return CL_INVALID_CONTEXT;
  }
  int32_t failed = 0;
  wait_for_work();
  for (uint32_t i = 0; i < count; i++) {
    while (waits[i]->status > CL_COMPLETE) wait_for_a_change();
    if (waits[i]->status < 0) failed = 1;
  }
  return failed ? CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST : CL_SUCCESS;
}

int clFlush(object *of) {
  ENTERED;
  return is(of, QUEUE) ? CL_SUCCESS : CL_INVALID_COMMAND_QUEUE;
}

int clFinish(object *of) {
  ENTERED;
  if (!is(of, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  wait_for_work();
  for (struct command *one = pending; one;)
    if (one->queue == of) {
      wait_for_a_change();
      one = pending;
    } else {
      one = one->next;
    }
  return CL_SUCCESS;
}

/* Buffers */

object *clCreateBuffer(object *context, uint64_t flags, size_t size, void *host_ptr, int32_t *error) {
  ENTERED;
  uint64_t kernel = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  uint64_t host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
  uint64_t from = CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR;
  uint64_t all = kernel | host | from | CL_MEM_ALLOC_HOST_PTR;
  INVALID_IF(!is(context, CONTEXT), CL_INVALID_CONTEXT);
  INVALID_IF(flags & ~all || __builtin_popcountll(flags & kernel) > 1 || __builtin_popcountll(flags & host) > 1 ||
             (flags & CL_MEM_USE_HOST_PTR && flags & (CL_MEM_COPY_HOST_PTR | CL_MEM_ALLOC_HOST_PTR)), CL_INVALID_VALUE);
  INVALID_IF(!size || size > 1 << 28, CL_INVALID_BUFFER_SIZE);
  INVALID_IF(!host_ptr != !(flags & from), CL_INVALID_HOST_PTR);
  object *one = made(BUFFER, context, error);
  one->flags = flags & kernel ? flags : flags | CL_MEM_READ_WRITE;
  one->size = size;
  one->bytes = flags & CL_MEM_USE_HOST_PTR ? host_ptr : calloc(1, size);
  if (flags & CL_MEM_COPY_HOST_PTR) memcpy(one->bytes, host_ptr, size);
  if (flags & CL_MEM_USE_HOST_PTR) one->host_ptr = host_ptr;
  return one;
}

object *clCreateSubBuffer(object *parent, uint64_t flags, uint32_t type, const size_t *region, int32_t *error) {
  ENTERED;
  uint64_t kernel = CL_MEM_READ_WRITE | CL_MEM_WRITE_ONLY | CL_MEM_READ_ONLY;
  uint64_t host = CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS;
  INVALID_IF(!is(parent, BUFFER) || parent->parent, CL_INVALID_MEM_OBJECT);
  uint64_t allowed = parent->flags & CL_MEM_READ_WRITE ? kernel : parent->flags & kernel;
  uint64_t reached = parent->flags & host ? (parent->flags & host) | CL_MEM_HOST_NO_ACCESS : host;
  INVALID_IF(flags & ~(allowed | reached) || __builtin_popcountll(flags & kernel) > 1 ||
             __builtin_popcountll(flags & host) > 1 || type != CL_BUFFER_CREATE_TYPE_REGION || !region ||
             region[0] > parent->size || region[1] > parent->size - region[0], CL_INVALID_VALUE);
  INVALID_IF(!region[1], CL_INVALID_BUFFER_SIZE);
  INVALID_IF(region[0] % 128, CL_MISALIGNED_SUB_BUFFER_OFFSET);
  object *one = made(BUFFER, parent->context, error);
  one->flags = (flags & kernel ? flags & kernel : parent->flags & kernel) |
               (flags & host ? flags & host : parent->flags & host) | (parent->flags & ~(kernel | host));
  one->parent = parent;
  parent->references++;
  one->offset = region[0];
  one->size = region[1];
  one->bytes = parent->bytes + region[0];
  if (parent->host_ptr) one->host_ptr = (unsigned char *)parent->host_ptr + region[0];
  return one;
}

int clRetainMemObject(object *of) {
  ENTERED;
  if (!is(of, BUFFER)) return CL_INVALID_MEM_OBJECT;
  of->references++;
  return CL_SUCCESS;
}

int clReleaseMemObject(object *of) {
  ENTERED;
  if (!is(of, BUFFER)) return CL_INVALID_MEM_OBJECT;
  gave_back(of);
  return CL_SUCCESS;
}

int clSetMemObjectDestructorCallback(object *of, destructor *call, void *data) {
  ENTERED;
  if (!is(of, BUFFER)) return CL_INVALID_MEM_OBJECT;
  if (!call) return CL_INVALID_VALUE;
  if (of->destroyed == LENGTH(of->destructors)) return CL_OUT_OF_RESOURCES;
  of->destructors[of->destroyed].call = call;
  of->destructors[of->destroyed++].data = data;
  return CL_SUCCESS;
}

int clGetMemObjectInfo(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  if (!is(of, BUFFER)) return CL_INVALID_MEM_OBJECT;
  switch (name) {
    case CL_MEM_TYPE: ANSWER(uint32_t, CL_MEM_OBJECT_BUFFER);
    case CL_MEM_FLAGS: ANSWER(uint64_t, of->flags);
    case CL_MEM_SIZE: ANSWER(size_t, of->size);
    case CL_MEM_HOST_PTR: ANSWER(void *, of->host_ptr);
    case CL_MEM_MAP_COUNT: ANSWER(uint32_t, of->maps);
    case CL_MEM_REFERENCE_COUNT: ANSWER(uint32_t, (uint32_t)of->references);
    case CL_MEM_CONTEXT: ANSWER(object *, of->context);
    case CL_MEM_ASSOCIATED_MEMOBJECT: ANSWER(object *, of->parent);
    case CL_MEM_OFFSET: ANSWER(size_t, of->offset);
  }
  return CL_INVALID_VALUE;
}

static int32_t wrong_place(object *queue, object *buffer, size_t offset, size_t size, const void *place, uint64_t denied) {
  if (!is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!is(buffer, BUFFER)) return CL_INVALID_MEM_OBJECT;
  if (queue->context != buffer->context) return CL_INVALID_CONTEXT;
  if (!place || !size || offset > buffer->size || size > buffer->size - offset) return CL_INVALID_VALUE;
  return buffer->flags & denied ? CL_INVALID_OPERATION : CL_SUCCESS;
}

int clEnqueueReadBuffer(object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size, void *place,
                        uint32_t count, object *const *waits, object **event) {
  ENTERED;
  int32_t wrong = wrong_place(queue, buffer, offset, size, place, CL_MEM_HOST_WRITE_ONLY | CL_MEM_HOST_NO_ACCESS);
  for (uint32_t i = 0; !wrong && blocking && waits && i < count; i++)
    if (is(waits[i], EVENT) && waits[i]->status < 0) wrong = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return wrong ? wrong : carried_out(blocking, queue, CL_COMMAND_READ_BUFFER, buffer, place, buffer->bytes + offset,
                                     size, count, waits, event);
}

int clEnqueueWriteBuffer(object *queue, object *buffer, uint32_t blocking, size_t offset, size_t size,
                         const void *place, uint32_t count, object *const *waits, object **event) {
  ENTERED;
  int32_t wrong = wrong_place(queue, buffer, offset, size, place, CL_MEM_HOST_READ_ONLY | CL_MEM_HOST_NO_ACCESS);
  for (uint32_t i = 0; !wrong && blocking && waits && i < count; i++)
    if (is(waits[i], EVENT) && waits[i]->status < 0) wrong = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  return wrong ? wrong : carried_out(blocking, queue, CL_COMMAND_WRITE_BUFFER, buffer, buffer->bytes + offset, place,
                                     size, count, waits, event);
}

int clEnqueueCopyBuffer(object *queue, object *source, object *target, size_t from, size_t to, size_t size,
                        uint32_t count, object *const *waits, object **event) {
  ENTERED;
  int32_t wrong = wrong_place(queue, source, from, size, queue, 0);
  if (!wrong) wrong = wrong_place(queue, target, to, size, queue, 0);
  if (wrong) return wrong;
  unsigned char *begin = source->bytes + from, *place = target->bytes + to;
  if (begin < place + size && place < begin + size) return CL_MEM_COPY_OVERLAP;
  return enqueued(queue, CL_COMMAND_COPY_BUFFER, target, source, place, begin, size, count, waits, event);
}

void *clEnqueueMapBuffer(object *queue, object *buffer, uint32_t blocking, uint64_t flags, size_t offset, size_t size,
                         uint32_t count, object *const *waits, object **event, int32_t *error) {
  ENTERED;
  uint64_t writes = CL_MAP_WRITE | CL_MAP_WRITE_INVALIDATE_REGION;
  uint64_t denied = CL_MEM_HOST_NO_ACCESS | (flags & CL_MAP_READ ? CL_MEM_HOST_WRITE_ONLY : 0) |
                    (flags & writes ? CL_MEM_HOST_READ_ONLY : 0);
  int32_t wrong = wrong_place(queue, buffer, offset, size, queue, flags ? denied : 0);
  if (!wrong && flags & ~(writes | CL_MAP_READ)) wrong = CL_INVALID_VALUE;
  if (!wrong && flags & CL_MAP_WRITE_INVALIDATE_REGION && flags & (CL_MAP_READ | CL_MAP_WRITE)) wrong = CL_INVALID_VALUE;
  for (uint32_t i = 0; !wrong && blocking && waits && i < count; i++)
    if (is(waits[i], EVENT) && waits[i]->status < 0) wrong = CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST;
  if (!wrong)
    wrong = carried_out(blocking, queue, CL_COMMAND_MAP_BUFFER, buffer, NULL, NULL, 0, count, waits, event);
  INVALID_IF(wrong, wrong);
  buffer->maps++;
  fail(error, CL_SUCCESS);
  return buffer->bytes + offset;
}

int clEnqueueUnmapMemObject(object *queue, object *buffer, void *mapped, uint32_t count, object *const *waits,
                            object **event) {
  ENTERED;
  if (!is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  if (!is(buffer, BUFFER)) return CL_INVALID_MEM_OBJECT;
  if (queue->context != buffer->context) return CL_INVALID_CONTEXT;
  unsigned char *at = mapped;
  if (!buffer->maps || at < buffer->bytes || at >= buffer->bytes + buffer->size) return CL_INVALID_VALUE;
  int32_t wrong = enqueued(queue, CL_COMMAND_UNMAP_MEM_OBJECT, buffer, NULL, NULL, NULL, 0, count, waits, event);
  if (!wrong) buffer->maps--;
  return wrong;
}

int clEnqueueMarkerWithWaitList(object *queue, uint32_t count, object *const *waits, object **event) {
  ENTERED;
  if (!is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  return enqueued(queue, CL_COMMAND_MARKER, NULL, NULL, NULL, NULL, 0, count, waits, event);
}

int clEnqueueBarrierWithWaitList(object *queue, uint32_t count, object *const *waits, object **event) {
  ENTERED;
  if (!is(queue, QUEUE)) return CL_INVALID_COMMAND_QUEUE;
  return enqueued(queue, CL_COMMAND_BARRIER, NULL, NULL, NULL, NULL, 0, count, waits, event);
}

/* Programs */

static size_t length_of(const char *source, const size_t *length) {
  return length && *length ? *length : strlen(source);
}

object *clCreateProgramWithSource(object *context, uint32_t count, const char *const *sources, const size_t *lengths,
                                  int32_t *error) {
  ENTERED;
  size_t size = 1;
  INVALID_IF(!is(context, CONTEXT), CL_INVALID_CONTEXT);
  INVALID_IF(!count || !sources, CL_INVALID_VALUE);
  for (uint32_t i = 0; i < count; i++) {
    INVALID_IF(!sources[i], CL_INVALID_VALUE);
    size += length_of(sources[i], lengths ? &lengths[i] : NULL);
  }
  object *one = made(PROGRAM, context, error);
  one->source = calloc(1, size);
  for (uint32_t i = 0; i < count; i++)
    strncat(one->source, sources[i], length_of(sources[i], lengths ? &lengths[i] : NULL));
  return one;
}

int clRetainProgram(object *of) {
  ENTERED;
  if (!is(of, PROGRAM)) return CL_INVALID_PROGRAM;
  of->references++;
  return CL_SUCCESS;
}

int clReleaseProgram(object *of) {
  ENTERED;
  if (!is(of, PROGRAM)) return CL_INVALID_PROGRAM;
  gave_back(of);
  return CL_SUCCESS;
}

int clBuildProgram(object *of, uint32_t count, object *const *given, const char *options, callback *notify, void *data) {
  ENTERED;
  (void)options;
  if (!is(of, PROGRAM)) return CL_INVALID_PROGRAM;
  if (!count != !given || (!notify && data)) return CL_INVALID_VALUE;
  for (uint32_t i = 0; i < count; i++)
    if (!is(given[i], DEVICE) || !is_in(of->context, given[i])) return CL_INVALID_DEVICE;
  return CL_COMPILER_NOT_AVAILABLE;
}

int clGetProgramInfo(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  static const size_t sizes[LENGTH(of->devices)];
  if (!is(of, PROGRAM)) return CL_INVALID_PROGRAM;
  uint32_t count = of->context->count;
  switch (name) {
    case CL_PROGRAM_REFERENCE_COUNT: ANSWER(uint32_t, (uint32_t)of->references);
    case CL_PROGRAM_CONTEXT: ANSWER(object *, of->context);
    case CL_PROGRAM_NUM_DEVICES: ANSWER(uint32_t, count);
    case CL_PROGRAM_DEVICES: return answer(of->context->devices, count * sizeof *of->devices, room, place, size_ret);
    case CL_PROGRAM_SOURCE: return text(of->source, room, place, size_ret);
    case CL_PROGRAM_BINARY_SIZES: return answer(sizes, count * sizeof *sizes, room, place, size_ret);
    case CL_PROGRAM_BINARIES:  /* nothing is written, because there are no binaries */
      if (place && room < count * sizeof(char *)) return CL_INVALID_VALUE;
      if (size_ret) *size_ret = count * sizeof(char *);
      return CL_SUCCESS;
    case CL_PROGRAM_NUM_KERNELS:
    case CL_PROGRAM_KERNEL_NAMES: return CL_INVALID_PROGRAM_EXECUTABLE;
  }
  return CL_INVALID_VALUE;
}

int clGetProgramBuildInfo(object *of, object *device, uint32_t name, size_t room, void *place, size_t *size_ret) {
  ENTERED;
  if (!is(of, PROGRAM)) return CL_INVALID_PROGRAM;
  if (!is(device, DEVICE) || !is_in(of->context, device)) return CL_INVALID_DEVICE;
  switch (name) {
    case CL_PROGRAM_BUILD_STATUS: ANSWER(int32_t, CL_BUILD_NONE);
    case CL_PROGRAM_BUILD_OPTIONS:
    case CL_PROGRAM_BUILD_LOG: return text("", room, place, size_ret);
    case CL_PROGRAM_BINARY_TYPE: ANSWER(uint32_t, CL_PROGRAM_BINARY_TYPE_NONE);
  }
  return CL_INVALID_VALUE;
}

/* The library */

void *table[256] = {
#define ENTRY(position, name) [position] = (void *)name,
BASE_ENTRIES
};

static const char *const names[] = {ENTRY_NAMES};
void *original;

/* Selects the replaced info function only for the query HOSTILE_QUERY. */
static int for_one_query(object *of, uint32_t name, size_t room, void *place, size_t *size_ret) {
  int is_asked = (uint32_t)atoi(getenv("HOSTILE_QUERY")) == name;
  return ((info *)(is_asked ? chosen.of.instead : original))(of, name, room, place, size_ret);
}

void take_the_place_of(const char *entry, void *function) {
  for (size_t i = 0; i < LENGTH(names); i++)
    if (!strcmp(names[i], entry)) table[i] = function;
}

void *find_entry(const char *entry) {
  for (size_t i = 0; i < LENGTH(names); i++)
    if (!strcmp(names[i], entry)) return table[i];
  return NULL;
}

__attribute__((constructor)) static void load(void) {
  choose();
  for (size_t i = 0; chosen.of.instead && i < LENGTH(names); i++)
    if (!strcmp(names[i], chosen.entry)) {
      original = table[i];
      table[i] = getenv("HOSTILE_QUERY") ? (void *)for_one_query : chosen.of.instead;
    }
  called(__func__);
}

__attribute__((visibility("default"))) int clIcdGetPlatformIDsKHR(uint32_t room, object **places, uint32_t *count) {
  called(__func__);
  if (chosen.of.instead && !strcmp(chosen.entry, __func__))  /* a symbol of the library, not in the table */
    return ((int (*)(uint32_t, object **, uint32_t *))chosen.of.instead)(room, places, count);
  return clGetPlatformIDs(room, places, count);
}

__attribute__((visibility("default"))) void *clGetExtensionFunctionAddress(const char *name) {
  if (!strcmp(name, "clIcdGetPlatformIDsKHR")) return (void *)clIcdGetPlatformIDsKHR;
  if (!strcmp(name, "clGetPlatformInfo")) return (void *)clGetPlatformInfo;
  return NULL;
}
