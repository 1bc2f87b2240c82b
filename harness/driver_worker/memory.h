/* Memory of the worker: its own, outside the C library's heap, and the memory of a call's arguments. */
#ifndef CLCONFORM_MEMORY_H
#define CLCONFORM_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { FILL_BYTE = 0xA5, GUARD_BYTE = 0xC3, GUARD_BYTES = 64 };

/* Bytes that grow. They are not in the C library's heap, which a driver may corrupt. */
struct buffer {
    uint8_t *data;
    size_t size, capacity;
};

/* Make room for `more` bytes after the content; false if there is no memory (errno is set). */
bool buffer_reserve(struct buffer *buffer, size_t more);

/* Append bytes; false as for buffer_reserve. */
bool buffer_append(struct buffer *buffer, const void *data, size_t size);

/* Free the memory of the buffer. */
void buffer_free(struct buffer *buffer);

/* `size` bytes at `address`, filled with FILL_BYTE and surrounded by guard bytes. */
struct guarded {
    uint8_t *address;
    size_t size;
    bool has_overrun; /* a guard byte had changed when the outcome of the call was written */
};

/* Fill the place and its guard bytes; `address` has GUARD_BYTES before it and after `size`. */
void guarded_fill(const struct guarded *place);

/* Whether a guard byte has changed. */
bool has_overrun(const struct guarded *place);

/* The number of bytes up to the last one that differs from FILL_BYTE. */
size_t guarded_written(const struct guarded *place);

struct chunk {
    uint8_t *data;
    size_t size;
};

enum { KEPT_CHUNKS = 256 };

/* Memory for the arguments of one call at a time. Memory that the driver may access after the call is kept for some
   time: that of the last KEPT_CHUNKS chunks. */
struct arena {
    struct chunk *chunks;
    size_t count, capacity; /* of chunks */
    size_t offset;          /* of the free part of the last chunk */
    struct chunk kept[KEPT_CHUNKS];
    size_t next_kept;
};

/* Memory for `size` bytes, aligned for any vector type, with `before` bytes in front of it; NULL if there is none. */
uint8_t *arena_take(struct arena *arena, size_t size, size_t before);

/* A guarded place for `size` bytes; its address is NULL if there is no memory. */
struct guarded arena_take_guarded(struct arena *arena, size_t size);

/* Free the memory taken since the last release. */
void arena_release(struct arena *arena);

/* Keep the memory taken since the last release, because a command may access it later. */
void arena_keep(struct arena *arena);

#endif
