"""The machine and the library with which a program is recorded, as options name them."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from clconform.recording.program_launch import ShimUse
from clconform.tools.errors import CommandError

if TYPE_CHECKING:
    from clconform.harness.remote.device import RemoteDevice

_PRELOAD = "preload"


class ProgramPlace(NamedTuple):
    """The values of the options for the machine of a program, and for its library.

    ``device``: its address; empty for this machine. ``device_target``: for which target its programs are compiled.
    ``device_env``: variables for the program. ``driver``: the driver's library there.
    ``shim``: how the program uses the shim; None: it uses the layer.
    """

    device: str = ""
    device_target: str = ""
    device_env: tuple[str, ...] = ()
    driver: str = ""
    shim: str | None = None

    def check(self) -> None:
        """Raise CommandError for options that need a device, without one."""
        for name in ("device_target", "device_env", "driver"):
            if getattr(self, name) and not self.device and not (name == "driver" and self.shim):
                reason = (
                    "; set OCL_ICD_VENDORS for a program of this machine, or use --shim" if name == "driver" else ""
                )
                raise CommandError(
                    f"--{name.replace('_', '-')} applies to other machines only: name one with --device{reason}"
                )

    def shim_use(self) -> ShimUse | None:
        """Return how the program uses the shim; None if it uses the layer."""
        return ShimUse(self.shim == _PRELOAD, self.driver) if self.shim else None

    def find_device(self) -> RemoteDevice:
        """Return the device; HarnessError if a value is invalid, or if its address does not lead to a shell."""
        from clconform.harness.remote.device import create_device

        token = "none"  # noqa: S105 (a tcp: address is refused when its shell is needed)
        return create_device(self.device, token=token, target=self.device_target, environment=self.device_env)


THIS_MACHINE = ProgramPlace()
"""The machine of this process."""
