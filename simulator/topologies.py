"""Defines the simulated platforms and their devices, each with its name."""

from __future__ import annotations

import dataclasses
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from clconform.harness import HarnessError
from clconform.oracles.common.interop import INTERFACES
from clconform.oracles.model.devices import Topology
from clconform.simulator.features import IL_FACTS, IL_FACTS_BY_EXTENSION
from clconform.spec_tables.lookups import DEFAULT_POINTER_BYTES

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import Fact

EQUALLY = "CL_DEVICE_PARTITION_EQUALLY"
COUNTS = "CL_DEVICE_PARTITION_BY_COUNTS"
DOMAIN = "CL_DEVICE_PARTITION_BY_AFFINITY_DOMAIN"
NAMES = "CL_DEVICE_PARTITION_BY_NAMES_INTEL"


@dataclass(frozen=True)
class SimulatedDevice:
    """A root device of a simulated platform.

    ``units``: the number of compute units. ``sharing``: maps levels (``NUMA``, ``L4`` ... ``L1``) to the number of
    units in each group that shares the level. ``max_sub_devices``: the maximum number of sub-devices, or None for the
    number of units. ``schemes``: the names of the core's partition schemes. ``facts``: maps the names of its remaining
    queries to values. ``extensions``: the extensions that it reports in addition to those of its platform.
    """

    units: int
    sharing: dict[str, int] = field(default_factory=dict)
    max_sub_devices: int | None = None
    schemes: tuple[str, ...] = (EQUALLY, COUNTS, DOMAIN)
    type: str = "CL_DEVICE_TYPE_CPU"
    facts: dict[str, Fact] = field(default_factory=dict)
    extensions: tuple[str, ...] = ()

    def topology(self) -> Topology:
        """Return the groups of units that share each level; the last group of a level may be smaller."""
        everything = range(self.units)
        domains = {
            level: tuple(frozenset(everything[start : start + size]) for start in range(0, self.units, size))
            for level, size in self.sharing.items()
        }
        return Topology(frozenset(everything), domains)


@dataclass(frozen=True)
class SimulatedPlatform:
    """The plan of a simulated platform: its version (``1.0`` to ``3.1``), its devices, and the features that it has.

    ``fission``: it has ``cl_ext_device_fission``. ``has_everything``: its devices have every optional feature and
    report every extension that has queries; otherwise they have no optional features. ``extensions``: further
    extensions that it reports. ``strict``: it rejects calls whenever the documents allow it. ``rejects_by``:
    interpretations by which it also rejects calls if it is not strict. ``texts``: maps the names of text queries of the
    platform and the devices to values. ``facts``: maps the names of the platform's remaining queries to values.
    ``revisions``: maps extensions to their reported revisions, if these are not those of the tables.
    ``pointer_bytes``: the size of a pointer and of size_t on its machine.
    """

    version: str
    devices: tuple[SimulatedDevice, ...]
    fission: bool = False
    profile: str = "FULL_PROFILE"
    has_everything: bool = False
    extensions: tuple[str, ...] = ()
    strict: bool = False
    rejects_by: tuple[str, ...] = ()
    texts: dict[str, str] = field(default_factory=dict)
    facts: dict[str, Fact] = field(default_factory=dict)
    revisions: dict[str, str] = field(default_factory=dict)
    pointer_bytes: int = DEFAULT_POINTER_BYTES


