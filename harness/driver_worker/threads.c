#define _POSIX_C_SOURCE 200809L
#include "threads.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <time.h>

#include "callbacks.h"
#include "system.h"

static atomic_uint_fast64_t position;
static struct lane *lanes[MAX_LANES];
static struct lane *callback_lanes[MAX_LANES];
static size_t busy_count;

void announce_change(struct changes *changes) {
    pthread_mutex_lock(&changes->mutex);
    pthread_cond_broadcast(&changes->condition);
    pthread_mutex_unlock(&changes->mutex);
}

bool wait_for_change(struct changes *changes, uint64_t nanoseconds, bool (*has_happened)(void *), void *context) {
    const uint64_t most = UINT64_C(1) << 62;
    uint64_t until = now_nanoseconds() + (nanoseconds < most ? nanoseconds : most);
    pthread_mutex_lock(&changes->mutex);
    bool has = has_happened(context);
    for (uint64_t now = now_nanoseconds(); !has && now < until; now = now_nanoseconds()) {
        /* the clock of this wait may jump, so each wait is short */
        uint64_t left = until - now < 100000000U ? until - now : 100000000U;
        struct timespec end;
        clock_gettime(CLOCK_REALTIME, &end);
        uint64_t nanosecond = (uint64_t)end.tv_nsec + left;
        end.tv_sec += (time_t)(nanosecond / 1000000000U);
        end.tv_nsec = (long)(nanosecond % 1000000000U);
        pthread_cond_timedwait(&changes->condition, &changes->mutex, &end);
        has = has_happened(context);
    }
    pthread_mutex_unlock(&changes->mutex);
    return has;
}

/* Wait until `has_happened(context)`. */
static void wait_without_limit(struct changes *changes, bool (*has_happened)(void *), void *context) {
    const uint64_t long_nanoseconds = UINT64_C(1) << 40;
    while (!wait_for_change(changes, long_nanoseconds, has_happened, context)) {
    }
}

uint64_t next_position(void) { return atomic_fetch_add(&position, 1) + 1; }

struct lane *find_lane(size_t number) {
    if (number >= MAX_LANES) {
        return NULL;
    }
    return callback_lanes[number] != NULL ? callback_lanes[number] : lanes[number];
}

static bool has_begun(void *context) { return ((struct lane *)context)->has_begun; }

static bool has_returned(void *context) { return ((struct lane *)context)->returned != 0; }

static void make_entered_call(struct lane *lane) {
    make_call(&lane->call);
    lane->returned = next_position();
    announce_change(&lane->changes);
}

static void *run_lane(void *context) {
    struct lane *lane = context;
    set_host_thread(true);
    while (true) {
        wait_without_limit(&lane->changes, has_begun, lane);
        lane->has_begun = false;
        lane->entered = next_position();
        announce_change(&lane->changes);
        make_entered_call(lane);
    }
    return NULL;
}

static struct lane *create_lane(void) {
    struct lane *lane = map_memory(sizeof *lane);
    if (lane != NULL) {
        lane->changes = (struct changes)CHANGES_INITIALIZER;
    }
    return lane;
}

struct lane *start_lane(size_t number) {
    struct lane *lane = find_lane(number);
    if (lane != NULL || number >= MAX_LANES) {
        return lane;
    }
    lane = create_lane();
    if (lane == NULL) {
        return NULL;
    }
    int error = pthread_create(&lane->thread, NULL, run_lane, lane);
    if (error != 0) {
        unmap_memory(lane, sizeof *lane);
        errno = error;
        return NULL;
    }
    pthread_detach(lane->thread);
    lanes[number] = lane;
    return lane;
}

struct lane *add_callback_lane(size_t number) {
    struct lane *lane = number < MAX_LANES ? create_lane() : NULL;
    if (lane != NULL) {
        lane->is_in_callback = true;
        callback_lanes[number] = lane;
    }
    return lane;
}

static bool has_entered(void *context) { return ((struct lane *)context)->entered != 0; }

uint64_t begin_lane_call(struct lane *lane) {
    lane->entered = 0;
    lane->returned = 0;
    lane->is_busy = true;
    busy_count++;
    if (lane->is_in_callback) {
        atomic_store(&lane->has_begun, true);
        return 0;
    }
    lane->has_begun = true;
    announce_change(&lane->changes);
    wait_without_limit(&lane->changes, has_entered, lane);
    return lane->entered;
}

bool wait_for_lane(struct lane *lane, uint64_t nanoseconds) {
    bool has = wait_for_change(&lane->changes, nanoseconds, has_returned, lane);
    if (has && lane->is_busy) {
        lane->is_busy = false;
        busy_count--;
    }
    return has;
}

void make_lane_call(struct lane *lane) {
    if (!atomic_exchange(&lane->has_begun, false)) {
        return; /* no call was stored, or another invocation has made it */
    }
    lane->entered = next_position();
    make_entered_call(lane);
}

bool has_busy_lane(void) { return busy_count != 0; }

/* Their memory is kept: a callback may still be making a call. */
void forget_callback_lanes(void) {
    for (size_t i = 0; i < MAX_LANES; i++) {
        busy_count -= callback_lanes[i] != NULL && callback_lanes[i]->is_busy;
        callback_lanes[i] = NULL;
    }
}

struct group {
    struct changes changes;
    _Atomic int state; /* 0: not all threads have started; 1: make the calls; -1: end without a call */
};

struct group_thread {
    struct group *group;
    struct call *call;
    pthread_t thread;
    bool has_returned; /* from the call, if one was made */
};

static bool is_decided(void *context) { return ((struct group *)context)->state != 0; }

static void *run_group_thread(void *context) {
    struct group_thread *member = context;
    wait_without_limit(&member->group->changes, is_decided, member->group);
    if (member->group->state > 0) {
        set_host_thread(true);
        make_call(member->call);
        set_host_thread(false);
        member->has_returned = true;
    }
    return NULL;
}

bool make_calls_together(struct call *const *calls, size_t count) {
    static struct group_thread members[MAX_TOGETHER];
    struct group group = {.changes = CHANGES_INITIALIZER, .state = 0};
    size_t started = 0;
    int error = 0;
    for (; started < count && error == 0; started += error == 0) {
        members[started] = (struct group_thread){&group, calls[started], 0, false};
        error = pthread_create(&members[started].thread, NULL, run_group_thread, &members[started]);
    }
    group.state = error == 0 ? 1 : -1;
    announce_change(&group.changes);
    for (size_t i = 0; i < started; i++) {
        pthread_join(members[i].thread, NULL);
        if (error == 0 && !members[i].has_returned) {
            sleep_forever(); /* the driver has ended the thread, so its call never returns */
        }
    }
    errno = error;
    return error == 0;
}
