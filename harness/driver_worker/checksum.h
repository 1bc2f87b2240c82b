#ifndef CLCONFORM_CHECKSUM_H
#define CLCONFORM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of zlib. Only one thread of a process may compute it. */
uint32_t checksum(const uint8_t *data, size_t size);

#endif