NUMA_16 = SimulatedDevice(16, {"NUMA": 8, "L3": 4, "L2": 2, "L1": 1})
L4_24 = SimulatedDevice(24, {"L4": 12, "L3": 6, "L2": 3})
COARSE_8 = SimulatedDevice(8, facts={"CL_DEVICE_MEM_BASE_ADDR_ALIGN": 8192, "CL_DEVICE_IMAGE_SUPPORT": 1})
FLAT_4 = SimulatedDevice(4, schemes=(EQUALLY, COUNTS))
WITH_SVM = SimulatedDevice(4, schemes=(EQUALLY, COUNTS), facts={"CL_DEVICE_SVM_CAPABILITIES": 1})
"""A device whose only optional feature is coarse-grained buffer SVM."""
LIMITED_QUEUES = SimulatedDevice(
    4,
    type="CL_DEVICE_TYPE_GPU",
    schemes=(EQUALLY, COUNTS),
    facts={"CL_DEVICE_TERMINATE_CAPABILITY_KHR": 0, "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES": 1},
)
"""A device whose default queue cannot be replaced and whose contexts cannot be terminated."""
WITH_IMAGES = SimulatedDevice(4, schemes=(EQUALLY, COUNTS), facts={"CL_DEVICE_IMAGE_SUPPORT": 1})
"""A device whose only optional feature is image support."""
WITHOUT_COMPILER = SimulatedDevice(
    4,
    schemes=(EQUALLY, COUNTS),
    facts={"CL_DEVICE_COMPILER_AVAILABLE": 0, "CL_DEVICE_LINKER_AVAILABLE": 0, **IL_FACTS},
)
"""A device that supports IL programs, but neither compiles nor links source."""
UNAVAILABLE = SimulatedDevice(4, type="CL_DEVICE_TYPE_ACCELERATOR", facts={"CL_DEVICE_AVAILABLE": 0})
"""A device that is not available."""
EXPORT_ONLY = SimulatedDevice(4, schemes=(EQUALLY, COUNTS), facts={"CL_DEVICE_SEMAPHORE_IMPORT_HANDLE_TYPES_KHR": ()})
"""A device that exports semaphores, but does not import any."""
OUT_OF_ORDER = SimulatedDevice(4, schemes=(EQUALLY, COUNTS), facts={"CL_DEVICE_QUEUE_PROPERTIES": 3})
"""A device whose only optional feature is out-of-order queues."""
OPAQUE_FD = "cl_khr_external_memory_opaque_fd"
DESCRIPTORS = (0x2060,)
"""The external memory handle types that a device lists: CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR."""
SOME_FEATURES = SimulatedDevice(
    4,
    schemes=(EQUALLY, COUNTS),
    facts={
        "CL_DEVICE_MAX_NUM_SUB_GROUPS": 8,
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR": DESCRIPTORS,
        "CL_DEVICE_EXTERNAL_MEMORY_IMPORT_ASSUME_LINEAR_IMAGES_HANDLE_TYPES_KHR": DESCRIPTORS,
    },
)
"""A device with sub-groups but without IL, which assumes that images of external memory are linear."""
SUGGESTIONS = "cl_khr_suggested_local_work_size"
USM = "cl_intel_unified_shared_memory"
BUS_ADDRESSABLE = "cl_amd_bus_addressable_memory"


def usm_device(host: int = 0, device: int = 0, single: int = 0, cross: int = 0, system: int = 0) -> SimulatedDevice:
    """Return a device with these USM capabilities for each type of memory; 1 is access, 15 all capabilities."""
    said = {"HOST": host, "DEVICE": device, "SINGLE_DEVICE_SHARED": single, "CROSS_DEVICE_SHARED": cross}
    told = {
        f"CL_DEVICE_{sort}_MEM_CAPABILITIES_INTEL": bits for sort, bits in (*said.items(), ("SHARED_SYSTEM", system))
    }
    return SimulatedDevice(4, schemes=(EQUALLY, COUNTS), facts={"CL_DEVICE_SVM_CAPABILITIES": 0, **told})


def with_narrow_addresses(device: SimulatedDevice) -> SimulatedDevice:
    """Return a device with addresses of 32 bits, and memory of a size that fits into a size_t of 32 bits."""
    return dataclasses.replace(device, facts={**device.facts, "CL_DEVICE_ADDRESS_BITS": 32})


COMMAND_BUFFER = "cl_khr_command_buffer"
MULTI_DEVICE_COMMAND_BUFFER = (COMMAND_BUFFER, f"{COMMAND_BUFFER}_multi_device", f"{COMMAND_BUFFER}_mutable_dispatch")


def with_command_buffer_facts(device: SimulatedDevice, **said: Fact) -> SimulatedDevice:
    """Return a device with these values of command-buffer queries; keys are the middle parts of the queries' names."""
    told = {f"CL_DEVICE_{name}_KHR": value for name, value in said.items()}
    return dataclasses.replace(device, facts={**device.facts, **told})


