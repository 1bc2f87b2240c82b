#include "host_memory.h"

#include <errno.h>
#include <stdatomic.h>

#include "memory.h"
#include "system.h"

enum { KEPT_AREAS = 256, MAX_OPERATIONS = 8 };
/* An instance has two atomic objects, and then two numbers that store observed values (calls/atomics.py). */
enum { OBJECT_BYTES = 4, NUMBER_BYTES = 2, NUMBERS_AT = 8, INSTANCE_BYTES = 16 };

struct area {
    struct area *next;
    size_t mapped_bytes;
    struct guarded place;
};

static struct area *areas;             /* of this example */
static struct area *kept[KEPT_AREAS]; /* of earlier ones */
static size_t next_kept;

uint8_t *allocate_area(size_t size, size_t alignment) {
    size_t whole = sizeof(struct area) + size + 2 * GUARD_BYTES + alignment;
    struct area *area = map_memory(whole);
    if (area == NULL) {
        return NULL;
    }
    uintptr_t start = (uintptr_t)(area + 1) + GUARD_BYTES;
    start = (start + alignment - 1) & ~((uintptr_t)alignment - 1);
    *area = (struct area){areas, whole, {(uint8_t *)start, size, false}};
    guarded_fill(&area->place);
    areas = area;
    return area->place.address;
}

bool has_area_overrun(const uint8_t *address) {
    for (const struct area *area = areas; area != NULL; area = area->next) {
        const struct guarded *place = &area->place;
        if (place->address <= address && address <= place->address + place->size && has_overrun(place)) {
            return true;
        }
    }
    return false;
}

void begin_areas(void) {
    while (areas != NULL) {
        struct area *area = areas;
        areas = area->next;
        if (kept[next_kept] != NULL) {
            unmap_memory(kept[next_kept], kept[next_kept]->mapped_bytes);
        }
        kept[next_kept] = area;
        next_kept = (next_kept + 1) % KEPT_AREAS;
    }
}

enum operation { LOAD, STORE, ADD };

struct atomic_operation {
    enum operation operation;
    size_t object, number, order;
};

static const memory_order orders[] = {memory_order_relaxed, memory_order_relaxed, memory_order_acquire,
                                      memory_order_release, memory_order_acq_rel, memory_order_seq_cst};

static void perform(const struct atomic_operation *operation, uint8_t *instance) {
    _Atomic uint32_t *object = (_Atomic uint32_t *)(void *)(instance + operation->object * OBJECT_BYTES);
    memory_order order = orders[operation->order];
    if (operation->operation == STORE) {
        atomic_store_explicit(object, (uint32_t)operation->number, order);
        return;
    }
    uint32_t seen =
        operation->operation == ADD ? atomic_fetch_add_explicit(object, 1, order) : atomic_load_explicit(object, order);
    uint16_t *number = (uint16_t *)(void *)(instance + NUMBERS_AT + (operation->number & 1) * NUMBER_BYTES);
    *number = (uint16_t)seen;
}

void perform_atomics(struct reader *reader, uint8_t *address, size_t instances, size_t operation_count) {
    struct atomic_operation operations[MAX_OPERATIONS];
    if (operation_count > MAX_OPERATIONS) {
        reader->has_failed = true;
    }
    for (size_t i = 0; i < operation_count && !reader->has_failed; i++) {
        if (read_array(reader) != 4) {
            reader->has_failed = true;
        }
        operations[i].operation = (enum operation)read_count(reader, ADD);
        operations[i].object = read_count(reader, 1);
        operations[i].number = read_count(reader, operations[i].operation == STORE ? UINT32_MAX : 1);
        operations[i].order = read_count(reader, sizeof orders / sizeof *orders - 1);
    }
    for (size_t instance = 0; instance < instances && !reader->has_failed; instance++) {
        for (size_t i = 0; i < operation_count; i++) {
            perform(&operations[i], address + instance * INSTANCE_BYTES);
        }
    }
}
