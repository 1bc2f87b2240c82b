#include "driver_process.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <wchar.h>

#include "driver_loop.h"
#include "mailbox.h"
#include "stream.h"
#include "system.h"
#include "system_windows.h"

#include <tlhelp32.h> /* after windows.h */

enum {
    MAX_LOG_BYTES = 1 << 24,
    MAX_PROCESSES = 256,
    MAX_OPTION_BYTES = 128,
    WATCH_MILLISECONDS = 200,
    END_MILLISECONDS = 2000,
    ABORTED = 0x40000015, /* STATUS_FATAL_APP_EXIT */
};
static const uint64_t thread_end_nanoseconds = 500000000U, hundred_nanoseconds = 100U;
static const char option_name[] = "--driver-loop";
static const wchar_t folder_prefix[] = L"clconform-server-";

static PROCESS_INFORMATION driver;
static bool has_ended = true, is_main_thread_lost;
static uint64_t main_thread_ended_at;
static DWORD exit_code;
static HANDLE job, own_event, driver_event;
static HANDLE folder_lock = INVALID_HANDLE_VALUE, log_file = INVALID_HANDLE_VALUE, driver_log = INVALID_HANDLE_VALUE;
static wchar_t folder[WIDE_PATH];
static volatile LONG has_to_end;

static BOOL WINAPI request_end(DWORD kind) {
    (void)kind;
    InterlockedExchange(&has_to_end, 1);
    return TRUE;
}

/* No dialogs: an error ends the process. */
static void avoid_dialogs(void) {
    SetErrorMode(SEM_FAILCRITICALERRORS | SEM_NOGPFAULTERRORBOX | SEM_NOOPENFILEERRORBOX);
}

void prepare_server(void) {
    avoid_dialogs();
    SetConsoleCtrlHandler(request_end, TRUE);
}

size_t read_kernel_log(uint8_t *to, size_t size) {
    (void)to, (void)size;
    return 0;
}

bool has_server_to_end(void) { return has_to_end != 0; }

/* the folder */

/* Write the path of an entry of a folder; false if it is too long. */
static bool join_path(wchar_t *path, const wchar_t *root, const wchar_t *name) {
    size_t size = wcslen(root);
    if (size + wcslen(name) + 2 > WIDE_PATH) {
        return false;
    }
    wcscpy(path, root);
    if (size != 0 && root[size - 1] != L'\\' && root[size - 1] != L'/') {
        wcscat(path, L"\\");
    }
    wcscat(path, name);
    return true;
}

static void remove_tree(const wchar_t *root) {
    wchar_t path[WIDE_PATH];
    WIN32_FIND_DATAW entry;
    HANDLE entries = join_path(path, root, L"*") ? FindFirstFileW(path, &entry) : INVALID_HANDLE_VALUE;
    for (BOOL is_more = entries != INVALID_HANDLE_VALUE; is_more; is_more = FindNextFileW(entries, &entry)) {
        bool is_folder = (entry.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY) != 0;
        bool is_link = (entry.dwFileAttributes & FILE_ATTRIBUTE_REPARSE_POINT) != 0;
        if (wcscmp(entry.cFileName, L".") == 0 || wcscmp(entry.cFileName, L"..") == 0 ||
            !join_path(path, root, entry.cFileName)) {
            continue;
        }
        if (!is_folder) {
            DeleteFileW(path);
        } else if (is_link) {
            RemoveDirectoryW(path);
        } else {
            remove_tree(path);
        }
    }
    if (entries != INVALID_HANDLE_VALUE) {
        FindClose(entries);
    }
    RemoveDirectoryW(root);
}

/* Lock the folder; INVALID_HANDLE_VALUE if a server has locked it. The lock ends with the process. */
static HANDLE lock_folder(const wchar_t *root) {
    wchar_t path[WIDE_PATH];
    return join_path(path, root, L"lock") ? CreateFileW(path, GENERIC_READ | GENERIC_WRITE, 0, NULL, OPEN_ALWAYS,
                                                        FILE_FLAG_DELETE_ON_CLOSE, NULL)
                                          : INVALID_HANDLE_VALUE;
}

