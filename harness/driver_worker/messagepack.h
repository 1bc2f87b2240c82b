/* Reads and writes MessagePack, as far as the messages of a worker need it: numbers, bytes, texts, nil and arrays. */
#ifndef CLCONFORM_MESSAGEPACK_H
#define CLCONFORM_MESSAGEPACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"

struct reader {
    const uint8_t *at, *end;
    bool has_failed; /* something else was there than what was read; every further value is zero or empty */
};

enum kind { KIND_NOTHING, KIND_NUMBER, KIND_BYTES, KIND_TEXT, KIND_ARRAY, KIND_INVALID };

struct bytes {
    const uint8_t *data;
    size_t size;
};

/* The kind of the next value, which is not read. */
enum kind next_kind(const struct reader *reader);

/* Read a number; a negative one in two's complement. */
uint64_t read_number(struct reader *reader);

/* Read a number of at most `most`. */
size_t read_count(struct reader *reader, size_t most);

/* Read the size of an array; that many values follow. */
size_t read_array(struct reader *reader);

/* Read bytes or a text; they stay in the message. */
struct bytes read_bytes(struct reader *reader);

/* Read nil. */
void read_nothing(struct reader *reader);

/* Append a value; if there is no memory, set `has_failed` of the writer. */
struct writer {
    struct buffer *to;
    bool has_failed;
};

void write_number(struct writer *writer, uint64_t number);
void write_nothing(struct writer *writer);
void write_boolean(struct writer *writer, bool value);
void write_array(struct writer *writer, size_t count);
void write_bytes(struct writer *writer, const void *data, size_t size);
void write_text(struct writer *writer, const char *text);

#endif