HOSTILE = (
    "=cmd|' /C calc'!A1 \x1b]0;owned\x07\x1b[31mRed\x1b[0m </script><script>alert(1)</script> \"quoted\" & 'so' ``` | "
    "![x](http://evil.example/x.png) <b onmouseover=alert(2)>\x9b2J\u202e\u2028\r\n]]> --> @everyone \\xff\\xfe Ünïcode"
)
"""Hostile driver texts for programs that display them; invalid UTF-8 arrives already escaped."""
HUGE = "A" * (1 << 20)
HINTS = (
    "cl_khr_create_command_queue",
    "cl_khr_d3d10_sharing",
    "cl_khr_d3d11_sharing",
    "cl_khr_dx9_media_sharing",
    "cl_khr_gl_sharing",
    "cl_khr_initialize_memory",
    "cl_khr_mipmap_image",
    "cl_khr_priority_hints",
    "cl_khr_throttle_hints",
)
"""Extensions that add properties of contexts, queues and samplers."""

TOPOLOGIES: dict[str, SimulatedPlatform] = {
    "single": SimulatedPlatform("3.0", (SimulatedDevice(1, max_sub_devices=0, schemes=()),)),
    "flat-4": SimulatedPlatform("1.2", (FLAT_4,), extensions=("cl_khr_create_command_queue",)),
    "numa-16": SimulatedPlatform("3.0", (NUMA_16,), fission=True),
    "l4-24": SimulatedPlatform("2.0", (L4_24,), fission=True, extensions=(SUGGESTIONS,)),
    "seven": SimulatedPlatform("2.1", (SimulatedDevice(7, {"L2": 2}, max_sub_devices=3),)),
    "names-8": SimulatedPlatform("3.0", (SimulatedDevice(8, schemes=(EQUALLY, COUNTS, NAMES)),), fission=True),
    "fission-1.1": SimulatedPlatform("1.1", (NUMA_16,), fission=True, extensions=(SUGGESTIONS,)),
    "shared-cache": SimulatedPlatform("3.0", (SimulatedDevice(8, {"L3": 8}, schemes=(DOMAIN,)),), fission=True),
    "two-devices": SimulatedPlatform("3.0", (NUMA_16, FLAT_4), fission=True),
    "two-alignments": SimulatedPlatform(
        "3.0", (COARSE_8, WITH_IMAGES), extensions=("cl_khr_create_command_queue", SUGGESTIONS)
    ),
    "embedded": SimulatedPlatform("1.2", (FLAT_4,), profile="EMBEDDED_PROFILE"),
    "oldest": SimulatedPlatform("1.0", (FLAT_4,)),
    "everything-1.2": SimulatedPlatform("1.2", (FLAT_4,), has_everything=True),
    "full-2.2": SimulatedPlatform("2.2", (FLAT_4,), has_everything=True),
    "embedded-3.0": SimulatedPlatform(
        "3.0", (FLAT_4,), profile="EMBEDDED_PROFILE", rejects_by=("local-memory-above-limit",)
    ),
    "everything": SimulatedPlatform("3.0", (NUMA_16, FLAT_4), fission=True, has_everything=True),
    "everything-3.1": SimulatedPlatform("3.1", (NUMA_16, FLAT_4), fission=True, has_everything=True),
    "shared-apart": SimulatedPlatform(
        "3.0", (FLAT_4, SimulatedDevice(4, facts={"CL_DEVICE_SVM_CAPABILITIES": 1})), has_everything=True
    ),
    "without-compiler": SimulatedPlatform("3.0", (WITHOUT_COMPILER,), profile="EMBEDDED_PROFILE"),
    "interfaces": SimulatedPlatform("3.0", (WITH_IMAGES,), extensions=tuple(INTERFACES)),
    "everything-embedded": SimulatedPlatform("3.0", (FLAT_4,), profile="EMBEDDED_PROFILE", has_everything=True),
    "hints": SimulatedPlatform("3.0", (FLAT_4, LIMITED_QUEUES, UNAVAILABLE), has_everything=True, extensions=HINTS),
    "strict": SimulatedPlatform(
        "3.0", (NUMA_16, FLAT_4), fission=True, has_everything=True, strict=True, extensions=(SUGGESTIONS,)
    ),
    "images-of-some": SimulatedPlatform("3.0", (WITH_IMAGES, FLAT_4)),
    "images-1.0": SimulatedPlatform("1.0", (WITH_IMAGES,)),
    "images-1.2": SimulatedPlatform("1.2", (WITH_IMAGES,)),
    "images-2.0": SimulatedPlatform(
        "2.0",
        (WITH_IMAGES,),
        extensions=("cl_khr_3d_image_writes", "cl_khr_depth_images", "cl_khr_image2d_from_buffer"),
    ),
    "unified-least": SimulatedPlatform("3.0", (usm_device(device=1),), extensions=(USM,)),
    "unified-host": SimulatedPlatform("3.0", (usm_device(host=1, device=1),), extensions=(USM,)),
    "unified-shared": SimulatedPlatform("3.0", (usm_device(device=15, single=3),), extensions=(USM,)),
    "unified-apart": SimulatedPlatform(
        "3.0", (usm_device(host=15, device=3, single=15), usm_device(device=1, single=1)), extensions=(USM,)
    ),
    "unified-between": SimulatedPlatform(
        "3.0", (usm_device(host=5, device=7, single=1, cross=1), usm_device(device=1, cross=5)), extensions=(USM,)
    ),
    "unified-all": SimulatedPlatform("3.0", (usm_device(15, 15, 15, 15, 15),) * 2, extensions=(USM,)),
    "unified-strict": SimulatedPlatform("3.0", (usm_device(15, 15, 15, 15),), extensions=(USM,), strict=True),
    "unified-none": SimulatedPlatform("3.0", (usm_device(), usm_device(device=1)), extensions=(USM,)),
    "unified-by-devices": SimulatedPlatform(
        "3.0", (dataclasses.replace(usm_device(15, 15, 15, 15), extensions=(USM,)),) * 2
    ),
    "unified-by-one": SimulatedPlatform(
        "3.0", (dataclasses.replace(usm_device(15, 15, 15, 15), extensions=(USM,)), FLAT_4)
    ),
    "bus-shared": SimulatedPlatform("3.0", (FLAT_4,) * 2, extensions=(BUS_ADDRESSABLE,)),
    "bus-alone": SimulatedPlatform("1.1", (FLAT_4,), extensions=(BUS_ADDRESSABLE,), strict=True),
    "bus-of-one-context": SimulatedPlatform(
        "1.2",
        (FLAT_4,) * 2,
        has_everything=True,
        extensions=(BUS_ADDRESSABLE,),
        rejects_by=("bus-memory-of-another-context",),
    ),
    "commands-least": SimulatedPlatform(
        "3.0", (COARSE_8, WITH_IMAGES, FLAT_4), extensions=("cl_khr_create_command_queue", COMMAND_BUFFER)
    ),
    "commands-of-profiled-queues": SimulatedPlatform(
        "3.0",
        (
            with_command_buffer_facts(
                WITH_SVM,
                COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES=2,
                MUTABLE_DISPATCH_CAPABILITIES=2 | 16,
                COMMAND_BUFFER_NUM_SYNC_DEVICES=2,
                COMMAND_BUFFER_SYNC_DEVICES=("device1", "device2"),
            ),
        )
        * 2,
        extensions=MULTI_DEVICE_COMMAND_BUFFER,
    ),
    "commands-updated": SimulatedPlatform(
        "3.0",
        tuple(with_command_buffer_facts(each, MUTABLE_DISPATCH_CAPABILITIES=31) for each in (COARSE_8, WITH_IMAGES)),
        extensions=("cl_khr_create_command_queue", COMMAND_BUFFER, f"{COMMAND_BUFFER}_mutable_dispatch"),
        rejects_by=("local-memory-above-limit",),
    ),
    "two-alignments-3.1": SimulatedPlatform("3.1", (COARSE_8, WITH_IMAGES)),
    "demanding-3.1": SimulatedPlatform(
        "3.1",
        (
            with_command_buffer_facts(
                FLAT_4,
                COMMAND_BUFFER_REQUIRED_QUEUE_PROPERTIES=2,
                COMMAND_BUFFER_SUPPORTED_QUEUE_PROPERTIES=2,
            ),
        )
        * 2,
        has_everything=True,
        extensions=HINTS,
    ),
    "commands-strict": SimulatedPlatform(
        "2.0",
        (
            with_command_buffer_facts(WITH_IMAGES, COMMAND_BUFFER_CAPABILITIES=1 | 4 | 8 | 16),
        ),  # not kernels that enqueue kernels
        has_everything=True,
        strict=True,
    ),
    "few-handles": SimulatedPlatform(
        "3.0",
        (EXPORT_ONLY, FLAT_4),
        has_everything=True,
        rejects_by=("unlisted-semaphore-handle-type", "semaphore-shared-with-device"),
    ),
    "commands-apart": SimulatedPlatform(
        "3.0",
        (with_command_buffer_facts(OUT_OF_ORDER, COMMAND_BUFFER_CAPABILITIES=16),) * 2,
        extensions=MULTI_DEVICE_COMMAND_BUFFER,
        facts={"CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR": 3},
    ),
    "commands-shared": SimulatedPlatform(
        "3.0",
        tuple(with_command_buffer_facts(each, MUTABLE_DISPATCH_CAPABILITIES=31) for each in (WITH_SVM, FLAT_4)),
        extensions=(COMMAND_BUFFER, f"{COMMAND_BUFFER}_mutable_dispatch"),
    ),
    "commands-0.9.0": SimulatedPlatform(
        "3.0", (WITH_SVM,), extensions=(COMMAND_BUFFER,), revisions={COMMAND_BUFFER: "0.9.0"}
    ),
    "commands-0.9.6": SimulatedPlatform(
        "3.0",
        tuple(with_command_buffer_facts(each, MUTABLE_DISPATCH_CAPABILITIES=31) for each in (WITH_SVM, FLAT_4)),
        extensions=(COMMAND_BUFFER, f"{COMMAND_BUFFER}_mutable_dispatch"),
        revisions={COMMAND_BUFFER: "0.9.6"},
    ),
    "extensions-2.0": SimulatedPlatform(
        "2.0",
        (SimulatedDevice(4, schemes=(EQUALLY, COUNTS), facts={**IL_FACTS_BY_EXTENSION, "CL_DEVICE_IMAGE_SUPPORT": 0}),),
        extensions=("cl_khr_extended_versioning", "cl_khr_il_program", "cl_khr_image2d_from_buffer", SUGGESTIONS),
    ),
    "parts-3.0": SimulatedPlatform("3.0", (SOME_FEATURES,), extensions=("cl_khr_external_memory", OPAQUE_FD)),
    "narrow": SimulatedPlatform("3.0", (with_narrow_addresses(NUMA_16), FLAT_4), fission=True, pointer_bytes=4),
    "narrow-everything": SimulatedPlatform(
        "3.0", (with_narrow_addresses(FLAT_4),), fission=True, has_everything=True, pointer_bytes=4
    ),
    "custom": SimulatedPlatform("3.0", (SimulatedDevice(4, schemes=(EQUALLY,), type="CL_DEVICE_TYPE_CUSTOM"),)),
}
"""Maps the names that ``--simulated`` takes to simulated platforms."""

