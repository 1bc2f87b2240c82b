#define _GNU_SOURCE
#define _FILE_OFFSET_BITS 64 /* for limits and addresses above 2 GiB on 32-bit machines */
#include "system.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/futex.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"

void *map_memory(size_t size) {
    void *address = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    return address == MAP_FAILED ? NULL : address;
}

void unmap_memory(void *address, size_t size) { munmap(address, size); }

void *map_shared_memory(size_t size) { return map_memory(size); }

void unmap_shared_memory(void *address, size_t size) { unmap_memory(address, size); }

/* Three ways to copy memory that may be unreadable. Each copies up to `size` bytes within a page. */
static ssize_t read_by_call(uintptr_t address, void *to, size_t size) {
    struct iovec from = {(void *)address, size}, into = {to, size};
    return process_vm_readv(getpid(), &into, 1, &from, 1, 0);
}

static ssize_t read_through_file(uintptr_t address, void *to, size_t size) {
    int file = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);
    ssize_t done = file >= 0 ? pread(file, to, size, (off_t)address) : -1;
    close(file);
    return done;
}

static ssize_t read_through_pipe(uintptr_t address, void *to, size_t size) {
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return -1;
    }
    ssize_t done = write(ends[1], (const void *)address, size);
    done = done > 0 ? read(ends[0], to, (size_t)done) : done;
    close(ends[0]);
    close(ends[1]);
    return done;
}

/* Kernels and sandboxes may lack the first two, and an emulator of another processor may read other memory by them. */
static ssize_t (*const ways_to_read[])(uintptr_t, void *, size_t) = {read_by_call, read_through_file, read_through_pipe};
enum { WAYS = sizeof ways_to_read / sizeof *ways_to_read };

/* The first way that reads memory with known content. */
static size_t find_way_to_read(void) {
    static const char known[] = "clconform reads this text to find out how it can read memory";
    size_t way = 0;
    for (; way + 1 < WAYS; way++) {
        char copy[sizeof known] = "";
        if (ways_to_read[way]((uintptr_t)known, copy, sizeof copy) == (ssize_t)sizeof copy &&
            memcmp(known, copy, sizeof copy) == 0) {
            break;
        }
    }
    return way;
}

size_t read_safely(uintptr_t address, void *to, size_t size) {
    static atomic_size_t known_way; /* counted from 1 */
    const size_t page = 4096;
    if (known_way == 0) {
        known_way = find_way_to_read() + 1;
    }
    size_t done = 0;
    bool has_searched_again = false;
    while (done < size) { /* page by page, since a read that meets an unreadable page may copy nothing */
        size_t part = page - (address + done) % page;
        part = part < size - done ? part : size - done;
        ssize_t copied = ways_to_read[known_way - 1](address + done, (char *)to + done, part);
        if (copied < 0 && (errno == ENOSYS || errno == EPERM) && !has_searched_again) {
            has_searched_again = true; /* the driver may have given up rights */
            known_way = find_way_to_read() + 1;
            continue;
        }
        if (copied <= 0) {
            break;
        }
        done += (size_t)copied;
    }
    return done;
}

/* Visit the mapping in one line: range, permissions, offset, device, inode and optional path. */
static bool visit_line(char *line, visit_mapping *visit, void *context) {
    uint64_t start, end;
    char permissions[8];
    int path = 0;
    if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %7s %*s %*s %*s %n", &start, &end, permissions, &path) < 3 || path == 0) {
        return true;
    }
    return visit(context, (uintptr_t)start, (uintptr_t)end, permissions[2] == 'x', line + path);
}

bool visit_mappings(visit_mapping *visit, void *context) {
    struct buffer content = {0};
    int file = open("/proc/self/maps", O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    ssize_t read_bytes = 0;
    bool whole = true;
    do {
        whole = buffer_reserve(&content, 4097);
        read_bytes = whole ? read(file, content.data + content.size, content.capacity - content.size - 1) : -1;
        content.size += read_bytes > 0 ? (size_t)read_bytes : 0;
    } while (read_bytes > 0);
    int error = errno;
    close(file);
    if (!whole || read_bytes < 0) {
        buffer_free(&content);
        errno = error;
        return false;
    }
    content.data[content.size] = 0;
    char *line = (char *)content.data;
    for (char *end = NULL; line != NULL && *line != 0; line = end != NULL ? end + 1 : NULL) {
        end = strchr(line, '\n');
        if (end != NULL) {
            *end = 0;
        }
        if (!visit_line(line, visit, context)) {
            break;
        }
    }
    buffer_free(&content);
    return true;
}

void *load_library(const char *path, char *error, size_t error_bytes) {
    void *library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL) {
        const char *message = dlerror();
        snprintf(error, error_bytes, "%s", message != NULL ? message : "unknown error");
    }
    return library;
}

bool find_real_path(const char *path, char *found, size_t size) {
    char *real = realpath(path, NULL);
    bool has_room = real != NULL && strlen(real) < size;
    if (has_room) {
        memcpy(found, real, strlen(real) + 1);
    }
    free(real);
    return has_room;
}

void *find_symbol(void *library, const char *name) { return dlsym(library, name); }

bool wait_on_word(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds) {
    struct { /* as the kernel takes it, which differs from struct timespec of some C libraries for 32 bits */
        long seconds, nanoseconds;
    } limit = {(long)(nanoseconds / 1000000000U), (long)(nanoseconds % 1000000000U)};
    if (syscall(SYS_futex, word, FUTEX_WAIT, value, &limit, NULL, 0) == 0) {
        return true;
    }
    if (errno == ETIMEDOUT) {
        return false;
    }
    if (errno != EAGAIN && errno != EINTR) {
        usleep(500);
    }
    return true;
}

void wake_word(_Atomic uint32_t *word) { syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0); }

void exclude_from_forks(void *address, size_t size) { madvise(address, size, MADV_DONTFORK); }

static cpu_set_t allowed_cores;

bool bind_to_core(uint32_t core) {
    cpu_set_t one;
    if (core == 0 || core > CPU_SETSIZE || sched_getaffinity(0, sizeof allowed_cores, &allowed_cores) != 0 ||
        !CPU_ISSET(core - 1, &allowed_cores)) {
        return false;
    }
    CPU_ZERO(&one);
    CPU_SET(core - 1, &one);
    return sched_setaffinity(0, sizeof one, &one) == 0;
}

void release_core(void) { sched_setaffinity(0, sizeof allowed_cores, &allowed_cores); }

void sleep_forever(void) {
    while (true) {
        pause();
    }
}

_Noreturn void end_process(int code) { _exit(code); }

uint64_t now_nanoseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000U + (uint64_t)now.tv_nsec;
}

bool limit_data(uint64_t bytes) {
    struct rlimit limit;
    if (getrlimit(RLIMIT_DATA, &limit) != 0) {
        return false;
    }
    bool is_lower = limit.rlim_max == RLIM_INFINITY || bytes < (uint64_t)limit.rlim_max;
    limit.rlim_cur = bytes != 0 && is_lower ? (rlim_t)bytes : limit.rlim_max;
    return setrlimit(RLIMIT_DATA, &limit) == 0;
}
