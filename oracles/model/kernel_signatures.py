"""Reads the arguments of kernels from OpenCL C; whatever is not understood completely is unknown."""

from __future__ import annotations

import itertools
import re
import shlex
from collections import Counter
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

from clconform.oracles.model.kernel_declarations import (
    ACCESS_PREFIX,
    ADDRESS_PREFIX,
    CONST,
    IMAGE_TYPES,
    PIPE,
    PRIVATE,
    SHARED,
    TYPE_BYTES,
    make_parameter,
)
from clconform.oracles.model.parameters import KIND_BY_TYPE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from clconform.oracles.model.parameters import KernelParameter

MAX_SOURCE = 1 << 22
"""Longer sources are not read."""
MAX_DECLARATION = 1 << 16
"""The maximum number of characters of a declaration that are read."""
_PIECE = re.compile(
    r'//[^\n]*|/\*.*?(?:\*/|\Z)|"(?:\\.|[^"\\\n])*(?:"|(?=\n)|\Z)|\'(?:\\.|[^\'\\\n])*(?:\'|(?=\n)|\Z)', re.DOTALL
)
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*([A-Za-z]*)[ \t]*([A-Za-z_]\w*)?[^\n]*", re.MULTILINE)
MARK = "\1"
"""Stands for a directive of the preprocessor."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*")
_KERNEL = re.compile(r"\b(?:__kernel|kernel)\b")
_TOKEN = re.compile(r"[A-Za-z_]\w*|\d\w*|\S")
_ADDRESSES = {"global": SHARED[0], "constant": SHARED[1], "local": f"{ADDRESS_PREFIX}LOCAL"}
_ACCESSES = {name: f"{ACCESS_PREFIX}{name.upper()}" for name in ("read_only", "write_only", "read_write")}
_IGNORED = {"const", "volatile", "restrict", "__restrict", "private"}
_SIGNED = {"char", "short", "int", "long"}
_KEYWORDS = {"kernel", "void", "pipe", "unsigned", "signed", *_ADDRESSES, *_ACCESSES, *_IGNORED}
_ATTRIBUTE = "__attribute__"


_ALIAS = re.compile(r"\btypedef\s+((?:unsigned\s+|signed\s+)?[A-Za-z_]\w*)\s+([A-Za-z_]\w*)\s*;")
"""A typedef of a type with a name of one or two words."""
_ALWAYS = -1
"""The position of a macro that the build options define: before the source."""


class Macro(NamedTuple):
    """A macro: the identifiers that replace it, or None if they are unknown.

    ``position``: the number of directives before its definition.
    """

    tokens: tuple[str, ...] | None
    position: int


class CleanSource(NamedTuple):
    """A source without comments, strings and directives, and its macros.

    ``depths``: for each number of directives before a position, the depth of conditions of the preprocessor there.
    """

    text: str
    macros: dict[str, Macro]
    depths: list[int]


class _Options(NamedTuple):
    """The macros that build options define; ``is_clear``: the options do not add other text to the source."""

    macros: dict[str, Macro]
    is_clear: bool


@lru_cache(maxsize=64)
def read_signatures(source: str, options: str) -> dict[str, tuple[KernelParameter | None, ...]]:
    """Return the arguments of the kernels that a source certainly declares when it is built with options.

    The result omits a kernel if a macro, an include, a condition of the preprocessor or another definition may change
    its declaration. An argument of a type that is not built in is None, unless it is a pointer. A macro that always
    stands for the same names, and a typedef that always names the same built-in type, are replaced.
    """
    cleaned = clean_source(source, options)
    if cleaned is None:
        return {}
    text, macros, depths = cleaned
    typedefs = _find_typedefs(text, macros, depths)
    if any(typedefs.keys() & _KEYWORDS):
        return {}
    found: dict[str, tuple[KernelParameter | None, ...] | None] = {}
    for name, arguments, mark_count in _find_kernels(text, macros, typedefs):
        same = name not in found or found[name] == arguments
        found[name] = arguments if same and not depths[mark_count] else None
    return {name: arguments for name, arguments in found.items() if arguments is not None}


def clean_source(source: str, options: str) -> CleanSource | None:
    """Return a source without comments and strings, and with marks for directives; None if other text may be added."""
    given = _read_options(options)
    if not given.is_clear or len(source) > MAX_SOURCE or "??" in source or MARK in source or "\0" in source:
        return None
    text = _PIECE.sub(_blank, re.sub(r"\\[ \t]*\r?\n", "", source))
    directives = list(_DIRECTIVE.finditer(text))
    if any(each[1] in ("include", "import", "include_next", "embed") for each in directives):
        return None
    depths = _conditional_depths(directives)
    plain = _DIRECTIVE.sub(MARK, text)
    if "%:" in plain or "template" in plain:
        return None
    return CleanSource(plain, _find_macros(directives, depths, given.macros), depths)


def _blank(piece: re.Match[str]) -> str:
    """Return the text that replaces a comment, a string or a character constant."""
    return " " if piece[0].startswith("/") else "0"


def _read_options(options: str) -> _Options:
    try:
        words = shlex.split(options)
    except ValueError:
        return _Options({}, is_clear=False)
    macros: dict[str, Macro] = {}
    clear, rest = True, iter(words)
    for word in rest:
        if word.startswith(("-D", "-U")):
            given = word[2:] or next(rest, "")
            name = _IDENTIFIER.match(given)
            clear &= name is not None
            if name is not None:
                value = given[name.end() :].removeprefix("=") if word.startswith("-D") and "=" in given else "1"
                known = None if name[0] in macros or given[name.end() :][:1] == "(" else _identifiers(value)
                macros[name[0]] = Macro(known, _ALWAYS)
        elif word == "-I":
            next(rest, "")
        elif word.startswith(("-include", "-x", "-X", "-imacros", "@")) or "CLC++" in word or not word.startswith("-"):
            clear = False
    return _Options(macros, is_clear=clear)


def _identifiers(text: str) -> tuple[str, ...] | None:
    """Return the identifiers of a macro's replacement; None if it has other tokens."""
    words = tuple(text.split())
    return words if all(_IDENTIFIER.fullmatch(word) for word in words) else None


