/* The requests of a session to the driver's process, and the replies to them. docs/driver-process.md describes them. */
#ifndef CLCONFORM_REQUESTS_H
#define CLCONFORM_REQUESTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "messagepack.h"

/* Write the first message of a worker: its version, and the properties of this machine. */
void write_greeting(struct writer *writer);

/* Fulfil one request, and write the reply; false if the request has no reply. */
bool answer_request(const uint8_t *request, size_t size, struct writer *writer);

#endif
