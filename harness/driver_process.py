"""The beginning of a process that runs a driver, or a simulated platform in its place."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

from clconform.harness.confinement import confine
from clconform.harness.one_core import WorkerMailbox
from clconform.harness.reaper import continue_below

if TYPE_CHECKING:
    from clconform.harness.mailbox import Mailbox


def enter(segment: int, data_limit_bytes: int) -> Mailbox:
    """Return this side of a mailbox by the id of its memory, in a new process below a reaper, confined.

    Standard input is /dev/null. Standard output goes where standard error goes, so that a driver's output is in one
    place and in order. ``data_limit_bytes``: as for ``confine``.
    """
    reaper = os.getpid()
    mailbox = WorkerMailbox(segment, driver=True, gone=lambda: os.getppid() != reaper)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    sys.stdout.flush()
    os.dup2(2, 1)
    continue_below(mailbox)
    confine(data_limit_bytes)
    if os.getppid() != reaper:  # it had ended before this process asked to die with it
        os._exit(1)
    return mailbox
