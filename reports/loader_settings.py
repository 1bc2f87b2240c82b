"""The settings of the environment with which a program loads the driver that a run has tested."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from clconform.reports.run_result import PlatformTested

RUSTICL_VARIABLE = "RUSTICL_ENABLE"
"""The environment variable with the devices that Mesa's rusticl offers; without it, there are none."""
RUSTICL_DEVICES = "llvmpipe"
"""The devices that a run sets if the variable is not set."""


def loader_settings(platform: PlatformTested | None) -> dict[str, str]:
    """Return the environment variables for ICD loaders, and for the driver; empty if it was tested without a loader.

    ocl-icd reads the first variable with a library, the loader of Khronos the second one.
    """
    if platform is None or platform.access != "loader" or not platform.libraries:
        return {}
    library = platform.libraries[0]
    devices = {RUSTICL_VARIABLE: os.environ.get(RUSTICL_VARIABLE, RUSTICL_DEVICES)} if "Rusticl" in library else {}
    return {**devices, "OCL_ICD_VENDORS": library, "OCL_ICD_FILENAMES": library}
