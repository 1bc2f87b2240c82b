/* The shim's part of the recording library: it opens the vendor's library, and finds the functions that it exports.
 *
 * The shim stands for a library that exports OpenCL's functions where no loader loads the layer. Its own functions have
 * the same names, so the linker may bind the vendor's own calls to them: such calls are passed on and not recorded. They
 * are recognized by their thread, which is in a call of the vendor, or by their return address. RTLD_DEEPBIND would
 * avoid these calls in some C libraries, but it also separates the vendor from standard streams and allocators that the
 * program replaces, and sanitizers reject it.
 *
 * Generated before this file: EXPORTS, export_names, vendor_functions, exported_functions,
 * vendor_table, table_exports, required_exports.
 */
#include <link.h>
#include <sys/stat.h>

#define VENDOR_VARIABLE "CLCONFORM_VENDOR_LIBRARY"
#define MOST_IMAGES 16
#if UINTPTR_MAX > 0xffffffff
#define BITS_OF_FOLDERS "64"
#else
#define BITS_OF_FOLDERS ""
#endif

/* Identifies a shim, so that one does not open another. */
EXPORTED const char clconform_shim[] = "clconform recording";

static const char *const android_paths[] = {
    "/vendor/lib" BITS_OF_FOLDERS "/libOpenCL.so",
    "/system/vendor/lib" BITS_OF_FOLDERS "/libOpenCL.so",
    "/system/lib" BITS_OF_FOLDERS "/libOpenCL.so",
    "/vendor/lib/libOpenCL.so",
    "/system/vendor/lib/libOpenCL.so",
};
#ifndef __ANDROID__
static const char *const library_folders[] = {
    "/usr/local/lib",
#ifdef MULTIARCH
    "/usr/local/lib/" MULTIARCH,
    "/usr/lib/" MULTIARCH,
    "/lib/" MULTIARCH,
#endif
    "/usr/lib" BITS_OF_FOLDERS,
    "/lib" BITS_OF_FOLDERS,
    "/usr/lib",
    "/lib",
};
#endif

static THREAD_LOCAL int in_vendor; /* the thread is in a call of the vendor, and not in a callback of the program */
static pthread_once_t vendor_opened = PTHREAD_ONCE_INIT, recording_started = PTHREAD_ONCE_INIT;
static _Atomic int vendor_is_ready;
static struct code_range vendor_images[MOST_IMAGES], own_image;
static int vendor_image_count;
static char tried[1024]; /* the libraries that cannot be used, with the reasons */

static void start_shim_recording(void);

/* the images of libraries */

struct image {
  uintptr_t address;
  struct code_range range;
};

static int match_image(struct dl_phdr_info *info, size_t size, void *of) {
  struct image *image = of;
  struct code_range range = {UINTPTR_MAX, 0};
  int is_inside = 0;
  (void)size;
  for (int each = 0; each < info->dlpi_phnum; each++) {
    if (info->dlpi_phdr[each].p_type != PT_LOAD) continue;
    uintptr_t start = (uintptr_t)info->dlpi_addr + info->dlpi_phdr[each].p_vaddr;
    uintptr_t end = start + info->dlpi_phdr[each].p_memsz;
    is_inside |= image->address >= start && image->address < end;
    if (start < range.start) range.start = start;
    if (end > range.end) range.end = end;
  }
  if (is_inside) image->range = range;
  return is_inside;
}

/* Returns the addresses of the library, or of the program, that contains an address; an empty range if none does. */
static struct code_range find_image(const void *address) {
  struct image image = {(uintptr_t)address, {0, 0}};
  dl_iterate_phdr(match_image, &image);
  return image.range;
}

static int is_within(const struct code_range *range, const void *address) {
  return (uintptr_t)address - range->start < range->end - range->start;
}

static int is_in_vendor_image(const void *address) {
  for (int each = 0; each < vendor_image_count; each++)
    if (is_within(&vendor_images[each], address)) return 1;
  return 0;
}

/* the vendor's library */

static void note_tried(const char *path, const char *reason) {
  size_t length = strlen(tried);
  snprintf(tried + length, sizeof tried - length, "%s%s%s%s%s", length ? ", " : "", path, reason ? " (" : "",
           reason ? reason : "", reason ? ")" : "");
}

/* Finds the functions of a library, or those after the shim in the order of the linker; returns why it is unusable. */
static const char *find_functions(void *library) {
  static char reason[128];
  void *marker = dlsym(library, "clconform_shim");
  if (marker && !is_within(&own_image, marker)) return "another shim of clconform";
  for (int each = 0; each < EXPORTS; each++) {
    void *found = dlsym(library, export_names[each]);
    vendor_functions[each] = found && !is_within(&own_image, found) ? found : NULL;
  }
  for (size_t each = 0; each < sizeof required_exports / sizeof *required_exports; each++) {
    if (vendor_functions[required_exports[each]]) continue;
    snprintf(reason, sizeof reason, "it lacks %s", export_names[required_exports[each]]);
    return reason;
  }
  return NULL;
}