def _find_macros(directives: list[re.Match[str]], depths: list[int], given: dict[str, Macro]) -> dict[str, Macro]:
    """Return the macros that build options and a source define; a macro with several definitions is unknown."""
    macros = dict(given)
    for position, each in enumerate(directives):
        name = each[2]
        if each[1] not in ("define", "undef") or not name:
            continue
        rest = each[0][each.end(2) - each.start() :]
        is_plain = each[1] == "define" and name not in macros and not depths[position] and rest[:1] != "("
        macros[name] = Macro(_identifiers(rest) if is_plain else None, position)
    return macros


def _expand(
    tokens: Iterable[str], macros: dict[str, Macro], position: int, open_names: frozenset[str] = frozenset()
) -> Iterator[str]:
    """Yield tokens with macros replaced, except for those that are unknown, or defined after ``position`` directives.

    ``open_names``: the macros that are being replaced.
    """
    for each in tokens:
        macro = macros.get(each)
        if macro is None or macro.tokens is None or macro.position >= position or each in open_names:
            yield each
        else:
            yield from _expand(macro.tokens, macros, position, open_names | {each})


def _conditional_depths(directives: list[re.Match[str]]) -> list[int]:
    """Return, for each number of directives before a position, the depth of conditions of the preprocessor there."""
    depths = [0]
    for each in directives:
        step = 1 if each[1].startswith("if") else -1 if each[1] == "endif" else 0
        depths.append(depths[-1] + step)
    return depths


def _find_typedefs(text: str, macros: dict[str, Macro], depths: list[int]) -> dict[str, str]:
    """Return at least the names that typedefs declare, each with the built-in type that it certainly is, or ``""``."""
    declared = list(_find_declared_names(text))
    found = dict.fromkeys((name for names in declared for name in names), "")
    counts = Counter(name for names in declared for name in set(names))
    position = braces = before = 0
    for each in _ALIAS.finditer(text):
        position += text.count(MARK, before, each.start())
        braces += text.count("{", before, each.start()) - text.count("}", before, each.start())
        before = each.start()
        if not depths[position] and not braces and counts[each[2]] == 1:
            found[each[2]] = _base_type(list(_expand(each[1].split(), macros, position)), found)
    return found


def _find_declared_names(text: str) -> Iterator[list[str]]:
    """Yield at least the names that each typedef declares, and each name of a structure, a union or an enumeration."""
    for each in re.finditer(r"\btypedef\b", text):
        depth = 0
        for position in range(each.end(), min(len(text), each.end() + MAX_DECLARATION)):
            depth += {"{": 1, "}": -1}.get(text[position], 0)
            if text[position] == ";" and depth <= 0:
                names = re.findall(r"[A-Za-z_]\w*(?=\s*[;,)\[]|\s*\(\s*\()", text[each.end() : position + 1])
                yield [*names, *_last_identifiers(text[each.end() : position])]
                break
    yield from ([name] for name in re.findall(r"\b(?:struct|union|enum|class)\s+([A-Za-z_]\w*)", text))


def _last_identifiers(text: str) -> list[str]:
    names = _IDENTIFIER.findall(text.rpartition("}")[2])
    return names[-1:]


def _find_kernels(
    text: str, macros: dict[str, Macro], typedefs: dict[str, str]
) -> Iterator[tuple[str, tuple[KernelParameter | None, ...] | None, int]]:
    """Yield the name of each kernel, its arguments, or None if they are unknown, and the number of marks before it."""
    marks, before = 0, 0
    for keyword in _KERNEL.finditer(text):
        marks += text.count(MARK, before, keyword.start())
        before = keyword.start()
        tokens = _signature_tokens(text, keyword.start())
        tokens = list(_expand(tokens, macros, marks))
        try:
            name, parameters = _split_signature(tokens)
        except ValueError:
            called = (each for each, after in itertools.pairwise(tokens) if after == "(")
            yield from ((each, None, marks) for each in called)
            continue
        if MARK in tokens or not macros.keys().isdisjoint(_without_attributes(tokens)):
            yield name, None, marks
            continue
        yield name, _read_parameters(parameters, typedefs), marks


