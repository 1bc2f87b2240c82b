"""Recurring conditions in all wordings that documents use, and similar sentences that are not such conditions."""

from __future__ import annotations

import pytest

from clconform.spec_tables.conditions import KINDS
from clconform.spec_tables.requirements import Section
from clconform.tools.extract.condition_patterns import parse_condition
from clconform.tools.extract.prototypes import function_from_prototype, parse_prototypes
from clconform.tools.extract.sentence_text import find_own_parameters

PROTOTYPE = """cl_int clUse(cl_command_queue command_queue, cl_context context, cl_mem buffer, cl_mem image,
    cl_uint num_devices, const cl_device_id* devices, cl_thing_info param_name, size_t param_value_size,
    void* param_value, void (CL_CALLBACK* pfn_notify)(void), void* user_data,
    cl_uint num_events_in_wait_list, const cl_event* event_wait_list, cl_uint* num_devices_ret);"""
Z, N, E, S, C = "equal to zero", "not NULL", "event objects", "not one of the supported", "context associated with"
"""Substitutes in the wordings below, which would otherwise be copies of the documents' sentences."""

FUNCTION = function_from_prototype(parse_prototypes(PROTOTYPE)[0], "T", Section("", ""))


@pytest.mark.parametrize(
    ("text", "kind", "parameters"),
    [
        ("CL_INVALID_CONTEXT if context is not a valid context.", "invalid-object", ("context",)),
        (
            "CL_INVALID_MEM_OBJECT if buffer and image are not valid buffer objects.",
            "invalid-object",
            ("buffer", "image"),
        ),
        ("CL_INVALID_KERNEL if image is a not a valid image object.", "invalid-object", ("image",)),
        ("CL_INVALID_DEVICE if any device in devices is not a valid device.", "invalid-object-in-list", ("devices",)),
        ("CL_INVALID_OPERATION if no devices in context support pipes.", "unsupported-by-all-devices", ("context",)),
        (
            (
                f"CL_INVALID_CONTEXT if {C} command_queue and image are not the same or if {C} command_queue and "
                "events in event_wait_list are not the same."
            ),
            "context-mismatch",
            ("command_queue", "image", "event_wait_list"),
        ),
        ("CL_INVALID_VALUE if devices is NULL.", "null-parameter", ("devices",)),
        ("CL_INVALID_VALUE if devices and param_value are NULL.", "all-null", ("devices", "param_value")),
        ("CL_INVALID_VALUE if either devices or param_value are NULL.", "null-parameter", ("devices", "param_value")),
        ("CL_INVALID_VALUE if num_devices is equal to zero.", "zero-parameter", ("num_devices",)),
        (
            (
                "CL_INVALID_VALUE if devices is NULL and num_devices is greater than zero, or if devices is "
                "not NULL and num_devices is zero."
            ),
            "count-pointer-disagree",
            ("num_devices", "devices"),
        ),
        (
            (
                "CL_INVALID_VALUE if num_devices is zero and devices is not a NULL value or if num_devices > 0 "
                "and devices is NULL."
            ),
            "count-pointer-disagree",
            ("num_devices", "devices"),
        ),
        (
            (
                f"CL_INVALID_VALUE if num_devices is {Z} and devices is {N} or if both num_devices_ret and "
                "devices are NULL."
            ),
            "array-and-count-disagree",
            ("num_devices", "devices", "num_devices_ret"),
        ),
        (
            (
                "CL_INVALID_EVENT_WAIT_LIST if event_wait_list is NULL and num_events_in_wait_list > 0, or "
                f"event_wait_list is {N} and num_events_in_wait_list is 0, or if {E} in event_wait_list are "
                "not valid events."
            ),
            "wait-list",
            ("num_events_in_wait_list", "event_wait_list"),
        ),
        (
            (
                f"CL_INVALID_VALUE if param_name is {S} values, or if the size in bytes specified by "
                "param_value_size is too small and param_value is not NULL."
            ),
            "query-value",
            ("param_name", "param_value_size", "param_value"),
        ),
        (
            "CL_INVALID_VALUE if pfn_notify is NULL but user_data is not NULL.",
            "user-data-without-callback",
            ("pfn_notify", "user_data"),
        ),
        (
            (
                "CL_INVALID_CONTEXT if the context associated with command_queue and buffer are not the same. This "
                "error code is missing before version 1.1."
            ),
            "context-mismatch",
            ("command_queue", "buffer"),
        ),
        (
            "CL_INVALID_CONTEXT if image is not NULL, and the context associated with image and buffer is not the same",
            "context-mismatch-if-given",
            ("image", "buffer"),
        ),
        (
            "CL_INVALID_DEVICE if image is not a valid device or is not associated with context.",
            "device-of-context",
            ("image", "context"),
        ),
        (
            "CL_INVALID_VALUE if devices is NULL or if num_devices is zero.",
            "zero-or-null-parameter",
            ("num_devices", "devices"),
        ),
        (
            "CL_INVALID_VALUE if num_devices is not 0 and is less than devices[0].",
            "pitch-too-small",
            ("num_devices", "devices"),
        ),
        (
            "CL_INVALID_VALUE if devices is NULL and num_devices is greater than zero.",
            "null-with-count",
            ("num_devices", "devices"),
        ),
        (
            "CL_INVALID_VALUE if devices is NULL, and num_devices is not 0.",
            "null-with-count",
            ("num_devices", "devices"),
        ),
        ("CL_INVALID_VALUE if devices is NULL and num_devices > 0", "null-with-count", ("num_devices", "devices")),
        (
            "CL_INVALID_VALUE if devices is not NULL and num_devices is zero.",
            "pointer-without-count",
            ("num_devices", "devices"),
        ),
        (
            "CL_INVALID_VALUE if devices is not NULL, and num_devices is 0.",
            "pointer-without-count",
            ("num_devices", "devices"),
        ),
        ("CL_INVALID_VALUE if devices is NULL and num_devices is zero.", "other", ()),
        ("CL_INVALID_VALUE if devices is not NULL and num_devices is greater than zero.", "other", ()),
        ("CL_INVALID_VALUE if devices is NULL and num_things is greater than zero.", "other", ()),
        ("CL_INVALID_VALUE if devices is NULL and num_devices is greater than zero on Mondays.", "other", ()),
        ("CL_INVALID_VALUE if devices is not NULL and num_devices is zero, or the moon is full.", "other", ()),
        ("CL_INVALID_VALUE if buffer is the wrong colour.", "other", ()),
        ("CL_INVALID_VALUE if thing is NULL.", "other", ()),
        ("CL_INVALID_VALUE if devices is NULL or the moon is full.", "other", ()),
    ],
)
def test_each_wording_has_the_expected_condition_kind(text: str, kind: str, parameters: tuple[str, ...]) -> None:
    condition = parse_condition(text.split(maxsplit=1)[0], text, FUNCTION)
    assert (condition.kind, condition.parameters) == (kind, parameters)