/* Remove the folders of servers that were killed. */
static void remove_abandoned(const wchar_t *root) {
    wchar_t path[WIDE_PATH], pattern[sizeof folder_prefix / sizeof *folder_prefix + 1];
    WIN32_FIND_DATAW entry;
    wcscpy(pattern, folder_prefix);
    wcscat(pattern, L"*");
    HANDLE entries = join_path(path, root, pattern) ? FindFirstFileW(path, &entry) : INVALID_HANDLE_VALUE;
    for (BOOL is_more = entries != INVALID_HANDLE_VALUE; is_more; is_more = FindNextFileW(entries, &entry)) {
        const DWORD kinds = FILE_ATTRIBUTE_DIRECTORY | FILE_ATTRIBUTE_REPARSE_POINT;
        HANDLE lock = (entry.dwFileAttributes & kinds) == FILE_ATTRIBUTE_DIRECTORY &&
                              join_path(path, root, entry.cFileName)
                          ? lock_folder(path)
                          : INVALID_HANDLE_VALUE;
        if (lock != INVALID_HANDLE_VALUE) {
            CloseHandle(lock);
            remove_tree(path);
        }
    }
    if (entries != INVALID_HANDLE_VALUE) {
        FindClose(entries);
    }
}

/* Open the file for the driver's output: to read and truncate it here, and to append to it in the driver's process. */
static bool open_log(void) {
    wchar_t path[WIDE_PATH];
    const DWORD shared = FILE_SHARE_READ | FILE_SHARE_WRITE | FILE_SHARE_DELETE;
    SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, NULL, TRUE};
    if (!join_path(path, folder, L"output")) {
        return false;
    }
    log_file = CreateFileW(path, GENERIC_READ | GENERIC_WRITE, shared, NULL, CREATE_ALWAYS, 0, NULL);
    driver_log = CreateFileW(path, FILE_APPEND_DATA, shared, &inheritable, OPEN_EXISTING, 0, NULL);
    return log_file != INVALID_HANDLE_VALUE && driver_log != INVALID_HANDLE_VALUE;
}

const char *create_server_folder(const char *root) {
    static char narrowed[UTF8_PATH];
    wchar_t wide_root[WIDE_PATH], name[64];
    LARGE_INTEGER now;
    /* the options of this program are in the code page of the system */
    bool has_root = *root != 0 ? MultiByteToWideChar(CP_ACP, 0, root, -1, wide_root, WIDE_PATH) > 0
                               : GetTempPathW(WIDE_PATH, wide_root) > 0;
    QueryPerformanceCounter(&now);
    swprintf(name, sizeof name / sizeof *name, L"%ls%lu-%06lx", folder_prefix, GetCurrentProcessId(),
             (unsigned long)(now.QuadPart & 0xFFFFFF));
    errno = EACCES;
    if (!has_root) {
        return NULL;
    }
    remove_abandoned(wide_root);
    if (!join_path(folder, wide_root, name)) {
        return NULL;
    }
    for (int attempt = 0; attempt < MAX_FOLDERS; attempt++) {
        if (!CreateDirectoryW(folder, NULL) && GetLastError() != ERROR_ALREADY_EXISTS) {
            return NULL;
        }
        folder_lock = lock_folder(folder); /* another server may take it for an abandoned one before it is locked */
        if (folder_lock != INVALID_HANDLE_VALUE && open_log()) {
            return narrow(folder, narrowed, sizeof narrowed) ? narrowed : NULL;
        }
        Sleep(1);
    }
    return NULL;
}

void remove_server_folder(void) {
    CloseHandle(log_file);
    CloseHandle(driver_log);
    CloseHandle(folder_lock); /* an open file would keep the folder */
    remove_tree(folder);
    log_file = driver_log = folder_lock = INVALID_HANDLE_VALUE;
}

/* the driver's process */

/* End with the code of the exception, which would otherwise start a debugger or a dialog. */
static LONG WINAPI end_with_exception(EXCEPTION_POINTERS *about) {
    TerminateProcess(GetCurrentProcess(), about->ExceptionRecord->ExceptionCode);
    return EXCEPTION_EXECUTE_HANDLER;
}

