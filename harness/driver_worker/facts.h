/* Facts about a machine: pairs of a name and a text. */
#ifndef CLCONFORM_FACTS_H
#define CLCONFORM_FACTS_H

#include <stddef.h>
#include <stdint.h>

enum { MAX_FACTS = 32, FACT_BYTES = 128 };

struct facts {
    size_t count;
    struct {
        const char *name;
        char text[FACT_BYTES];
    } all[MAX_FACTS];
};

/* Add a fact; a longer text is cut, and a fact beyond MAX_FACTS is dropped. */
void add_fact(struct facts *facts, const char *name, const char *text);
void add_number_fact(struct facts *facts, const char *name, uint64_t number);

#endif
