#include "requests.h"

#include <errno.h>
#include <string.h>

#include "callbacks.h"
#include "calls.h"
#include "host_memory.h"
#include "mailbox.h"
#include "system.h"
#include "threads.h"

enum { PROTOCOL_VERSION = 3, MAX_TEXT_BYTES = 1 << 16, MAX_PEEK_BYTES = 1 << 24, ERROR_BYTES = 1024 };
enum { MAX_PATH_BYTES = 4096 };

enum request {
    REQUEST_CALL,
    REQUEST_TOGETHER,
    REQUEST_BEGIN_ON,
    REQUEST_AWAIT,
    REQUEST_IN_CALLBACK,
    REQUEST_WAIT_FOR_CALLBACK,
    REQUEST_BEGIN_EXAMPLE,
    REQUEST_ALLOCATE,
    REQUEST_WRITE,
    REQUEST_READ,
    REQUEST_ATOMICS,
    REQUEST_PEEK,
    REQUEST_PEEK_TEXT,
    REQUEST_MAPPINGS,
    REQUEST_LOAD,
    REQUEST_SYMBOLS,
    REQUEST_LIMIT_DATA,
    REQUEST_REAL_PATH,
    REQUEST_IN_TURN,
};

enum reply {
    REPLY_RETURNED,
    REPLY_VALUE,
    REPLY_PENDING,
    REPLY_BEGUN,
    REPLY_TOGETHER,
    REPLY_FAILED,
    REPLY_REFUSED,
    REPLY_GREETING,
};

static struct call main_call;
static struct call *group_calls[MAX_TOGETHER];

static void write_reply(struct writer *writer, enum reply reply, size_t values) {
    write_array(writer, 1 + values);
    write_number(writer, (uint64_t)reply);
}

static void write_refusal(struct writer *writer, const char *reason) {
    write_reply(writer, REPLY_REFUSED, 1);
    write_text(writer, reason);
}

/* Reply that the system has refused something that the worker itself needs. */
static void write_failure(struct writer *writer, const char *action) {
    int error = errno;
    write_reply(writer, REPLY_FAILED, 2);
    write_number(writer, (uint64_t)error);
    write_text(writer, action);
}

/* Write the reply with the outcome of a call. */
static void write_returned(struct writer *writer, uint64_t entered, uint64_t returned, struct call *call) {
    write_reply(writer, REPLY_RETURNED, 7);
    write_number(writer, entered);
    write_number(writer, returned);
    write_outcome(writer, call);
    write_invocations(writer);
}

/* Write the same reply for an action of the host, which has at most one output, up to the invocations. */
static void write_action_head(
    struct writer *writer, uint64_t entered, uint64_t result, const struct bytes *output, bool has_overrun) {
    write_reply(writer, REPLY_RETURNED, 7);
    write_number(writer, entered);
    write_number(writer, entered != 0 ? next_position() : 0);
    write_number(writer, result);
    write_number(writer, 0);
    write_array(writer, output != NULL);
    if (output != NULL) {
        write_bytes(writer, output->data, output->size);
    }
    write_array(writer, has_overrun);
    if (has_overrun) {
        write_number(writer, 0);
    }
}

/* Write the reply for an action of the host; invocations stay for the next call. */
static void write_action(
    struct writer *writer, uint64_t entered, uint64_t result, const struct bytes *output, bool has_overrun) {
    write_action_head(writer, entered, result, output, has_overrun);
    write_array(writer, 0);
}

static void answer_call(struct reader *reader, size_t values, struct writer *writer) {
    if (values < 3) {
        reader->has_failed = true;
    } else if (!read_call(reader, values - 3, &main_call)) {
        write_failure(writer, "the memory for arguments");
        return;
    }
    if (reader->has_failed) {
        return;
    }
    uint64_t entered = has_busy_lane() ? next_position() : 0;
    make_call(&main_call);
    write_returned(writer, entered, entered != 0 ? next_position() : 0, &main_call);
}

/* Read the calls of a group; false if the reply has been written, or the message is invalid. */
static bool read_group(struct reader *reader, size_t count, struct writer *writer) {
    for (size_t i = 0; i < count && !reader->has_failed; i++) {
        if (group_calls[i] == NULL) {
            group_calls[i] = map_memory(sizeof *group_calls[i]);
        }
        size_t values = read_array(reader);
        if (values < 3) {
            reader->has_failed = true;
        } else if (group_calls[i] == NULL || !read_call(reader, values - 3, group_calls[i])) {
            write_failure(writer, "the memory for arguments");
            return false;
        }
    }
    return !reader->has_failed;
}

