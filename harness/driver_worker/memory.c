#include "memory.h"

#include <errno.h>
#include <string.h>

#include "system.h"

enum { ALIGNMENT = 128 }; /* the largest that a device may require of host memory: a vector of sixteen 64-bit numbers */
enum { CHUNK_BYTES = 1 << 18, LARGE_CHUNK_BYTES = 1 << 24, FIRST_BUFFER_BYTES = 1 << 12 };

bool buffer_reserve(struct buffer *buffer, size_t more) {
    if (more <= buffer->capacity - buffer->size) {
        return true;
    }
    if (more > SIZE_MAX / 4 || buffer->size > SIZE_MAX / 4) {
        errno = ENOMEM;
        return false;
    }
    size_t capacity = buffer->capacity != 0 ? buffer->capacity : FIRST_BUFFER_BYTES;
    while (capacity - buffer->size < more) {
        capacity *= 2;
    }
    uint8_t *data = map_memory(capacity);
    if (data == NULL) {
        return false;
    }
    if (buffer->data != NULL) {
        memcpy(data, buffer->data, buffer->size);
        unmap_memory(buffer->data, buffer->capacity);
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

bool buffer_append(struct buffer *buffer, const void *data, size_t size) {
    if (!buffer_reserve(buffer, size)) {
        return false;
    }
    if (size != 0) {
        memcpy(buffer->data + buffer->size, data, size);
    }
    buffer->size += size;
    return true;
}

void buffer_free(struct buffer *buffer) {
    if (buffer->data != NULL) {
        unmap_memory(buffer->data, buffer->capacity);
    }
    *buffer = (struct buffer){0};
}

void guarded_fill(const struct guarded *place) {
    memset(place->address - GUARD_BYTES, GUARD_BYTE, GUARD_BYTES);
    memset(place->address, FILL_BYTE, place->size);
    memset(place->address + place->size, GUARD_BYTE, GUARD_BYTES);
}

bool has_overrun(const struct guarded *place) {
    const uint8_t *before = place->address - GUARD_BYTES, *after = place->address + place->size;
    for (size_t i = 0; i < GUARD_BYTES; i++) {
        if (before[i] != GUARD_BYTE || after[i] != GUARD_BYTE) {
            return true;
        }
    }
    return false;
}

size_t guarded_written(const struct guarded *place) {
    size_t written = place->size;
    while (written != 0 && place->address[written - 1] == FILL_BYTE) {
        written--;
    }
    return written;
}

static bool add_chunk(struct arena *arena, size_t size) {
    if (arena->count == arena->capacity) {
        size_t capacity = arena->capacity != 0 ? 2 * arena->capacity : 64;
        struct chunk *chunks = map_memory(capacity * sizeof *chunks);
        if (chunks == NULL) {
            return false;
        }
        if (arena->chunks != NULL) {
            memcpy(chunks, arena->chunks, arena->count * sizeof *chunks);
            unmap_memory(arena->chunks, arena->capacity * sizeof *chunks);
        }
        arena->chunks = chunks;
        arena->capacity = capacity;
    }
    size = size > CHUNK_BYTES ? size : CHUNK_BYTES;
    uint8_t *data = map_memory(size);
    if (data == NULL) {
        return false;
    }
    arena->chunks[arena->count++] = (struct chunk){data, size};
    arena->offset = 0;
    return true;
}

static size_t round_up(size_t number) { return (number + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT; }

uint8_t *arena_take(struct arena *arena, size_t size, size_t before) {
    if (size > SIZE_MAX / 4 || before > SIZE_MAX / 4) {
        errno = ENOMEM;
        return NULL;
    }
    size_t start = round_up(arena->offset + before);
    if (arena->count == 0 || start + size > arena->chunks[arena->count - 1].size) {
        if (!add_chunk(arena, size + before + ALIGNMENT)) {
            return NULL;
        }
        start = round_up(before);
    }
    arena->offset = start + size;
    return arena->chunks[arena->count - 1].data + start;
}

struct guarded arena_take_guarded(struct arena *arena, size_t size) {
    struct guarded place = {NULL, size, false};
    if (size < SIZE_MAX / 4) {
        place.address = arena_take(arena, size + GUARD_BYTES, GUARD_BYTES);
    } else {
        errno = ENOMEM;
    }
    if (place.address != NULL) {
        guarded_fill(&place);
    }
    return place;
}

void arena_release(struct arena *arena) {
    size_t first = arena->count != 0 && arena->chunks[0].size <= LARGE_CHUNK_BYTES ? 1 : 0;
    while (arena->count > first) {
        arena->count--;
        unmap_memory(arena->chunks[arena->count].data, arena->chunks[arena->count].size);
    }
    arena->offset = 0;
}

void arena_keep(struct arena *arena) {
    if (arena->offset == 0 && arena->count <= 1) {
        return; /* the call has no memory */
    }
    for (size_t i = 0; i < arena->count; i++) {
        struct chunk *kept = &arena->kept[arena->next_kept];
        if (kept->data != NULL) {
            unmap_memory(kept->data, kept->size);
        }
        *kept = arena->chunks[i];
        arena->next_kept = (arena->next_kept + 1) % KEPT_CHUNKS;
    }
    arena->count = 0;
    arena->offset = 0;
}
