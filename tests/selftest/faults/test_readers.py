"""Unexpected bytes are attributed to the function that returned them, or to the one that wrote them, with each seed.

Revision 9a89dfee attributed all of them to the last writer of the bytes, also if a read left its output untouched.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from clconform.oracles.engine.symptoms import UNEXPECTED_BYTES
from clconform.runner.journal.recorder import Recorder
from clconform.selftest.faults import readers
from clconform.suites.data import test_image_programs as images
from clconform.suites.data import test_programs as buffers
from clconform.suites.data import test_shared as shared
from clconform.suites.kit.kit import Kit

from ...case_sampling import one_in  # noqa: TID252 (tests are not part of the installed package)
from .attribution import limit_examples, open_session

if TYPE_CHECKING:
    from collections.abc import Callable

    from clconform.runner.session.session import Session

SEEDS = one_in(3, (1, 2, 3))
EXAMPLES = 25
ONE_QUEUE = "one queue"


def run_buffers(cl: Session, seed: int) -> None:
    """Run random programs with buffers and shared memory."""
    buffers.test_random_buffer_commands_keep_contents(cl, seed, ONE_QUEUE)


def run_shared_memory(cl: Session, seed: int) -> None:
    """Map shared memory, and read the mapped bytes."""
    del seed  # each run makes the same calls
    shared.map_shared(Kit(cl))


def run_images(cl: Session, seed: int) -> None:
    """Run random programs with images."""
    images.test_random_image_commands_keep_contents(cl, seed, ONE_QUEUE)


# For each fault, the programs to run and the function that each deviation names, alone or with others. Readings
# cannot decide if memory is mapped for writing, or if a later command has changed the source of a copy.
EXPECTED: dict[str, tuple[Callable[[Session, int], None], str]] = {
    "buffer-read-leaves-output-untouched": (run_buffers, "clEnqueueReadBuffer"),
    "buffer-read-returns-another-first-byte": (run_buffers, "clEnqueueReadBuffer"),
    "rectangle-read-leaves-output-untouched": (run_buffers, "clEnqueueReadBufferRect"),
    "rectangle-read-begins-a-byte-early": (run_buffers, "clEnqueueReadBufferRect"),
    "image-read-leaves-output-untouched": (run_images, "clEnqueueReadImage"),
    "image-read-returns-another-first-byte": (run_images, "clEnqueueReadImage"),
    "buffer-map-shows-another-first-byte": (run_buffers, "clEnqueueMapBuffer"),
    "shared-memory-map-shows-another-first-byte": (run_shared_memory, "clEnqueueSVMMap"),
    "shared-memory-copy-to-host-leaves-output-untouched": (run_buffers, "clEnqueueSVMMemcpy"),
    "buffer-write-corrupts-last-byte": (run_buffers, "clEnqueueWriteBuffer"),
    "rectangle-write-corrupts-last-byte": (run_buffers, "clEnqueueWriteBufferRect"),
    "image-write-corrupts-last-byte": (run_images, "clEnqueueWriteImage"),
    "copy-to-image-corrupts-last-byte": (run_images, "clEnqueueCopyBufferToImage"),
    "buffer-creation-corrupts-copied-byte": (run_buffers, "clCreateBuffer"),
    "image-creation-corrupts-copied-byte": (run_images, "clCreateImage"),
}


def test_every_reader_fault_has_an_expected_result() -> None:
    assert set(readers.faults.entries) == set(EXPECTED)


@pytest.mark.parametrize("seed", SEEDS)
@pytest.mark.parametrize("fault", EXPECTED)
def test_fault_of_a_reader_or_writer_is_attributed_to_it(fault: str, seed: int) -> None:
    run, function = EXPECTED[fault]
    recorder = Recorder(None)
    with open_session("everything", fault, recorder) as session, limit_examples(EXAMPLES):
        run(session, seed)
    found = [each for each in recorder.deviations.values() if each.symptom == UNEXPECTED_BYTES.code]
    names = {tuple(each.partition("/")[0] for each in deviation.requirements) for deviation in found}
    assert names
    assert all(function in named for named in names)
