"""OpenCL C sources that compile only if the macros of optional features are defined as the documents specify."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

FEATURES = (
    "3d_image_writes",
    "atomic_order_acq_rel",
    "atomic_order_seq_cst",
    "atomic_scope_all_devices",
    "atomic_scope_device",
    "device_enqueue",
    "fp64",
    "generic_address_space",
    "images",
    "int64",
    "pipes",
    "program_scope_global_variables",
    "read_write_images",
    "subgroups",
    "work_group_collective_functions",
)
"""The optional features of OpenCL C 3.0 with a macro in the appendix, without the prefix of the macro's name."""
EXTENSION_FEATURES = (
    "integer_dot_product_input_4x8bit",
    "integer_dot_product_input_4x8bit_packed",
    "kernel_clock_scope_device",
    "kernel_clock_scope_sub_group",
    "kernel_clock_scope_work_group",
)
"""The optional features with a macro in the descriptions of extensions, without the prefix of the macro's name."""
IMPLIED = (
    ("device_enqueue", "generic_address_space"),
    ("device_enqueue", "program_scope_global_variables"),
    ("pipes", "generic_address_space"),
)
"""Pairs of features: the first feature requires the second."""


def macro_of(feature: str) -> str:
    """Return the macro of a feature."""
    return f"__opencl_c_{feature}"


def part_needing_feature(feature: str) -> str:
    """Return the name of the source part that compiles only if the macro of the feature is defined."""
    return f"with_{feature}"


def part_needing_both(feature: str, other: str) -> str:
    """Return the name of the source part that does not compile if only the macro of ``feature`` is defined."""
    return f"{feature}_with_{other}"


def _source_unless(condition: str, name: str) -> str:
    return (
        f"#if {condition}\n#error a macro is not defined\n#endif\n"
        f"__kernel void {name}(__global uint *data)\n{{\n    data[0] += 1u;\n}}\n"
    )


REQUIRED_MACROS: Mapping[str, str] = {
    part_needing_feature(each): macro_of(each) for each in (*FEATURES, *EXTENSION_FEATURES)
}
"""Maps names of source parts to the macros that must be defined to compile them."""
PARTS_WITH_MACROS: Mapping[str, str] = {
    **{name: _source_unless(f"!defined({needed})", name) for name, needed in REQUIRED_MACROS.items()},
    **{
        part_needing_both(*pair): _source_unless(
            f"defined({macro_of(pair[0])}) && !defined({macro_of(pair[1])})", part_needing_both(*pair)
        )
        for pair in IMPLIED
    },
}
"""Maps names of source parts to their sources."""
