#include "server.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checksum.h"
#include "driver_process.h"
#include "mailbox.h"
#include "messagepack.h"
#include "stream.h"
#include "system.h"

enum {
    SERVER_VERSION = 1,
    HEAD_BYTES = 12,
    MAX_FRAME_BYTES = MAX_MESSAGE_BYTES + 4096,
    MAX_VARIABLES = 256,
    MAX_VARIABLE_BYTES = 1 << 16,
    TAIL_BYTES = 4000,
    SLICE_NANOSECONDS = 200000000,
};
static const uint64_t idle_nanoseconds = 900U * UINT64_C(1000000000);

/* The kinds of frames that a session sends, and those of the answers. */
enum { START, MESSAGE, WAIT, OUTPUT, END, PING, FACTS };
enum { HELLO, REPLY, OVERDUE, ENDED, TEXT, TIME, LIST, REFUSED };

static struct buffer frame, answer, reply;
static uint64_t frame_number;
static bool has_failed, is_closed;

static uint32_t read_word(const uint8_t *from) {
    return (uint32_t)from[0] | (uint32_t)from[1] << 8 | (uint32_t)from[2] << 16 | (uint32_t)from[3] << 24;
}

static void write_word(uint8_t *to, uint32_t word) {
    for (int i = 0; i < 4; i++) {
        to[i] = (uint8_t)(word >> 8 * i);
    }
}

/* Read a frame; false if the connection has ended or something else has arrived. */
static bool read_frame(void) {
    uint8_t head[HEAD_BYTES];
    frame.size = 0;
    if (!read_bytes_exactly(head, sizeof head)) {
        return false;
    }
    uint32_t size = read_word(head);
    if (size != ~read_word(head + 4) || size > MAX_FRAME_BYTES || !buffer_reserve(&frame, size)) {
        return false;
    }
    frame.size = size;
    return read_bytes_exactly(frame.data, size) && checksum(0, frame.data, size) == read_word(head + 8);
}

/* Begin an answer of this kind. */
static struct writer begin_answer(unsigned kind, size_t values) {
    const uint8_t head[HEAD_BYTES] = {0};
    struct writer writer = {&answer, false};
    answer.size = 0;
    writer.has_failed = !buffer_append(&answer, head, sizeof head);
    write_array(&writer, 2 + values);
    write_number(&writer, kind);
    write_number(&writer, frame_number);
    return writer;
}

static void send_answer(const struct writer *writer) {
    if (writer->has_failed) {
        has_failed = true;
        return;
    }
    size_t size = answer.size - HEAD_BYTES;
    write_word(answer.data, (uint32_t)size);
    write_word(answer.data + 4, ~(uint32_t)size);
    write_word(answer.data + 8, checksum(0, answer.data + HEAD_BYTES, size));
    has_failed = !write_bytes_exactly(answer.data, answer.size);
}

static void send_hello(const char *folder) {
    char boot[64];
    read_boot(boot, sizeof boot);
    struct writer writer = begin_answer(HELLO, 3);
    write_number(&writer, SERVER_VERSION);
    write_text(&writer, folder);
    write_text(&writer, boot);
    send_answer(&writer);
}

static void refuse(const char *reason) {
    struct writer writer = begin_answer(REFUSED, 1);
    write_text(&writer, reason);
    send_answer(&writer);
}

/* Answer how the driver's process has ended. */
static void send_end(const char *how, uint32_t number) {
    static uint8_t tail[TAIL_BYTES], log[TAIL_BYTES];
    size_t size = read_output(tail, sizeof tail), log_size = read_kernel_log(log, sizeof log);
    struct writer writer = begin_answer(ENDED, 4);
    write_text(&writer, how);
    write_number(&writer, number);
    write_bytes(&writer, tail, size);
    write_bytes(&writer, log, log_size);
    send_answer(&writer);
}

static void send_own_end(void) {
    static const char *const names[] = {"exit", "signal", "exception", "main thread"};
    uint32_t number = 0;
    enum end how = driver_end(&number);
    bool is_garbage = has_left_mailbox() && !is_closed; /* the driver has overwritten the mailbox */
    end_driver_process();
    send_end(is_garbage ? "garbage" : names[how], number);
}