def _signature_tokens(text: str, start: int) -> list[str]:
    """Return the tokens of a declaration up to its body or its end."""
    tokens: list[str] = []
    for each in _TOKEN.finditer(text, start, start + MAX_DECLARATION):
        if each[0] in "{;":
            return [*tokens, each[0]]
        tokens.append(each[0])
    return tokens


def _split_signature(tokens: list[str]) -> tuple[str, list[str]]:
    """Return the name of a kernel and the tokens of its parameters; ValueError if the declaration has another form."""
    rest = _without_attributes(tokens[1:])
    if len(rest) < 5 or rest[0] != "void" or not rest[1].isidentifier() or rest[2] != "(":  # noqa: PLR2004 (void k ( ) {)
        raise ValueError("another form")
    end = _closing(rest, 2)
    if _without_attributes(rest[end + 1 :])[:1] not in (["{"], [";"]):
        raise ValueError("another form")
    return rest[1], rest[3:end]


def _closing(tokens: list[str], start: int) -> int:
    """Return the position of the parenthesis that closes the one at ``start``; ValueError without one."""
    depth = 0
    for position in range(start, len(tokens)):
        depth += {"(": 1, ")": -1}.get(tokens[position], 0)
        if not depth:
            return position
    raise ValueError("another form")


def _without_attributes(tokens: list[str]) -> list[str]:
    kept, position = [], 0
    while position < len(tokens):
        if tokens[position] in (_ATTRIBUTE, "__attribute") and tokens[position + 1 : position + 2] == ["("]:
            position = _closing(tokens, position + 1) + 1
            continue
        kept.append(tokens[position])
        position += 1
    return kept


def _read_parameters(tokens: list[str], typedefs: dict[str, str]) -> tuple[KernelParameter | None, ...] | None:
    if tokens in ([], ["void"]):
        return ()
    parts: list[list[str]] = [[]]
    depth = 0
    for each in tokens:
        depth += {"(": 1, "[": 1, ")": -1, "]": -1}.get(each, 0)
        if each == "," and not depth:
            parts.append([])
        else:
            parts[-1].append(each)
    if any(not part or "." in part for part in parts):
        return None
    return tuple(_read_parameter(part, typedefs) for part in parts)


def _read_parameter(tokens: list[str], typedefs: dict[str, str]) -> KernelParameter | None:
    """Return one parameter; None if the declaration has another form than ``qualifiers type [*] name``."""
    if any(not (each.isidentifier() or each == "*") for each in tokens) or _ATTRIBUTE in tokens:
        return None
    words = [_plain_keyword(token) for token in tokens]
    stars = words.count("*")
    addresses = {_ADDRESSES[word] for word in words if word in _ADDRESSES}
    accesses = {_ACCESSES[word] for word in words if word in _ACCESSES}
    kept = [word for word in words if word not in _IGNORED and word not in _ADDRESSES and word not in _ACCESSES]
    if len(addresses) > 1 or len(accesses) > 1 or stars > 1 or len(kept) < 2 + stars or kept[-1] == "*":
        return None
    if "pipe" in kept:
        is_plain = kept[0] == "pipe" and not stars
        return make_parameter(kept[-1], "pipe", PRIVATE, qualifiers=(PIPE,)) if is_plain else None
    if stars:
        if kept[-2] != "*" or not addresses or set(words[words.index("*") :]).intersection(_ADDRESSES):
            return None
        base = _base_type(kept[:-2], typedefs) or "unknown"
        qualifiers = (CONST,) if "const" in words[: words.index("*")] else ()
        return make_parameter(kept[-1], f"{base}*", next(iter(addresses)), qualifiers=qualifiers)
    base = _base_type(kept[:-1], typedefs)
    if addresses or not base:
        return None
    access = next(iter(accesses), f"{ACCESS_PREFIX}READ_ONLY" if base in IMAGE_TYPES else "")
    return make_parameter(kept[-1], base, PRIVATE, access)


def _plain_keyword(token: str) -> str:
    """Return a keyword without the underscores before it."""
    plain = token.removeprefix("__")
    return plain if plain in _KEYWORDS else token


def _base_type(words: list[str], typedefs: dict[str, str]) -> str:
    """Return the name of a built-in type, also by its typedef; empty for any other type."""
    if not typedefs.keys().isdisjoint(words):
        return typedefs[words[0]] if len(words) == 1 else ""
    if words and words[0] in ("unsigned", "signed"):
        rest = words[1:] or ["int"]
        if len(rest) > 1 or rest[0] not in _SIGNED:
            return ""
        return f"{'u' if words[0] == 'unsigned' else ''}{rest[0]}"
    if len(words) != 1:
        return ""
    known = words[0] in TYPE_BYTES or words[0] in IMAGE_TYPES or words[0] in KIND_BY_TYPE
    return words[0] if known else ""
