"""The query values of a simulated device with every optional feature; all other devices report minimal values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.chapters.image_formats.postconditions import ADDITIONAL_FORMATS
from clconform.oracles.model.feature_sources import macro_of
from clconform.oracles.model.image_formats import UNPACKED
from clconform.oracles.queries.feature_capabilities import Support, find_support, list_features
from clconform.oracles.queries.versions_and_extensions import EXTENSIONS_OF_3_1, REQUIRED_EXTENSIONS
from clconform.spec_tables.requirements import Query
from clconform.spec_tables.versions import Version, pack_version

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import Fact
    from clconform.oracles.model.devices import Device
    from clconform.oracles.model.state import Model

SPIRV = "SPIR-V"

SUFFIX = "_KHR"


def _il_facts(minors: int) -> dict[str, Fact]:
    """Return the IL values of a device that supports this many versions of SPIR-V, starting with 1.0."""
    return {
        "CL_DEVICE_IL_VERSION": " ".join(f"{SPIRV}_1.{minor}" for minor in range(minors)),
        "CL_DEVICE_ILS_WITH_VERSION": tuple(part for minor in range(minors) for part in (1 << 22 | minor << 12, SPIRV)),
    }


IL_FACTS, IL_FACTS_OF_3_1 = _il_facts(3), _il_facts(5)
"""The IL values of a device of 2.2, and of one of 3.1."""
IL_FACTS_BY_EXTENSION = {f"{name}{SUFFIX}": told for name, told in _il_facts(1).items()}
"""The IL values of a device before 2.1 with ``cl_khr_il_program``."""
SPIRV_FACTS: dict[str, Fact] = {
    "CL_DEVICE_SPIRV_EXTENDED_INSTRUCTION_SETS": ("OpenCL.std",),
    "CL_DEVICE_SPIRV_EXTENSIONS": ("SPV_KHR_integer_dot_product", "SPV_KHR_no_integer_wrap_decoration"),
    "CL_DEVICE_SPIRV_CAPABILITIES": (4, 5, 6),
}
"""The extended instruction sets, extensions and capabilities (Addresses, Linkage, Kernel) of SPIR-V."""
BUILT_IN_KERNELS = ("simulated.copy", "simulated.fill")
C_3 = 3 << 22
"""Version 3.0.0, which introduced the features of OpenCL C."""
C_FEATURES = "CL_DEVICE_OPENCL_C_FEATURES"
WRITES_3D_FEATURE, WRITES_3D_EXTENSION = "3d_image_writes", "cl_khr_3d_image_writes"
MEGABYTE = 1 << 20
BYTE_BITS = 8
CORE_FEATURE_EXTENSIONS = (
    "cl_khr_fp64",
    "cl_khr_subgroups",
    "cl_khr_3d_image_writes",
    "cl_khr_depth_images",
    "cl_khr_image2d_from_buffer",
)
"""Extensions that a device reports because it has the features of the same name."""
HANDLE_LISTS = {
    "SEMAPHORE_TYPES_KHR": ("CL_SEMAPHORE_TYPE_BINARY_KHR",),
    "SEMAPHORE_IMPORT_HANDLE_TYPES_KHR": ("CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR", "CL_SEMAPHORE_HANDLE_SYNC_FD_KHR"),
    "SEMAPHORE_EXPORT_HANDLE_TYPES_KHR": ("CL_SEMAPHORE_HANDLE_OPAQUE_FD_KHR",),
    "EXTERNAL_MEMORY_IMPORT_HANDLE_TYPES_KHR": ("CL_EXTERNAL_MEMORY_HANDLE_OPAQUE_FD_KHR",),
}
"""Maps the last part of the queries' names to the values that both platform and devices list."""
HANDLE_EXTENSIONS = (
    "cl_khr_external_memory_opaque_fd",
    "cl_khr_external_semaphore_opaque_fd",
    "cl_khr_external_semaphore_sync_fd",
)
"""The extensions that define the handle types in ``HANDLE_LISTS``."""


