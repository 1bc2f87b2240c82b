#ifndef CLCONFORM_CHECKSUM_H
#define CLCONFORM_CHECKSUM_H

#include <stddef.h>
#include <stdint.h>

/* The CRC-32 of zlib, which continues that of earlier bytes; 0 without earlier bytes. Only one thread of a process may
   compute it. */
uint32_t checksum(uint32_t before, const uint8_t *data, size_t size);

#endif
