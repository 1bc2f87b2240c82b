#define _CRT_RAND_S /* rand_s, which returns random numbers of the system */
#include "stream.h"

#include <io.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "system.h"
#include "system_windows.h"

#include <mstcpip.h> /* both after winsock2.h */
#include <ws2tcpip.h>

enum {
    CHUNK_BYTES = 1 << 18,
    TOKEN_WORDS = 4,
    TOKEN_TEXT = 8 * TOKEN_WORDS,
    TOKEN_SECONDS = 10,
    BACKLOG = 16,
    MAX_OPTION_BYTES = 64,
    PAUSE_MILLISECONDS = 10,
};
static const char option_name[] = "--connection";

static HANDLE input = INVALID_HANDLE_VALUE, output = INVALID_HANDLE_VALUE;
static SOCKET connection = INVALID_SOCKET;

/* A thread receives one chunk at a time, since not all kinds of handles can be waited for. An empty chunk is the end of
   the connection. Each of the events hands the chunk over to the other thread. */
static uint8_t chunk[CHUNK_BYTES];
static size_t chunk_size, chunk_at;
static HANDLE has_chunk, needs_chunk;

static size_t receive_some(void *to, size_t size) {
    if (connection != INVALID_SOCKET) {
        int received = recv(connection, to, (int)size, 0);
        return received > 0 ? (size_t)received : 0;
    }
    DWORD read_bytes = 0;
    return ReadFile(input, to, (DWORD)size, &read_bytes, NULL) ? read_bytes : 0;
}

static DWORD WINAPI receive_chunks(void *context) {
    (void)context;
    while (true) {
        chunk_at = 0;
        chunk_size = receive_some(chunk, sizeof chunk);
        SetEvent(has_chunk);
        if (chunk_size == 0) {
            return 0;
        }
        WaitForSingleObject(needs_chunk, INFINITE);
    }
}

static bool start_receiving(void) {
    has_chunk = CreateEventW(NULL, TRUE, FALSE, NULL);
    needs_chunk = CreateEventW(NULL, FALSE, FALSE, NULL);
    HANDLE thread =
        has_chunk != NULL && needs_chunk != NULL ? CreateThread(NULL, 0, receive_chunks, NULL, 0, NULL) : NULL;
    if (thread == NULL) {
        fprintf(stderr, "clconform: cannot start a thread\n");
        return false;
    }
    CloseHandle(thread);
    return true;
}

bool use_standard_streams(void) {
    input = GetStdHandle(STD_INPUT_HANDLE);
    output = GetStdHandle(STD_OUTPUT_HANDLE);
    HANDLE nothing = open_nothing();
    int copy = _dup(0), copy_of_output = _dup(1); /* the handles stay open when the descriptors are replaced */
    if (copy < 0 || copy_of_output < 0 || nothing == INVALID_HANDLE_VALUE) {
        fprintf(stderr, "clconform: the standard input and output must be open\n");
        return false;
    }
    input = (HANDLE)_get_osfhandle(copy);
    output = (HANDLE)_get_osfhandle(copy_of_output);
    SetStdHandle(STD_INPUT_HANDLE, nothing);
    _dup2(2, 1); /* what is printed by mistake is not a frame */
    return start_receiving();
}

void close_stream(void) {} /* the driver's process does not inherit it */

bool wait_for_bytes(uint64_t nanoseconds) {
    return WaitForSingleObject(has_chunk, (DWORD)((nanoseconds + 999999) / 1000000)) == WAIT_OBJECT_0;
}

bool read_bytes_exactly(void *to, size_t size) {
    for (uint8_t *at = to; size != 0;) {
        WaitForSingleObject(has_chunk, INFINITE);
        if (chunk_size == 0) {
            return false;
        }
        size_t part = chunk_size - chunk_at < size ? chunk_size - chunk_at : size;
        memcpy(at, chunk + chunk_at, part);
        chunk_at += part;
        at += part;
        size -= part;
        if (chunk_at == chunk_size) {
            ResetEvent(has_chunk);
            SetEvent(needs_chunk);
        }
    }
    return true;
}

bool write_bytes_exactly(const void *from, size_t size) {
    for (const char *at = from; size != 0;) {
        DWORD written = 0;
        int part = size < CHUNK_BYTES ? (int)size : CHUNK_BYTES;
        if (connection != INVALID_SOCKET) {
            int sent = send(connection, at, part, 0);
            written = sent > 0 ? (DWORD)sent : 0;
        } else if (!WriteFile(output, at, (DWORD)part, &written, NULL)) {
            return false;
        }
        if (written == 0) {
            return false;
        }
        at += written;
        size -= written;
    }
    return true;
}

/* TCP */

static bool start_sockets(void) {
    WSADATA about;
    return WSAStartup(MAKEWORD(2, 2), &about) == 0;
}

static bool create_token(char *token) {
    for (size_t i = 0; i < TOKEN_WORDS; i++) {
        unsigned word;
        if (rand_s(&word) != 0) {
            return false;
        }
        snprintf(token + 8 * i, 9, "%08x", word);
    }
    return true;
}

/* Receive the token within some seconds, and compare all of it, so that the time does not show how much is right. */
static bool is_token_sent(const char *token) {
    char sent[TOKEN_TEXT];
    uint64_t until = now_nanoseconds() + TOKEN_SECONDS * UINT64_C(1000000000);
    for (size_t size = 0; size < sizeof sent; size++) {
        uint64_t now = now_nanoseconds();
        if (now >= until || !wait_for_bytes(until - now) || !read_bytes_exactly(sent + size, 1)) {
            return false;
        }
    }
    unsigned difference = 0;
    for (size_t i = 0; i < sizeof sent; i++) {
        difference |= (unsigned)(sent[i] ^ token[i]);
    }
    return difference == 0;
}

