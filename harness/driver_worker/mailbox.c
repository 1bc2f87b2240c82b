#define _GNU_SOURCE
#include "mailbox.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

enum { PART_BYTES = 1 << 22, HEADER_BYTES = 4096, SEGMENT_BYTES = HEADER_BYTES + 2 * PART_BYTES };
enum { POLL_NANOSECONDS = 200000000 };
/* Indices of words in the header: common ones, the start of each direction's slot, and those within a slot. */
enum { CLOSING, PROCESS, ENDED, STATUS, SESSION, CORE, REQUESTS = 16, REPLIES = 32, LEFT = 1023 };
enum { STATE, SEQUENCE, TOTAL, OFFSET, SEVERAL, CHECKSUM };
enum { EMPTY, FULL };
enum { LEFT_MARK = 0x7EF7A11D };
enum { REQUESTS_AT = HEADER_BYTES, REPLIES_AT = HEADER_BYTES + PART_BYTES };

static uint8_t *base;
static _Atomic uint32_t *header;
static uint32_t sequence;
static uint32_t checksums[8][256];

/* Fill the tables for the CRC-32 of zlib, for eight bytes at a time. */
static void prepare_checksums(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) {
            rest = rest >> 1 ^ ((rest & 1) != 0 ? 0xEDB88320U : 0);
        }
        checksums[0][byte] = rest;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int table = 1; table < 8; table++) {
            uint32_t before = checksums[table - 1][byte];
            checksums[table][byte] = before >> 8 ^ checksums[0][before & 0xFF];
        }
    }
}

/* The checksum of bytes and of the number before them. */
static uint32_t checksum(uint32_t several, const uint8_t *data, size_t size) {
    uint32_t rest = ~several;
    for (; size >= 8; size -= 8, data += 8) {
        rest ^= (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
        rest = checksums[7][rest & 0xFF] ^ checksums[6][rest >> 8 & 0xFF] ^ checksums[5][rest >> 16 & 0xFF] ^
               checksums[4][rest >> 24] ^ checksums[3][data[4]] ^ checksums[2][data[5]] ^ checksums[1][data[6]] ^
               checksums[0][data[7]];
    }
    for (; size != 0; size--, data++) {
        rest = rest >> 8 ^ checksums[0][(rest ^ *data) & 0xFF];
    }
    return ~rest;
}

bool attach_mailbox(int segment) {
    void *address = shmat(segment, NULL, 0);
    if (address == (void *)-1) { /* NOLINT: the value that POSIX defines */
        return false;
    }
    base = address;
    header = (_Atomic uint32_t *)address;
    prepare_checksums();
    return true;
}

int mailbox_session(void) { return (int)header[SESSION]; }

void set_mailbox_process(int process) { header[PROCESS] = (uint32_t)process; }

void exclude_mailbox_from_forks(void) { madvise(base, SEGMENT_BYTES, MADV_DONTFORK); }

static void wake(int slot) { syscall(SYS_futex, &header[slot], FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

void end_mailbox(int status) {
    header[STATUS] = (uint32_t)status;
    header[ENDED] = 1;
    wake(REQUESTS);
    wake(REPLIES);
}

/* State that this process receives no further requests. If the session has not closed the mailbox, it concludes that
   the driver has overwritten the memory. */
static enum received leave(enum received how) {
    header[LEFT] = LEFT_MARK;
    return how;
}

/* Wait until a slot has a state; RECEIVED_END if the session has closed the mailbox or has ended. */
static enum received wait_for_state(int slot, uint32_t wanted, bool (*has_ended)(void)) {
    while (true) {
        uint32_t closing = header[CLOSING];
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
        const struct timespec poll = {0, POLL_NANOSECONDS};
        long woken = syscall(SYS_futex, &header[slot], FUTEX_WAIT, state, &poll, NULL, 0);
        if (woken < 0 && errno == ETIMEDOUT && has_ended()) {
            return leave(RECEIVED_END);
        }
        if (woken < 0 && errno != ETIMEDOUT && errno != EAGAIN && errno != EINTR) {
            usleep(500);
        }
    }
}

/* Wait for a request on the core of the session, since waking another one takes long; then restore the affinity. */
static enum received wait_on_core(bool (*has_ended)(void)) {
    uint32_t core = header[CORE];
    cpu_set_t before, one;
    if (core == 0 || core > CPU_SETSIZE || header[REQUESTS + STATE] == FULL ||
        sched_getaffinity(0, sizeof before, &before) != 0 || !CPU_ISSET(core - 1, &before)) {
        return wait_for_state(REQUESTS, FULL, has_ended);
    }
    CPU_ZERO(&one);
    CPU_SET(core - 1, &one);
    bool is_bound = sched_setaffinity(0, sizeof one, &one) == 0;
    enum received waited = wait_for_state(REQUESTS, FULL, has_ended);
    if (is_bound) {
        sched_setaffinity(0, sizeof before, &before);
    }
    return waited;
}

enum received receive_message(struct buffer *content, bool *has_several, bool (*has_ended)(void)) {
    content->size = 0;
    while (true) {
        enum received waited = wait_on_core(has_ended);
        if (waited != RECEIVED_MESSAGE) {
            return waited;
        }
        sequence = header[REQUESTS + SEQUENCE];
        size_t total = header[REQUESTS + TOTAL], before = header[REQUESTS + OFFSET];
        uint32_t sum = header[REQUESTS + CHECKSUM], several = header[REQUESTS + SEVERAL];
        *has_several = several != 0;
        if (before != content->size || total <= before || total > MAX_MESSAGE_BYTES) {
            return leave(RECEIVED_GARBAGE);
        }
        size_t size = total - before < PART_BYTES ? total - before : PART_BYTES;
        if (!buffer_append(content, base + REQUESTS_AT, size)) {
            return RECEIVED_END; /* the driver has used up the memory */
        }
        if (checksum(several, content->data + before, size) != sum) {
            return leave(RECEIVED_GARBAGE);
        }
        header[REQUESTS + STATE] = EMPTY;
        if (content->size == total) {
            return RECEIVED_MESSAGE;
        }
        wake(REQUESTS);
    }
}

bool send_message(const struct buffer *content, bool (*has_ended)(void)) {
    for (size_t before = 0; before < content->size; before += PART_BYTES) {
        if (wait_for_state(REPLIES, EMPTY, has_ended) != RECEIVED_MESSAGE) {
            return false;
        }
        size_t size = content->size - before < PART_BYTES ? content->size - before : PART_BYTES;
        memcpy(base + REPLIES_AT, content->data + before, size);
        header[REPLIES + SEQUENCE] = sequence;
        header[REPLIES + TOTAL] = (uint32_t)content->size;
        header[REPLIES + OFFSET] = (uint32_t)before;
        header[REPLIES + SEVERAL] = 0;
        header[REPLIES + CHECKSUM] = checksum(0, content->data + before, size);
        header[REPLIES + STATE] = FULL;
        wake(REPLIES);
    }
    return true;
}
