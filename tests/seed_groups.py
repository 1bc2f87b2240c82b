"""Groups of injected faults, each with the suites that must find it, for ``python -m tests.seeds --group``."""

from __future__ import annotations

EVENTS, MEMORY, NOTIFICATIONS = (
    f"suites/chapters/{chapter}/test_" for chapter in ("events", "memory_model", "notifications")
)
ORDER, STATES, SYNCHRONIZATION, TIMESTAMPS, GRAPHS = (
    f"{EVENTS}{name}.py" for name in ("order", "states", "synchronization", "timestamps", "graphs")
)
VISIBILITY, LITMUS = (f"{MEMORY}{name}.py" for name in ("visibility", "litmus"))
CALLBACKS, CALLS_IN_CALLBACKS = (f"{NOTIFICATIONS}{name}.py" for name in ("event_callbacks", "calls_in_callbacks"))
TIMERS = "suites/chapters/platforms/test_timers.py"

GROUPS: dict[str, dict[str, tuple[str, ...]]] = {
    "asked": {
        "marker-waits-for-nothing": (ORDER,),
        "marker-wait-is-no-wait": (ORDER,),
        "second-command-passes-barrier": (ORDER,),
        "wait-returns-early-once-in-fifty": (SYNCHRONIZATION,),
        "status-goes-backwards": (STATES,),
        "event-callback-called-at-registration": (CALLBACKS,),
        "callbacks-before-status-change": (CALLS_IN_CALLBACKS,),
        "late-callback-lost": (CALLBACKS,),
        "release-frees-memory-in-use": (VISIBILITY,),
        "writes-invisible-in-other-queues": (SYNCHRONIZATION,),
        "start-after-end": (TIMESTAMPS,),
    },
    "from-the-text": {
        "one-callback-per-event": (CALLBACKS,),
        "failed-command-callback-gets-complete": (CALLBACKS,),
        "submitted-running-callbacks-lost": (CALLBACKS,),
        "complete-timestamp-before-end": (TIMESTAMPS,),
        "timestamps-ignore-wait-list": (TIMESTAMPS,),
        "timestamps-use-other-clock": (TIMERS,),
        "flush-submits-first-command-only": (TIMESTAMPS,),
        "blocking-call-does-not-flush": (TIMESTAMPS,),
        "queue-wait-does-not-block": (ORDER,),
        "error-propagates-only-once": (STATES,),
        "marker-event-without-queue": (STATES,),
        "sub-buffer-write-invisible-in-parent": (VISIBILITY,),
        "unmapped-writes-visible-in-one-queue": (VISIBILITY,),
        "pending-kernel-memory-freed": (VISIBILITY,),
    },
    "order": {
        "calls-in-callbacks-rejected": (CALLS_IN_CALLBACKS,),
        "last-wait-list-event-ignored": (SYNCHRONIZATION,),
        "wait-list-truncated-to-two": (SYNCHRONIZATION,),
        "duplicate-event-hides-others": (SYNCHRONIZATION,),
        "one-complete-event-suffices": (SYNCHRONIZATION,),
        "events-of-other-queues-ignored": (SYNCHRONIZATION,),
        "marker-waits-for-last-command-only": (ORDER,),
        "barrier-with-list-does-not-block": (SYNCHRONIZATION,),
        "command-runs-after-failed-event": (STATES,),
        "wait-list-replaces-queue-order": (ORDER, STATES, SYNCHRONIZATION),
        "finish-ignores-other-queues": (ORDER, STATES, SYNCHRONIZATION),
        "blocking-read-returns-early": (SYNCHRONIZATION,),
        "completion-not-reported": (STATES,),
        "barriers-miss-commands-without-event": (GRAPHS,),
        "copy-source-read-at-enqueue": (GRAPHS,),
        "fill-executed-at-enqueue": (GRAPHS,),
        "user-events-complete-together": (ORDER,),
        "wait-for-first-event-only": (GRAPHS,),
        "finish-waits-for-last-command-only": (ORDER,),
        "flush-ignored": (SYNCHRONIZATION,),
    },
    "memory": {
        "pending-writes-invisible": (VISIBILITY,),
        "writes-of-other-devices-invisible": (VISIBILITY,),
        "writes-invisible-without-wait-list": (SYNCHRONIZATION,),
        "atomics-weaker-than-ordered": (LITMUS,),
        "loads-go-backwards": (LITMUS,),
        "loads-see-later-stores": (LITMUS,),
        "running-kernel-atomics-invisible-to-host": (LITMUS,),
        "host-kernel-messages-reordered": (LITMUS,),
    },
}
"""Maps groups to faults, and these faults to the suite files that are run.

"asked": faults that a suite of order and time must find at least; "from-the-text": faults written without knowledge of
the suites.
"""
