"""Semaphores made (section 5.13.1): invalid variations of the calls."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.calls.values import Items
from clconform.suites.errors.variations import Variation, Variations

if TYPE_CHECKING:
    from collections.abc import Iterator

variations = Variations()


@variations.of("clCreateSemaphoreWithPropertiesKHR/CL_INVALID_VALUE/4")
def no_types() -> Iterator[Variation]:
    """Yield a list that does not say the type."""
    yield Variation("an empty property list", {"sema_props": Items((0,))})
