/* Host threads: numbered ones that make one call after another, and groups of concurrent calls. */
#ifndef CLCONFORM_THREADS_H
#define CLCONFORM_THREADS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include "calls.h"

/* Something that one thread waits for and another one changes. */
struct changes {
    pthread_mutex_t mutex;
    pthread_cond_t condition;
};
#define CHANGES_INITIALIZER {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER}

/* Wake the threads that wait for a change. */
void announce_change(struct changes *changes);

/* Wait until `has_happened(context)`, at most for some nanoseconds; return whether it has. */
bool wait_for_change(struct changes *changes, uint64_t nanoseconds, bool (*has_happened)(void *), void *context);

/* The next position in the order in which the calls of all threads enter and leave the driver, from 1. */
uint64_t next_position(void);

/* A host thread with one call at a time; `entered` and `returned` are the positions of its last call. */
struct lane {
    struct call call;
    bool is_busy, is_in_callback;
    _Atomic uint64_t entered, returned;
    _Atomic bool has_begun;
    struct changes changes;
    pthread_t thread;
};

/* The host thread of this number, or NULL. */
struct lane *find_lane(size_t number);

/* The host thread of this number, started if there is none; NULL if it cannot be started (errno is set). */
struct lane *start_lane(size_t number);

/* A new host thread of this number whose next call is made inside a callback; NULL if there is no memory. */
struct lane *add_callback_lane(size_t number);

/* Begin the call of a lane, which has been read; return the position at which it has entered the driver, or 0. */
uint64_t begin_lane_call(struct lane *lane);

/* Wait for the call of a lane; return whether it has returned. */
bool wait_for_lane(struct lane *lane, uint64_t nanoseconds);

/* Make the call of a lane in a callback, unless it has been made. */
void make_lane_call(struct lane *lane);

/* Whether a lane has a call in flight. */
bool has_busy_lane(void);

/* Forget the lanes in callbacks. */
void forget_callback_lanes(void);

/* Make calls concurrently, each on a thread of its own; false if there are not enough threads (errno is set). */
bool make_calls_together(struct call *const *calls, size_t count);

enum { MAX_LANES = 1024, MAX_TOGETHER = 256 };

#endif