GENERAL_ORDERS = ("CL_R", "CL_A", "CL_RG", "CL_RA", "CL_RGBA", "CL_LUMINANCE", "CL_INTENSITY")
"""Channel orders that the device combines with every data type that has one number per channel."""
BYTE_ORDERS = ("CL_ARGB", "CL_BGRA", "CL_ABGR")
SRGB_ORDERS = ("CL_sRGBA", "CL_sBGRA")
RARE_FORMATS = (
    ("CL_DEPTH", "CL_UNORM_INT16"),
    ("CL_DEPTH", "CL_FLOAT"),
    ("CL_RGB", "CL_UNORM_SHORT_565"),
    ("CL_RGB", "CL_UNORM_SHORT_555"),
    ("CL_RGB", "CL_UNORM_INT_101010"),
    ("CL_RGBx", "CL_UNORM_SHORT_565"),
    ("CL_RGBA", "CL_UNORM_INT_101010_2"),
    ("CL_Rx", "CL_UNORM_INT8"),
    ("CL_RGx", "CL_UNORM_INT16"),
    ("CL_RGBx", "CL_UNORM_INT8"),
    ("CL_sRGBx", "CL_UNORM_INT8"),
)
"""Formats that few devices support."""


def image_formats(model: Model) -> tuple[int, ...]:
    """Return additional formats: all valid combinations, as alternating channel orders and data types."""
    pairs = [
        *((order, name) for order in GENERAL_ORDERS for name in UNPACKED),
        *((order, name) for order in BYTE_ORDERS for name, (_, bits) in UNPACKED.items() if bits == BYTE_BITS),
        *((order, "CL_UNORM_INT8") for order in SRGB_ORDERS),
        *RARE_FORMATS,
    ]
    return tuple(model.constant_value(name) for pair in pairs for name in pair)


def extensions_with_queries(model: Model) -> tuple[str, ...]:
    """Return every extension that adds platform or device queries, except those for partitioning.

    The result includes the extensions that OpenCL 3.1 requires, if the tables contain that version.
    """
    names = {
        gate.name
        for requirement in model.tables.requirements.values()
        if isinstance(requirement, Query) and requirement.function in ("clGetPlatformInfo", "clGetDeviceInfo")
        for gate in requirement.applicability
        if gate.subject == "extension"
    }
    own = {name for name in names if "fission" not in name and "partition" not in name}
    required = (
        EXTENSIONS_OF_3_1
        if any(f"{REQUIRED_EXTENSIONS}/" in requirement for requirement in model.tables.requirements)
        else ()
    )
    return tuple(sorted({*CORE_FEATURE_EXTENSIONS, *HANDLE_EXTENSIONS, *own, *required}))


def usual_sizes() -> dict[str, Fact]:
    """Return consistent sizes of memory and work-groups; the individual minimums are not consistent."""
    return {
        "CL_DEVICE_GLOBAL_MEM_SIZE": 128 * MEGABYTE,
        "CL_DEVICE_MAX_WORK_GROUP_SIZE": 256,
        "CL_DEVICE_MAX_WORK_ITEM_SIZES": (256, 256, 64),
        "CL_DEVICE_MAX_WORK_GROUP_SIZES": (256, 256, 64),
        "CL_DEVICE_PREFERRED_WORK_GROUP_SIZE_MULTIPLE": 32,
    }


def remap_capabilities(model: Model) -> dict[str, Fact]:
    """Return the capabilities to remap command-buffers to other queues, including automatic remapping."""
    names = ("REMAP_QUEUES", "AUTOMATIC_REMAP")
    bits = sum(model.constant_value(f"CL_COMMAND_BUFFER_PLATFORM_{name}_KHR") for name in names)
    return {"CL_PLATFORM_COMMAND_BUFFER_CAPABILITIES_KHR": bits}


