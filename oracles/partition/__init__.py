"""Partitioning of devices: the core functions of section 4.3 and those of cl_ext_device_fission, kept apart."""

from clconform.oracles.partition import (
    core,
    echoes,
    effects_elsewhere,
    effects_of_both,
    effects_of_core,
    effects_of_fission,
    fission,
    lifetime,
)

__all__ = [
    "core",
    "echoes",
    "effects_elsewhere",
    "effects_of_both",
    "effects_of_core",
    "effects_of_fission",
    "fission",
    "lifetime",
]