HOSTILE_TOPOLOGIES = {
    "hostile": SimulatedPlatform(
        "1.2",
        (FLAT_4,),
        texts={
            "CL_PLATFORM_NAME": HOSTILE,
            "CL_PLATFORM_VENDOR": f"{HOSTILE} \0 {HUGE}",
            "CL_PLATFORM_VERSION": f"OpenCL 1.2 {HOSTILE}",
            "CL_PLATFORM_EXTENSIONS": "<script>alert(3)</script> cl_\x1b[2J_\0",
            "CL_DEVICE_NAME": f"{HOSTILE} {HUGE}",
            "CL_DEVICE_VENDOR": HOSTILE,
            "CL_DEVICE_VERSION": f"OpenCL 1.2 {HOSTILE}",
            "CL_DRIVER_VERSION": HOSTILE,
        },
    ),
}
"""Topologies whose values violate rules and are hostile to programs that display them."""
REPEATED_NAME = re.compile(r"(.+)x([1-9]\d{0,3})")


def find_platform(name: str) -> SimulatedPlatform | None:
    """Return the platform of that name, or None; ``NAMExN`` is the platform NAME with N times its devices."""
    plan = TOPOLOGIES.get(name) or HOSTILE_TOPOLOGIES.get(name)
    repeated = REPEATED_NAME.fullmatch(name)
    if plan is None and repeated is not None and repeated[1] in TOPOLOGIES:
        plan = TOPOLOGIES[repeated[1]]
        return dataclasses.replace(plan, devices=plan.devices * int(repeated[2]))
    return plan


def require_platform(name: str) -> SimulatedPlatform:
    """Return the platform of that name, as ``find_platform`` does; HarnessError if there is none."""
    plan = find_platform(name)
    if plan is None:
        raise HarnessError(f"unknown topology {name!r}; clconform platforms lists them")
    return plan