def identity_facts(number: int) -> dict[str, Fact]:
    """Return the values that distinguish a device from the other devices of its platform; the first has number 0."""
    return {
        "CL_DEVICE_UUID_KHR": (number, *range(1, 16)),
        "CL_DEVICE_LUID_KHR": (number, *range(1, 8)),
        "CL_DEVICE_PCI_BUS_INFO_KHR": (0, 1, number, 0),
    }


def handle_lists(owner: str, model: Model) -> dict[str, Fact]:
    """Return the lists of handle types that a ``PLATFORM`` or ``DEVICE`` reports."""
    return {f"CL_{owner}_{name}": tuple(map(model.constant_value, entries)) for name, entries in HANDLE_LISTS.items()}


def all_features(model: Model, version: Version) -> dict[str, Fact]:
    """Return the values of a device that supports every optional feature of its version."""
    packed = pack_version(*version)
    language = Version(version.major, 0) if (2, 0) <= version < (3, 1) else version
    all_bits = {
        "CL_DEVICE_SVM_CAPABILITIES": "cl_device_svm_capabilities",
        "CL_DEVICE_ATOMIC_MEMORY_CAPABILITIES": "cl_device_atomic_capabilities",
        "CL_DEVICE_ATOMIC_FENCE_CAPABILITIES": "cl_device_atomic_capabilities",
        "CL_DEVICE_DEVICE_ENQUEUE_CAPABILITIES": "cl_device_device_enqueue_capabilities",
        "CL_DEVICE_DOUBLE_FP_CONFIG": "cl_device_fp_config",
        "CL_DEVICE_SINGLE_FP_CONFIG": "cl_device_fp_config",
        "CL_DEVICE_HALF_FP_CONFIG": "cl_device_fp_config",
        "CL_DEVICE_EXECUTION_CAPABILITIES": "cl_device_exec_capabilities",
        "CL_DEVICE_INTEGER_DOT_PRODUCT_CAPABILITIES_KHR": "cl_device_integer_dot_product_capabilities_khr",
        "CL_DEVICE_KERNEL_CLOCK_CAPABILITIES_KHR": "cl_device_kernel_clock_capabilities_khr",
        "CL_DEVICE_COMMAND_BUFFER_CAPABILITIES_KHR": "cl_device_command_buffer_capabilities_khr",
        "CL_DEVICE_MUTABLE_DISPATCH_CAPABILITIES_KHR": "cl_mutable_dispatch_fields_khr",
        "CL_DEVICE_TERMINATE_CAPABILITY_KHR": "cl_device_terminate_capability_khr",
    }
    bits: dict[str, Fact] = {name: _all_bits(group, model) for name, group in all_bits.items()}
    usm = _all_bits("cl_device_unified_shared_memory_capabilities_intel", model)
    sorts = ("HOST", "DEVICE", "SINGLE_DEVICE_SHARED", "CROSS_DEVICE_SHARED", "SHARED_SYSTEM")
    shared: dict[str, Fact] = {f"CL_DEVICE_{sort}_MEM_CAPABILITIES_INTEL": usm for sort in sorts}
    both = model.constant_value("CL_QUEUE_OUT_OF_ORDER_EXEC_MODE_ENABLE") | model.constant_value(
        "CL_QUEUE_PROFILING_ENABLE"
    )
    return {
        **bits,
        **shared,
        **SPIRV_FACTS,
        **handle_lists("DEVICE", model),
        "CL_DEVICE_IMAGE_SUPPORT": 1,
        "CL_DEVICE_IMAGE3D_MAX_WIDTH": 2048,
        "CL_DEVICE_IMAGE3D_MAX_HEIGHT": 2048,
        "CL_DEVICE_IMAGE3D_MAX_DEPTH": 2048,
        "CL_DEVICE_MAX_READ_WRITE_IMAGE_ARGS": 64,
        "CL_DEVICE_IMAGE_PITCH_ALIGNMENT": 4,
        "CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT": 64,
        ADDITIONAL_FORMATS: image_formats(model),
        "CL_DEVICE_PIPE_SUPPORT": 1,
        "CL_DEVICE_MAX_GLOBAL_VARIABLE_SIZE": MEGABYTE,
        "CL_DEVICE_GLOBAL_VARIABLE_PREFERRED_TOTAL_SIZE": MEGABYTE,
        "CL_DEVICE_MAX_NUM_SUB_GROUPS": 8,
        "CL_DEVICE_SUB_GROUP_INDEPENDENT_FORWARD_PROGRESS": 1,
        "CL_DEVICE_GENERIC_ADDRESS_SPACE_SUPPORT": 1,
        "CL_DEVICE_NON_UNIFORM_WORK_GROUP_SUPPORT": 1,
        "CL_DEVICE_WORK_GROUP_COLLECTIVE_FUNCTIONS_SUPPORT": 1,
        "CL_DEVICE_QUEUE_ON_DEVICE_PROPERTIES": both,
        "CL_DEVICE_QUEUE_ON_DEVICE_PREFERRED_SIZE": MEGABYTE,
        "CL_DEVICE_QUEUE_ON_DEVICE_MAX_SIZE": MEGABYTE,
        "CL_DEVICE_QUEUE_PROPERTIES": both,
        **(IL_FACTS if version < (3, 1) else IL_FACTS_OF_3_1),
        "CL_DEVICE_BUILT_IN_KERNELS": ";".join(BUILT_IN_KERNELS),
        "CL_DEVICE_BUILT_IN_KERNELS_WITH_VERSION": tuple(part for name in BUILT_IN_KERNELS for part in (packed, name)),
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_DOUBLE": 2,
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_DOUBLE": 2,
        "CL_DEVICE_PREFERRED_VECTOR_WIDTH_HALF": 4,
        "CL_DEVICE_NATIVE_VECTOR_WIDTH_HALF": 4,
        "CL_DEVICE_OPENCL_C_VERSION": f"OpenCL C {language} ",
        "CL_DEVICE_OPENCL_C_NUMERIC_VERSION_KHR": language.major << 22 | language.minor << 12,
        "CL_DRIVER_UUID_KHR": tuple(range(16)),
        "CL_DEVICE_LUID_VALID_KHR": 1,
        "CL_DEVICE_NODE_MASK_KHR": 1,
        "CL_DEVICE_SPIR_VERSIONS": "1.2",
    }


