/* Digests of sources and binaries, which are recorded once, and of host memory that commands may still read.
 *
 * If the user requests it, the layer computes a digest of the memory that a non-blocking command reads, and again
 * whenever the program is about to wait. A change is recorded; the judge determines whether the command was complete
 * by then. Memory that a command may write to is no longer watched. Memory is read through the kernel, so that
 * reading freed memory does not cause a fault.
 */
#define AS_BEFORE (NO_CONTENT - 1)
#define WITH_DIGEST (NO_CONTENT - 2)
#define LONG_TEXT 1024
#define MOST_WATCHED 256
#define MOST_TEXTS 1024

enum { CHANGED = 8 };

struct digest {
  uint64_t one, other;
};

/* Memory that a command reads: slices of rows, each a pitch apart. */
struct rows {
  uint64_t at, bytes, rows, row_pitch, slices, slice_pitch;
};

struct watched {
  struct rows memory;
  uint64_t sequence;
  struct digest digest;
  const void *queue;
};

static struct {
  pthread_mutex_t lock;
  _Atomic int wanted;
  int watched_count, text_count;
  struct watched watched[MOST_WATCHED];
  struct digest texts[MOST_TEXTS];
} digests = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct digest digest_more(struct digest made, const unsigned char *from, uint64_t bytes) {
  for (uint64_t at = 0; at < bytes; at += 8) {
    uint64_t word = 0;
    memcpy(&word, from + at, least(8, bytes - at));
    made.one = (made.one ^ word) * 0x9e3779b97f4a7c15u;
    made.one ^= made.one >> 32;
    made.other = (made.other + word) * 0xff51afd7ed558ccdu;
    made.other ^= made.other >> 29;
  }
  return made;
}

/* Adds memory to a digest if it is readable; returns whether it is. */
static int digest_piece(uint64_t at, uint64_t bytes, struct digest *made) {
  static unsigned char part[1 << 16]; /* protected by the lock */
  for (uint64_t done = 0; done < bytes; done += sizeof part) {
    uint64_t size = least(bytes - done, sizeof part);
    if (!copy_carefully(part, (const void *)(uintptr_t)(at + done), size)) return 0;
    *made = digest_more(*made, part, size);
  }
  return 1;
}

static int digest_of(uint64_t at, uint64_t bytes, struct digest *made) {
  *made = (struct digest){bytes, ~bytes};
  return digest_piece(at, bytes, made);
}

static int digest_of_rows(const struct rows *memory, struct digest *made) {
  *made = (struct digest){memory->bytes, ~memory->bytes};
  for (uint64_t slice = 0; slice < memory->slices; slice++)
    for (uint64_t row = 0; row < memory->rows; row++) {
      uint64_t at = memory->at + slice * memory->slice_pitch + row * memory->row_pitch;
      if (!digest_piece(at, memory->bytes, made)) return 0;
    }
  return 1;
}

static struct rows one_piece(const void *at, uint64_t bytes) {
  return (struct rows){(uint64_t)(uintptr_t)at, bytes, 1, 0, 1, 0};
}

/* Returns rows and slices from their numbers and pitches; pitch 0 means no gap. Rows and slices without gaps are
 * joined. */
static struct rows rows_of(const void *at, uint64_t width, uint64_t height, uint64_t depth, uint64_t row, uint64_t slice) {
  struct rows made = {(uint64_t)(uintptr_t)at, width, height, row ? row : width, depth, 0};
  made.slice_pitch = slice ? slice : height * made.row_pitch;
  if (made.row_pitch == width) made.bytes = width * height, made.rows = 1;
  if (made.rows == 1 && made.slice_pitch == made.bytes) made.bytes *= depth, made.slices = 1;
  return made;
}

/* Returns the rows of a rectangle in a buffer's host memory. */
static struct rows rectangle(const void *at, const void *origin, const void *region, uint64_t row, uint64_t slice) {
  const size_t *first = origin, *size = region;
  uint64_t row_pitch = row ? row : size[0], slice_pitch = slice ? slice : size[1] * row_pitch;
  const unsigned char *start = (const unsigned char *)at + first[2] * slice_pitch + first[1] * row_pitch + first[0];
  return rows_of(start, size[0], size[1], size[2], row, slice);
}

/* Returns the rows of texels in an image's host memory; the layers of a 1D array are a slice pitch apart. */
static struct rows texels(void *const *driver, void *image, const void *at, const void *region, uint64_t row, uint64_t slice) {
  typedef int32_t (*info)(void *, uint32_t, size_t, void *, void *);
  const size_t *size = region;
  size_t element = 0;
  uint32_t type = 0;
  if (((info)driver[AT_IMAGE_INFO])(image, ELEMENT_SIZE, sizeof element, &element, NULL)) return one_piece(at, 0);
  if (((info)driver[AT_MEM_OBJECT_INFO])(image, TYPE_OF_MEM, sizeof type, &type, NULL)) return one_piece(at, 0);
  if (type == LAYERS_OF_ROWS) return rows_of(at, size[0] * element, 1, size[1], row, slice);
  return rows_of(at, size[0] * element, size[1], size[2], row, slice);
}

