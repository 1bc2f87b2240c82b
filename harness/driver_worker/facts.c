#include "facts.h"

#include <inttypes.h>
#include <stdio.h>

void add_fact(struct facts *facts, const char *name, const char *text) {
    if (facts->count < MAX_FACTS) {
        facts->all[facts->count].name = name;
        snprintf(facts->all[facts->count].text, FACT_BYTES, "%s", text);
        facts->count++;
    }
}

void add_number_fact(struct facts *facts, const char *name, uint64_t number) {
    char text[32];
    snprintf(text, sizeof text, "%" PRIu64, number);
    add_fact(facts, name, text);
}
