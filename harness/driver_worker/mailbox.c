#include "mailbox.h"

#include <stdatomic.h>
#include <stddef.h>
#include <string.h>

#include "checksum.h"
#include "system.h"

enum { PART_BYTES = 1 << 22, HEADER_BYTES = 4096, SEGMENT_BYTES = HEADER_BYTES + 2 * PART_BYTES };
enum { POLL_NANOSECONDS = 200000000 };
/* Indices of words in the header: common ones, the start of each direction's slot, and those within a slot. */
enum { CLOSING, PROCESS, ENDED, STATUS, SESSION, CORE, REQUESTS = 16, REPLIES = 32, LEFT = 1023 };
enum { STATE, SEQUENCE, TOTAL, OFFSET, SEVERAL, CHECKSUM };
enum { EMPTY, FULL };
enum { LEFT_MARK = 0x7EF7A11D };

static uint8_t *base;
static _Atomic uint32_t *header;
static int out_slot = REPLIES, in_slot = REQUESTS;
static uint32_t sequence;

static bool is_session(void) { return out_slot == REQUESTS; }

static uint8_t *area_of(int slot) { return base + HEADER_BYTES + (slot == REPLIES ? PART_BYTES : 0); }

void use_mailbox(void *memory) {
    base = memory;
    header = (_Atomic uint32_t *)memory;
    in_slot = REQUESTS;
    out_slot = REPLIES;
}

void use_mailbox_for_session(void *memory) {
    use_mailbox(memory);
    in_slot = REPLIES;
    out_slot = REQUESTS;
    sequence = 0;
}

void use_mailbox_again(void) { use_mailbox(base); }

size_t mailbox_bytes(void) { return SEGMENT_BYTES; }

int mailbox_session(void) { return (int)header[SESSION]; }

void set_mailbox_process(int process) { header[PROCESS] = (uint32_t)process; }

void exclude_mailbox_from_forks(void) { exclude_from_forks(base, SEGMENT_BYTES); }

void end_mailbox(int status) {
    header[STATUS] = (uint32_t)status;
    header[ENDED] = 1;
    wake_word(&header[REQUESTS]);
    wake_word(&header[REPLIES]);
}

void close_mailbox(void) {
    header[CLOSING] = 1;
    wake_word(&header[out_slot]);
}

bool has_left_mailbox(void) { return header != NULL && header[LEFT] == LEFT_MARK; }

/* State that the driver's process receives no further requests. If the session has not closed the mailbox, the driver
   has overwritten the memory. */
static enum received leave(enum received how) {
    if (!is_session()) {
        header[LEFT] = LEFT_MARK;
    }
    return how;
}

/* Wait until a slot has a state. */
static enum received wait_for_state(int slot, uint32_t wanted, int64_t nanoseconds, bool (*has_ended)(void)) {
    uint64_t began = nanoseconds < 0 ? 0 : now_nanoseconds();
    while (true) {
        uint32_t closing = is_session() ? 0 : header[CLOSING];
        uint32_t state = header[slot + STATE];
        if (state == wanted) {
            return RECEIVED_MESSAGE;
        }
        if (state != EMPTY && state != FULL) {
            return leave(RECEIVED_GARBAGE);
        }
        if (closing != 0) {
            return leave(RECEIVED_END);
        }
        uint64_t left = POLL_NANOSECONDS;
        if (nanoseconds >= 0) {
            uint64_t waited = now_nanoseconds() - began;
            if (waited >= (uint64_t)nanoseconds) {
                return RECEIVED_NOTHING;
            }
            uint64_t rest = (uint64_t)nanoseconds - waited;
            left = rest < left ? rest : left;
        }
        bool was_woken = wait_on_word(&header[slot], state, left);
        if ((!was_woken || is_session()) && header[slot + STATE] == state && has_ended()) {
            return header[slot + STATE] == wanted ? RECEIVED_MESSAGE : leave(RECEIVED_END);
        }
    }
}

/* Wait for a message. The driver's process waits on the core of the session, since waking another one takes long; it
   then restores its affinity. */
static enum received wait_for_message(int64_t nanoseconds, bool (*has_ended)(void)) {
    bool is_bound = !is_session() && header[in_slot + STATE] != FULL && bind_to_core(header[CORE]);
    enum received waited = wait_for_state(in_slot, FULL, nanoseconds, has_ended);
    if (is_bound) {
        release_core();
    }
    return waited;
}

enum received receive_message(
    struct buffer *content, bool *has_several, int64_t nanoseconds, bool (*has_ended)(void)) {
    while (true) {
        enum received waited = wait_for_message(nanoseconds, has_ended);
        if (waited != RECEIVED_MESSAGE) {
            return waited;
        }
        uint32_t number = header[in_slot + SEQUENCE];
        size_t total = header[in_slot + TOTAL], before = header[in_slot + OFFSET];
        uint32_t sum = header[in_slot + CHECKSUM], several = header[in_slot + SEVERAL];
        *has_several = several != 0;
        if (before != content->size || total <= before || total > MAX_MESSAGE_BYTES ||
            (is_session() && number != sequence)) {
            return leave(RECEIVED_GARBAGE);
        }
        sequence = number;
        size_t size = total - before < PART_BYTES ? total - before : PART_BYTES;
        if (!buffer_append(content, area_of(in_slot), size) || checksum(several, content->data + before, size) != sum) {
            return leave(RECEIVED_GARBAGE);
        }
        header[in_slot + STATE] = EMPTY;
        if (content->size == total) {
            return RECEIVED_MESSAGE;
        }
        wake_word(&header[in_slot]);
    }
}

enum received send_message(
    const uint8_t *content, size_t size, bool has_several, int64_t nanoseconds, bool (*has_ended)(void)) {
    sequence += is_session();
    for (size_t before = 0; before < size; before += PART_BYTES) {
        enum received waited = wait_for_state(out_slot, EMPTY, nanoseconds, has_ended);
        if (waited != RECEIVED_MESSAGE) {
            return waited;
        }
        size_t part = size - before < PART_BYTES ? size - before : PART_BYTES;
        memcpy(area_of(out_slot), content + before, part);
        header[out_slot + SEQUENCE] = sequence;
        header[out_slot + TOTAL] = (uint32_t)size;
        header[out_slot + OFFSET] = (uint32_t)before;
        header[out_slot + SEVERAL] = has_several;
        header[out_slot + CHECKSUM] = checksum(has_several, content + before, part);
        header[out_slot + STATE] = FULL;
        wake_word(&header[out_slot]);
    }
    return RECEIVED_MESSAGE;
}