static void end_aborted(int number) {
    (void)number;
    TerminateProcess(GetCurrentProcess(), ABORTED);
}

/* Replace the exit code of abort(), which may be 3, in the C libraries of the system. In a C library that a driver has
   linked statically, abort() ends the process with exit code 3 or by a failure exception. */
static void handle_aborts(void) {
    typedef void handle_signal(int);
    typedef handle_signal *set_handler(int, handle_signal *);
    static const wchar_t *const names[] = {L"msvcrt.dll", L"ucrtbase.dll"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        HMODULE library = LoadLibraryW(names[i]);
        set_handler *set = library != NULL ? (set_handler *)(uintptr_t)GetProcAddress(library, "signal") : NULL;
        if (set != NULL) {
            set(SIGABRT, end_aborted);
        }
    }
}

/* The job of the driver's process ends with the server. */
static bool has_server_ended(void) { return false; }

bool run_started_driver(const char *option, const char *value) {
    unsigned long long mapping, own, other;
    if (strcmp(option, option_name) != 0 || sscanf(value, "%llx,%llx,%llx", &mapping, &own, &other) != 3) {
        return false;
    }
    avoid_dialogs();
    SetUnhandledExceptionFilter(end_with_exception);
    handle_aborts();
    void *memory = view_shared_memory((HANDLE)(uintptr_t)mapping, mailbox_bytes());
    if (memory == NULL) {
        end_process(1);
    }
    CloseHandle((HANDLE)(uintptr_t)mapping);
    use_mailbox(memory);
    use_wake_events((HANDLE)(uintptr_t)own, (HANDLE)(uintptr_t)other, NULL);
    set_mailbox_process((int)GetCurrentProcessId());
    run_driver_loop(has_server_ended);
}

/* Set a variable of this process, or remove it if the value is NULL. */
static bool set_variable(const char *name, const char *value) {
    static wchar_t wide_name[1 << 15], wide_value[1 << 15]; /* the largest value */
    return widen(name, wide_name, sizeof wide_name / sizeof *wide_name) &&
           (value == NULL || widen(value, wide_value, sizeof wide_value / sizeof *wide_value)) &&
           (SetEnvironmentVariableW(wide_name, value != NULL ? wide_value : NULL) != 0 || value == NULL);
}

/* Set variables of this process, which the driver's process inherits; its temporary files belong into the folder. */
static bool set_variables(const struct variable *variables, size_t count) {
    bool is_set = SetEnvironmentVariableW(L"TEMP", folder) && SetEnvironmentVariableW(L"TMP", folder);
    for (size_t i = 0; i < count && is_set; i++) {
        is_set = set_variable(variables[i].name, variables[i].value);
    }
    return is_set;
}

/* Give this process the environment that it had before. */
static void restore_variables(wchar_t *former, const struct variable *variables, size_t count) {
    for (size_t i = 0; i < count; i++) {
        set_variable(variables[i].name, NULL);
    }
    for (wchar_t *at = former; *at != 0; at += wcslen(at) + 1) {
        wchar_t *equals = wcschr(at + 1, L'='); /* a name that begins with = is not a variable */
        if (*at != L'=' && equals != NULL) {
            *equals = 0;
            SetEnvironmentVariableW(at, equals + 1);
            *equals = L'=';
        }
    }
}

static HANDLE create_event(void) {
    SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, NULL, TRUE};
    return CreateEventW(&inheritable, FALSE, FALSE, NULL);
}

/* Create a job whose processes end with this process. */
static HANDLE create_job(void) {
    HANDLE created = CreateJobObjectW(NULL, NULL);
    JOBOBJECT_EXTENDED_LIMIT_INFORMATION limits = {0};
    limits.BasicLimitInformation.LimitFlags =
        JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE | JOB_OBJECT_LIMIT_DIE_ON_UNHANDLED_EXCEPTION;
    if (created != NULL &&
        !SetInformationJobObject(created, JobObjectExtendedLimitInformation, &limits, sizeof limits)) {
        CloseHandle(created);
        created = NULL;
    }
    return created;
}

