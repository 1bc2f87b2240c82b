/* Facts about a machine that runs slower than it can, because it is hot or saves power. */
#ifndef CLCONFORM_THROTTLING_H
#define CLCONFORM_THROTTLING_H

#include "facts.h"

/*
 * Add these facts, as far as the kernel states them in files below root, which is /sys: "frequency limit", the least
 * share of its highest frequency that a processor may use, in percent; "cooling", the kinds of devices that reduce
 * speed at present; "temperature", the highest of all sensors in thousandths of a degree Celsius.
 */
void add_throttling_facts(struct facts *facts, const char *root);

#endif
