"""Start-up of a process that runs a simulated platform."""

from __future__ import annotations

import os
import sys

from clconform.harness.inherited_settings import restore_signals
from clconform.harness.mailbox import Mailbox
from clconform.harness.reaper import fork_below_reaper
from clconform.harness.sandbox import limit_process


def enter_platform_process(segment: int) -> Mailbox:
    """Fork below a reaper, confine the new process, and return its mailbox there.

    ``segment``: id of the mailbox's shared memory. Standard input becomes /dev/null. Standard output is redirected to
    standard error, so that the driver's output stays in order.
    """
    restore_signals()
    reaper = os.getpid()
    mailbox = Mailbox(segment, driver=True, has_ended=lambda: os.getppid() != reaper)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.flush()
    os.dup2(2, 1)
    fork_below_reaper(mailbox)
    limit_process()
    if os.getppid() != reaper:  # the reaper ended before this process requested to end with it
        os._exit(1)
    return mailbox