/* Start the process in the job; false on failure (GetLastError). */
static bool start_in_job(void) {
    char options[MAX_OPTION_BYTES];
    if (own_event == NULL) {
        own_event = create_event();
        driver_event = create_event();
    }
    ResetEvent(own_event);
    ResetEvent(driver_event);
    HANDLE handles[] = {open_nothing(), driver_log, shared_memory_handle(), driver_event, own_event};
    snprintf(options, sizeof options, "%s %llx,%llx,%llx", option_name, (unsigned long long)(uintptr_t)handles[2],
             (unsigned long long)(uintptr_t)driver_event, (unsigned long long)(uintptr_t)own_event);
    job = create_job();
    bool is_started = job != NULL && start_this_program(options, CREATE_SUSPENDED | CREATE_NO_WINDOW, handles,
                                                        sizeof handles / sizeof *handles, &driver);
    if (is_started && (!AssignProcessToJobObject(job, driver.hProcess) || ResumeThread(driver.hThread) == (DWORD)-1)) {
        DWORD error = GetLastError();
        TerminateProcess(driver.hProcess, 1);
        SetLastError(error);
        is_started = false;
    }
    DWORD error = GetLastError();
    CloseHandle(handles[0]);
    SetLastError(error);
    return is_started;
}

const char *start_driver_process(const struct variable *variables, size_t count) {
    static char error[ERROR_TEXT_BYTES];
    LARGE_INTEGER start = {.QuadPart = 0};
    wchar_t *former = GetEnvironmentStringsW();
    SetFilePointerEx(log_file, start, NULL, FILE_BEGIN);
    SetEndOfFile(log_file);
    bool is_started = former != NULL && set_variables(variables, count) && start_in_job();
    if (!is_started) {
        describe_error(GetLastError(), error, sizeof error);
    }
    if (former != NULL) {
        restore_variables(former, variables, count);
        FreeEnvironmentStringsW(former);
    }
    if (!is_started) {
        end_driver_process();
        return error;
    }
    has_ended = is_main_thread_lost = false;
    main_thread_ended_at = 0;
    use_wake_events(own_event, driver_event, driver.hProcess);
    return "";
}

static bool is_signalled(HANDLE handle) { return WaitForSingleObject(handle, 0) == WAIT_OBJECT_0; }

/* Whether the main thread, which answers requests, has ended while other threads continue. At the end of a process, its
   threads end first. */
static bool has_lost_main_thread(void) {
    if (!is_signalled(driver.hThread)) {
        return false;
    }
    uint64_t now = now_nanoseconds();
    main_thread_ended_at = main_thread_ended_at != 0 ? main_thread_ended_at : now;
    return now - main_thread_ended_at > thread_end_nanoseconds;
}

bool has_driver_ended(void) {
    LARGE_INTEGER size, start = {.QuadPart = 0};
    if (has_ended) {
        return true;
    }
    if (GetFileSizeEx(log_file, &size) && size.QuadPart > MAX_LOG_BYTES) {
        SetFilePointerEx(log_file, start, NULL, FILE_BEGIN);
        SetEndOfFile(log_file);
    }
    if (is_signalled(driver.hProcess)) {
        GetExitCodeProcess(driver.hProcess, &exit_code);
        has_ended = true;
        return true;
    }
    is_main_thread_lost = has_lost_main_thread();
    return is_main_thread_lost;
}

/* Whether an exit code is that of an exception: an error or a warning of the system, or an exception of a language such
   as C++. A process may exit with the same number. */
static bool is_exception(DWORD code) {
    return code >> 28 == 0xC || code >> 28 == 0xE || code >> 16 == 0x8000 || code == ABORTED;
}

enum end driver_end(uint32_t *number) {
    if (is_main_thread_lost && !has_ended) {
        return END_MAIN_THREAD;
    }
    *number = exit_code;
    return is_exception(exit_code) ? END_EXCEPTION : END_EXIT;
}

