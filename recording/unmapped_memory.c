/* Host memory that is not mapped when a call uses it.
 *
 * Before a transfer, and before a command on a buffer that uses memory of the program, the layer checks whether all
 * pages of the memory are mapped. If not, it records this before the call: the driver may not return from it. Memory
 * that a program has freed is often still mapped, so the check cannot find all uses of freed memory.
 */
#define MOST_AREAS 256

enum { UNMAPPED = 20 };

/* A memory object, and the memory of the program that it uses. */
struct area {
  const void *object;
  uint64_t at, bytes;
};

static struct {
  pthread_mutex_t lock;
  _Atomic int count;
  struct area areas[MOST_AREAS];
} host_areas = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void begin_areas(void) { pthread_mutex_init(&host_areas.lock, NULL); }

static int is_mapped(uint64_t at, uint64_t bytes) {
  uint64_t start = at & ~(PAGE - 1);
  int before = errno, mapped = at + bytes < at || !msync((void *)(uintptr_t)start, at + bytes - start, MS_ASYNC) || errno != ENOMEM;
  errno = before;
  return mapped;
}

/* Records memory that is not mapped; `object`: the memory object that uses it, or NULL for a pointer of the call. */
static void check_memory(const void *object, uint64_t at, uint64_t bytes) {
  if (!is_on() || mine.opening || mine.busy || !at || !bytes || is_mapped(at, bytes)) return;
  if (begin_record(UNMAPPED, 0)) {
    put((uint64_t)(uintptr_t)object);
    put(at);
    put(bytes);
    end_record();
  }
}

/* Checks the memory of the program that a memory object uses. */
static void check_area(const void *object) {
  struct area found = {NULL, 0, 0};
  if (!object || !atomic_load_explicit(&host_areas.count, memory_order_relaxed)) return;
  pthread_mutex_lock(&host_areas.lock);
  for (int each = 0; each < host_areas.count; each++)
    if (host_areas.areas[each].object == object) found = host_areas.areas[each];
  pthread_mutex_unlock(&host_areas.lock);
  check_memory(found.object, found.at, found.bytes);
}

/* Notes a new memory object, and the memory of the program that it uses: NULL if it uses none. */
static void know_area(const void *object, const void *at, uint64_t bytes) {
  if (!at && !atomic_load_explicit(&host_areas.count, memory_order_relaxed)) return;
  pthread_mutex_lock(&host_areas.lock);
  for (int each = host_areas.count - 1; each >= 0; each--) /* the address of a deleted object may be used again */
    if (host_areas.areas[each].object == object) host_areas.areas[each] = host_areas.areas[--host_areas.count];
  if (at && host_areas.count < MOST_AREAS)
    host_areas.areas[host_areas.count++] = (struct area){object, (uint64_t)(uintptr_t)at, bytes};
  pthread_mutex_unlock(&host_areas.lock);
}
