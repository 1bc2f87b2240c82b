/* Shared by the drivers of this folder: objects, the base driver's entries, and the declaration of behaviours.
 *
 * The environment variable HOSTILE selects the behaviour: NAME, NAME@ENTRY, or NAME@ENTRY#N for only the N-th call of
 * that entry in a process. NAME is declared by one of:
 *
 *   BEFORE(name, entry) { ... }                           runs at the beginning of each call of the entry
 *   INSTEAD(name, entry, type, (parameters)) { ... }      replaces the entry in the dispatch table; `original` is the
 *                                                         replaced function
 *
 * HOSTILE_QUERY, the number of a query, restricts the replacement of an info function to that query.
 *
 * ENTRY is the OpenCL function whose calls misbehave, or one of: load (the library's constructor),
 * clIcdGetPlatformIDsKHR.
 */
#ifndef HOSTILE_BASE_H
#define HOSTILE_BASE_H

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tables.h"

typedef struct object object;
typedef void callback(object *of, int32_t status, void *data);
typedef void destructor(object *of, void *data);
typedef void complaint(const char *text, const void *info, size_t size, void *data);

struct object {
  void **dispatch;
  enum kind { PLATFORM = 1, DEVICE, CONTEXT, QUEUE, BUFFER, EVENT, PROGRAM } kind;
  atomic_int references;
  object *context, *device;                    /* of queues, buffers, events, programs */
  uint32_t count;                              /* context: number of its devices */
  object *devices[4];
  intptr_t properties[16];                     /* of a context or a queue */
  size_t listed;                               /* number of elements of `properties` */
  uint64_t flags;                              /* buffer: its flags; queue: its properties; device: its number */
  size_t size, offset;                         /* buffer: in bytes */
  unsigned char *bytes;
  char *source;                                /* of a program */
  void *host_ptr;
  object *parent, *queue;                      /* sub-buffer: its parent; event: its queue */
  uint32_t type, maps;                         /* event: command type; buffer: number of its maps */
  int32_t status;                              /* of an event */
  struct { callback *call; int32_t when; void *data; } callbacks[64];
  struct { destructor *call; void *data; } destructors[64];
  int called, destroyed;                       /* numbers of `callbacks` and of `destructors` */
};

struct behaviour {
  const char *name, *entry;
  void (*before)(void);
  void *instead;
};

#define BEFORE(how, where)                                                                             \
  static void how(void);                                                                               \
  static const struct behaviour how##_ __attribute__((used, section("behaviours"))) = {#how, #where, how, NULL}; \
  static void how(void)

#define INSTEAD(how, where, type, parameters)                                                          \
  static type how parameters;                                                                          \
  static const struct behaviour how##_ __attribute__((used, section("behaviours"))) = {#how, #where, NULL, (void *)how}; \
  static type how parameters

extern void *table[256];
extern object platform, devices[2];
extern void *original;

typedef int info(object *, uint32_t, size_t, void *, size_t *);

/* Returns whether this call of the entry is the N-th one, if HOSTILE selects the N-th. */
int is_the_time(void);

/* Start a thread that runs a function once, after some milliseconds. */
void later(int milliseconds, void (*what)(void *), void *of);

/* Number of threads that execute commands; calls that wait for commands wait until it is 0. */
extern atomic_int at_work;
void wait_for_work(void);

/* Replace an entry of the dispatch table by a function. */
void take_the_place_of(const char *entry, void *function);

/* Return the entry of the dispatch table. */
void *find_entry(const char *entry);

/* Sleep forever. */
void sleep_for_ever(void) __attribute__((noreturn));

int answer(const void *value, size_t size, size_t room, void *place, size_t *size_ret);
int text(const char *value, size_t room, void *place, size_t *size_ret);

int clGetPlatformIDs(uint32_t, object **, uint32_t *);
int clGetPlatformInfo(object *, uint32_t, size_t, void *, size_t *);
int clGetDeviceIDs(object *, uint64_t, uint32_t, object **, uint32_t *);
int clCreateSubDevices(object *, const intptr_t *, uint32_t, object **, uint32_t *);
int clGetDeviceInfo(object *, uint32_t, size_t, void *, size_t *);
int clRetainDevice(object *);
int clReleaseDevice(object *);
object *clCreateContext(const intptr_t *, uint32_t, object *const *, complaint *, void *, int32_t *);
object *clCreateContextFromType(const intptr_t *, uint64_t, complaint *, void *, int32_t *);
int clRetainContext(object *);
int clReleaseContext(object *);
int clGetContextInfo(object *, uint32_t, size_t, void *, size_t *);
object *clCreateCommandQueue(object *, object *, uint64_t, int32_t *);
int clRetainCommandQueue(object *);
int clReleaseCommandQueue(object *);
int clSetCommandQueueProperty(object *, uint64_t, uint32_t, uint64_t *);
int clGetCommandQueueInfo(object *, uint32_t, size_t, void *, size_t *);
object *clCreateBuffer(object *, uint64_t, size_t, void *, int32_t *);
object *clCreateSubBuffer(object *, uint64_t, uint32_t, const size_t *, int32_t *);
int clRetainMemObject(object *);
int clReleaseMemObject(object *);
int clGetMemObjectInfo(object *, uint32_t, size_t, void *, size_t *);
int clSetMemObjectDestructorCallback(object *, destructor *, void *);
int clEnqueueReadBuffer(object *, object *, uint32_t, size_t, size_t, void *, uint32_t, object *const *, object **);
int clEnqueueWriteBuffer(object *, object *, uint32_t, size_t, size_t, const void *, uint32_t, object *const *,
                         object **);
int clEnqueueCopyBuffer(object *, object *, object *, size_t, size_t, size_t, uint32_t, object *const *, object **);
void *clEnqueueMapBuffer(object *, object *, uint32_t, uint64_t, size_t, size_t, uint32_t, object *const *, object **,
                         int32_t *);
int clEnqueueUnmapMemObject(object *, object *, void *, uint32_t, object *const *, object **);
int clEnqueueMarkerWithWaitList(object *, uint32_t, object *const *, object **);
int clEnqueueBarrierWithWaitList(object *, uint32_t, object *const *, object **);
object *clCreateProgramWithSource(object *, uint32_t, const char *const *, const size_t *, int32_t *);
int clRetainProgram(object *);
int clReleaseProgram(object *);
int clBuildProgram(object *, uint32_t, object *const *, const char *, callback *, void *);
int clGetProgramInfo(object *, uint32_t, size_t, void *, size_t *);
int clGetProgramBuildInfo(object *, object *, uint32_t, size_t, void *, size_t *);
object *clCreateUserEvent(object *, int32_t *);
int clSetUserEventStatus(object *, int32_t);
int clSetEventCallback(object *, int32_t, callback *, void *);
int clRetainEvent(object *);
int clReleaseEvent(object *);
int clGetEventInfo(object *, uint32_t, size_t, void *, size_t *);
int clWaitForEvents(uint32_t, object *const *);
int clFlush(object *);
int clFinish(object *);

#endif