static void send_garbage(void) {
    end_driver_process();
    send_end("garbage", 0);
}

/* Whether to stop waiting for the driver: its process or the connection has ended. The session sends nothing while it
   waits for an answer. */
static bool has_wait_ended(void) { return has_driver_ended() || has_server_to_end() || wait_for_bytes(0); }

/* Wait for the driver's reply, and answer with it, with its end, or that it is overdue. */
static void send_reply_within(uint64_t nanoseconds) {
    bool has_several = false;
    switch (receive_message(&reply, &has_several, (int64_t)nanoseconds, has_wait_ended)) {
    case RECEIVED_MESSAGE: {
        struct writer writer = begin_answer(REPLY, 1);
        write_bytes(&writer, reply.data, reply.size);
        reply.size = 0;
        send_answer(&writer);
        break;
    }
    case RECEIVED_NOTHING: {
        struct usage usage = watch_driver();
        struct writer writer = begin_answer(OVERDUE, 3);
        write_number(&writer, usage.nanoseconds);
        write_boolean(&writer, usage.is_blocked);
        write_boolean(&writer, usage.is_runnable);
        send_answer(&writer);
        break;
    }
    case RECEIVED_END:
        if (has_driver_ended()) {
            send_own_end();
        } else {
            has_failed = true; /* the connection has ended */
        }
        break;
    case RECEIVED_GARBAGE:
        send_garbage();
        break;
    }
}

/* Copy bytes as a text into `memory`, and advance it; NULL if they contain a zero byte or there is no room. */
static const char *copy_text(struct bytes bytes, char **memory, const char *end) {
    if (bytes.size >= (size_t)(end - *memory) || memchr(bytes.data, 0, bytes.size) != NULL) {
        return NULL;
    }
    char *copy = *memory;
    memcpy(copy, bytes.data, bytes.size);
    copy[bytes.size] = 0;
    *memory += bytes.size + 1;
    return copy;
}

/* START: the variables of the environment, each a name and a text or nil, and the nanoseconds for the first message. */
static void start(struct reader *reader) {
    static struct variable variables[MAX_VARIABLES];
    static char texts[MAX_VARIABLE_BYTES];
    char *memory = texts;
    size_t count = read_array(reader);
    bool is_valid = count <= MAX_VARIABLES;
    for (size_t i = 0; i < count && is_valid; i++) {
        is_valid = read_array(reader) == 2;
        variables[i].name = is_valid ? copy_text(read_bytes(reader), &memory, texts + sizeof texts) : NULL;
        variables[i].value = NULL;
        is_valid = variables[i].name != NULL && *variables[i].name != 0 && strchr(variables[i].name, '=') == NULL;
        if (is_valid && next_kind(reader) == KIND_NOTHING) {
            read_nothing(reader);
        } else if (is_valid) {
            variables[i].value = copy_text(read_bytes(reader), &memory, texts + sizeof texts);
            is_valid = variables[i].value != NULL;
        }
    }
    uint64_t nanoseconds = read_number(reader);
    if (!is_valid || reader->has_failed) {
        refuse("the environment is invalid or too large");
        return;
    }
    end_driver_process();
    static void *memory_of_mailbox;
    if (memory_of_mailbox != NULL) {
        unmap_shared_memory(memory_of_mailbox, mailbox_bytes());
    }
    memory_of_mailbox = map_shared_memory(mailbox_bytes());
    if (memory_of_mailbox == NULL) {
        refuse(strerror(errno));
        return;
    }
    use_mailbox_for_session(memory_of_mailbox);
    reply.size = 0;
    is_closed = false;
    const char *error = start_driver_process(variables, count);
    if (*error != 0) {
        refuse(error);
        return;
    }
    send_reply_within(nanoseconds);
}