/* Make several calls: each on a host thread at the same time, or on this thread one after the other. */
static void answer_group(struct reader *reader, size_t count, bool at_once, struct writer *writer) {
    if (count == 0 || count > MAX_TOGETHER) {
        write_refusal(writer, "the number of calls in a group must be 1 to 256");
        return;
    }
    if (!read_group(reader, count, writer)) {
        return;
    }
    if (at_once && !make_calls_together(group_calls, count)) {
        write_failure(writer, "the start of host threads");
        return;
    }
    for (size_t i = 0; i < count && !at_once; i++) {
        make_call(group_calls[i]);
    }
    write_reply(writer, REPLY_TOGETHER, 2);
    write_invocations(writer);
    write_array(writer, count);
    for (size_t i = 0; i < count; i++) {
        write_array(writer, 4);
        write_outcome(writer, group_calls[i]);
    }
}

static void answer_begin_on(struct reader *reader, size_t values, struct writer *writer) {
    size_t number = read_count(reader, MAX_LANES - 1);
    if (values < 4 || reader->has_failed) {
        reader->has_failed = true;
        return;
    }
    struct lane *lane = start_lane(number);
    if (lane == NULL) {
        write_failure(writer, "the start of a host thread");
    } else if (lane->is_busy) {
        write_refusal(writer, "the host thread has a call in flight; join it first");
    } else if (!read_call(reader, values - 4, &lane->call)) {
        write_failure(writer, "the memory for arguments");
    } else if (!reader->has_failed) {
        uint64_t entered = begin_lane_call(lane);
        write_reply(writer, REPLY_BEGUN, 1);
        write_number(writer, entered);
    }
}

static void answer_await(struct reader *reader, struct writer *writer) {
    struct lane *lane = find_lane(read_count(reader, MAX_LANES - 1));
    uint64_t nanoseconds = read_number(reader);
    if (reader->has_failed) {
        return;
    }
    if (lane == NULL || !lane->is_busy) {
        write_refusal(writer, "this host thread has no call in flight");
    } else if (!wait_for_lane(lane, nanoseconds)) {
        write_reply(writer, REPLY_PENDING, 0);
    } else {
        write_returned(writer, lane->entered, lane->returned, &lane->call);
    }
}

static void answer_in_callback(struct reader *reader, struct writer *writer, uint64_t entered) {
    size_t number = read_count(reader, MAX_LANES - 1), counter = read_count(reader, MAX_COUNTERS - 1);
    struct lane *known = find_lane(number);
    if (reader->has_failed) {
        return;
    }
    if (known != NULL && known->is_busy) {
        write_refusal(writer, "the host thread has a call in flight; join it first");
        return;
    }
    struct lane *lane = add_callback_lane(number);
    if (lane == NULL) {
        write_failure(writer, "the memory for a host thread");
        return;
    }
    set_callback_lane(counter, lane);
    write_action(writer, entered, 0, NULL, false);
}

static void answer_allocate(struct reader *reader, struct writer *writer, uint64_t entered) {
    const size_t most = (size_t)1 << 30;
    size_t size = read_count(reader, most), alignment = read_count(reader, most);
    if (size == 0 || alignment == 0 || (alignment & (alignment - 1)) != 0) {
        reader->has_failed = true;
        return;
    }
    uint8_t *address = allocate_area(size, alignment);
    if (address == NULL) {
        write_failure(writer, "the memory for an area");
        return;
    }
    write_action(writer, entered, (uintptr_t)address, NULL, false);
}

static void answer_read(struct reader *reader, struct writer *writer, uint64_t entered) {
    uint8_t *address = (uint8_t *)(uintptr_t)read_number(reader);
    struct guarded place = {address, read_count(reader, (size_t)1 << 30), false};
    if (!reader->has_failed) {
        struct bytes content = {place.address, guarded_written(&place)};
        write_action(writer, entered, 0, &content, has_area_overrun(place.address));
    }
}

/* Fulfil a request for an action of the host. */
static void answer_action(struct reader *reader, enum request request, size_t values, struct writer *writer) {
    uint64_t entered = has_busy_lane() ? next_position() : 0;
    if (request == REQUEST_IN_CALLBACK) {
        answer_in_callback(reader, writer, entered);
    } else if (request == REQUEST_ALLOCATE) {
        answer_allocate(reader, writer, entered);
    } else if (request == REQUEST_READ) {
        answer_read(reader, writer, entered);
    } else if (request == REQUEST_WAIT_FOR_CALLBACK) {
        size_t counter = read_count(reader, MAX_COUNTERS - 1);
        uint64_t times = read_number(reader), nanoseconds = read_number(reader);
        if (!reader->has_failed) {
            uint64_t count = wait_for_invocations(counter, times, nanoseconds);
            write_action_head(writer, entered, count, NULL, false);
            write_invocations(writer);
        }
    } else if (request == REQUEST_WRITE) {
        void *address = (void *)(uintptr_t)read_number(reader);
        struct bytes content = read_bytes(reader);
        if (!reader->has_failed) {
            if (content.size != 0) {
                memmove(address, content.data, content.size);
            }
            write_action(writer, entered, 0, NULL, false);
        }
    } else {
        uint8_t *address = (uint8_t *)(uintptr_t)read_number(reader);
        size_t instances = read_count(reader, 1 << 16);
        if (values < 2 || (uintptr_t)address % sizeof(uint32_t) != 0) {
            reader->has_failed = true;
            return;
        }
        perform_atomics(reader, address, instances, values - 2);
        write_action(writer, entered, 1, NULL, false);
    }
}

