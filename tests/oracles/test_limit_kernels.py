"""Kernels at limits: the model knows their sources and arguments, and predicts builds only within the limits."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.model.devices import Device
from clconform.oracles.model.kernel_registry import find_parameters
from clconform.oracles.model.limit_kernels import LIMITED_ARGUMENTS, LimitKernel, find_limit_kernel
from clconform.oracles.model.program_sources import PARTS, split_parts

if TYPE_CHECKING:
    from clconform.oracles.model.cl_object import Fact

FACTS: dict[str, Fact] = {"CL_DEVICE_IMAGE_SUPPORT": 1, "CL_DEVICE_MAX_PARAMETER_SIZE": 1024}


@pytest.mark.parametrize("kind", LIMITED_ARGUMENTS)
def test_source_of_kernel_is_recognised_among_other_parts(kind: str) -> None:
    kernel, longer = LimitKernel(kind, 3), LimitKernel(kind, 1, "_xxx")
    assert split_parts(kernel.source + PARTS["add_index"] + longer.source) == (kernel.name, "add_index", longer.name)
    assert split_parts(kernel.source[:-1]) is None
    assert find_limit_kernel(kernel.name) == kernel
    assert find_parameters(longer.name) == longer.parameters
    assert len(kernel.parameters) == kernel.first_index + 3


@pytest.mark.parametrize(
    "name", ["use_0_samplers", "use_1_nothing", "use_1_samplers_y", "add_index", "use_1_samplers_"]
)
def test_other_names_are_not_those_of_kernels_at_limits(name: str) -> None:
    assert find_limit_kernel(name) is None


@pytest.mark.parametrize(
    ("kernel", "facts", "within"),
    [
        (LimitKernel("samplers", 16), {"CL_DEVICE_MAX_SAMPLERS": 16}, True),
        (LimitKernel("samplers", 17), {"CL_DEVICE_MAX_SAMPLERS": 16}, False),
        (LimitKernel("samplers", 16), {"CL_DEVICE_MAX_SAMPLERS": 16, "CL_DEVICE_IMAGE_SUPPORT": 0}, False),
        (LimitKernel("images_to_read", 127), {"CL_DEVICE_MAX_READ_IMAGE_ARGS": 128}, True),
        (LimitKernel("images_to_read", 128), {"CL_DEVICE_MAX_READ_IMAGE_ARGS": 128}, False),
        (
            LimitKernel("images_to_read", 128),
            {"CL_DEVICE_MAX_READ_IMAGE_ARGS": 128, "CL_DEVICE_MAX_PARAMETER_SIZE": 4096},
            True,
        ),
        (LimitKernel("vectors_of_1", 127), {}, True),
        (LimitKernel("vectors_of_1", 128), {"CL_DEVICE_MAX_PARAMETER_SIZE": 1032}, True),
        (LimitKernel("vectors_of_2", 64), {}, False),
    ],
)
def test_kernel_within_all_limits_must_compile(kernel: LimitKernel, facts: dict[str, Fact], *, within: bool) -> None:
    assert kernel.is_within_limits(Device("device1", facts={**FACTS, **facts})) is within