def update_c_features(device: Device, model: Model) -> None:
    """Let a device of 3.0 or later list the features of OpenCL C that its other values report; none without a compiler.

    A feature that the other values leave open is not listed.
    """
    if device.version < (3, 0):
        return
    names = [each for each in list_features() if find_support(each, device, model)[0] is Support.YES]
    if WRITES_3D_EXTENSION in device.extensions:
        names.append(WRITES_3D_FEATURE)
    listed = names if device.facts.get("CL_DEVICE_COMPILER_AVAILABLE") else ()
    device.facts[C_FEATURES] = tuple(part for name in listed for part in (C_3, macro_of(name)))
    device.facts.pop(f"size of {C_FEATURES}", None)


def add_other_names(facts: dict[str, Fact], model: Model) -> dict[str, Fact]:
    """Return the facts, with the value of a query under both its core name and its extension name."""
    doubled = dict(facts)
    for name, fact in facts.items():
        other = name.removesuffix(SUFFIX) if name.endswith(SUFFIX) else f"{name}{SUFFIX}"
        if other in model.tables.enumerants:
            doubled.setdefault(other, fact)
    return doubled


def _all_bits(group: str, model: Model) -> int:
    bits = 0
    for flag in model.lookups.flags_of(group):
        bits |= model.constant_value(flag.name)
    return bits