static int is_own_file(const struct stat *other) {
  struct stat own;
  Dl_info here;
  return dladdr(clconform_shim, &here) && here.dli_fname && !stat(here.dli_fname, &own) &&
         own.st_dev == other->st_dev && own.st_ino == other->st_ino;
}

/* Opens a library by its path, or by a name that the linker finds; returns whether it can be used. */
static int try_library(const char *path, int must_exist) {
  struct stat there;
  if (strchr(path, '/')) {
    if (stat(path, &there)) {
      if (must_exist) note_tried(path, strerror(errno));
      return 0;
    }
    if (is_own_file(&there)) {
      if (must_exist) note_tried(path, "this is the shim itself");
      return 0;
    }
  }
  void *library = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if (!library) {
    const char *reason = dlerror();
    note_tried(path, reason ? reason : "it cannot be opened");
    return 0;
  }
  const char *reason = find_functions(library);
  if (!reason) return 1;
  note_tried(path, reason);
  dlclose(library);
  return 0;
}

static int try_in_folder(const char *folder, const char *name) {
  char path[4096];
  if ((size_t)snprintf(path, sizeof path, "%s/%s", *folder ? folder : ".", name) >= sizeof path) return 0;
  return try_library(path, 0);
}

/* Opens the next library of a name in the folders of LD_LIBRARY_PATH that is not the shim, which dlopen would return. */
static int try_listed(const char *name) {
  const char *listed = getenv("LD_LIBRARY_PATH");
  for (const char *at = listed; at && *at;) {
    size_t length = strcspn(at, ":;");
    char folder[4096];
    if (length < sizeof folder) {
      memcpy(folder, at, length);
      folder[length] = 0;
      if (try_in_folder(folder, name)) return 1;
    }
    at += length + (at[length] != 0);
  }
  return 0;
}

/* Does so in the linker's default folders. */
static int try_installed(const char *name) {
#ifdef __ANDROID__
  (void)name;
#else
  for (size_t each = 0; each < sizeof library_folders / sizeof *library_folders; each++)
    if (try_in_folder(library_folders[each], name)) return 1;
#endif
  return 0;
}

/* Returns whether the linker has loaded this shim because of LD_PRELOAD. */
static int is_preloaded(void) {
  const char *listed = getenv("LD_PRELOAD");
  Dl_info here;
  return listed && dladdr(clconform_shim, &here) && here.dli_fname && strstr(listed, here.dli_fname) != NULL;
}

static int try_default(void) {
  if (is_preloaded() && !find_functions(RTLD_NEXT)) return 1; /* the library that the program is linked with */
  if (try_listed("libOpenCL.so.1") || try_listed("libOpenCL.so")) return 1;
  for (size_t each = 0; each < sizeof android_paths / sizeof *android_paths; each++)
    if (try_library(android_paths[each], 0)) return 1;
  return try_installed("libOpenCL.so.1") || try_installed("libOpenCL.so");
}

static int try_named(const char *name) {
  return strncmp(name, "libOpenCL.so", 12) ? try_library(name, 1) : try_listed(name) || try_installed(name);
}

static void note_images(void) {
  for (int each = 0; each < EXPORTS; each++) {
    if (!vendor_functions[each] || is_in_vendor_image(vendor_functions[each])) continue;
    struct code_range range = find_image(vendor_functions[each]);
    if (range.end && vendor_image_count < MOST_IMAGES) vendor_images[vendor_image_count++] = range;
  }
}

static void open_vendor(void) {
  const char *named = getenv(VENDOR_VARIABLE);
  int before = in_vendor, error = errno;
  in_vendor = 1; /* constructors of the vendor may call its functions */
  own_image = find_image(clconform_shim);
  if (named && *named ? try_named(named) : try_default()) {
    note_images();
    for (int each = 0; each < ENTRIES; each++)
      if (table_exports[each] >= 0) vendor_table[each] = vendor_functions[table_exports[each]];
    target = vendor_table;
    put_wrappers(ENTRIES);
  } else {
    memset(vendor_functions, 0, sizeof vendor_functions);
    fprintf(stderr, "clconform: the shim finds no OpenCL library of a vendor: tried %s; set %s to its path\n",
            *tried ? tried : named && *named ? named : "the usual paths and libOpenCL.so.1", VENDOR_VARIABLE);
  }
  in_vendor = before;
  errno = error;
  atomic_store(&vendor_is_ready, 1);
}

