"""Samplers: modes, lists and contexts that must, may or must not fail, and queries of creation properties."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.calls.call import Output, Returned
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.model.contexts import Context
from clconform.oracles.model.samplers import Sampler

from .worlds import Plan, World, clauses

if TYPE_CHECKING:
    from collections.abc import Sequence

    from clconform.oracles.engine.matchers import Element

BY_MODES, BY_LIST = "clCreateSampler", "clCreateSamplerWithProperties"
MIPMAPS = "cl_khr_mipmap_image"
IMAGES = "CL_DEVICE_IMAGE_SUPPORT"
COORDINATES, ADDRESSING, FILTER, BETWEEN, LEAST, MOST = (
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
NONE, EDGE, CLAMP, REPEAT, MIRRORED = (
    f"CL_ADDRESS_{name}" for name in ("NONE", "CLAMP_TO_EDGE", "CLAMP", "REPEAT", "MIRRORED_REPEAT")
)
NEAREST, LINEAR = "CL_FILTER_NEAREST", "CL_FILTER_LINEAR"
MODES = "clCreateSampler/CL_INVALID_VALUE/1"
LIST = "clCreateSamplerWithProperties/CL_INVALID_VALUE/1"
LACKING = "clCreateSampler/CL_INVALID_OPERATION/1"
LACKING_BY_LIST = "clCreateSamplerWithProperties/CL_INVALID_OPERATION/1"
NULL = "clCreateSampler/CL_INVALID_CONTEXT/1"
NULL_BY_LIST = "clCreateSamplerWithProperties/CL_INVALID_CONTEXT/1"
CONTEXT = Handle("context1")


def world(*images: int | None, version: str = "3.0", extensions: str = MIPMAPS) -> World:
    """Return a setup with one device for each value (image support; None: unknown) and a context of all devices."""
    made = World(*(Plan() for _ in images or (1,)), version=version, extensions=extensions)
    for device, has in zip(made.roots, images or (1,), strict=True):
        if has is not None:
            device.facts[IMAGES] = has
    made.model.add(Context("context1", devices=list(made.roots), device_count=len(made.roots)))
    return made


def by_modes(of: World, *modes: str | int, context: Handle | None = CONTEXT) -> tuple[str, str]:
    """Return the conditions that must and may hold for a sampler with these modes."""
    return clauses(of.expect(BY_MODES, context, *map(of.value, modes), OutputBuffer(1)))


def by_list(of: World, *elements: str | int, context: Handle | None = CONTEXT) -> tuple[str, str]:
    """Return the conditions that must and may hold for a sampler with these properties."""
    return clauses(of.expect(BY_LIST, context, of.items(*elements, 0), OutputBuffer(1)))


@pytest.mark.parametrize(
    ("modes", "musts", "mays"),
    [
        *(((1, mode, NEAREST), "", "") for mode in (NONE, EDGE, CLAMP, REPEAT, MIRRORED)),
        *(((1, mode, LINEAR), "", "") for mode in (NONE, EDGE, CLAMP, REPEAT, MIRRORED)),
        *(((0, mode, NEAREST), "", "") for mode in (NONE, EDGE, CLAMP)),
        *(((0, mode, LINEAR), "", "") for mode in (NONE, EDGE, CLAMP)),
        *(((0, mode, NEAREST), "", MODES) for mode in (REPEAT, MIRRORED)),
        *(((0, mode, LINEAR), "", MODES) for mode in (REPEAT, MIRRORED)),
        *(((0, mode, NEAREST), MODES, "") for mode in (0, 1, 0x112F, 0x1135, NEAREST, (1 << 32) - 1)),
        *(((1, CLAMP, mode), MODES, "") for mode in (0, 1, 0x113F, 0x1142, CLAMP, (1 << 32) - 1)),
        ((0, 0, 0), MODES, ""),
        ((2, NONE, NEAREST), "", MODES),
        ((2, 0, NEAREST), MODES, ""),
        ((0, REPEAT, 0), MODES, ""),
    ],
)
def test_modes(modes: tuple[str | int, ...], musts: str, mays: str) -> None:
    assert by_modes(world(), *modes) == (musts, mays)


@pytest.mark.parametrize(("version", "mays"), [("1.0", MODES), ("1.1", ""), ("3.0", "")])
def test_mirrored_images_come_with_1_1(version: str, mays: str) -> None:
    assert by_modes(world(version=version), 1, MIRRORED, NEAREST) == ("", mays)


@pytest.mark.parametrize(
    ("elements", "musts", "mays"),
    [
        ((), "", ""),
        ((0, 0x7777, 1), "", ""),
        ((COORDINATES, 0), "", ""),
        ((COORDINATES, 1), "", ""),
        ((COORDINATES, 2), "", LIST),
        ((COORDINATES, 1 << 32), "", LIST),
        *(((ADDRESSING, mode), "", "") for mode in (NONE, EDGE, CLAMP, REPEAT, MIRRORED)),
        *(((FILTER, mode), "", "") for mode in (NEAREST, LINEAR)),
        ((FILTER, LINEAR, ADDRESSING, REPEAT, COORDINATES, 1), "", ""),
        ((FILTER, LINEAR, ADDRESSING, CLAMP, COORDINATES, 0), "", ""),
        ((ADDRESSING, REPEAT, COORDINATES, 0), "", LIST),
        ((COORDINATES, 0, ADDRESSING, MIRRORED), "", LIST),
        *(((ADDRESSING, mode), LIST, "") for mode in (0, 1, 0x112F, 0x1135, NEAREST, (1 << 63) - 1)),
        *(((FILTER, mode), LIST, "") for mode in (0, 1, 0x113F, 0x1142, CLAMP)),
        ((ADDRESSING, 1 << 32 | 0x1130), "", LIST),
        ((FILTER, 1 << 63 | 0x1141), "", LIST),
        ((FILTER, LINEAR, ADDRESSING, 0), LIST, ""),
        ((COORDINATES, 1, COORDINATES, 1), LIST, ""),
        ((COORDINATES, 1, FILTER, LINEAR, COORDINATES, 0), LIST, ""),
        ((BETWEEN, LINEAR, BETWEEN, LINEAR), LIST, ""),
        *(((name, 1), LIST, "") for name in (1, 0x7777, (1 << 32) + 0x1152, "CL_SAMPLER_CONTEXT", "CL_QUEUE_SIZE")),
        ((COORDINATES, 1, 0x7777, 1), LIST, ""),
        ((COORDINATES, 2, 0x7777, 1), LIST, ""),
        *(((BETWEEN, mode), "", "") for mode in (NEAREST, LINEAR)),
        *(((BETWEEN, mode), LIST, "") for mode in (0, CLAMP)),
        *(((name, number), "", LIST) for name in (LEAST, MOST) for number in (0, 0x3F800000)),
    ],
)
def test_lists_of_properties(elements: tuple[str | int, ...], musts: str, mays: str) -> None:
    assert by_list(world(), *elements) == (musts, mays)


@pytest.mark.parametrize("values", [(), (0x1152,), (0x1152, 1), (0x1152, 1, 0x1153)])
def test_a_list_without_an_end_is_never_sent(values: tuple[int, ...]) -> None:
    assert world().expect(BY_LIST, CONTEXT, ElementList(values), OutputBuffer(1)).undefined


def test_a_null_list_is_valid() -> None:
    assert clauses(world().expect(BY_LIST, CONTEXT, None, OutputBuffer(1))) == ("", "")


@pytest.mark.parametrize("elements", [(BETWEEN, LINEAR), (BETWEEN, 0), (LEAST, 0), (MOST, 0)])
def test_properties_of_an_extension_that_is_not_there_may_be_refused(elements: tuple[str | int, ...]) -> None:
    assert by_list(world(extensions=""), *elements) == ("", LIST)


def test_the_extension_is_the_contexts_devices() -> None:
    of = world(1, 1, extensions="")
    of.roots[0].facts["CL_DEVICE_EXTENSIONS"] = MIPMAPS
    of.roots[0].refresh()
    assert by_list(of, BETWEEN, LINEAR) == ("", LIST)
    of.model.context(CONTEXT).devices = of.roots[:1]
    assert by_list(of, BETWEEN, LINEAR) == ("", "")
    of.model.context(CONTEXT).devices = of.roots[1:]
    assert by_list(of, BETWEEN, LINEAR) == ("", LIST)


@pytest.mark.parametrize(
    ("images", "holds"),
    [((1,), "no"), ((0,), "must"), ((None,), "may"), ((1, 0), "no"), ((0, 1), "no"), ((0, 0), "must")],
)
def test_devices_without_images(images: tuple[int | None, ...], holds: str) -> None:
    of = world(*images)
    for found, record in ((by_modes(of, 0, NONE, NEAREST), LACKING), (by_list(of), LACKING_BY_LIST)):
        assert found == {"no": ("", ""), "must": (record, ""), "may": ("", record)}[holds]


@pytest.mark.parametrize(("images", "musts", "mays"), [((0, 0), LACKING, ""), ((0, 1), "", LACKING), ((1, 1), "", "")])
def test_devices_of_a_context_by_type(images: Sequence[int], musts: str, mays: str) -> None:
    of = world(*images)
    context = of.model.context(CONTEXT)
    context.devices, context.candidates = [], of.roots
    assert by_modes(of, 0, NONE, NEAREST) == (musts, mays)


def test_what_is_wrong_with_a_call_without_a_context() -> None:
    assert by_modes(world(), 0, NONE, NEAREST, context=None) == (NULL, "")
    assert by_modes(world(), 0, 0, NEAREST, context=None) == (f"{NULL} {MODES}", "")
    assert by_list(world(0, 1), 0x7777, 1, context=None) == (f"{NULL_BY_LIST} {LIST}", "")
    assert by_modes(world(0, 0), 0, NONE, NEAREST, context=None) == (NULL, LACKING)
    assert by_list(world(0), 0x7777, 1) == (f"{LACKING_BY_LIST} {LIST}", "")


def made(of: World, function: str, *arguments: object) -> tuple[Sampler, dict[str, str]]:
    """Create a sampler, and return it with the evidence of the call by requirement."""
    judgement = of.oracle.judge(
        of.expect(function, CONTEXT, *arguments, OutputBuffer(1)), Returned("sampler1", {"errcode_ret": Output([0], 4)})
    )
    return of.model.get(Sampler, Handle("sampler1")), dict(judgement.evidence)


def test_a_sampler_has_what_it_was_made_with_or_the_usual() -> None:
    of = world()
    sampler, _ = made(of, BY_LIST, None)
    usual = (1, of.value(CLAMP), of.value(NEAREST))
    assert (sampler.normalized_coords, sampler.addressing_mode, sampler.filter_mode) == usual
    sampler, _ = made(of, BY_LIST, of.items(FILTER, LINEAR, COORDINATES, 2, 0))
    assert (sampler.normalized_coords, sampler.addressing_mode, sampler.filter_mode) == (
        None,
        of.value(CLAMP),
        of.value(LINEAR),
    )
    sampler, _ = made(of, BY_MODES, 2, of.value(EDGE), of.value(LINEAR))
    told = (None, of.value(EDGE), of.value(LINEAR))
    assert (sampler.normalized_coords, sampler.addressing_mode, sampler.filter_mode) == told


def tells(of: World, *answer: str | int) -> bool:
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
def test_lists_come_back_to_their_end(
    elements: tuple[str | int, ...], right: tuple[str | int, ...], wrong: tuple[str | int, ...]
) -> None:
    of = world()
    made(of, BY_LIST, of.items(*elements))
    assert tells(of, *right)
    assert not tells(of, *wrong)


def test_without_a_list_nothing_comes_back() -> None:
    of = world()
    made(of, BY_LIST, None)
    assert (tells(of), tells(of, 0)) == (True, False)
    of = world()
    made(of, BY_MODES, 1, of.value(CLAMP), of.value(NEAREST))
    assert (tells(of), tells(of, 0)) == (True, False)


@pytest.mark.parametrize("size", [0, 8, 16, 24])
@pytest.mark.parametrize(("listed", "right"), [(None, 0), ((COORDINATES, 0, 0), 24)])
def test_a_size_alone_is_held_to_the_list_that_was_given(
    listed: tuple[str | int, ...] | None, right: int, size: int
) -> None:
    of = world()
    if listed is None:
        made(of, BY_MODES, 1, of.value(CLAMP), of.value(NEAREST))
    else:
        made(of, BY_LIST, of.items(*listed))
    query = of.value("CL_SAMPLER_PROPERTIES")
    asked = of.expect("clGetSamplerInfo", Handle("sampler1"), query, 0, None, OutputBuffer(1))
    told = of.oracle.judge(asked, Returned(0, {"param_value_size_ret": Output([size], 8)}))
    assert bool(told.deviations) is (size != right)


@pytest.mark.parametrize(
    ("elements", "records"),
    [
        ((COORDINATES, 0), {"CL_SAMPLER_NORMALIZED_COORDS@clCreateSamplerWithProperties"}),
        (
            (ADDRESSING, EDGE),
            {
                "CL_SAMPLER_ADDRESSING_MODE@clCreateSamplerWithProperties",
                "cl_addressing_mode:CL_ADDRESS_CLAMP_TO_EDGE",
            },
        ),
        (
            (FILTER, NEAREST),
            {"CL_SAMPLER_FILTER_MODE@clCreateSamplerWithProperties", "cl_filter_mode:CL_FILTER_NEAREST"},
        ),
        ((BETWEEN, NEAREST), {"CL_SAMPLER_MIP_FILTER_MODE_KHR@clCreateSamplerWithProperties"}),
        ((LEAST, 0), {"CL_SAMPLER_LOD_MIN_KHR@clCreateSamplerWithProperties"}),
        ((MOST, 0), {"CL_SAMPLER_LOD_MAX_KHR@clCreateSamplerWithProperties"}),
    ],
)
def test_a_list_puts_its_properties_to_the_test(elements: tuple[str | int, ...], records: set[str]) -> None:
    of = world()
    _, evidence = made(of, BY_LIST, of.items(*elements, 0))
    assert evidence == dict.fromkeys({*records, "clCreateSamplerWithProperties/success"}, "conforms")


def test_modes_are_put_to_the_test_and_share_the_fate_of_the_call() -> None:
    of = world()
    _, evidence = made(of, BY_MODES, 0, of.value(NONE), of.value(LINEAR))
    modes = {"cl_addressing_mode:CL_ADDRESS_NONE", "cl_filter_mode:CL_FILTER_LINEAR"}
    assert evidence == dict.fromkeys({*modes, "clCreateSampler/success"}, "conforms")
    asked = of.expect(BY_MODES, CONTEXT, 0, of.value(NONE), of.value(LINEAR), OutputBuffer(1))
    code = Output([of.value("CL_INVALID_VALUE")], 4)
    refused = dict(of.oracle.judge(asked, Returned(None, {"errcode_ret": code})).evidence)
    assert refused.items() >= dict.fromkeys({*modes, "clCreateSampler/success"}, "deviates").items()