/* What a new process receives through its standard input. */
struct handover {
    WSAPROTOCOL_INFOW socket;
    char token[TOKEN_TEXT];
};

bool use_started_connection(const char *option, const char *value) {
    (void)value;
    struct handover handover;
    DWORD read_bytes = 0;
    if (strcmp(option, option_name) != 0) {
        return false;
    }
    bool is_whole = ReadFile(GetStdHandle(STD_INPUT_HANDLE), &handover, sizeof handover, &read_bytes, NULL) &&
                    read_bytes == sizeof handover;
    if (is_whole && start_sockets()) {
        connection = WSASocketW(FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, FROM_PROTOCOL_INFO, &handover.socket, 0,
                                WSA_FLAG_OVERLAPPED);
    }
    if (connection == INVALID_SOCKET || !start_receiving() || !is_token_sent(handover.token)) {
        end_process(1);
    }
    return true;
}

static SOCKET open_listener(const char *address, unsigned port) {
    char service[16];
    snprintf(service, sizeof service, "%u", port);
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE | AI_NUMERICHOST};
    struct addrinfo *found = NULL;
    int error = getaddrinfo(address, service, &wanted, &found);
    if (error != 0) {
        WSASetLastError(error);
        return INVALID_SOCKET;
    }
    const BOOL yes = TRUE;
    SOCKET listener = socket(found->ai_family, SOCK_STREAM, 0);
    bool is_open = listener != INVALID_SOCKET &&
                   setsockopt(listener, SOL_SOCKET, SO_EXCLUSIVEADDRUSE, (const char *)&yes, sizeof yes) == 0 &&
                   bind(listener, found->ai_addr, (int)found->ai_addrlen) == 0 && listen(listener, BACKLOG) == 0;
    error = WSAGetLastError();
    freeaddrinfo(found);
    if (!is_open && listener != INVALID_SOCKET) {
        closesocket(listener);
        WSASetLastError(error);
        return INVALID_SOCKET;
    }
    return listener;
}

static unsigned port_of(SOCKET listener) {
    struct sockaddr_storage own;
    int size = sizeof own;
    if (getsockname(listener, (struct sockaddr *)&own, &size) != 0) {
        return 0;
    }
    return ntohs(own.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)&own)->sin6_port
                                           : ((struct sockaddr_in *)&own)->sin_port);
}

/* A peer that has gone without a word is noticed after two minutes: Windows sends ten probes. */
static void set_options(SOCKET accepted) {
    const BOOL yes = TRUE;
    struct tcp_keepalive probes = {1, 20000, 10000};
    DWORD bytes = 0;
    setsockopt(accepted, IPPROTO_TCP, TCP_NODELAY, (const char *)&yes, sizeof yes);
    WSAIoctl(accepted, SIO_KEEPALIVE_VALS, &probes, sizeof probes, NULL, 0, &bytes, NULL, NULL);
}

/* Start a process that serves the session of a connection. */
static bool start_server(SOCKET accepted, const char *token) {
    SECURITY_ATTRIBUTES inheritable = {sizeof inheritable, NULL, TRUE};
    char options[MAX_OPTION_BYTES];
    HANDLE own = GetCurrentProcess(), source = NULL, target = NULL, errors = NULL;
    PROCESS_INFORMATION started = {0};
    struct handover handover;
    DWORD written;
    if (!CreatePipe(&source, &target, &inheritable, sizeof handover)) {
        return false;
    }
    if (!DuplicateHandle(own, GetStdHandle(STD_ERROR_HANDLE), own, &errors, 0, TRUE, DUPLICATE_SAME_ACCESS)) {
        errors = open_nothing();
    }
    HANDLE handles[] = {source, errors};
    memcpy(handover.token, token, sizeof handover.token);
    snprintf(options, sizeof options, "%s %s", option_name, "standard-input");
    bool is_started = start_this_program(options, 0, handles, sizeof handles / sizeof *handles, &started) &&
                      WSADuplicateSocketW(accepted, started.dwProcessId, &handover.socket) == 0 &&
                      WriteFile(target, &handover, sizeof handover, &written, NULL);
    DWORD error = GetLastError();
    CloseHandle(source);
    CloseHandle(target);
    CloseHandle(errors);
    if (started.hProcess != NULL) {
        CloseHandle(started.hProcess);
        CloseHandle(started.hThread);
    }
    SetLastError(error);
    return is_started;
}

static void report_error(const char *what) {
    char reason[ERROR_TEXT_BYTES];
    describe_error(GetLastError(), reason, sizeof reason);
    fprintf(stderr, "clconform: %s: %s\n", what, reason);
}

bool use_connections(const char *address, unsigned port, const char *folder_root) {
    char token[TOKEN_TEXT + 1];
    SOCKET listener = start_sockets() ? open_listener(address, port) : INVALID_SOCKET;
    if (listener == INVALID_SOCKET || !create_token(token)) {
        char what[ERROR_TEXT_BYTES];
        snprintf(what, sizeof what, "cannot listen on %.200s, port %u", address, port);
        report_error(what);
        return false;
    }
    if (*folder_root != 0) {
        SetEnvironmentVariableA("TMP", folder_root);
    }
    printf("clconform: listening on %s, port %u; token %s\n", address, port_of(listener), token);
    fflush(stdout);
    while (true) {
        SOCKET accepted = accept(listener, NULL, NULL);
        if (accepted == INVALID_SOCKET) {
            Sleep(PAUSE_MILLISECONDS);
            continue;
        }
        set_options(accepted);
        if (!start_server(accepted, token)) {
            report_error("cannot start a process for a connection");
        }
        closesocket(accepted);
    }
}
