/* The signatures of all functions and callbacks, and the layout of all structures, generated from the tables. */
#ifndef CLCONFORM_PROTOTYPES_H
#define CLCONFORM_PROTOTYPES_H

#include <stddef.h>
#include <stdint.h>

#if defined(_WIN32)
#define CALLING_CONVENTION __stdcall
#else
#define CALLING_CONVENTION
#endif
#if defined(__GNUC__)
#define ALIGNED_8 __attribute__((aligned(8))) /* as in the headers of OpenCL: i386 aligns such fields to 4 bytes */
#else
#define ALIGNED_8
#endif

typedef void function_without_type(void);

/* A signature: its result and its parameters. v: none; p: pointer, handle or size_t; i, u: 32-bit number with or
   without a sign; q, w: the same with 64 bits. */
struct signature {
    const char *name;
    uint64_t (*make)(function_without_type *function, const uint64_t *words);
};

extern const struct signature signatures[];
extern const size_t signature_count;

enum { MAX_ARGUMENTS = 32 };

/* The layout of a structure; the list of its fields' offsets ends with SIZE_MAX. */
struct structure {
    const char *name;
    size_t size;
    const size_t *offsets;
};

extern const struct structure structures[];
extern const size_t structure_count;

#endif