static void answer_peek(struct reader *reader, struct writer *writer) {
    uintptr_t address = (uintptr_t)read_number(reader);
    size_t size = read_count(reader, MAX_PEEK_BYTES);
    struct buffer content = {0};
    if (reader->has_failed) {
        return;
    }
    if (!buffer_reserve(&content, size)) {
        write_failure(writer, "the memory for a reply");
        return;
    }
    write_reply(writer, REPLY_VALUE, 1);
    if (read_safely(address, content.data, size) == size) {
        write_bytes(writer, content.data, size);
    } else {
        write_nothing(writer);
    }
    buffer_free(&content);
}

/* Reply with the bytes before the first zero byte, or nil if they are unreadable or too many. */
static void answer_peek_text(struct reader *reader, struct writer *writer) {
    uintptr_t address = (uintptr_t)read_number(reader);
    struct buffer content = {0};
    if (reader->has_failed) {
        return;
    }
    if (!buffer_reserve(&content, MAX_TEXT_BYTES)) {
        write_failure(writer, "the memory for a reply");
        return;
    }
    content.size = read_safely(address, content.data, MAX_TEXT_BYTES);
    const uint8_t *end = content.size != 0 ? memchr(content.data, 0, content.size) : NULL;
    write_reply(writer, REPLY_VALUE, 1);
    if (end != NULL) {
        write_bytes(writer, content.data, (size_t)(end - content.data));
    } else {
        write_nothing(writer);
    }
    buffer_free(&content);
}

struct mappings {
    struct writer writer;
    size_t count;
};

static bool write_mapping(void *context, uintptr_t start, uintptr_t end, bool executable, const char *path) {
    struct mappings *mappings = context;
    write_array(&mappings->writer, 4);
    write_number(&mappings->writer, start);
    write_number(&mappings->writer, end);
    write_boolean(&mappings->writer, executable);
    write_bytes(&mappings->writer, path, strlen(path));
    mappings->count++;
    return true;
}

static void answer_mappings(struct writer *writer) {
    struct buffer content = {0};
    struct mappings mappings = {{&content, false}, 0};
    if (!visit_mappings(write_mapping, &mappings)) {
        write_failure(writer, "reading the list of mappings");
    } else {
        write_reply(writer, REPLY_VALUE, 1);
        write_array(writer, mappings.count);
        if (mappings.writer.has_failed || !buffer_append(writer->to, content.data, content.size)) {
            writer->has_failed = true;
        }
    }
    buffer_free(&content);
}

/* Copy a text of the message and end it with a zero byte; false if it is too long. */
static bool copy_text(struct reader *reader, char *to, size_t capacity) {
    struct bytes text = read_bytes(reader);
    if (reader->has_failed || text.size >= capacity) {
        reader->has_failed = true;
        return false;
    }
    memcpy(to, text.data, text.size);
    to[text.size] = 0;
    return true;
}

/* Reply with the handle of a library, or with the message of the dynamic linker. */
static void answer_load(struct reader *reader, struct writer *writer) {
    char path[MAX_PATH_BYTES], error[ERROR_BYTES] = "";
    if (!copy_text(reader, path, sizeof path)) {
        return;
    }
    void *library = load_library(path, error, sizeof error);
    write_reply(writer, REPLY_VALUE, 1);
    if (library != NULL) {
        write_number(writer, (uintptr_t)library);
    } else {
        write_bytes(writer, error, strlen(error));
    }
}

/* Reply with the addresses of exported symbols, one after the other; the values are a library and names. */
static void answer_symbols(struct reader *reader, size_t values, struct writer *writer) {
    char name[ERROR_BYTES];
    struct buffer addresses = {0};
    void *library = (void *)(uintptr_t)read_number(reader);
    for (size_t number = 1; number < values && copy_text(reader, name, sizeof name); number++) {
        void *address = find_symbol(library, name);
        if (!buffer_append(&addresses, &address, sizeof address)) {
            writer->has_failed = true;
        }
    }
    if (!reader->has_failed) {
        write_reply(writer, REPLY_VALUE, 1);
        write_bytes(writer, addresses.data, addresses.size);
    }
    buffer_free(&addresses);
}

