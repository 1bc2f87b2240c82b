"""Recognises errors caused by a lack of resources on the host: disk space, descriptors, memory, temporary files.

Such an error is neither a deviation of the driver nor an internal error. Code that catches such an error reports the
missing resource and the remedy in one line, and draws no conclusion about the driver.
"""

from __future__ import annotations

import errno
import resource

from clconform.harness.errors import HarnessError, fold_line

MIN_OPEN_FILES = 256
"""Minimum limit of open files for a process of a run: drivers open many, and the worker uses high descriptors."""
WANTED_OPEN_FILES = 4096
_NO_TEMPORARY_FOLDER = "temporary directory"
_NO_THREAD = "can't start new thread"
RAISE_TASKS = "raise ulimit -u, or the limit of the container (pids.max)"
FILE_SIZE_REACHED = "the file size limit is reached; raise it with ulimit -f"
_REMEDIES = {
    errno.ENOSPC: "no space is left on the device; free some",
    errno.EDQUOT: "the disk quota is used up; free some space",
    errno.EFBIG: FILE_SIZE_REACHED,
    errno.EMFILE: "too many open files; raise the limit with ulimit -n",
    errno.ENFILE: "too many open files on this machine",
    errno.ENOMEM: "not enough memory",
    errno.EAGAIN: f"no further process or thread can be started; {RAISE_TASKS}",
    errno.EROFS: "the file system is read-only",
}


class ShortageError(HarnessError):
    """The host lacks a resource that a run needs; the message is one line with the remedy."""


def find_shortage(error: BaseException | None) -> str:
    """Return the missing resource and the remedy if an error or one of its causes is a shortage; empty otherwise."""
    seen: set[int] = set()
    while error is not None and id(error) not in seen:
        seen.add(id(error))
        if isinstance(error, ShortageError):
            return str(error)
        if isinstance(error, MemoryError):
            return _REMEDIES[errno.ENOMEM]
        if isinstance(error, RuntimeError) and str(error) == _NO_THREAD:
            return _REMEDIES[errno.EAGAIN]
        if isinstance(error, OSError):
            words = _describe_shortage(error)
            if words:
                return words
        error = error.__cause__ or error.__context__
    return ""


def _describe_shortage(error: OSError) -> str:
    if error.errno == errno.ENOENT and _NO_TEMPORARY_FOLDER in str(error.strerror):
        return "no folder for temporary files can be written; set TMPDIR to one that can"
    words = _REMEDIES.get(error.errno or 0, "")
    return f"{fold_line(str(error.filename), 200)}: {words}" if words and error.filename else words


def require_open_files() -> None:
    """Raise this process's limit of open files to ``WANTED_OPEN_FILES``.

    ShortageError if less than ``MIN_OPEN_FILES``.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    unlimited = resource.RLIM_INFINITY
    if soft != unlimited and soft < WANTED_OPEN_FILES:
        soft = WANTED_OPEN_FILES if hard == unlimited else max(soft, min(WANTED_OPEN_FILES, hard))
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    if soft != unlimited and soft < MIN_OPEN_FILES:
        raise ShortageError(
            f"only {soft} files may be open at once (ulimit -n), and a run needs {MIN_OPEN_FILES}; raise the limit"
        )