def test_invalid_object_condition_has_handle_type_and_object_kind() -> None:
    text = "CL_INVALID_COMMAND_QUEUE if command_queue is not a valid host command-queue."
    assert parse_condition("CL_INVALID_COMMAND_QUEUE", text, FUNCTION).values == ("cl_command_queue", "host-queue")
    text = "CL_INVALID_MEM_OBJECT if image is not a valid image object."
    assert parse_condition("CL_INVALID_MEM_OBJECT", text, FUNCTION).values == ("cl_mem", "image")
    text = "CL_INVALID_CONTEXT if context is not a valid context."
    assert parse_condition("CL_INVALID_CONTEXT", text, FUNCTION).values == ("cl_context",)


def test_word_without_markup_is_not_a_parameter_if_names_have_markup() -> None:
    text = "CL_OUT_OF_MEMORY if there is a failure to allocate memory for the buffer of image."
    marked = parse_condition("CL_OUT_OF_MEMORY", text, FUNCTION, frozenset({"image"}))
    assert marked.parameters == ("image",)
    assert parse_condition("CL_OUT_OF_MEMORY", text, FUNCTION).parameters == ("buffer", "image")


def test_names_about_an_earlier_call_are_not_parameters() -> None:
    ending = "where the sub-buffer object starts is not aligned to CL_DEVICE_MEM_BASE_ADDR_ALIGN of the device."
    own = parse_condition("CL_M", f"CL_M if buffer is a sub-buffer object and {ending}", FUNCTION)
    assert (own.kind, own.parameters) == ("misaligned-sub-buffer", ("buffer",))
    value = parse_condition("CL_M", f"CL_M if a sub-buffer object is in devices and {ending}", FUNCTION)
    assert (value.kind, value.parameters) == ("misaligned-sub-buffer", ())
    assert find_own_parameters("if size specified when buffer was created is odd", ("size", "buffer"), None) == (
        "buffer",
    )
    assert find_own_parameters("a kind not specified when buffer was created", ("size", "buffer"), None) == ("buffer",)


