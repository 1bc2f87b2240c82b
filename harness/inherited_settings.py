"""Replaces settings that a process inherits from its parent: ignored and blocked signals, and search paths of Python.

Some agents and daemons ignore SIGCHLD. The kernel then discards the exit status of every child, so that a wait for one
child never returns. Python searches the current folder for modules, if it is started with ``-c`` or ``-m``, or if an
entry of PYTHONPATH is empty. A file ``tempfile.py`` there would run instead of the module of that name.
"""

from __future__ import annotations

import os
import signal
import sys
import threading

_SAFE_PATH, _PYTHON_PATH = "PYTHONSAFEPATH", "PYTHONPATH"
_CURRENT_FOLDER = ("", ".", "./")
"""Entries of PYTHONPATH that mean the current folder, whichever it is."""
_original: dict[str, str | None] = {}
"""The variables that ``exclude_current_folder`` has changed, with their earlier values; None: not set."""


def restore_signals() -> None:
    """Unblock all signals, and let SIGCHLD have its default action if the parent process has ignored it.

    Other ignored signals stay ignored (nohup).
    """
    if threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGCHLD) is signal.SIG_IGN:
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    signal.pthread_sigmask(signal.SIG_SETMASK, ())


def exclude_current_folder() -> None:
    """Exclude the current folder from the module search of this process, and of every Python program that it starts.

    An absolute path in PYTHONPATH stays, even if it is the current folder.
    """
    if _SAFE_PATH in _original:
        return
    given = os.environ.get(_PYTHON_PATH)
    entries = given.split(os.pathsep) if given else []
    kept = [entry for entry in entries if entry not in _CURRENT_FOLDER]
    if len(kept) < len(entries):
        _original[_PYTHON_PATH] = given
        os.environ[_PYTHON_PATH] = os.pathsep.join(kept)
        _remove_current_folder()
    _original[_SAFE_PATH] = os.environ.get(_SAFE_PATH)
    os.environ[_SAFE_PATH] = "1"
    sys.path[:] = [entry for entry in sys.path if entry not in _CURRENT_FOLDER]


def _remove_current_folder() -> None:
    """Remove the first entry for the current folder, to which Python has resolved an empty entry of PYTHONPATH."""
    try:
        folder = os.getcwd()  # noqa: PTH109 (the spelling of sys.path)
    except OSError:
        return
    if folder in sys.path:
        sys.path.remove(folder)


def original_environment() -> dict[str, str]:
    """Return the environment for a program of the user, without the changes of ``exclude_current_folder``."""
    environment = dict(os.environ)
    for name, value in _original.items():
        if value is None:
            environment.pop(name, None)
        else:
            environment[name] = value
    return environment
