/* The process that runs a driver, or starts one for a session on another machine.

   worker --mailbox ID [--unsupervised]: runs a driver for a session on this machine. With --unsupervised, for a debugger,
   it forks no process of its own.
   worker --serve [--folder FOLDER]: serves a session through its standard input and output.
   worker --listen PORT [--address ADDRESS] [--folder FOLDER]: serves sessions that connect by TCP.
   On systems without fork, it starts itself with further options (run_started_driver, use_started_connection).

   It knows no OpenCL: it loads libraries, calls functions with machine words, and reads and writes memory, as the
   session asks in messages (requests.c). */
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "driver_loop.h"
#include "driver_process.h"
#include "server.h"
#include "stream.h"
#include "supervisor.h"

enum { MAX_PORT = 65535 };

static int fail(const char *message, const char *value) {
    fprintf(stderr, "clconform: %s %s; this program is started by clconform\n", message, value);
    return 2;
}

/* Read a number from 0 to `most`; -1 for any other text. */
static long read_option(const char *text, long most) {
    char *end = NULL;
    errno = 0;
    long number = strtol(text, &end, 10);
    return errno != 0 || end == text || *end != 0 || number < 0 || number > most ? -1 : number;
}

int main(int count, char **words) {
    bool is_supervised = true, is_server = false, is_connected = false;
    long segment = -1, port = -1;
    const char *address = "127.0.0.1", *folder = "";
    for (int i = 1; i < count; i++) {
        const char *word = words[i];
        if (strcmp(word, "--unsupervised") == 0) {
            is_supervised = false;
        } else if (strcmp(word, "--serve") == 0) {
            is_server = true;
        } else if (i + 1 == count) {
            return fail("unknown option, or an option without a value:", word);
        } else if (strcmp(word, "--mailbox") == 0) {
            segment = read_option(words[++i], INT_MAX);
            if (segment < 0) {
                return fail("not the id of shared memory:", words[i]);
            }
        } else if (strcmp(word, "--listen") == 0) {
            port = read_option(words[++i], MAX_PORT);
            if (port < 0) {
                return fail("not a port:", words[i]);
            }
        } else if (strcmp(word, "--address") == 0) {
            address = words[++i];
        } else if (strcmp(word, "--folder") == 0) {
            folder = words[++i];
        } else if (use_started_connection(word, words[i + 1])) {
            is_connected = true;
            i++;
        } else if (!run_started_driver(word, words[i + 1])) {
            return fail("unknown option", word);
        }
    }
    if (is_connected) {
        return serve_session(folder);
    }
    if (is_server || port >= 0) {
        bool is_open = is_server ? use_standard_streams() : use_connections(address, (unsigned)port, folder);
        return is_open ? serve_session(folder) : 1;
    }
    if (segment < 0) {
        return fail("an option is missing:", "--mailbox ID, --serve or --listen PORT");
    }
    start_below_supervisor((int)segment, is_supervised);
    run_driver_loop(has_supervisor_ended);
}
