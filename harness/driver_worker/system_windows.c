#include "system.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system_windows.h"

/* memory */

void *map_memory(size_t size) {
    void *address = VirtualAlloc(NULL, size, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
    if (address == NULL) {
        errno = ENOMEM;
    }
    return address;
}

void unmap_memory(void *address, size_t size) {
    (void)size;
    VirtualFree(address, 0, MEM_RELEASE);
}

static HANDLE shared_memory;

HANDLE shared_memory_handle(void) { return shared_memory; }

void *view_shared_memory(HANDLE mapping, size_t size) {
    return MapViewOfFile(mapping, FILE_MAP_READ | FILE_MAP_WRITE, 0, 0, size);
}

void *map_shared_memory(size_t size) {
    SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, NULL, TRUE};
    shared_memory = CreateFileMappingW(INVALID_HANDLE_VALUE, &inheritable, PAGE_READWRITE, 0, (DWORD)size, NULL);
    void *address = shared_memory != NULL ? view_shared_memory(shared_memory, size) : NULL;
    if (address == NULL) {
        errno = ENOMEM;
    }
    return address;
}

void unmap_shared_memory(void *address, size_t size) {
    (void)size;
    UnmapViewOfFile(address);
    CloseHandle(shared_memory);
    shared_memory = NULL;
}

/* Whether a region can be read. Guard pages are left alone, since an access removes their guard. */
static bool is_readable(const MEMORY_BASIC_INFORMATION *region) {
    return region->State == MEM_COMMIT && (region->Protect & (PAGE_GUARD | PAGE_NOACCESS)) == 0;
}

size_t read_safely(uintptr_t address, void *to, size_t size) {
    const size_t page = 4096;
    size_t done = 0;
    while (done < size) { /* page by page, since a read that meets an unreadable page may copy nothing */
        MEMORY_BASIC_INFORMATION region;
        const void *from = (const void *)(address + done);
        size_t part = page - (address + done) % page;
        SIZE_T read_bytes = 0;
        part = part < size - done ? part : size - done;
        if (VirtualQuery(from, &region, sizeof region) == 0 || !is_readable(&region) ||
            !ReadProcessMemory(GetCurrentProcess(), from, (char *)to + done, part, &read_bytes)) {
            break;
        }
        done += read_bytes;
    }
    return done;
}

/* texts */

bool widen(const char *text, wchar_t *wide, size_t room) {
    return MultiByteToWideChar(CP_UTF8, MB_ERR_INVALID_CHARS, text, -1, wide, (int)room) > 0;
}

bool narrow(const wchar_t *wide, char *text, size_t room) {
    return WideCharToMultiByte(CP_UTF8, 0, wide, -1, text, (int)room, NULL, NULL) > 0;
}

void describe_error(DWORD number, char *text, size_t room) {
    wchar_t message[512] = L"";
    char narrowed[3 * 512] = "";
    DWORD flags = FORMAT_MESSAGE_FROM_SYSTEM | FORMAT_MESSAGE_IGNORE_INSERTS | FORMAT_MESSAGE_MAX_WIDTH_MASK;
    FormatMessageW(flags, NULL, number, 0, message, sizeof message / sizeof *message, NULL);
    if (!narrow(message, narrowed, sizeof narrowed) || narrowed[0] == 0) {
        snprintf(narrowed, sizeof narrowed, "error");
    }
    for (size_t size = strlen(narrowed); size != 0 && narrowed[size - 1] == ' '; size--) {
        narrowed[size - 1] = 0;
    }
    snprintf(text, room, "%s (%lu)", narrowed, (unsigned long)number);
}

/* files and libraries */

