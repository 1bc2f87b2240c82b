#include "callbacks.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>

#include "prototypes.h"
#include "system.h"
#include "threads.h"

enum {
    MAX_WORDS = 4,
    MAX_STEPS = 2,
    MAX_RECORDED = 256,      /* invocations between two replies; further ones are only counted */
    MAX_TEXT_BYTES = 1 << 16, /* a longer text is unreadable */
    SHOWN_TEXT_BYTES = 1 << 14,
    SHOWN_BYTES = 4, /* at each pointer of an argument block */
    MAX_BLOCK_BYTES = 1 << 20,
};
_Static_assert(CALLBACKS_PER_SIGNATURE == 2 * 512, "EACH_NUMBER lists every number");

struct step {
    enum content kind;
    size_t word, count_word, size, offset_count;
    size_t offsets[MAX_POINTERS];
};

struct callback {
    bool is_used;
    uint32_t signature, number, example;
    size_t counter, step_count;
    struct step *steps; /* in memory from map_memory; never freed, since the driver may call at any later time */
};

#if defined(__GNUC__)
#define NOT_INLINED __attribute__((noinline)) /* in thousands of functions */
#else
#define NOT_INLINED
#endif
static NOT_INLINED void invoke(
    unsigned signature, unsigned number, uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3);

/* The functions of each signature, one for each number. A shape lists the parameters, and their words. */
#define SHAPE_vp(a) a(vp, 0, (void *x0), (uintptr_t)x0, 0, 0, 0)
#define SHAPE_vpp(a) a(vpp, 1, (void *x0, void *x1), (uintptr_t)x0, (uintptr_t)x1, 0, 0)
#define SHAPE_vpip(a) \
    a(vpip, 2, (void *x0, int32_t x1, void *x2), (uintptr_t)x0, (uint64_t)x1, (uintptr_t)x2, 0)
#define SHAPE_vpupp(a) \
    a(vpupp, 3, (void *x0, uint32_t x1, void *x2, void *x3), (uintptr_t)x0, x1, (uintptr_t)x2, (uintptr_t)x3)
#define SHAPE_vpppp(a) \
    a(vpppp, 4, (void *x0, void *x1, size_t x2, void *x3), (uintptr_t)x0, (uintptr_t)x1, x2, (uintptr_t)x3)

/* The digits are an octal number. */
#define DEFINE(digits, name, signature, parameters, ...)        \
    static void CALLING_CONVENTION name##_##digits parameters { \
        invoke(signature, 0##digits, __VA_ARGS__);              \
    }
#define NAME(digits, name, ...) (function_without_type *)name##_##digits,

