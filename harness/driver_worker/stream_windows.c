#define _WIN32_WINNT 0x0602
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
static const wchar_t token_variable[] = L"CLCONFORM_TOKEN";

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

bool use_started_connection(const char *option, const char *value) {
    unsigned long long number;
    char token[TOKEN_TEXT + 1] = "";
    wchar_t wide[TOKEN_TEXT + 1] = L"";
    if (strcmp(option, option_name) != 0 || sscanf(value, "%llx", &number) != 1) {
        return false;
    }
    DWORD size = GetEnvironmentVariableW(token_variable, wide, TOKEN_TEXT + 1);
    SetEnvironmentVariableW(token_variable, NULL);
    connection = (SOCKET)number;
    if (size != TOKEN_TEXT || !narrow(wide, token, sizeof token) || !start_sockets() || !start_receiving() ||
        !is_token_sent(token)) {
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
    SetHandleInformation((HANDLE)accepted, HANDLE_FLAG_INHERIT, HANDLE_FLAG_INHERIT);
}

/* Start a process that serves the session of a connection. */
static void start_server(SOCKET accepted) {
    char options[MAX_OPTION_BYTES];
    HANDLE errors = NULL, own = GetCurrentProcess(), nothing = open_nothing();
    PROCESS_INFORMATION started;
    if (!DuplicateHandle(own, GetStdHandle(STD_ERROR_HANDLE), own, &errors, 0, TRUE, DUPLICATE_SAME_ACCESS)) {
        errors = open_nothing();
    }
    snprintf(options, sizeof options, "%s %llx", option_name, (unsigned long long)accepted);
    HANDLE handles[] = {nothing, errors, (HANDLE)accepted};
    if (start_this_program(options, 0, handles, sizeof handles / sizeof *handles, &started)) {
        CloseHandle(started.hProcess);
        CloseHandle(started.hThread);
    } else {
        char reason[ERROR_TEXT_BYTES];
        describe_error(GetLastError(), reason, sizeof reason);
        fprintf(stderr, "clconform: cannot start a process for a connection: %s\n", reason);
    }
    CloseHandle(nothing);
    CloseHandle(errors);
}

bool use_connections(const char *address, unsigned port, const char *folder_root) {
    char token[TOKEN_TEXT + 1];
    wchar_t wide[TOKEN_TEXT + 1];
    SOCKET listener = start_sockets() ? open_listener(address, port) : INVALID_SOCKET;
    if (listener == INVALID_SOCKET || !create_token(token) || !widen(token, wide, TOKEN_TEXT + 1)) {
        char reason[ERROR_TEXT_BYTES];
        describe_error((DWORD)WSAGetLastError(), reason, sizeof reason);
        fprintf(stderr, "clconform: cannot listen on %s, port %u: %s\n", address, port, reason);
        return false;
    }
    if (*folder_root != 0) {
        SetEnvironmentVariableA("TMP", folder_root);
    }
    SetEnvironmentVariableW(token_variable, wide); /* the command line of a process is visible to others */
    printf("clconform: listening on %s, port %u; token %s\n", address, port_of(listener), token);
    fflush(stdout);
    while (true) {
        SOCKET accepted = accept(listener, NULL, NULL);
        if (accepted == INVALID_SOCKET) {
            Sleep(PAUSE_MILLISECONDS);
            continue;
        }
        set_options(accepted);
        start_server(accepted);
        closesocket(accepted);
    }
}
