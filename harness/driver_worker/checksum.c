#include "checksum.h"

#include <stdbool.h>

static uint32_t checksums[8][256];

/* Fill the tables for the CRC-32 of zlib, for eight bytes at a time. */
static void prepare_checksums(void) {
    for (uint32_t byte = 0; byte < 256; byte++) {
        uint32_t rest = byte;
        for (int bit = 0; bit < 8; bit++) {
            rest = rest >> 1 ^ ((rest & 1) != 0 ? 0xEDB88320U : 0);
        }
        checksums[0][byte] = rest;
    }
    for (uint32_t byte = 0; byte < 256; byte++) {
        for (int table = 1; table < 8; table++) {
            uint32_t before = checksums[table - 1][byte];
            checksums[table][byte] = before >> 8 ^ checksums[0][before & 0xFF];
        }
    }
}

uint32_t checksum(uint32_t before, const uint8_t *data, size_t size) {
    static bool is_prepared;
    if (!is_prepared) {
        prepare_checksums();
        is_prepared = true;
    }
    uint32_t rest = ~before;
    for (; size >= 8; size -= 8, data += 8) {
        rest ^= (uint32_t)data[0] | (uint32_t)data[1] << 8 | (uint32_t)data[2] << 16 | (uint32_t)data[3] << 24;
        rest = checksums[7][rest & 0xFF] ^ checksums[6][rest >> 8 & 0xFF] ^ checksums[5][rest >> 16 & 0xFF] ^
               checksums[4][rest >> 24] ^ checksums[3][data[4]] ^ checksums[2][data[5]] ^ checksums[1][data[6]] ^
               checksums[0][data[7]];
    }
    for (; size != 0; size--, data++) {
        rest = rest >> 8 ^ checksums[0][(rest ^ *data) & 0xFF];
    }
    return ~rest;
}
