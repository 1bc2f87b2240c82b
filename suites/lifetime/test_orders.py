"""Release of objects in every order: the remaining objects stay usable, and the last release destroys the context."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.runner.pytest_plugin.covers import TableCase, TableTest, bind_action
from clconform.suites.chapters.notifications.callbacks import (
    await_callback,
    check_not_called,
    register_destructor_callback,
)
from clconform.suites.helpers import is_available, skip_unless
from clconform.suites.lifetime.object_set import RELEASES, ObjectSet

if TYPE_CHECKING:
    from collections.abc import Iterator

    from clconform.runner.session.session import Session

NAME = "lifetime.orders"
CALLBACK = "clSetContextDestructorCallback"
RETAIN_COUNT = 2
CONTEXT_HOLDERS = [object_type for object_type in RELEASES if object_type != "context"]


def release_in_order(cl: Session, *order: str) -> None:
    """Release objects one after the other, and use the remaining objects after each release."""
    objects = ObjectSet(cl)
    for object_type in order:
        objects.release(object_type)
        objects.use_remaining()


def release_all_but_one(cl: Session, survivor: str) -> None:
    """Release all objects but one, use the remaining object, and release it.

    Only this last release must destroy the context.
    """
    objects = ObjectSet(cl)
    skip_unless(objects.remaining[survivor], "the object does not exist here")
    told = is_available(cl, CALLBACK)
    if told:
        register_destructor_callback(cl, CALLBACK, objects.context)
    release_others(objects, survivor)
    if told:
        check_not_called(cl)
    objects.release(survivor)
    if told:
        await_callback(cl)


def release_all_but_retained(cl: Session, survivor: str) -> None:
    """Release all objects but one, which has three references.

    Only the last release of this object must destroy the context.
    """
    skip_unless(is_available(cl, CALLBACK), f"{CALLBACK} is not available")
    objects = ObjectSet(cl)
    thing = objects.remaining[survivor]
    skip_unless(thing, "the object does not exist here")
    register_destructor_callback(cl, CALLBACK, objects.context)
    for _ in range(RETAIN_COUNT):
        getattr(cl, RELEASES[survivor].replace("Release", "Retain"))(thing)
    release_others(objects, survivor)
    for _ in range(RETAIN_COUNT):
        getattr(cl, RELEASES[survivor])(thing)
        objects.use_remaining()
    check_not_called(cl)
    objects.release(survivor)
    await_callback(cl)


def release_others(objects: ObjectSet, survivor: str) -> None:
    """Release all objects but ``survivor``, the context first, and use the remaining object."""
    for object_type in RELEASES:
        if object_type != survivor:
            objects.release(object_type)
    objects.create_other_objects()
    objects.use_remaining()


def rotate_types(first: str) -> tuple[str, ...]:
    """Return the object types in order of creation, rotated so that ``first`` is first."""
    order = tuple(RELEASES)
    start = order.index(first)
    return order[start:] + order[:start]


def reverse_types(first: str) -> tuple[str, ...]:
    """Return the object types in reverse order of creation, rotated so that ``first`` is first."""
    return (first, *rotate_types(first)[:0:-1])


def cases() -> Iterator[TableCase]:
    """Yield items for each order of releases, and for each object that remains with one or three references."""
    for object_type in RELEASES:
        yield TableCase(
            f"{RELEASES[object_type]}/success",
            f"from the {object_type} on",
            bind_action(release_in_order, *rotate_types(object_type)),
        )
    for object_type in RELEASES:
        yield TableCase(
            f"{RELEASES[object_type]}/success",
            f"from the {object_type} back",
            bind_action(release_in_order, *reverse_types(object_type)),
        )
    for object_type in CONTEXT_HOLDERS:
        yield TableCase(
            f"{RELEASES[object_type]}/success",
            f"the {object_type} remains alone",
            bind_action(release_all_but_one, object_type),
            ("clReleaseContext/success",),
        )
    for object_type in CONTEXT_HOLDERS:
        yield TableCase(
            f"{RELEASES[object_type]}/success",
            f"the {object_type} remains alone with three references",
            bind_action(release_all_but_retained, object_type),
            (f"{RELEASES[object_type].replace('Release', 'Retain')}/success", "clReleaseContext/success"),
        )


test_remaining_objects_work_after_release = TableTest(cases)
