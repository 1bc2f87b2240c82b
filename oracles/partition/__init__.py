"""Partitioning of devices: the core functions of section 4.3 and those of cl_ext_device_fission, kept apart."""

from clconform.oracles.partition import core, echoes, effects, fission, lifetime

__all__ = ["core", "echoes", "effects", "fission", "lifetime"]
