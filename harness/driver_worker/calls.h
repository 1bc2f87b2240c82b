/* Calls of the driver: the arguments of a message are put into memory, the call is made, its outputs are written. */
#ifndef CLCONFORM_CALLS_H
#define CLCONFORM_CALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "memory.h"
#include "messagepack.h"
#include "prototypes.h"

/* How an argument, or what a pointer leads to, is written in a message. A number is passed as it is, nil as zero, and
   bytes by the address of a copy. Anything else is an array that begins with one of these. */
enum form {
    FORM_OUTPUT,        /* a size: the address of that many guarded bytes */
    FORM_REUSED,        /* bytes: the address of a copy, which is overwritten when the call has returned */
    FORM_BLOCK,         /* bytes, then pairs of an offset and an argument: the argument's pointer is stored there */
    FORM_REUSED_BLOCK,  /* as the last two */
    FORM_CALLBACK,      /* signature, number, counter and plan of a callback */
};

struct span {
    uint8_t *address;
    size_t size;
};

/* A call that is ready to be made, or that has been made. */
struct call {
    struct arena arena;
    function_without_type *function;
    size_t signature;
    bool keeps_memory; /* the driver may access the memory of the arguments after the call */
    uint64_t words[MAX_ARGUMENTS];
    struct buffer outputs; /* struct guarded */
    struct buffer reused;  /* struct span */
    uint64_t result, nanoseconds;
};

/* Read a call: function, signature, whether its memory is kept, arguments. False if the message is invalid
   (has_failed of the reader), or if there is no memory (errno is set). */
bool read_call(struct reader *reader, size_t argument_count, struct call *call);

/* Make a call that was read. */
void make_call(struct call *call);

/* Write the outcome of a call that was made: result, nanoseconds, the outputs (each without the fill bytes at its
   end), and the indices of the outputs with changed guard bytes. Its memory is then free, or kept. */
void write_outcome(struct writer *writer, struct call *call);

#endif
