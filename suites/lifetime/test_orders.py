"""Objects released in every order: the others still work, and the last release destroys the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.aims import Case, act, parametrize
from clconform.suites.chapters.notifications.waiting import a_moment, awaited, on_end
from clconform.suites.lifetime.one_of_each import RELEASES, OneOfEach
from clconform.suites.steps import needs, promised

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest

    from clconform.runner.session.session import Session

NAME = "lifetime.orders"
CALLBACK = "clSetContextDestructorCallback"
RETAINS = 2
KEEPS_A_CONTEXT = [object_type for object_type in RELEASES if object_type != "context"]


def in_turn(cl: Session, *order: str) -> None:
    """Release one object after the other, and use the remaining ones each time."""
    objects = OneOfEach(cl)
    for object_type in order:
        objects.release(object_type)
        objects.use()


def alone(cl: Session, survivor: str) -> None:
    """Release all objects but one, the context first, use it, and check that its release destroys the context."""
    objects = OneOfEach(cl)
    needs(objects.left[survivor], "the object does not exist here")
    told = promised(cl, CALLBACK)
    if told:
        on_end(cl, CALLBACK, objects.context)
    left_with(objects, survivor)
    if told:
        a_moment(cl)
    objects.release(survivor)
    if told:
        awaited(cl)


def retained(cl: Session, survivor: str) -> None:
    """Release all but an object that was retained twice: only its last release destroys the context."""
    needs(promised(cl, CALLBACK), f"{CALLBACK} is not available")
    objects = OneOfEach(cl)
    thing = objects.left[survivor]
    needs(thing, "the object does not exist here")
    on_end(cl, CALLBACK, objects.context)
    for _ in range(RETAINS):
        getattr(cl, RELEASES[survivor].replace("Release", "Retain"))(thing)
    left_with(objects, survivor)
    for _ in range(RETAINS):
        getattr(cl, RELEASES[survivor])(thing)
        objects.use()
    a_moment(cl)
    objects.release(survivor)
    awaited(cl)


def left_with(objects: OneOfEach, survivor: str) -> None:
    """Release all other objects, and use the remaining one."""
    for object_type in RELEASES:
        if object_type != survivor:
            objects.release(object_type)
    objects.give_way()
    objects.use()


def rotated(first: str) -> tuple[str, ...]:
    """Return the types in order of creation, rotated so that the given one is first."""
    order = tuple(RELEASES)
    start = order.index(first)
    return order[start:] + order[:start]


def back(first: str) -> tuple[str, ...]:
    """Return the types in reverse order of creation, starting with the given one."""
    return (first, *rotated(first)[:0:-1])


def cases() -> Iterator[Case]:
    """Yield items for each order of releases, and for each object that remains with one or three references."""
    for object_type in RELEASES:
        yield Case(
            f"{RELEASES[object_type]}/success", f"from the {object_type} on", act(in_turn, *rotated(object_type))
        )
    for object_type in RELEASES:
        yield Case(f"{RELEASES[object_type]}/success", f"from the {object_type} back", act(in_turn, *back(object_type)))
    for object_type in KEEPS_A_CONTEXT:
        yield Case(
            f"{RELEASES[object_type]}/success",
            f"the {object_type} is left alone",
            act(alone, object_type),
            ("clReleaseContext/success",),
        )
    for object_type in KEEPS_A_CONTEXT:
        yield Case(
            f"{RELEASES[object_type]}/success",
            f"the {object_type} is left alone with three references",
            act(retained, object_type),
            (f"{RELEASES[object_type].replace('Release', 'Retain')}/success", "clReleaseContext/success"),
        )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Generate one item for each case."""
    parametrize(metafunc, cases())


def test_orders(cl: Session, case: Case) -> None:
    case.act(cl)