/* Ends the process as the linker does for an unresolved symbol, which the program would have without the shim. */
static void *end_without_function(int number) {
  if (vendor_image_count) /* without a library, its absence was reported */
    fprintf(stderr, "clconform: the vendor's OpenCL library lacks %s, which the program calls\n", export_names[number]);
  _exit(127);
}

/* Returns the function of the library that contains an address; for calls of the vendor while it is being opened. */
static void *find_function_of_caller(int number, const void *from) {
  Dl_info caller;
  void *library = dladdr(from, &caller) && caller.dli_fname ? dlopen(caller.dli_fname, RTLD_LAZY | RTLD_NOLOAD) : NULL;
  void *found = library ? dlsym(library, export_names[number]) : NULL;
  if (library) dlclose(library);
  return found && !is_within(&own_image, found) ? found : NULL;
}

/* Returns the vendor's function for a call, and whether the program has made the call, so that it is recorded. */
static void *find_vendor_function(int number, const void *from, int *is_recorded) {
  *is_recorded = 0;
  void *found = NULL;
  if (RARELY(!atomic_load_explicit(&vendor_is_ready, memory_order_acquire)) && in_vendor) {
    found = find_function_of_caller(number, from);
  } else {
    pthread_once(&vendor_opened, open_vendor);
    found = vendor_functions[number];
    *is_recorded = found && !in_vendor && !is_in_vendor_image(from);
  }
  if (RARELY(!found)) found = end_without_function(number);
  if (*is_recorded) pthread_once(&recording_started, start_shim_recording);
  return found;
}

/* Returns the shim's function for an address that the vendor returns for a name, or this address. */
static void *own_function(void *found) {
  for (int each = 0; each < EXPORTS && found; each++)
    if (vendor_functions[each] == found) return exported_functions[each];
  return found;
}

/* the symbols of the shim */

extern ElfW(Dyn) _DYNAMIC[] __attribute__((visibility("hidden")));

static void *dynamic_address(ElfW(Addr) value) {
  Dl_info here;
  uintptr_t base = dladdr(clconform_shim, &here) ? (uintptr_t)here.dli_fbase : 0;
  return (void *)(value < base ? base + value : value); /* some C libraries have added the base */
}

/* Returns whether the addresses from a start to an end belong to a segment that is neither code nor writable. */
static int is_constant(struct dl_phdr_info *info, size_t size, void *of) {
  struct code_range *range = of;
  (void)size;
  for (int each = 0; each < info->dlpi_phnum; each++) {
    uintptr_t start = (uintptr_t)info->dlpi_addr + info->dlpi_phdr[each].p_vaddr;
    if (info->dlpi_phdr[each].p_type == PT_LOAD && info->dlpi_phdr[each].p_flags == PF_R && range->start >= start &&
        range->end <= start + info->dlpi_phdr[each].p_memsz)
      return 1;
  }
  return 0;
}

/* Removes the functions that the vendor lacks from the shim's symbols, so that dlsym does not find them either. */
static void hide_missing_functions(void) {
  ElfW(Sym) *symbols = NULL;
  const char *names = NULL;
  const uint32_t *table = NULL;
  for (ElfW(Dyn) *each = _DYNAMIC; each->d_tag != DT_NULL; each++) {
    if (each->d_tag == DT_SYMTAB) symbols = dynamic_address(each->d_un.d_ptr);
    if (each->d_tag == DT_STRTAB) names = dynamic_address(each->d_un.d_ptr);
    if (each->d_tag == DT_HASH) table = dynamic_address(each->d_un.d_ptr);
  }
  if (!symbols || !names || !table) return;
  uint32_t count = table[1];
  struct code_range range = {(uintptr_t)symbols, (uintptr_t)(symbols + count)};
  if (!dl_iterate_phdr(is_constant, &range)) return;
  uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), start = (uintptr_t)symbols & ~(page - 1);
  size_t size = ((uintptr_t)(symbols + count) - start + page - 1) & ~(page - 1);
  if (mprotect((void *)start, size, PROT_READ | PROT_WRITE)) return;
  for (int each = 0; each < EXPORTS; each++)
    for (uint32_t one = 0; one < count && !vendor_functions[each]; one++)
      if (!strcmp(names + symbols[one].st_name, export_names[each])) {
        symbols[one].st_shndx = SHN_UNDEF;
        symbols[one].st_value = 0;
      }
  mprotect((void *)start, size, PROT_READ);
}

/* A preloaded shim is in every process that the program starts, so it waits for a call before it opens the vendor. */
static __attribute__((constructor)) void begin_shim(void) {
  if (is_preloaded()) return;
  pthread_once(&vendor_opened, open_vendor);
  hide_missing_functions();
}
