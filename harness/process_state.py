"""Finds the changes of a driver to its process, and attributes the failures of the worker that follow from them.

A driver may lower the limits of its process, give up rights or close descriptors, and a later operation of the worker
then fails. Such a failure counts as the end of the driver's process (``Died`` with ``CHANGED``), not as an internal
error. Changes that cannot cause a system error, such as signal handlers or a locale, are ignored.
"""

from __future__ import annotations

import resource
from contextlib import suppress
from pathlib import Path

from clconform.calls.call import CHANGED, Died
from clconform.harness.errors import ProcessShortageError, fold_line
from clconform.harness.host_shortages import find_shortage
from clconform.harness.process_stats import read_process_stat

_LIMITS = {
    name: getattr(resource, f"RLIMIT_{name}")
    for name in ("AS", "DATA", "FSIZE", "MEMLOCK", "NOFILE", "NPROC", "STACK")
    if hasattr(resource, f"RLIMIT_{name}")
}
_STATUS_FIELDS = {"Uid": "user", "Gid": "group", "Seccomp": "allowed system calls", "Umask": "umask"}
"""Maps the compared fields of ``/proc/self/status`` to names for people."""
_MAX_MAPPINGS = Path("/proc/sys/vm/max_map_count")
_LARGE_PART = 0.9
"""The share of the allowed memory mappings from which they count as used up; the worker itself uses far fewer."""


class ProcessState:
    """The limits and properties of a process before it loads the driver, for comparisons with the current ones."""

    def __init__(self, process: int) -> None:
        """Store the state of the process with this id."""
        self._process = process
        self._limits = {name: _read_limit(process, number) for name, number in _LIMITS.items()}
        self._properties = _read_properties(process)

    def expect_data_limit(self, limit_bytes: int) -> None:
        """Note that the worker sets RLIMIT_DATA to ``limit_bytes`` itself; 0 if it does not."""
        soft, hard = self._limits["DATA"]
        if limit_bytes:
            self._limits["DATA"] = (int(min(_finite(soft), limit_bytes)), hard)

    def changes(self) -> dict[str, str]:
        """Map the names of lowered limits and changed properties to descriptions; empty if the process has ended."""
        found: dict[str, str] = {}
        if read_process_stat(self._process).has_ended:
            return found
        for name, number in _LIMITS.items():
            for each, was in zip(_read_limit(self._process, number), self._limits[name], strict=True):
                if _finite(each) < _finite(was):
                    found.setdefault(f"RLIMIT_{name}", f"RLIMIT_{name} from {_limit_text(was)} to {_limit_text(each)}")
        now = _read_properties(self._process)
        for name, text in self._properties.items():
            if name in now and now[name] != text:
                found[name] = f"the {name} from {text} to {now[name]}"
        return found

    def has_used_up_mappings(self) -> bool:
        """Return whether the process has almost as many memory mappings as the kernel allows."""
        with suppress(OSError, ValueError):
            allowed = int(_MAX_MAPPINGS.read_text(encoding="ascii"))
            with Path(f"/proc/{self._process}/maps").open("rb") as lines:
                return sum(1 for _ in lines) >= _LARGE_PART * allowed
        return False


class UnknownState:
    """The state of a process on another machine, of which no change can be found."""

    def expect_data_limit(self, limit_bytes: int) -> None:
        """Do nothing."""

    def changes(self) -> dict[str, str]:
        """Return no change."""
        return {}

    def has_used_up_mappings(self) -> bool:
        """Return False."""
        return False


def find_process_end(error: OSError, state: ProcessState | UnknownState, about: str) -> Died | None:
    """Return the end of the driver's process if the driver has caused a failure of the worker; else None.

    ``about``: the operation that failed. ProcessShortageError if the process lacks resources for an unknown reason.
    """
    changed = state.changes()
    if not changed and state.has_used_up_mappings():
        changed = {"memory mappings": "the number of memory mappings to the most that a process may have"}
    reason = fold_line(f"{about} ({error.strerror})")
    if changed:
        said = f"the worker failed at {reason}, after the driver had changed {'; '.join(changed.values())}"
        return Died(CHANGED, ", ".join(sorted(changed)), fold_line(said, 1000))
    if find_shortage(error):
        raise ProcessShortageError(fold_line(f"the driver's process has no resources left for {reason}"))
    return None


def _read_limit(process: int, number: int) -> tuple[int, int]:
    """Return the soft and the hard limit of a process; those of this process if they cannot be read."""
    try:
        return resource.prlimit(process, number)
    except OSError:
        return resource.getrlimit(number)


def _read_properties(process: int) -> dict[str, str]:
    """Map the names of properties of a process to texts; properties that cannot be read are missing."""
    found = {}
    folder = Path(f"/proc/{process}")
    with suppress(OSError):
        for line in (folder / "status").read_text(encoding="ascii", errors="replace").splitlines():
            name, _, text = line.partition(":")
            if name in _STATUS_FIELDS:
                found[_STATUS_FIELDS[name]] = " ".join(text.split())
    for name, link in (("root folder", "root"), ("working folder", "cwd")):
        with suppress(OSError):
            found[name] = str((folder / link).readlink())
    for descriptor in range(3):
        try:
            about = (folder / "fd" / str(descriptor)).stat()
            found[f"descriptor {descriptor}"] = f"file {about.st_dev}:{about.st_ino}"
        except OSError:
            found[f"descriptor {descriptor}"] = "closed"
    return found


def _finite(limit: int) -> float:
    return float("inf") if limit == resource.RLIM_INFINITY else limit


def _limit_text(limit: int) -> str:
    return "unlimited" if limit == resource.RLIM_INFINITY else str(limit)
