"""What no call can show of recorded commands (section 5.17)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.oracles.engine.rules import Rules

if TYPE_CHECKING:
    from clconform.spec_tables import Tables

rules = Rules()

OF_A_KERNEL = ("KERNEL", "DIMENSIONS", "GLOBAL_WORK_OFFSET", "GLOBAL_WORK_SIZE", "LOCAL_WORK_SIZE")


@rules.completion
def _of_other_commands(rules: Rules, _tables: Tables) -> None:
    for name in OF_A_KERNEL:
        rules.untestable(
            f"CL_MUTABLE_DISPATCH_{name}_KHR/effect/1",
            "For a command other than a kernel command, param_value_size_ret is 0.",
            "only kernel commands can have handles: other functions fail if a handle is requested",
        )