/* Wait until all processes of the job have ended, since they may still use files and devices. */
static void wait_for_end_of_job(void) {
    uint64_t until = now_nanoseconds() + END_MILLISECONDS * UINT64_C(1000000);
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION about;
    while (now_nanoseconds() < until &&
           QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &about, sizeof about, NULL) &&
           about.ActiveProcesses != 0) {
        Sleep(1);
    }
}

void end_driver_process(void) {
    if (job != NULL) {
        TerminateJobObject(job, 1);
        wait_for_end_of_job();
        CloseHandle(job);
    }
    if (driver.hProcess != NULL) {
        WaitForSingleObject(driver.hProcess, END_MILLISECONDS);
        CloseHandle(driver.hProcess);
        CloseHandle(driver.hThread);
    }
    job = NULL;
    driver = (PROCESS_INFORMATION){0};
    has_ended = true;
    is_main_thread_lost = false;
    use_wake_events(own_event, driver_event, NULL);
}

/* its use of processors */

static uint64_t to_nanoseconds(FILETIME time) {
    return ((uint64_t)time.dwHighDateTime << 32 | time.dwLowDateTime) * hundred_nanoseconds;
}

/* The processor time of a job, with that of processes that have ended. */
static uint64_t read_job_time(void) {
    JOBOBJECT_BASIC_ACCOUNTING_INFORMATION about;
    if (!QueryInformationJobObject(job, JobObjectBasicAccountingInformation, &about, sizeof about, NULL)) {
        return 0;
    }
    return (uint64_t)(about.TotalUserTime.QuadPart + about.TotalKernelTime.QuadPart) * hundred_nanoseconds;
}

static uint64_t read_thread_time(DWORD thread) {
    FILETIME created, ended, kernel = {0}, user = {0};
    HANDLE opened = OpenThread(THREAD_QUERY_LIMITED_INFORMATION, FALSE, thread);
    if (opened != NULL) {
        GetThreadTimes(opened, &created, &ended, &kernel, &user);
        CloseHandle(opened);
    }
    return to_nanoseconds(kernel) + to_nanoseconds(user);
}

static bool is_of_job(DWORD process) {
    static struct {
        JOBOBJECT_BASIC_PROCESS_ID_LIST list;
        ULONG_PTR more[MAX_PROCESSES];
    } found;
    DWORD size = sizeof found;
    if (!QueryInformationJobObject(job, JobObjectBasicProcessIdList, &found, size, NULL)) {
        return process == driver.dwProcessId;
    }
    for (DWORD i = 0; i < found.list.NumberOfProcessIdsInList; i++) {
        if (found.list.ProcessIdList[i] == process) {
            return true;
        }
    }
    return false;
}

/* The processor time of the threads of a job: for Wine, which knows no time of a job. */
static uint64_t read_time_of_threads(void) {
    THREADENTRY32 thread = {.dwSize = sizeof thread};
    uint64_t time = 0;
    DWORD process = 0;
    bool is_driver = false;
    HANDLE threads = CreateToolhelp32Snapshot(TH32CS_SNAPTHREAD, 0);
    for (BOOL is_more = threads != INVALID_HANDLE_VALUE && Thread32First(threads, &thread); is_more;
         is_more = Thread32Next(threads, &thread)) {
        if (thread.th32OwnerProcessID != process) {
            process = thread.th32OwnerProcessID;
            is_driver = is_of_job(process);
        }
        time += is_driver ? read_thread_time(thread.th32ThreadID) : 0;
    }
    if (threads != INVALID_HANDLE_VALUE) {
        CloseHandle(threads);
    }
    return time;
}

/* The states of threads are not known here. A thread that waits for a processor is noticed by the time that it gets; a
   process is blocked if it has an exit code and has not ended. */
struct usage watch_driver(void) {
    struct usage usage = {0, false, false};
    DWORD code = STILL_ACTIVE;
    if (has_ended) {
        return usage;
    }
    Sleep(WATCH_MILLISECONDS);
    usage.is_blocked = GetExitCodeProcess(driver.hProcess, &code) && code != STILL_ACTIVE && !is_signalled(driver.hProcess);
    uint64_t of_job = read_job_time(), of_threads = of_job == 0 ? read_time_of_threads() : 0;
    usage.nanoseconds = of_job > of_threads ? of_job : of_threads;
    return usage;
}