/* Replace a path by that of the same file without links, in the letters of the file system. */
static bool resolve_path(wchar_t *path) {
    static const wchar_t prefix[] = L"\\\\?\\", server_prefix[] = L"\\\\?\\UNC\\";
    const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    HANDLE file = CreateFileW(path, 0, shared, NULL, OPEN_EXISTING, FILE_FLAG_BACKUP_SEMANTICS, NULL);
    if (file == INVALID_HANDLE_VALUE) {
        return false;
    }
    wchar_t found[WIDE_PATH];
    DWORD size = GetFinalPathNameByHandleW(file, found, WIDE_PATH, FILE_NAME_NORMALIZED | VOLUME_NAME_DOS);
    CloseHandle(file);
    if (size == 0 || size >= WIDE_PATH) {
        return false;
    }
    if (wcsncmp(found, server_prefix, wcslen(server_prefix)) == 0) {
        path[0] = L'\\';
        wcscpy(path + 1, found + wcslen(server_prefix) - 1);
    } else {
        wcscpy(path, wcsncmp(found, prefix, wcslen(prefix)) == 0 ? found + wcslen(prefix) : found);
    }
    return true;
}

bool find_real_path(const char *path, char *found, size_t size) {
    wchar_t wide[WIDE_PATH];
    return widen(path, wide, WIDE_PATH) && resolve_path(wide) && narrow(wide, found, size);
}

/* Find the path of the library that is loaded at an address; "" if there is none. */
static void find_library_path(void *start, char *path, size_t size) {
    wchar_t wide[WIDE_PATH];
    DWORD length = GetModuleFileNameW((HMODULE)start, wide, WIDE_PATH);
    path[0] = 0;
    if (length != 0 && length < WIDE_PATH) {
        resolve_path(wide);
        if (!narrow(wide, path, size)) {
            path[0] = 0;
        }
    }
}

bool visit_mappings(visit_mapping *visit, void *context) {
    static char path[UTF8_PATH];
    const DWORD executable = PAGE_EXECUTE | PAGE_EXECUTE_READ | PAGE_EXECUTE_READWRITE | PAGE_EXECUTE_WRITECOPY;
    MEMORY_BASIC_INFORMATION region;
    void *library = NULL;
    bool is_wanted = true;
    for (uintptr_t at = 0; is_wanted && VirtualQuery((void *)at, &region, sizeof region) != 0;) {
        uintptr_t start = (uintptr_t)region.BaseAddress, end = start + region.RegionSize;
        if (region.State == MEM_COMMIT) {
            if (region.Type != MEM_IMAGE) {
                path[0] = 0;
                library = NULL;
            } else if (region.AllocationBase != library) {
                library = region.AllocationBase;
                find_library_path(library, path, sizeof path);
            }
            is_wanted = visit(context, start, end, (region.Protect & executable) != 0, path);
        }
        if (end <= at) {
            break;
        }
        at = end;
    }
    return true;
}

void *load_library(const char *path, char *error, size_t error_bytes) {
    wchar_t wide[WIDE_PATH];
    if (!widen(path, wide, WIDE_PATH)) {
        snprintf(error, error_bytes, "the path is invalid or too long");
        return NULL;
    }
    bool is_path = false;
    for (wchar_t *at = wide; *at != 0; at++) {
        *at = *at == L'/' ? L'\\' : *at;
        is_path |= *at == L'\\';
    }
    /* a library that is named by its path finds those next to it */
    HMODULE library = LoadLibraryExW(wide, NULL, is_path ? LOAD_WITH_ALTERED_SEARCH_PATH : 0);
    if (library == NULL) {
        char reason[ERROR_TEXT_BYTES];
        describe_error(GetLastError(), reason, sizeof reason);
        snprintf(error, error_bytes, "%s: %s", path, reason);
    }
    return (void *)library;
}

void *find_symbol(void *library, const char *name) {
    return (void *)(uintptr_t)GetProcAddress((HMODULE)library, name);
}

/* processes */

static HANDLE own_event, other_event, watched_process;

void use_wake_events(HANDLE own, HANDLE other, HANDLE process) {
    own_event = own;
    other_event = other;
    watched_process = process;
}

/* One thread of each process waits, so one event for each process serves all words: an event for another word wakes it
   early. */
