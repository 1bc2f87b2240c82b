"""Documents rendered as text: split names are rejoined, list items separated, and conditions compared with the HTML."""

from __future__ import annotations

from clconform.tools.extract.text_crosscheck import compare_conditions, conditions_of_text, without_blanks
from clconform.tools.extract.text_rendering import NameParts, repair_pieces

NAMES = NameParts(["CL_INVALID_VALUE", "CL_INVALID_THING_COUNT", "CL_THING_MAX_SIZE", "cl_thing_id", "cl_khr_things"])
CODES = frozenset({"CL_INVALID_VALUE", "CL_INVALID_THING_COUNT"})


def read_pieces(text: str) -> list[tuple[str, bool]]:
    return [(piece.text, piece.item) for piece in repair_pieces(text.splitlines(), NAMES)]


def test_name_split_around_other_words_is_rejoined() -> None:
    text = "-\nCL_INVALID_\nif a thing is wrong.VALUE -\nCL_INVALID_\nif there are too many.THING_ COUNT\nMore words."
    assert read_pieces(text) == [
        ("CL_INVALID_VALUE if a thing is wrong.", True),
        ("CL_INVALID_THING_COUNT if there are too many.", True),
        ("More words.", False),
    ]


def test_two_split_names_in_one_sentence_are_rejoined() -> None:
    text = "-\nCL_INVALID_\nif size exceedsVALUE CL_THING_\nfor the thing.MAX_ SIZE"
    assert read_pieces(text) == [("CL_INVALID_VALUE if size exceeds CL_THING_MAX_SIZE for the thing.", True)]


def test_condition_with_split_name_continues_on_the_next_line() -> None:
    assert read_pieces("-\nCL_INVALID_\nif thing isVALUE NULL\nand count is 0.") == [
        ("CL_INVALID_VALUE if thing is NULL and count is 0.", True)
    ]


def test_short_names_that_the_rendering_split_are_rejoined() -> None:
    assert read_pieces("the number of\ncl_thing_\nentries.id -\nnext") == [
        ("the number of cl_thing_id entries.", False),
        ("next", True),
    ]


def test_unusual_bullet_characters_are_recognised() -> None:
    assert read_pieces("  • CL_INVALID_VALUE if one.\n\n  • CL_INVALID_VALUE if two.\n\nText.") == [
        ("CL_INVALID_VALUE if one.", True),
        ("CL_INVALID_VALUE if two.", True),
        ("Text.", False),
    ]


def test_conditions_of_rendered_text_belong_to_the_function_above() -> None:
    one = "cl_int clOne(\ncl_thing_id thing);\n-\nCL_INVALID_\nif a.VALUE\n"
    text = one + "cl_int clTwo(\nvoid);\n-\nCL_INVALID_\nif b.VALUE"
    found = conditions_of_text(text.splitlines(), NAMES, CODES)
    assert found == {
        "clOne": [("CL_INVALID_VALUE", without_blanks("CL_INVALID_VALUE if a."))],
        "clTwo": [("CL_INVALID_VALUE", without_blanks("CL_INVALID_VALUE if b."))],
    }


def test_comparison_reports_changed_missing_and_reordered_conditions() -> None:
    a, b, c = ("CL_INVALID_VALUE", "a"), ("CL_INVALID_VALUE", "b"), ("CL_INVALID_THING_COUNT", "c")
    assert compare_conditions({"clOne": [a]}, {"clOne": [a]}) == []
    assert "worded differently" in compare_conditions({"clOne": [a]}, {"clOne": [b]})[0]
    assert "CL_INVALID_THING_COUNT" in compare_conditions({"clOne": [a, c]}, {"clOne": [a]})[0]
    assert "another order" in compare_conditions({"clOne": [a, c]}, {"clOne": [c, a]})[0]