static void answer_limit_data(struct reader *reader, struct writer *writer) {
    uint64_t limit = read_number(reader);
    if (!reader->has_failed && !limit_data(limit)) {
        write_failure(writer, "limiting the memory for data");
        return;
    }
    write_reply(writer, REPLY_VALUE, 1);
    write_nothing(writer);
}

/* Reply with the path of a file without symbolic links, or with the same path if there is no such file. */
static void answer_real_path(struct reader *reader, struct writer *writer) {
    char path[MAX_PATH_BYTES], found[MAX_PATH_BYTES];
    if (copy_text(reader, path, sizeof path)) {
        const char *shown = find_real_path(path, found, sizeof found) ? found : path;
        write_reply(writer, REPLY_VALUE, 1);
        write_bytes(writer, shown, strlen(shown));
    }
}

static void begin_example(void) {
    begin_callbacks();
    begin_areas();
    forget_callback_lanes();
}

/* Fulfil a request; `values`: how many values follow its number. */
static void answer(struct reader *reader, enum request request, size_t values, struct writer *writer) {
    switch (request) {
    case REQUEST_CALL:
        answer_call(reader, values, writer);
        break;
    case REQUEST_TOGETHER:
    case REQUEST_IN_TURN:
        answer_group(reader, values, request == REQUEST_TOGETHER, writer);
        break;
    case REQUEST_BEGIN_ON:
        answer_begin_on(reader, values, writer);
        break;
    case REQUEST_AWAIT:
        answer_await(reader, writer);
        break;
    case REQUEST_PEEK:
        answer_peek(reader, writer);
        break;
    case REQUEST_PEEK_TEXT:
        answer_peek_text(reader, writer);
        break;
    case REQUEST_MAPPINGS:
        answer_mappings(writer);
        break;
    case REQUEST_LOAD:
        answer_load(reader, writer);
        break;
    case REQUEST_SYMBOLS:
        answer_symbols(reader, values, writer);
        break;
    case REQUEST_LIMIT_DATA:
        answer_limit_data(reader, writer);
        break;
    case REQUEST_REAL_PATH:
        answer_real_path(reader, writer);
        break;
    default:
        answer_action(reader, request, values, writer);
        break;
    }
}

bool answer_request(const uint8_t *request, size_t size, struct writer *writer) {
    struct reader reader = {request, request + size, false};
    size_t start = writer->to->size, values = read_array(&reader);
    if (values == 0) {
        reader.has_failed = true;
    }
    enum request asked = (enum request)read_count(&reader, REQUEST_IN_TURN);
    if (!reader.has_failed && asked == REQUEST_BEGIN_EXAMPLE) {
        begin_example();
        return false;
    }
    if (!reader.has_failed) {
        answer(&reader, asked, values - 1, writer);
    }
    if (reader.has_failed) {
        writer->to->size = start;
        write_refusal(writer, "the request is invalid");
    } else if (writer->has_failed) {
        writer->to->size = start;
        writer->has_failed = false;
        write_failure(writer, "the memory for a reply");
    } else if (writer->to->size - start > MAX_MESSAGE_BYTES) {
        writer->to->size = start;
        errno = EMSGSIZE;
        write_failure(writer, "a reply of more than 256 MiB");
    }
    return true;
}

static uint64_t return_zero(void) { return 0; }

static void write_structures(struct writer *writer) {
    write_array(writer, structure_count);
    for (size_t i = 0; i < structure_count; i++) {
        const size_t *offsets = structures[i].offsets;
        size_t count = 0;
        while (offsets[count] != SIZE_MAX) {
            count++;
        }
        write_array(writer, 3);
        write_text(writer, structures[i].name);
        write_number(writer, structures[i].size);
        write_array(writer, count);
        for (size_t field = 0; field < count; field++) {
            write_number(writer, offsets[field]);
        }
    }
}

void write_greeting(struct writer *writer) {
    const uint16_t one = 1;
    write_reply(writer, REPLY_GREETING, 8);
    write_number(writer, PROTOCOL_VERSION);
    write_boolean(writer, *(const uint8_t *)&one == 1);
    write_number(writer, sizeof(void *));
    write_number(writer, sizeof(long));
    write_number(writer, (uintptr_t)return_zero);
    write_array(writer, signature_count);
    for (size_t i = 0; i < signature_count; i++) {
        write_text(writer, signatures[i].name);
    }
    write_callback_signatures(writer);
    write_structures(writer);
    set_host_thread(true);
}