def test_name_in_markup_may_contain_parameter_name_as_suffix() -> None:
    names = ("flags", "size")
    assert find_own_parameters("if size or map_flags is odd", names, frozenset({"size", "map_flags"})) == (
        "size",
        "flags",
    )
    assert find_own_parameters("if map_flags is odd", names, frozenset({"flags", "map_flags"})) == ()
    assert find_own_parameters("if map_flags is odd", names, None) == ()


def test_failed_event_condition_includes_the_blocking_parameter() -> None:
    failed = "the execution status of any of the events in event_wait_list is bad"
    code = "CL_EXEC_STATUS_ERROR_FOR_EVENTS_IN_WAIT_LIST"
    assert parse_condition(code, f"{code} if the fetching is blocking and {failed}.", FUNCTION).values == ("blocking",)
    assert parse_condition(code, f"{code} if {failed}.", FUNCTION).values == ()


def test_kind_of_invalid_value_condition_follows_from_parameter_type() -> None:
    code = "cl_int clUse(cl_thing_flags kinds, cl_thing kind, const cl_thing_properties* properties);"
    function = function_from_prototype(parse_prototypes(code)[0], "T", Section("", ""))
    flags = frozenset({"cl_thing_flags"})
    for text, kind in (
        ("kinds is not a valid value", "invalid-flags"),
        ("kind is not a valid value", "invalid-value"),
        ("values specified in kinds are not valid", "invalid-flags"),
        ("values specified in properties are not valid", "invalid-property-list"),
    ):
        assert parse_condition("CL_BAD", f"CL_BAD if {text}.", function, None, flags).kind == kind


def test_device_and_host_resource_conditions_have_different_kinds() -> None:
    device = "CL_OUT_OF_RESOURCES if there is a failure to allocate resources that are wanted on the device."
    host = "CL_OUT_OF_HOST_MEMORY if there is a failure to allocate resources that are wanted on the host."
    assert parse_condition("CL_OUT_OF_RESOURCES", device, FUNCTION).kind == "resources-device"
    assert parse_condition("CL_OUT_OF_HOST_MEMORY", host, FUNCTION).kind == "resources-host"
    for words in (
        "if buffer shares, and no memory can be allocated with a valid bus address",
        "if buffer could not be made resident so that nothing is told",
    ):
        text = f"CL_OUT_OF_HOST_MEMORY {words}."
        assert parse_condition("CL_OUT_OF_HOST_MEMORY", text, FUNCTION).kind == "resources-host"


def test_every_condition_kind_has_a_description() -> None:
    assert all(len(meaning.split()) > 3 for meaning in KINDS.values())


NEWER_DEVICE_NOTE = (
    "This error does not apply when the device associated with command_queue supports OpenCL 2.1 or newer"
)


@pytest.mark.parametrize(
    ("note", "kind"),
    [
        ("", "null-parameter"),
        (f" {NEWER_DEVICE_NOTE}.", "null-parameter"),
        (f" {NEWER_DEVICE_NOTE}", "null-parameter"),
        (" This error code is missing before version 1.1 and deprecated by version 2.0.", "null-parameter"),
        (f" This error code is missing before version 1.1. {NEWER_DEVICE_NOTE}.", "null-parameter"),
        (f" {NEWER_DEVICE_NOTE} and the moon is full.", "other"),
        (f" {NEWER_DEVICE_NOTE}. It is a pity.", "other"),
        (" This error code is missing before version 1.1 on Mondays.", "other"),
        (" This error code is bad.", "other"),
        (" It is a pity.", "other"),
    ],
)
def test_sentence_after_condition_prevents_a_kind_unless_version_note(note: str, kind: str) -> None:
    assert parse_condition("CL_INVALID_VALUE", f"CL_INVALID_VALUE if devices is NULL.{note}", FUNCTION).kind == kind


@pytest.mark.parametrize(
    ("words", "kind"),
    [
        ("context is not a valid context", "invalid-object"),
        ("num_devices is equal to zero", "zero-parameter"),
        ("context associated with command_queue and image are not the same", "context-mismatch"),
        ("num_devices is not a valid argument index", "invalid-argument-index"),
        ("buffer has been finalized", "state-finalized"),
        ("devices is not a valid value", "invalid-value"),
    ],
)
def test_recurring_condition_with_additional_words_has_kind_other(words: str, kind: str) -> None:
    assert parse_condition("CL_BAD", f"CL_BAD if {words}.", FUNCTION).kind == kind
    for more in (f"{words} on Mondays", f"{words} or the moon is full", f"on Mondays {words}", f"{words}. Or not"):
        assert parse_condition("CL_BAD", f"CL_BAD if {more}.", FUNCTION).kind == "other"