static int is_same(struct digest one, struct digest other) { return one.one == other.one && one.other == other.other; }

/* Writes a source or a binary; for a long one that the recording already has, only its digest. */
static void put_once(const void *from, uint64_t bytes) {
  struct digest made;
  int is_known = 0, is_kept = 0;
  if (from && bytes > LONG_TEXT && bytes <= LONGEST_CODE) {
    pthread_mutex_lock(&digests.lock);
    if (digest_of((uint64_t)(uintptr_t)from, bytes, &made)) {
      for (int each = 0; each < digests.text_count; each++) is_known |= is_same(digests.texts[each], made);
      is_kept = is_known || digests.text_count < MOST_TEXTS;
      if (is_kept && !is_known) digests.texts[digests.text_count++] = made;
    }
    pthread_mutex_unlock(&digests.lock);
  }
  if (is_kept && room(3 * 8)) {
    put(is_known ? AS_BEFORE : WITH_DIGEST);
    put(made.one);
    put(made.other);
    if (is_known) return;
  }
  put_up_to(LONGEST_CODE, from, bytes);
}

static void put_texts(uint64_t count, const char *const *texts, const size_t *lengths) {
  put(texts && count <= 65536 ? count : NO_CONTENT);
  for (uint64_t each = 0; texts && count <= 65536 && each < count; each++) {
    if (lengths && lengths[each])
      put_once(texts[each], lengths[each]);
    else
      put_once(texts[each], texts[each] ? strlen(texts[each]) : 0);
  }
}

static void put_blobs(uint64_t count, const unsigned char *const *blobs, const size_t *lengths) {
  put(blobs && lengths && count <= 65536 ? count : NO_CONTENT);
  for (uint64_t each = 0; blobs && lengths && count <= 65536 && each < count; each++)
    put_once(blobs[each], lengths[each]);
}

/* Resets all digests: a child process has its own, empty recording. */
static void begin_digests(void) {
  pthread_mutex_init(&digests.lock, NULL);
  digests.watched_count = digests.text_count = 0;
  digests.wanted = getenv("CLCONFORM_HASHES") != NULL;
}

static void drop(int number) { digests.watched[number] = digests.watched[--digests.watched_count]; }

/* Returns whether the memory that commands read is watched. */
static int is_watched(const void *at, uint64_t sequence) { return RARELY(digests.wanted) && sequence && at; }

/* Starts to watch the memory that an enqueued command reads, when its enqueue call has returned. */
static void watch(struct rows memory, const void *queue, uint64_t sequence) {
  struct watched one = {memory, sequence, {0, 0}, queue};
  if (!memory.bytes || !memory.rows || !memory.slices) return;
  pthread_mutex_lock(&digests.lock);
  if (digests.watched_count == MOST_WATCHED) drop(0);
  if (digest_of_rows(&memory, &one.digest)) digests.watched[digests.watched_count++] = one;
  pthread_mutex_unlock(&digests.lock);
}

/* Checks watched memory for changes before the program waits; changed or unreadable memory is dropped, and each
 * change is recorded once. */
static void look_again(void) {
  uint64_t changed[MOST_WATCHED];
  int count = 0, error = errno;
  if (RARELY(digests.wanted && digests.watched_count)) {
    pthread_mutex_lock(&digests.lock);
    for (int each = digests.watched_count - 1; each >= 0; each--) {
      struct digest now;
      int there = digest_of_rows(&digests.watched[each].memory, &now);
      if (there && is_same(now, digests.watched[each].digest)) continue;
      if (there) changed[count++] = digests.watched[each].sequence;
      drop(each);
    }
    pthread_mutex_unlock(&digests.lock);
  }
  for (int each = 0; each < count; each++)
    if (begin_record(CHANGED, 0)) {
      put(changed[each]);
      end_record();
    }
  errno = error;
}

/* Stops watching memory that a command may write to from now on; all memory if that is unknown. */
static void give_up(const void *at, uint64_t bytes) {
  uint64_t start = (uint64_t)(uintptr_t)at;
  if (!digests.wanted || !digests.watched_count) return;
  pthread_mutex_lock(&digests.lock);
  for (int each = digests.watched_count - 1; each >= 0; each--) {
    const struct rows *memory = &digests.watched[each].memory;
    uint64_t end = memory->at + (memory->slices - 1) * memory->slice_pitch + (memory->rows - 1) * memory->row_pitch;
    if (!at || (start < end + memory->bytes && memory->at < start + bytes)) drop(each);
  }
  pthread_mutex_unlock(&digests.lock);
}

/* Stops watching memory that commands of a finished queue read. */
static void waited(const void *queue) {
  if (!digests.wanted || !digests.watched_count) return;
  pthread_mutex_lock(&digests.lock);
  for (int each = digests.watched_count - 1; each >= 0; each--)
    if (digests.watched[each].queue == queue) drop(each);
  pthread_mutex_unlock(&digests.lock);
}
