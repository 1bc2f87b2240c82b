/* What the driver's process does: answers the requests of a session, one after another. */
#ifndef CLCONFORM_DRIVER_LOOP_H
#define CLCONFORM_DRIVER_LOOP_H

#include <stdbool.h>

/* Send the first message, answer requests until the session closes the mailbox or `has_ended` returns true, and end
   this process. */
_Noreturn void run_driver_loop(bool (*has_ended)(void));

#endif
