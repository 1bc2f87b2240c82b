"""Groups of planted faults, each with the suites that are to find it: what ``python -m tests.seeds --group`` runs."""

from __future__ import annotations

EVENTS, MEMORY, NOTIFICATIONS = (
    f"suites/chapters/{chapter}/test_" for chapter in ("events", "memory_model", "notifications")
)
ORDER, STATES, SYNCHRONIZATION, TIMES, GRAPHS = (
    f"{EVENTS}{name}.py" for name in ("order", "states", "synchronization", "times", "graphs")
)
HANDING_ON, LITMUS = (f"{MEMORY}{name}.py" for name in ("handing_on", "litmus"))
CALLBACKS, INSIDE = (f"{NOTIFICATIONS}{name}.py" for name in ("event_callbacks", "calls_in_callbacks"))
TIMERS = "suites/chapters/platforms/test_timers.py"

GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "asked": {
        "marker-waits-for-nothing": (ORDER,),
        "affinity-domain-not-resolved": (ORDER,),
        "short-device-array-accepted": (ORDER,),
        "null-device-crashes": (SYNCHRONIZATION,),
        "status-goes-backwards": (STATES,),
        "one-complete-event-suffices": (CALLBACKS,),
        "duplicate-event-hides-others": (INSIDE,),
        "late-callback-lost": (CALLBACKS,),
        "zero-packet-size-accepted": (HANDING_ON,),
        "packet-size-above-maximum-accepted": (SYNCHRONIZATION,),
        "start-after-end": (TIMES,),
    },
    "from-the-text": {
        "host-ptr-never-updated": (CALLBACKS,),
        "host-ptr-contents-ignored": (CALLBACKS,),
        "host-ptr-map-elsewhere": (CALLBACKS,),
        "wait-returns-early-once-in-fifty": (TIMES,),
        "wait-for-first-event-only": (TIMES,),
        "finish-ignores-other-queues": (TIMERS,),
        "finish-waits-for-last-command-only": (TIMES,),
        "flush-ignored": (TIMES,),
        "release-frees-memory-in-use": (ORDER,),
        "writes-invisible-in-other-queues": (STATES,),
        "completion-not-reported": (STATES,),
        "blocking-read-returns-early": (HANDING_ON,),
        "second-queue-of-device-rejected": (HANDING_ON,),
        "wait-returns-immediately": (HANDING_ON,),
    },
    "order": {
        "wait-list-truncated-to-two": (INSIDE,),
        "user-events-complete-together": (SYNCHRONIZATION,),
        "command-runs-after-failed-event": (SYNCHRONIZATION,),
        "partition-count-off-by-one": (SYNCHRONIZATION,),
        "release-decrements-twice": (SYNCHRONIZATION,),
        "nested-sub-device-reports-root-parent": (SYNCHRONIZATION,),
        "sub-device-reports-parent-compute-units": (ORDER,),
        "first-sub-device-returned-twice": (SYNCHRONIZATION,),
        "blocking-read-loses-last-byte": (STATES,),
        "sub-device-without-parent": (ORDER, STATES, SYNCHRONIZATION),
        "unknown-property-hangs": (ORDER, STATES, SYNCHRONIZATION),
        "pipe-packets-reversed": (SYNCHRONIZATION,),
        "default-pipe-flags-incomplete": (STATES,),
        "context-lists-sub-devices": (GRAPHS,),
        "partition-count-error-is-invalid-device": (GRAPHS,),
        "extension-requires-full-array": (GRAPHS,),
        "device-array-overrun": (ORDER,),
        "third-retain-crashes": (GRAPHS,),
        "unknown-property-exits": (ORDER,),
        "pipe-flags-unchecked": (SYNCHRONIZATION,),
    },
    "memory": {
        "callback-user-data-changed": (HANDING_ON,),
        "callback-status-always-complete": (HANDING_ON,),
        "writes-invisible-without-wait-list": (SYNCHRONIZATION,),
        "destructor-callbacks-in-registration-order": (LITMUS,),
        "destructor-callbacks-at-any-release": (LITMUS,),
        "kernel-arguments-keep-memory-alive": (LITMUS,),
        "released-queue-drops-unflushed-commands": (LITMUS,),
        "command-ignores-user-event": (LITMUS,),
    },
}
"""Group to fault to the files of suites that are run.

"asked": what a suite of order and time must find at the least; "from-the-text": what was written without a look at the
suites; "order" and "memory": the others of these chapters. A fault that these files find is found by a run of all
suites, too: the seed of an item depends on the run's seed and the item's own id alone.
"""
