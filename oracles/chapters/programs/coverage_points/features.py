"""Coverage points for the feature macros of OpenCL C 3.0, checked on builds (the appendix about 3.0)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.judgements import SUCCESS
from clconform.oracles.engine.rules import Rules
from clconform.oracles.model.feature_sources import IMPLIED, macro_of, part_needing_both, part_needing_feature
from clconform.oracles.model.programs import SourceProgram

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.oracles.engine.call_context import CompletedCall

rules = Rules()

BUILDS = ("clBuildProgram", "clCompileProgram")
ENQUEUE = "OpenCL:device-side-enqueue"
FEATURE_REQUIREMENTS = {
    "OpenCL:memory-consistency-model/1": "atomic_order_acq_rel",
    "OpenCL:memory-consistency-model/2": "atomic_order_seq_cst",
    "OpenCL:memory-consistency-model/3": "atomic_scope_device",
    "OpenCL:memory-consistency-model/4": "atomic_scope_all_devices",
    "OpenCL:device-side-enqueue/4": "device_enqueue",
    "OpenCL:pipes/1": "pipes",
    "OpenCL:program-scope-global-variables/1": "program_scope_global_variables",
    "OpenCL:read-write-images/1": "read_write_images",
    "OpenCL:sub-groups/1": "subgroups",
    "OpenCL:3d-image-writes/1": "3d_image_writes",
    "OpenCL:work-group-collective-functions/1": "work_group_collective_functions",
    "OpenCL:generic-address-space/1": "generic_address_space",
    "OpenCL:language-features-that-were-already-optional/1": "images",
    "OpenCL:language-features-that-were-already-optional/2": "fp64",
    "OpenCL:language-features-that-were-already-optional/3": "int64",
}
"""Maps each requirement about the macro of a feature to this feature."""
IMPLIED_FEATURES = dict(
    zip(("OpenCL:device-side-enqueue/5", "OpenCL:device-side-enqueue/6", "OpenCL:pipes/2"), IMPLIED, strict=True)
)
"""Maps each requirement about an implied feature to two features, of which the first implies the second."""


def _builds_part(part: str) -> Callable[[CompletedCall], bool]:
    """Return a coverage condition: a call builds a source that contains the part ``part``.

    If the source also has other parts, the build must succeed.
    """

    def holds(asked: CompletedCall) -> bool:
        program = asked.subject
        parts = (program.parts or ()) if isinstance(program, SourceProgram) else ()
        return part in parts and (len(parts) == 1 or asked.code == SUCCESS)

    return holds


for _function in BUILDS:
    for _record, _feature in FEATURE_REQUIREMENTS.items():
        rules.coverage_point(
            _record,
            _function,
            (
                f"Checked on devices that list {macro_of(_feature)}: a source for OpenCL C 3.0 that "
                f"requires this macro "
                "is compiled."
            ),
            f"{_function}/success",
            holds=_builds_part(part_needing_feature(_feature)),
            requires_success=True,
        )
    for _record, _pair in IMPLIED_FEATURES.items():
        rules.coverage_point(
            _record,
            _function,
            (
                f"Checked on devices that list {macro_of(_pair[0])}: a source for OpenCL C 3.0 that also requires "
                f"{macro_of(_pair[1])} is compiled."
            ),
            f"{_function}/success",
            holds=_builds_part(part_needing_both(*_pair)),
            requires_success=True,
        )
