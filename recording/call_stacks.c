/* The call stack of a call: the return addresses of the functions that led to it, the innermost first.
 *
 * The unwinder of the compiler's runtime library finds them by the unwind data of the code. The stack ends at code
 * without such data, as just-in-time compilers generate it.
 *
 * A stack is written when it differs from the last one of the same thread and call site, and its addresses are written
 * once: later records have only its digest.
 */
#include <unwind.h>

#define MOST_FRAMES 24

enum { STACK = 12 };

/* Tables that need no lock: an entry's key is stored combined with its value, so that a torn entry is not found. */
struct entry {
  _Atomic uint64_t check, value;
};

static struct entry last_stacks[4096], written_stacks[4096];

static uint64_t mixed(uint64_t one, uint64_t other) {
  uint64_t made = (one ^ other) * 0x9e3779b97f4a7c15u;
  return made ^ made >> 29;
}

static struct entry *entry_of(struct entry *table, uint64_t key) { return &table[mixed(key, 0) >> 8 & 4095]; }

static int has_value(struct entry *table, uint64_t key, uint64_t value) {
  struct entry *entry = entry_of(table, key);
  return atomic_load_explicit(&entry->value, memory_order_relaxed) == value &&
         atomic_load_explicit(&entry->check, memory_order_relaxed) == (key ^ value);
}

static void keep(struct entry *table, uint64_t key, uint64_t value) {
  struct entry *entry = entry_of(table, key);
  atomic_store_explicit(&entry->value, value, memory_order_relaxed);
  atomic_store_explicit(&entry->check, key ^ value, memory_order_relaxed);
}

/* The callers of the function that has the return address `from`; those before it are functions of the layer. */
struct callers {
  uintptr_t from, frames[MOST_FRAMES];
  int is_outside, count;
};

static _Unwind_Reason_Code add_frame(struct _Unwind_Context *context, void *of) {
  struct callers *callers = of;
  uintptr_t address = _Unwind_GetIP(context);
  if (!address || callers->count == MOST_FRAMES) return _URC_END_OF_STACK;
  if (callers->is_outside) callers->frames[callers->count++] = address;
  callers->is_outside |= address == callers->from;
  return _URC_NO_REASON;
}

/* Records the callers of a call site, if they differ from those of the thread's last call there. */
static void know_stack(const void *from) {
  struct callers callers = {.from = (uintptr_t)from};
  uint64_t digest = 0;
  if (mine.opening) return;
  _Unwind_Backtrace(add_frame, &callers);
  for (int each = 0; each < callers.count; each++) digest = mixed(digest, callers.frames[each]);
  unsigned generation = atomic_load_explicit(&recording.generation, memory_order_relaxed);
  if (RARELY(mine.generation != generation)) begin_thread(generation);
  uint64_t stack = mixed(digest, generation);
  uint64_t place = mixed(mixed(callers.from, (uint64_t)mine.id << 32 | generation), 1);
  if (has_value(last_stacks, place, digest)) return;
  int is_written = has_value(written_stacks, stack, 1);
  for (int each = 0; each < callers.count && !is_written; each++) know_code(callers.frames[each]);
  if (!begin_record(STACK, 0)) return;
  put(callers.from);
  put(digest);
  for (int each = 0; each < callers.count && !is_written; each++) put(callers.frames[each]);
  end_record();
  keep(last_stacks, place, digest);
  keep(written_stacks, stack, 1);
}
