"""Samplers: modes, lists and contexts that must, may or must not fail, and queries of creation properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.samplers import Sampler

from .oracle_setup import DevicePlan, OracleSetup, get_condition_ids

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.oracles.engine.matchers import Element

BY_MODES, BY_LIST = "clCreateSampler", "clCreateSamplerWithProperties"
MIPMAPS = "cl_khr_mipmap_image"
IMAGES = "CL_DEVICE_IMAGE_SUPPORT"
COORDINATES, ADDRESSING, FILTER, MIP_FILTER, LOD_MIN, LOD_MAX = (
    f"CL_SAMPLER_{name}"
    for name in (
        "NORMALIZED_COORDS",
        "ADDRESSING_MODE",
        "FILTER_MODE",
        "MIP_FILTER_MODE_KHR",
        "LOD_MIN_KHR",
        "LOD_MAX_KHR",
    )
)
NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED = (
    f"CL_ADDRESS_{name}" for name in ("NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT")
)
NEAREST, LINEAR = "CL_FILTER_NEAREST", "CL_FILTER_LINEAR"
INVALID_MODES = "clCreateSampler/CL_INVALID_VALUE/1"
INVALID_LIST = "clCreateSamplerWithProperties/CL_INVALID_VALUE/1"
NO_IMAGES = "clCreateSampler/CL_INVALID_OPERATION/1"
NO_IMAGES_BY_LIST = "clCreateSamplerWithProperties/CL_INVALID_OPERATION/1"
NULL_CONTEXT = "clCreateSampler/CL_INVALID_CONTEXT/1"
NULL_CONTEXT_BY_LIST = "clCreateSamplerWithProperties/CL_INVALID_CONTEXT/1"
CONTEXT = Handle("context1")


def set_up_samplers(*images: int | None, version: str = "3.0", extensions: str = MIPMAPS) -> OracleSetup:
    """Return a setup with a device for each value of image support (None: unknown), and a context of all devices."""
    made = OracleSetup(*(DevicePlan() for _ in images or (1,)), version=version, extensions=extensions)
    for device, has in zip(made.roots, images or (1,), strict=True):
        if has is not None:
            device.facts[IMAGES] = has
    made.model.add(Context("context1", devices=list(made.roots), device_count=len(made.roots)))
    return made


def expect_by_modes(of: OracleSetup, *modes: str | int, context: Handle | None = CONTEXT) -> tuple[str, str]:
    """Return the conditions that must and may hold for a sampler with these modes."""
    return get_condition_ids(of.expect(BY_MODES, context, *map(of.value, modes), OutputBuffer(1)))


def expect_by_list(of: OracleSetup, *elements: str | int, context: Handle | None = CONTEXT) -> tuple[str, str]:
    """Return the conditions that must and may hold for a sampler with these properties."""
    return get_condition_ids(of.expect(BY_LIST, context, of.create_list(*elements, 0), OutputBuffer(1)))


@pytest.mark.parametrize(
    ("modes", "musts", "mays"),
    [
        *(((1, mode, NEAREST), "", "") for mode in (NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED)),
        *(((1, mode, LINEAR), "", "") for mode in (NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED)),
        *(((0, mode, NEAREST), "", "") for mode in (NONE, CLAMP_TO_EDGE, CLAMP)),
        *(((0, mode, LINEAR), "", "") for mode in (NONE, CLAMP_TO_EDGE, CLAMP)),
        *(((0, mode, NEAREST), "", INVALID_MODES) for mode in (REPEAT, MIRRORED)),
        *(((0, mode, LINEAR), "", INVALID_MODES) for mode in (REPEAT, MIRRORED)),
        *(((0, mode, NEAREST), INVALID_MODES, "") for mode in (0, 1, 0x112F, 0x1135, NEAREST, (1 << 32) - 1)),
        *(((1, CLAMP, mode), INVALID_MODES, "") for mode in (0, 1, 0x113F, 0x1142, CLAMP, (1 << 32) - 1)),
        ((0, 0, 0), INVALID_MODES, ""),
        ((2, NONE, NEAREST), "", INVALID_MODES),
        ((2, 0, NEAREST), INVALID_MODES, ""),
        ((0, REPEAT, 0), INVALID_MODES, ""),
    ],
)
def test_invalid_sampler_modes_are_rejected(modes: tuple[str | int, ...], musts: str, mays: str) -> None:
    assert expect_by_modes(set_up_samplers(), *modes) == (musts, mays)


@pytest.mark.parametrize(("version", "mays"), [("1.0", INVALID_MODES), ("1.1", ""), ("3.0", "")])
def test_sampler_with_mirrored_repeat_is_valid_from_1_1(version: str, mays: str) -> None:
    assert expect_by_modes(set_up_samplers(version=version), 1, MIRRORED, NEAREST) == ("", mays)


@pytest.mark.parametrize(
    ("elements", "musts", "mays"),
    [
        ((), "", ""),
        ((0, 0x7777, 1), "", ""),
        ((COORDINATES, 0), "", ""),
        ((COORDINATES, 1), "", ""),
        ((COORDINATES, 2), "", INVALID_LIST),
        ((COORDINATES, 1 << 32), "", INVALID_LIST),
        *(((ADDRESSING, mode), "", "") for mode in (NONE, CLAMP_TO_EDGE, CLAMP, REPEAT, MIRRORED)),
        *(((FILTER, mode), "", "") for mode in (NEAREST, LINEAR)),
        ((FILTER, LINEAR, ADDRESSING, REPEAT, COORDINATES, 1), "", ""),
        ((FILTER, LINEAR, ADDRESSING, CLAMP, COORDINATES, 0), "", ""),
        ((ADDRESSING, REPEAT, COORDINATES, 0), "", INVALID_LIST),
        ((COORDINATES, 0, ADDRESSING, MIRRORED), "", INVALID_LIST),
        *(((ADDRESSING, mode), INVALID_LIST, "") for mode in (0, 1, 0x112F, 0x1135, NEAREST, (1 << 63) - 1)),
        *(((FILTER, mode), INVALID_LIST, "") for mode in (0, 1, 0x113F, 0x1142, CLAMP)),
        ((ADDRESSING, 1 << 32 | 0x1130), "", INVALID_LIST),
        ((FILTER, 1 << 63 | 0x1141), "", INVALID_LIST),
        ((FILTER, LINEAR, ADDRESSING, 0), INVALID_LIST, ""),
        ((COORDINATES, 1, COORDINATES, 1), INVALID_LIST, ""),
        ((COORDINATES, 1, FILTER, LINEAR, COORDINATES, 0), INVALID_LIST, ""),
        ((MIP_FILTER, LINEAR, MIP_FILTER, LINEAR), INVALID_LIST, ""),
        *(
            ((name, 1), INVALID_LIST, "")
            for name in (1, 0x7777, (1 << 32) + 0x1152, "CL_SAMPLER_CONTEXT", "CL_QUEUE_SIZE")
        ),
        ((COORDINATES, 1, 0x7777, 1), INVALID_LIST, ""),
        ((COORDINATES, 2, 0x7777, 1), INVALID_LIST, ""),
        *(((MIP_FILTER, mode), "", "") for mode in (NEAREST, LINEAR)),
        *(((MIP_FILTER, mode), INVALID_LIST, "") for mode in (0, CLAMP)),
        *(((name, number), "", INVALID_LIST) for name in (LOD_MIN, LOD_MAX) for number in (0, 0x3F800000)),
    ],
)
def test_invalid_sampler_property_lists_are_rejected(elements: tuple[str | int, ...], musts: str, mays: str) -> None:
    assert expect_by_list(set_up_samplers(), *elements) == (musts, mays)


@pytest.mark.parametrize("values", [(), (0x1152,), (0x1152, 1), (0x1152, 1, 0x1153)])
def test_sampler_creation_with_unterminated_list_is_undefined(values: tuple[int, ...]) -> None:
    assert set_up_samplers().expect(BY_LIST, CONTEXT, ElementList(values), OutputBuffer(1)).undefined


def test_sampler_creation_with_null_list_is_valid() -> None:
    assert get_condition_ids(set_up_samplers().expect(BY_LIST, CONTEXT, None, OutputBuffer(1))) == ("", "")


@pytest.mark.parametrize("elements", [(MIP_FILTER, LINEAR), (MIP_FILTER, 0), (LOD_MIN, 0), (LOD_MAX, 0)])
def test_sampler_properties_of_missing_extension_may_be_rejected(elements: tuple[str | int, ...]) -> None:
    assert expect_by_list(set_up_samplers(extensions=""), *elements) == ("", INVALID_LIST)


def test_sampler_property_may_be_rejected_if_a_device_lacks_extension() -> None:
    of = set_up_samplers(1, 1, extensions="")
    of.roots[0].facts["CL_DEVICE_EXTENSIONS"] = MIPMAPS
    of.roots[0].refresh()
    assert expect_by_list(of, MIP_FILTER, LINEAR) == ("", INVALID_LIST)
    of.model.context(CONTEXT).devices = of.roots[:1]
    assert expect_by_list(of, MIP_FILTER, LINEAR) == ("", "")
    of.model.context(CONTEXT).devices = of.roots[1:]
    assert expect_by_list(of, MIP_FILTER, LINEAR) == ("", INVALID_LIST)


@pytest.mark.parametrize(
    ("images", "holds"),
    [((1,), "no"), ((0,), "must"), ((None,), "may"), ((1, 0), "no"), ((0, 1), "no"), ((0, 0), "must")],
)
def test_sampler_creation_without_image_device_is_rejected(images: tuple[int | None, ...], holds: str) -> None:
    of = set_up_samplers(*images)
    for found, requirement in (
        (expect_by_modes(of, 0, NONE, NEAREST), NO_IMAGES),
        (expect_by_list(of), NO_IMAGES_BY_LIST),
    ):
        assert found == {"no": ("", ""), "must": (requirement, ""), "may": ("", requirement)}[holds]


@pytest.mark.parametrize(
    ("images", "musts", "mays"), [((0, 0), NO_IMAGES, ""), ((0, 1), "", NO_IMAGES), ((1, 1), "", "")]
)
def test_sampler_is_rejected_if_no_possible_device_of_context_has_images(
    images: Sequence[int], musts: str, mays: str
) -> None:
    of = set_up_samplers(*images)
    context = of.model.context(CONTEXT)
    context.devices, context.candidates = [], of.roots
    assert expect_by_modes(of, 0, NONE, NEAREST) == (musts, mays)


def test_sampler_with_null_context_and_invalid_modes_has_both_errors() -> None:
    assert expect_by_modes(set_up_samplers(), 0, NONE, NEAREST, context=None) == (NULL_CONTEXT, "")
    assert expect_by_modes(set_up_samplers(), 0, 0, NEAREST, context=None) == (f"{NULL_CONTEXT} {INVALID_MODES}", "")
    assert expect_by_list(set_up_samplers(0, 1), 0x7777, 1, context=None) == (
        f"{NULL_CONTEXT_BY_LIST} {INVALID_LIST}",
        "",
    )
    assert expect_by_modes(set_up_samplers(0, 0), 0, NONE, NEAREST, context=None) == (NULL_CONTEXT, NO_IMAGES)
    assert expect_by_list(set_up_samplers(0), 0x7777, 1) == (f"{NO_IMAGES_BY_LIST} {INVALID_LIST}", "")


def create_sampler(of: OracleSetup, function: str, *arguments: object) -> tuple[Sampler, dict[str, str]]:
    """Create a sampler; return it with the evidence of the call, which maps requirements to verdicts."""
    judgement = of.oracle.judge(
        of.expect(function, CONTEXT, *arguments, OutputBuffer(1)), Returned("sampler1", {"errcode_ret": Output([0], 4)})
    )
    return of.model.get(Sampler, Handle("sampler1")), dict(judgement.evidence)


def test_model_of_sampler_has_requested_or_default_modes() -> None:
    of = set_up_samplers()
    sampler, _ = create_sampler(of, BY_LIST, None)
    usual = (1, of.value(CLAMP), of.value(NEAREST))
    assert (sampler.normalized_coords, sampler.addressing_mode, sampler.filter_mode) == usual
    sampler, _ = create_sampler(of, BY_LIST, of.create_list(FILTER, LINEAR, COORDINATES, 2, 0))
    assert (sampler.normalized_coords, sampler.addressing_mode, sampler.filter_mode) == (
        None,
        of.value(CLAMP),
        of.value(LINEAR),
    )
    sampler, _ = create_sampler(of, BY_MODES, 2, of.value(CLAMP_TO_EDGE), of.value(LINEAR))
    told = (None, of.value(CLAMP_TO_EDGE), of.value(LINEAR))
    assert (sampler.normalized_coords, sampler.addressing_mode, sampler.filter_mode) == told


def accepts_properties(of: OracleSetup, *answer: str | int) -> bool:
    """Return whether a query of the sampler may return this list of properties."""
    told: list[Element] = [of.value(each) for each in answer]
    outputs = {"param_value": Output(told, 8 * len(told)), "param_value_size_ret": Output([8 * len(told)], 8)}
    query = of.value("CL_SAMPLER_PROPERTIES")
    asked = of.expect("clGetSamplerInfo", Handle("sampler1"), query, 64, OutputBuffer(64), OutputBuffer(1))
    return not of.oracle.judge(asked, Returned(0, outputs)).deviations


@pytest.mark.parametrize(
    ("elements", "right", "wrong"),
    [
        ((0,), (0,), ()),
        ((COORDINATES, 0, 0), (COORDINATES, 0, 0), (COORDINATES, 0)),
        ((COORDINATES, 0, 0), (COORDINATES, 0, 0), (0,)),
        ((COORDINATES, 0, 0, 0x7777, 1, 0), (COORDINATES, 0, 0), (COORDINATES, 0, 0, 0x7777, 1, 0)),
        ((COORDINATES, 2, 0), (COORDINATES, 2, 0), (COORDINATES, 1, 0)),
    ],
)
def test_sampler_query_must_return_the_list_up_to_its_terminator(
    elements: tuple[str | int, ...], right: tuple[str | int, ...], wrong: tuple[str | int, ...]
) -> None:
    of = set_up_samplers()
    create_sampler(of, BY_LIST, of.create_list(*elements))
    assert accepts_properties(of, *right)
    assert not accepts_properties(of, *wrong)


def test_property_query_of_sampler_without_list_returns_empty_list() -> None:
    of = set_up_samplers()
    create_sampler(of, BY_LIST, None)
    assert (accepts_properties(of), accepts_properties(of, 0)) == (True, False)
    of = set_up_samplers()
    create_sampler(of, BY_MODES, 1, of.value(CLAMP), of.value(NEAREST))
    assert (accepts_properties(of), accepts_properties(of, 0)) == (True, False)


@pytest.mark.parametrize("size", [0, 8, 16, 24])
@pytest.mark.parametrize(("listed", "right"), [(None, 0), ((COORDINATES, 0, 0), 24)])
def test_property_query_size_that_differs_from_creation_list_deviates(
    listed: tuple[str | int, ...] | None, right: int, size: int
) -> None:
    of = set_up_samplers()
    if listed is None:
        create_sampler(of, BY_MODES, 1, of.value(CLAMP), of.value(NEAREST))
    else:
        create_sampler(of, BY_LIST, of.create_list(*listed))
    query = of.value("CL_SAMPLER_PROPERTIES")
    asked = of.expect("clGetSamplerInfo", Handle("sampler1"), query, 0, None, OutputBuffer(1))
    told = of.oracle.judge(asked, Returned(0, {"param_value_size_ret": Output([size], 8)}))
    assert bool(told.deviations) is (size != right)


@pytest.mark.parametrize(
    ("elements", "records"),
    [
        ((COORDINATES, 0), {"CL_SAMPLER_NORMALIZED_COORDS@clCreateSamplerWithProperties"}),
        (
            (ADDRESSING, CLAMP_TO_EDGE),
            {
                "CL_SAMPLER_ADDRESSING_MODE@clCreateSamplerWithProperties",
                "cl_addressing_mode:CL_ADDRESS_CLAMP_TO_EDGE",
            },
        ),
        (
            (FILTER, NEAREST),
            {"CL_SAMPLER_FILTER_MODE@clCreateSamplerWithProperties", "cl_filter_mode:CL_FILTER_NEAREST"},
        ),
        ((MIP_FILTER, NEAREST), {"CL_SAMPLER_MIP_FILTER_MODE_KHR@clCreateSamplerWithProperties"}),
        ((LOD_MIN, 0), {"CL_SAMPLER_LOD_MIN_KHR@clCreateSamplerWithProperties"}),
        ((LOD_MAX, 0), {"CL_SAMPLER_LOD_MAX_KHR@clCreateSamplerWithProperties"}),
    ],
)
def test_created_sampler_is_evidence_for_each_property_of_its_list(
    elements: tuple[str | int, ...], records: set[str]
) -> None:
    of = set_up_samplers()
    _, evidence = create_sampler(of, BY_LIST, of.create_list(*elements, 0))
    assert evidence == dict.fromkeys({*records, "clCreateSamplerWithProperties/success"}, "conforms")


def test_sampler_mode_requirements_have_the_verdict_of_the_call() -> None:
    of = set_up_samplers()
    _, evidence = create_sampler(of, BY_MODES, 0, of.value(NONE), of.value(LINEAR))
    modes = {"cl_addressing_mode:CL_ADDRESS_NONE", "cl_filter_mode:CL_FILTER_LINEAR"}
    assert evidence == dict.fromkeys({*modes, "clCreateSampler/success"}, "conforms")
    asked = of.expect(BY_MODES, CONTEXT, 0, of.value(NONE), of.value(LINEAR), OutputBuffer(1))
    code = Output([of.value("CL_INVALID_VALUE")], 4)
    refused = dict(of.oracle.judge(asked, Returned(None, {"errcode_ret": code})).evidence)
    assert refused.items() >= dict.fromkeys({*modes, "clCreateSampler/success"}, "deviates").items()