size_t read_output(uint8_t *to, size_t size) {
    LARGE_INTEGER all, start = {.QuadPart = 0};
    DWORD read_bytes = 0;
    if (!GetFileSizeEx(log_file, &all)) {
        return 0;
    }
    start.QuadPart = all.QuadPart > (LONGLONG)size ? all.QuadPart - (LONGLONG)size : 0;
    return SetFilePointerEx(log_file, start, NULL, FILE_BEGIN) &&
                   ReadFile(log_file, to, (DWORD)size, &read_bytes, NULL)
               ? read_bytes
               : 0;
}

/* facts */

/* The number of starts that Windows counts, or else the time of the start in minutes, which changes of the clock move. */
void read_boot(char *text, size_t size) {
    static const wchar_t key[] =
        L"SYSTEM\\CurrentControlSet\\Control\\Session Manager\\Memory Management\\PrefetchParameters";
    DWORD count = 0, bytes = sizeof count;
    if (RegGetValueW(HKEY_LOCAL_MACHINE, key, L"BootId", RRF_RT_REG_DWORD, NULL, &count, &bytes) == ERROR_SUCCESS) {
        snprintf(text, size, "start %lu", (unsigned long)count);
        return;
    }
    uint64_t seconds = (uint64_t)time(NULL) - GetTickCount64() / 1000;
    snprintf(text, size, "minute %llu", (unsigned long long)((seconds + 30) / 60));
}

/* The version of Windows; GetVersion returns that of an older one to programs without a manifest. */
static void add_release(struct facts *facts) {
    typedef LONG WINAPI get_version(OSVERSIONINFOW *);
    HMODULE library = GetModuleHandleW(L"ntdll.dll");
    get_version *function =
        library != NULL ? (get_version *)(uintptr_t)GetProcAddress(library, "RtlGetVersion") : NULL;
    OSVERSIONINFOW version = {.dwOSVersionInfoSize = sizeof version};
    if (function != NULL && function(&version) == 0) {
        char text[64];
        snprintf(text, sizeof text, "%lu.%lu.%lu", (unsigned long)version.dwMajorVersion,
                 (unsigned long)version.dwMinorVersion, (unsigned long)version.dwBuildNumber);
        add_fact(facts, "release", text);
    }
}

static const char *machine_name(WORD architecture) {
    switch (architecture) {
    case PROCESSOR_ARCHITECTURE_AMD64:
        return "x86_64";
    case PROCESSOR_ARCHITECTURE_ARM64:
        return "aarch64";
    case PROCESSOR_ARCHITECTURE_INTEL:
        return "i686";
    default:
        return "unknown";
    }
}

void read_facts(struct facts *facts) {
    wchar_t name[256];
    char narrowed[FACT_BYTES];
    DWORD size = sizeof name / sizeof *name;
    SYSTEM_INFO about;
    MEMORYSTATUSEX memory = {.dwLength = sizeof memory};
    ULARGE_INTEGER space;
    GetNativeSystemInfo(&about);
    add_fact(facts, "system", "Windows");
    add_release(facts);
    add_fact(facts, "machine", machine_name(about.wProcessorArchitecture));
    if (GetComputerNameW(name, &size) && narrow(name, narrowed, sizeof narrowed)) {
        add_fact(facts, "name", narrowed);
    }
    add_number_fact(facts, "processors", GetActiveProcessorCount(ALL_PROCESSOR_GROUPS));
    if (GlobalMemoryStatusEx(&memory)) {
        add_number_fact(facts, "memory", memory.ullTotalPhys);
        add_number_fact(facts, "free memory", memory.ullAvailPhys);
    }
    if (GetDiskFreeSpaceExW(folder, &space, NULL, NULL)) {
        add_number_fact(facts, "free space", space.QuadPart);
    }
    add_number_fact(facts, "time", (uint64_t)time(NULL));
}
