#include "calls.h"

#include <errno.h>
#include <string.h>

#include "callbacks.h"
#include "system.h"

enum { MAX_DEPTH = 8 };

static bool put_argument(struct reader *reader, struct call *call, size_t depth, uint64_t *word);

/* Copy bytes to memory of the call; NULL if there is none. Guard bytes follow, so that a driver that reads more than
   the bytes finds the same every time. */
static uint8_t *put_bytes(struct call *call, struct bytes bytes, bool is_reused) {
    uint8_t *copy = arena_take(&call->arena, bytes.size + GUARD_BYTES, 0);
    if (copy == NULL) {
        return NULL;
    }
    memset(copy + bytes.size, GUARD_BYTE, GUARD_BYTES);
    if (bytes.size != 0) {
        memcpy(copy, bytes.data, bytes.size);
    }
    struct span span = {copy, bytes.size};
    return !is_reused || buffer_append(&call->reused, &span, sizeof span) ? copy : NULL;
}

/* Store the pointers of a block at their offsets; `count` values follow. */
static bool put_pointers(struct reader *reader, struct call *call, struct span block, size_t count, size_t depth) {
    if (count % 2 != 0) {
        reader->has_failed = true;
        return true;
    }
    for (size_t i = 0; i < count && !reader->has_failed; i += 2) {
        size_t offset = block.size >= sizeof(uintptr_t) ? read_count(reader, block.size - sizeof(uintptr_t)) : 0;
        uint64_t word = 0;
        if (!put_argument(reader, call, depth + 1, &word)) {
            return false;
        }
        uintptr_t pointer = (uintptr_t)word;
        if (!reader->has_failed && block.size >= sizeof pointer) {
            memcpy(block.address + offset, &pointer, sizeof pointer);
        } else {
            reader->has_failed = true;
        }
    }
    return true;
}

static bool put_form(struct reader *reader, struct call *call, size_t depth, uint64_t *word) {
    size_t count = read_array(reader);
    enum form form = (enum form)read_count(reader, FORM_CALLBACK);
    if (count < 2 || reader->has_failed) {
        reader->has_failed = true;
        return true;
    }
    if (form == FORM_CALLBACK) {
        *word = (uintptr_t)read_callback(reader);
        return *word != 0 || reader->has_failed;
    }
    if (form == FORM_OUTPUT) {
        struct guarded place = arena_take_guarded(&call->arena, read_count(reader, SIZE_MAX / 4));
        *word = (uintptr_t)place.address;
        return place.address != NULL && buffer_append(&call->outputs, &place, sizeof place);
    }
    struct bytes bytes = read_bytes(reader);
    struct span block = {put_bytes(call, bytes, form != FORM_BLOCK), bytes.size};
    *word = (uintptr_t)block.address;
    return block.address != NULL && put_pointers(reader, call, block, count - 2, depth);
}

/* Put an argument into memory; `word` is what is passed. False if there is no memory. */
static bool put_argument(struct reader *reader, struct call *call, size_t depth, uint64_t *word) {
    switch (next_kind(reader)) {
    case KIND_NUMBER:
        *word = read_number(reader);
        return true;
    case KIND_NOTHING:
        read_nothing(reader);
        *word = 0;
        return true;
    case KIND_BYTES:
        *word = (uintptr_t)put_bytes(call, read_bytes(reader), false);
        return *word != 0;
    case KIND_ARRAY:
        if (depth < MAX_DEPTH) {
            return put_form(reader, call, depth, word);
        }
        break;
    default:
        break;
    }
    reader->has_failed = true;
    return true;
}

bool read_call(struct reader *reader, size_t argument_count, struct call *call) {
    arena_release(&call->arena);
    call->outputs.size = 0;
    call->reused.size = 0;
    call->function = (function_without_type *)(uintptr_t)read_number(reader);
    call->signature = read_count(reader, signature_count - 1);
    call->keeps_memory = read_count(reader, 1) != 0;
    if (reader->has_failed || call->function == NULL ||
        strlen(signatures[call->signature].name) != 1 + argument_count) {
        reader->has_failed = true;
        return true;
    }
    for (size_t i = 0; i < argument_count; i++) {
        if (!put_argument(reader, call, 0, &call->words[i])) {
            return false;
        }
    }
    return true;
}

void make_call(struct call *call) {
    uint64_t began = now_nanoseconds();
    call->result = signatures[call->signature].make(call->function, call->words);
    call->nanoseconds = now_nanoseconds() - began;
}

/* Overwrite the memory that an application may reuse after the call. */
static void overwrite_reused(const struct call *call) {
    const struct span *spans = (const struct span *)(const void *)call->reused.data;
    for (size_t i = 0; i < call->reused.size / sizeof *spans; i++) {
        for (size_t at = 0; at < spans[i].size; at++) {
            spans[i].address[at] ^= 0xFF;
        }
    }
}

void write_outcome(struct writer *writer, struct call *call) {
    overwrite_reused(call);
    struct guarded *outputs = (struct guarded *)(void *)call->outputs.data;
    size_t count = call->outputs.size / sizeof *outputs, overrun_count = 0;
    write_number(writer, call->result);
    write_number(writer, call->nanoseconds);
    write_array(writer, count);
    for (size_t i = 0; i < count; i++) {
        write_bytes(writer, outputs[i].address, guarded_written(&outputs[i]));
        outputs[i].has_overrun = has_overrun(&outputs[i]); /* once: a command may still be writing */
        overrun_count += outputs[i].has_overrun;
    }
    write_array(writer, overrun_count);
    for (size_t i = 0; i < count && overrun_count != 0; i++) {
        if (outputs[i].has_overrun) {
            write_number(writer, i);
        }
    }
    if (call->keeps_memory) {
        arena_keep(&call->arena);
    } else {
        arena_release(&call->arena);
    }
}