/* MESSAGE: a message for the driver's process, whether it has several ones, and the nanoseconds for the reply. */
static void pass_on(struct reader *reader) {
    struct bytes message = read_bytes(reader);
    bool has_several = read_count(reader, 1) != 0;
    uint64_t nanoseconds = read_number(reader);
    if (reader->has_failed) {
        refuse("the frame is invalid");
        return;
    }
    enum received sent =
        has_driver_ended() ? RECEIVED_END
                           : send_message(message.data, message.size, has_several, (int64_t)nanoseconds, has_wait_ended);
    if (sent == RECEIVED_GARBAGE) {
        send_garbage();
    } else if (sent == RECEIVED_END && has_driver_ended()) {
        send_own_end();
    } else if (sent == RECEIVED_END) {
        has_failed = true;
    } else {
        send_reply_within(nanoseconds);
    }
}

/* END: the nanoseconds that the driver's process may take to end by itself. */
static void end_driver(struct reader *reader) {
    uint64_t nanoseconds = read_number(reader);
    uint64_t began = now_nanoseconds();
    if (has_driver_ended()) {
        send_own_end();
        return;
    }
    close_mailbox();
    is_closed = true;
    while (nanoseconds != 0 && !has_driver_ended() && now_nanoseconds() - began < nanoseconds) {
        wait_for_bytes(1000000);
    }
    if (has_driver_ended()) {
        send_own_end();
    } else {
        end_driver_process();
        send_end("request", 0);
    }
}

static void send_output(void) {
    static uint8_t tail[TAIL_BYTES];
    size_t size = read_output(tail, sizeof tail);
    struct writer writer = begin_answer(TEXT, 1);
    write_bytes(&writer, tail, size);
    send_answer(&writer);
}

static void send_facts(void) {
    static struct facts facts;
    const uint16_t one = 1;
    const char *order = *(const uint8_t *)&one == 1 ? "little-endian" : "big-endian";
    char widths[FACT_BYTES];
    facts.count = 0;
    read_facts(&facts);
    snprintf(widths, sizeof widths, "%d-bit pointers, %d-bit long, %s", 8 * (int)sizeof(void *), 8 * (int)sizeof(long),
             order);
    add_fact(&facts, "widths", widths);
    struct writer writer = begin_answer(LIST, 1);
    write_array(&writer, facts.count);
    for (size_t i = 0; i < facts.count; i++) {
        write_array(&writer, 2);
        write_text(&writer, facts.all[i].name);
        write_bytes(&writer, facts.all[i].text, strlen(facts.all[i].text));
    }
    send_answer(&writer);
}

static void answer_frame(void) {
    struct reader reader = {frame.data, frame.data + frame.size, false};
    size_t values = read_array(&reader);
    size_t kind = read_count(&reader, FACTS);
    frame_number = read_number(&reader);
    if (values < 2 || reader.has_failed) {
        has_failed = true;
    } else if (kind == START) {
        start(&reader);
    } else if (kind == MESSAGE) {
        pass_on(&reader);
    } else if (kind == WAIT) {
        send_reply_within(read_number(&reader));
    } else if (kind == OUTPUT) {
        send_output();
    } else if (kind == END) {
        end_driver(&reader);
    } else if (kind == PING) {
        struct writer writer = begin_answer(TIME, 1);
        write_number(&writer, now_nanoseconds());
        send_answer(&writer);
    } else {
        send_facts();
    }
}

int serve_session(const char *folder_root) {
    prepare_server();
    const char *folder = create_server_folder(folder_root);
    if (folder == NULL) {
        fprintf(stderr, "clconform: cannot create a folder for temporary files: %s\n", strerror(errno));
        return 1;
    }
    send_hello(folder);
    uint64_t last = now_nanoseconds();
    while (!has_failed && !has_server_to_end() && now_nanoseconds() - last < idle_nanoseconds) {
        if (!wait_for_bytes(SLICE_NANOSECONDS)) {
            continue;
        }
        if (!read_frame()) {
            break;
        }
        answer_frame();
        last = now_nanoseconds();
    }
    end_driver_process();
    remove_server_folder();
    return 0;
}
