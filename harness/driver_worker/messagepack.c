#include "messagepack.h"

#include <string.h>

static uint64_t fail(struct reader *reader) {
    reader->has_failed = true;
    reader->at = reader->end;
    return 0;
}

enum kind next_kind(const struct reader *reader) {
    if (reader->at == reader->end) {
        return KIND_INVALID;
    }
    uint8_t first = *reader->at;
    if (first < 0x80 || first >= 0xE0 || (first >= 0xCC && first <= 0xD3)) {
        return KIND_NUMBER;
    }
    if ((first & 0xF0) == 0x90 || first == 0xDC || first == 0xDD) {
        return KIND_ARRAY;
    }
    if ((first & 0xE0) == 0xA0 || (first >= 0xD9 && first <= 0xDB)) {
        return KIND_TEXT;
    }
    if (first >= 0xC4 && first <= 0xC6) {
        return KIND_BYTES;
    }
    return first == 0xC0 ? KIND_NOTHING : KIND_INVALID;
}

/* Read a big-endian number of `size` bytes. */
static uint64_t read_raw(struct reader *reader, size_t size) {
    if ((size_t)(reader->end - reader->at) < size) {
        return fail(reader);
    }
    uint64_t number = 0;
    for (size_t i = 0; i < size; i++) {
        number = number << 8 | *reader->at++;
    }
    return number;
}

uint64_t read_number(struct reader *reader) {
    if (next_kind(reader) != KIND_NUMBER) {
        return fail(reader);
    }
    uint8_t first = *reader->at++;
    if (first < 0x80) {
        return first;
    }
    if (first >= 0xE0) {
        return (uint64_t)(int64_t)(int8_t)first;
    }
    size_t size = (size_t)1 << ((first - 0xCC) & 3);
    uint64_t number = read_raw(reader, size);
    if (first >= 0xD0 && size < 8) {
        uint64_t sign = (uint64_t)1 << (8 * size - 1);
        number = (number ^ sign) - sign;
    }
    return number;
}

size_t read_count(struct reader *reader, size_t most) {
    uint64_t number = read_number(reader);
    return number <= most ? (size_t)number : (size_t)fail(reader);
}

size_t read_array(struct reader *reader) {
    if (next_kind(reader) != KIND_ARRAY) {
        return (size_t)fail(reader);
    }
    uint8_t first = *reader->at++;
    uint64_t count = first < 0xA0 ? (uint64_t)(first & 0x0F) : read_raw(reader, first == 0xDC ? 2 : 4);
    /* each value has at least one byte */
    return count <= (uint64_t)(reader->end - reader->at) ? (size_t)count : (size_t)fail(reader);
}

struct bytes read_bytes(struct reader *reader) {
    enum kind kind = next_kind(reader);
    if (kind != KIND_BYTES && kind != KIND_TEXT) {
        fail(reader);
        return (struct bytes){reader->at, 0};
    }
    uint8_t first = *reader->at++;
    uint64_t size = first & 0x1F;
    if (first >= 0xD9) {
        size = read_raw(reader, (size_t)1 << (first - 0xD9));
    } else if (first >= 0xC4) {
        size = read_raw(reader, (size_t)1 << (first - 0xC4));
    }
    if (size > (uint64_t)(reader->end - reader->at)) {
        fail(reader);
        return (struct bytes){reader->at, 0};
    }
    struct bytes found = {reader->at, (size_t)size};
    reader->at += size;
    return found;
}

void read_nothing(struct reader *reader) {
    if (next_kind(reader) != KIND_NOTHING) {
        fail(reader);
        return;
    }
    reader->at++;
}

static void append(struct writer *writer, const void *data, size_t size) {
    if (!buffer_append(writer->to, data, size)) {
        writer->has_failed = true;
    }
}

/* Append a first byte, and a big-endian number of `size` bytes. */
static void write_head(struct writer *writer, uint8_t first, uint64_t number, size_t size) {
    uint8_t head[9] = {first};
    for (size_t i = 0; i < size; i++) {
        head[1 + i] = (uint8_t)(number >> 8 * (size - 1 - i));
    }
    append(writer, head, 1 + size);
}

void write_number(struct writer *writer, uint64_t number) {
    if (number < 0x80) {
        write_head(writer, (uint8_t)number, 0, 0);
    } else if (number <= UINT32_MAX) {
        write_head(writer, 0xCE, number, 4);
    } else {
        write_head(writer, 0xCF, number, 8);
    }
}

void write_nothing(struct writer *writer) { write_head(writer, 0xC0, 0, 0); }

void write_boolean(struct writer *writer, bool value) { write_head(writer, value ? 0xC3 : 0xC2, 0, 0); }

void write_array(struct writer *writer, size_t count) {
    if (count < 16) {
        write_head(writer, (uint8_t)(0x90 | count), 0, 0);
    } else {
        write_head(writer, 0xDD, count, 4);
    }
}

void write_bytes(struct writer *writer, const void *data, size_t size) {
    if (size < 0x100) {
        write_head(writer, 0xC4, size, 1);
    } else {
        write_head(writer, 0xC6, size, 4);
    }
    append(writer, data, size);
}

void write_text(struct writer *writer, const char *text) {
    size_t size = strlen(text);
    write_head(writer, 0xDB, size, 4);
    append(writer, text, size);
}