bool wait_on_word(_Atomic uint32_t *word, uint32_t value, uint64_t nanoseconds) {
    const HANDLE handles[] = {own_event, watched_process};
    DWORD milliseconds = (DWORD)((nanoseconds + 999999) / 1000000);
    if (*word != value) {
        return true;
    }
    DWORD waited = WaitForMultipleObjects(watched_process != NULL ? 2 : 1, handles, FALSE, milliseconds);
    if (waited == WAIT_FAILED) { /* the driver may have closed the handle */
        Sleep(1);
    }
    return waited != WAIT_TIMEOUT;
}

void wake_word(_Atomic uint32_t *word) {
    (void)word;
    SetEvent(other_event);
}

void exclude_from_forks(void *address, size_t size) { (void)address, (void)size; }

bool bind_to_core(uint32_t core) {
    (void)core;
    return false;
}

void release_core(void) {}

void sleep_forever(void) {
    while (true) {
        Sleep(INFINITE);
    }
}

/* ExitProcess would run the exit functions of all libraries. */
_Noreturn void end_process(int code) {
    TerminateProcess(GetCurrentProcess(), (UINT)code);
    abort();
}

uint64_t now_nanoseconds(void) {
    static LARGE_INTEGER frequency;
    const uint64_t second = 1000000000U;
    LARGE_INTEGER now;
    if (frequency.QuadPart == 0) {
        QueryPerformanceFrequency(&frequency);
    }
    QueryPerformanceCounter(&now);
    uint64_t ticks = (uint64_t)now.QuadPart, per_second = (uint64_t)frequency.QuadPart;
    return ticks / per_second * second + ticks % per_second * second / per_second;
}

/* Windows limits the memory of a job, with all that the driver's libraries map, and not that for data alone. */
bool limit_data(uint64_t bytes) {
    (void)bytes;
    return true;
}

HANDLE open_nothing(void) {
    SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, NULL, TRUE};
    return CreateFileW(L"NUL", GENERIC_READ | GENERIC_WRITE, FILE_SHARE_READ | FILE_SHARE_WRITE, &inheritable,
                       OPEN_EXISTING, 0, NULL);
}

bool start_this_program(
    const char *options, DWORD more_flags, HANDLE *handles, size_t count, PROCESS_INFORMATION *started) {
    static wchar_t path[WIDE_PATH], line[2 * WIDE_PATH];
    wchar_t wide_options[1024];
    DWORD size = GetModuleFileNameW(NULL, path, WIDE_PATH);
    if (size == 0 || size >= WIDE_PATH || !widen(options, wide_options, sizeof wide_options / sizeof *wide_options)) {
        return false;
    }
    wcscpy(line, L"\"");
    wcscat(line, path);
    wcscat(line, L"\" ");
    wcscat(line, wide_options);
    SIZE_T bytes = 0;
    InitializeProcThreadAttributeList(NULL, 1, 0, &bytes);
    LPPROC_THREAD_ATTRIBUTE_LIST attributes = malloc(bytes);
    if (attributes == NULL || !InitializeProcThreadAttributeList(attributes, 1, 0, &bytes)) {
        free(attributes);
        return false;
    }
    STARTUPINFOEXW start = {.StartupInfo = {.cb = sizeof start, .dwFlags = STARTF_USESTDHANDLES},
                            .lpAttributeList = attributes};
    start.StartupInfo.hStdInput = handles[0];
    start.StartupInfo.hStdOutput = handles[1];
    start.StartupInfo.hStdError = handles[1];
    const DWORD flags = EXTENDED_STARTUPINFO_PRESENT | more_flags;
    BOOL is_started = UpdateProcThreadAttribute(attributes, 0, PROC_THREAD_ATTRIBUTE_HANDLE_LIST, handles,
                                                count * sizeof *handles, NULL, NULL) &&
                      CreateProcessW(path, line, NULL, NULL, TRUE, flags, NULL, NULL, &start.StartupInfo, started);
    DWORD error = GetLastError();
    DeleteProcThreadAttributeList(attributes);
    free(attributes);
    SetLastError(error);
    return is_started != 0;
}