#define EACH_8(apply, d, ...)                                                                                  \
    apply(d##0, __VA_ARGS__) apply(d##1, __VA_ARGS__) apply(d##2, __VA_ARGS__) apply(d##3, __VA_ARGS__)        \
    apply(d##4, __VA_ARGS__) apply(d##5, __VA_ARGS__) apply(d##6, __VA_ARGS__) apply(d##7, __VA_ARGS__)
#define EACH_64(apply, d, ...)                                                                                 \
    EACH_8(apply, d##0, __VA_ARGS__) EACH_8(apply, d##1, __VA_ARGS__) EACH_8(apply, d##2, __VA_ARGS__)         \
    EACH_8(apply, d##3, __VA_ARGS__) EACH_8(apply, d##4, __VA_ARGS__) EACH_8(apply, d##5, __VA_ARGS__)         \
    EACH_8(apply, d##6, __VA_ARGS__) EACH_8(apply, d##7, __VA_ARGS__)
#define EACH_512(apply, d, ...)                                                                                \
    EACH_64(apply, d##0, __VA_ARGS__) EACH_64(apply, d##1, __VA_ARGS__) EACH_64(apply, d##2, __VA_ARGS__)      \
    EACH_64(apply, d##3, __VA_ARGS__) EACH_64(apply, d##4, __VA_ARGS__) EACH_64(apply, d##5, __VA_ARGS__)      \
    EACH_64(apply, d##6, __VA_ARGS__) EACH_64(apply, d##7, __VA_ARGS__)
#define EACH_NUMBER(apply, ...) EACH_512(apply, 0, __VA_ARGS__) EACH_512(apply, 1, __VA_ARGS__)

#define DEFINE_ALL(...) EACH_NUMBER(DEFINE, __VA_ARGS__)
#define NAME_ALL(...) {EACH_NUMBER(NAME, __VA_ARGS__)},
#define SIGNATURE_NAME(name, ...) #name,

SHAPE_vp(DEFINE_ALL)
SHAPE_vpp(DEFINE_ALL)
SHAPE_vpip(DEFINE_ALL)
SHAPE_vpupp(DEFINE_ALL)
SHAPE_vpppp(DEFINE_ALL)

enum { SIGNATURE_COUNT = 5 };
static function_without_type *const functions[SIGNATURE_COUNT][CALLBACKS_PER_SIGNATURE] = {
    SHAPE_vp(NAME_ALL) SHAPE_vpp(NAME_ALL) SHAPE_vpip(NAME_ALL) SHAPE_vpupp(NAME_ALL) SHAPE_vpppp(NAME_ALL)};
static const char *const signature_names[SIGNATURE_COUNT] = {
    SHAPE_vp(SIGNATURE_NAME) SHAPE_vpp(SIGNATURE_NAME) SHAPE_vpip(SIGNATURE_NAME) SHAPE_vpupp(SIGNATURE_NAME)
        SHAPE_vpppp(SIGNATURE_NAME)};

static _Thread_local bool is_host_thread;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static struct changes invoked = CHANGES_INITIALIZER;
static struct callback callbacks[SIGNATURE_COUNT][CALLBACKS_PER_SIGNATURE];
static uint64_t counts[MAX_COUNTERS];
static struct lane *lanes[MAX_COUNTERS];
static uint32_t example;
static struct buffer recorded; /* the invocations since the last reply, as they are sent */
static size_t recorded_count;
static bool has_lost_record; /* there was no memory for it, so that the next reply is a failure */

void set_host_thread(bool value) { is_host_thread = value; }

/* Read the offsets of the pointers in an argument block. */
static void read_offsets(struct reader *reader, struct step *step) {
    step->offset_count = read_array(reader);
    if (step->offset_count > MAX_POINTERS || (step->offset_count != 0 && step->size < sizeof(void *))) {
        reader->has_failed = true;
        step->offset_count = 0;
    }
    for (size_t i = 0; i < step->offset_count; i++) {
        step->offsets[i] = read_count(reader, step->size - sizeof(void *));
    }
}

static void read_step(struct reader *reader, struct step *step) {
    if (read_array(reader) < 2) {
        reader->has_failed = true;
    }
    step->kind = (enum content)read_count(reader, CONTENT_BLOCK);
    step->word = read_count(reader, MAX_WORDS - 1);
    if (step->kind == CONTENT_POINTERS) {
        step->count_word = read_count(reader, MAX_WORDS - 1);
    } else if (step->kind == CONTENT_BLOCK) {
        step->size = read_count(reader, MAX_BLOCK_BYTES);
        read_offsets(reader, step);
    }
}

void *read_callback(struct reader *reader) {
    size_t signature = read_count(reader, SIGNATURE_COUNT - 1);
    size_t number = read_count(reader, CALLBACKS_PER_SIGNATURE - 1);
    size_t counter = read_count(reader, MAX_COUNTERS - 1);
    size_t step_count = read_array(reader);
    if (reader->has_failed || step_count > MAX_STEPS) {
        reader->has_failed = true;
        return NULL;
    }
    struct step *steps = step_count != 0 ? map_memory(step_count * sizeof *steps) : NULL;
    if (step_count != 0 && steps == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < step_count; i++) {
        read_step(reader, &steps[i]);
    }
    struct callback *callback = &callbacks[signature][number];
    pthread_mutex_lock(&mutex);
    bool is_new = !callback->is_used && !reader->has_failed;
    if (is_new) {
        *callback = (struct callback){true, (uint32_t)signature, (uint32_t)number, example, counter, step_count, steps};
    }
    pthread_mutex_unlock(&mutex);
    if (!is_new && steps != NULL) {
        unmap_memory(steps, step_count * sizeof *steps);
    }
    return reader->has_failed ? NULL : (void *)(uintptr_t)functions[signature][number];
}

/* Write a text, or nil if it is unreadable. */
static void write_text_at(struct writer *writer, uintptr_t address) {
    struct buffer text = {0};
    bool has_ended = false;
    while (!has_ended && text.size < MAX_TEXT_BYTES) {
        if (!buffer_reserve(&text, 4096)) {
            writer->has_failed = true;
            break;
        }
        size_t page = 4096 - (address + text.size) % 4096;
        size_t got = read_safely(address + text.size, text.data + text.size, page);
        uint8_t *end = got != 0 ? memchr(text.data + text.size, 0, got) : NULL;
        has_ended = end != NULL;
        text.size = has_ended ? (size_t)(end - text.data) : text.size + got;
        if (got < page) {
            break;
        }
    }
    if (has_ended) {
        write_bytes(writer, text.data, text.size < SHOWN_TEXT_BYTES ? text.size : SHOWN_TEXT_BYTES);
    } else {
        write_nothing(writer);
    }
    buffer_free(&text);
}

/* Write `size` bytes at an address, or nil if not all of them are readable. */
static void write_bytes_at(struct writer *writer, uintptr_t address, size_t size) {
    struct buffer content = {0};
    if (!buffer_reserve(&content, size)) {
        writer->has_failed = true;
    } else if (read_safely(address, content.data, size) == size) {
        write_bytes(writer, content.data, size);
    } else {
        write_nothing(writer);
    }
    buffer_free(&content);
}

/* Write an argument block, and then the first bytes at each of its pointers; nil for what is unreadable. */
static void write_block(struct writer *writer, const struct step *step, uintptr_t address) {
    write_array(writer, 1 + step->offset_count);
    write_bytes_at(writer, address, step->size);
    for (size_t i = 0; i < step->offset_count; i++) {
        void *pointer = NULL;
        bool is_readable = read_safely(address + step->offsets[i], &pointer, sizeof pointer) == sizeof pointer;
        if (!is_readable) {
            write_nothing(writer);
        } else if (pointer == NULL) {
            write_bytes(writer, "", 0);
        } else {
            write_bytes_at(writer, (uintptr_t)pointer, SHOWN_BYTES);
        }
    }
}

static void write_content(struct writer *writer, const struct step *step, const uint64_t *words) {
    uintptr_t address = (uintptr_t)words[step->word];
    if (address == 0) {
        write_nothing(writer);
    } else if (step->kind == CONTENT_TEXT) {
        write_text_at(writer, address);
    } else if (step->kind == CONTENT_POINTERS) {
        uint64_t count = words[step->count_word];
        write_bytes_at(writer, address, (count < MAX_POINTERS ? (size_t)count : MAX_POINTERS) * sizeof(void *));
    } else {
        write_block(writer, step, address);
    }
}

/* Append the record of an invocation: signature, number, whether the thread is the driver's, words, contents. */
static void write_invocation(struct writer *writer, const struct callback *callback, const uint64_t *words) {
    size_t word_count = strlen(signature_names[callback->signature]) - 1;
    write_array(writer, 5);
    write_number(writer, callback->signature);
    write_number(writer, callback->number);
    write_boolean(writer, !is_host_thread);
    write_array(writer, word_count);
    for (size_t i = 0; i < word_count; i++) {
        write_number(writer, words[i]);
    }
    write_array(writer, callback->step_count);
    for (size_t i = 0; i < callback->step_count; i++) {
        write_content(writer, &callback->steps[i], words);
    }
}

/* Record an invocation that the driver makes, and make the call that waits for it. */
static NOT_INLINED void invoke(
    unsigned signature, unsigned number, uint64_t word0, uint64_t word1, uint64_t word2, uint64_t word3) {
    const uint64_t words[MAX_WORDS] = {word0, word1, word2, word3};
    const struct callback *callback = &callbacks[signature][number];
    if (!callback->is_used) {
        return; /* the driver has computed this address */
    }
    struct buffer record = {0};
    struct writer writer = {&record, false};
    int error = errno;
    write_invocation(&writer, callback, words);
    struct lane *lane = NULL;
    pthread_mutex_lock(&mutex);
    if (callback->example == example) {
        if (recorded_count < MAX_RECORDED) {
            bool is_kept = !writer.has_failed && buffer_append(&recorded, record.data, record.size);
            recorded_count += is_kept;
            has_lost_record |= !is_kept;
        }
        counts[callback->counter]++;
        lane = lanes[callback->counter];
    }
    pthread_mutex_unlock(&mutex);
    buffer_free(&record);
    announce_change(&invoked);
    if (lane != NULL) {
        make_lane_call(lane);
    }
    errno = error;
}

void write_invocations(struct writer *writer) {
    pthread_mutex_lock(&mutex);
    write_array(writer, recorded_count);
    if (has_lost_record || (recorded.size != 0 && !buffer_append(writer->to, recorded.data, recorded.size))) {
        writer->has_failed = true;
        errno = ENOMEM;
    }
    has_lost_record = false;
    recorded.size = 0;
    recorded_count = 0;
    pthread_mutex_unlock(&mutex);
}

void begin_callbacks(void) {
    pthread_mutex_lock(&mutex);
    example++;
    has_lost_record = false;
    recorded.size = 0;
    recorded_count = 0;
    memset(counts, 0, sizeof counts);
    memset(lanes, 0, sizeof lanes);
    pthread_mutex_unlock(&mutex);
}

static bool has_count(void *context) {
    const uint64_t *asked = context;
    pthread_mutex_lock(&mutex);
    bool is_reached = counts[asked[0]] >= asked[1];
    pthread_mutex_unlock(&mutex);
    return is_reached;
}

uint64_t wait_for_invocations(size_t counter, uint64_t times, uint64_t nanoseconds) {
    uint64_t asked[] = {counter, times};
    wait_for_change(&invoked, nanoseconds, has_count, asked);
    pthread_mutex_lock(&mutex);
    uint64_t count = counts[counter];
    pthread_mutex_unlock(&mutex);
    return count;
}

void set_callback_lane(size_t counter, struct lane *lane) {
    pthread_mutex_lock(&mutex);
    lanes[counter] = lane;
    pthread_mutex_unlock(&mutex);
}

void write_callback_signatures(struct writer *writer) {
    write_array(writer, SIGNATURE_COUNT);
    for (size_t i = 0; i < SIGNATURE_COUNT; i++) {
        write_text(writer, signature_names[i]);
    }
}
