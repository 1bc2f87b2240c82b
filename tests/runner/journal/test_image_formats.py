"""The image formats of an item: each list once, and the requested images by access, type and format."""

from __future__ import annotations

from clconform.calls.call import Call, Output, Returned
from clconform.calls.image_formats import ListedFormats, RequestedFormat
from clconform.calls.values import ElementList, Handle, OutputBuffer
from clconform.oracles.engine.judgements import Judgement, ObservedDeviation
from clconform.oracles.engine.symptoms import unexpected_result
from clconform.runner.journal.image_formats import FormatContributor

DEVIATION = ObservedDeviation(
    ("clCreateImage/success",), "deviates", "literal", ("CL_SUCCESS",), "NULL", {}, unexpected_result("NULL")
)
DEVIATING = Judgement("NULL", [], [DEVIATION])


def query_formats(entries: int, *formats: tuple[int, int]) -> tuple[Call, Returned]:
    arguments = {"context": Handle("context1"), "flags": 4, "image_type": 0x10F1, "num_entries": entries}
    buffer = {"image_formats": OutputBuffer(entries), "num_image_formats": None}
    values: list[int | float | str | None] = [each for one in formats for each in one]
    return Call("clGetSupportedImageFormats", {**arguments, **buffer}), Returned(0, {"image_formats": Output(values)})


def test_longest_returned_format_list_is_recorded_once() -> None:
    kept = FormatContributor()
    for formats in ([(1, 2)], [(1, 2), (3, 4)], [(1, 2)]):
        kept.on_judged_call(*query_formats(len(formats), *formats), Judgement("CL_SUCCESS"), [])
    (line,) = kept.end_item("one")
    assert line.listed == [ListedFormats(4, 0x10F1, [(1, 2), (3, 4)])]
    kept.begin_item()
    kept.on_judged_call(*query_formats(1, (1, 2)), Judgement("CL_SUCCESS"), [])
    assert list(kept.end_item("two")) == []


def test_requested_images_are_counted_by_access_type_and_format() -> None:
    kept = FormatContributor()
    described = ElementList((0x10F4, 4, 0, 0, 0, 0, 0, 0, 0, None))
    for function, arguments in (
        ("clCreateImage", {"image_desc": described}),
        ("clCreateImage2D", {}),
        ("clCreateImage", {"image_desc": None}),
    ):
        call = Call(function, {"flags": 1 << 5, "image_format": ElementList((1, 2)), **arguments})
        kept.on_judged_call(call, Returned("mem1", {}), Judgement("CL_SUCCESS"), [])
        kept.on_judged_call(call, Returned(None, {}), DEVIATING, [])
    (line,) = kept.end_item("one")
    assert line.requested == [RequestedFormat(1, 0x10F4, 1, 2, 2, 1, 1), RequestedFormat(1, 0x10F1, 1, 2, 2, 1, 1)]
