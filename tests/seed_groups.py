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
        "markers-wait-for-nothing": (ORDER,),
        "what-waits-for-a-marker-waits-for-nothing": (ORDER,),
        "barriers-let-the-second-command-pass": (ORDER,),
        "one-wait-in-fifty-ends-early": (SYNCHRONIZATION,),
        "statuses-go-back": (STATES,),
        "events-call-back-at-once": (CALLBACKS,),
        "callbacks-come-before-the-status": (INSIDE,),
        "late-callbacks-are-lost": (CALLBACKS,),
        "releases-free-what-commands-use": (HANDING_ON,),
        "writes-stay-in-their-queue": (SYNCHRONIZATION,),
        "commands-start-after-their-end": (TIMES,),
    },
    "from-the-text": {
        "events-call-one-callback-only": (CALLBACKS,),
        "callbacks-of-failed-commands-tell-of-success": (CALLBACKS,),
        "callbacks-for-the-start-are-lost": (CALLBACKS,),
        "children-end-before-their-parents": (TIMES,),
        "all-commands-run-at-the-same-time": (TIMES,),
        "times-are-of-another-clock": (TIMERS,),
        "flushes-submit-the-first-command-only": (TIMES,),
        "blocking-calls-submit-what-they-need-only": (TIMES,),
        "waits-in-queues-hold-nothing-up": (ORDER,),
        "errors-reach-the-next-command-only": (STATES,),
        "markers-belong-to-no-queue": (STATES,),
        "writes-to-regions-come-late": (HANDING_ON,),
        "unmapped-bytes-stay-in-their-queue": (HANDING_ON,),
        "kernels-work-on-released-memory": (HANDING_ON,),
    },
    "order": {
        "calls-in-callbacks-are-refused": (INSIDE,),
        "the-last-event-of-a-list-is-ignored": (SYNCHRONIZATION,),
        "lists-are-cut-after-two-events": (SYNCHRONIZATION,),
        "events-listed-twice-count-twice": (SYNCHRONIZATION,),
        "one-complete-event-is-enough": (SYNCHRONIZATION,),
        "events-of-other-queues-are-ignored": (SYNCHRONIZATION,),
        "markers-wait-for-the-last-command-only": (ORDER,),
        "barriers-with-a-list-hold-nothing-up": (SYNCHRONIZATION,),
        "commands-run-although-one-before-them-failed": (STATES,),
        "lists-replace-the-order-of-a-queue": (ORDER, STATES, SYNCHRONIZATION),
        "finishing-forgets-other-queues": (ORDER, STATES, SYNCHRONIZATION),
        "blocking-reads-return-at-once": (SYNCHRONIZATION,),
        "ends-are-not-told": (STATES,),
        "fences-miss-commands-without-events": (GRAPHS,),
        "copies-read-when-they-are-enqueued": (GRAPHS,),
        "fills-wait-for-nothing": (GRAPHS,),
        "user-events-are-set-together": (ORDER,),
        "waits-are-for-the-first-event": (GRAPHS,),
        "finishing-waits-for-the-last-command-only": (ORDER,),
        "flushes-are-forgotten": (SYNCHRONIZATION,),
    },
    "memory": {
        "commands-do-not-see-others": (HANDING_ON,),
        "devices-do-not-see-each-other": (HANDING_ON,),
        "nothing-is-seen-without-a-list": (SYNCHRONIZATION,),
        "atomics-are-weaker-than-asked": (LITMUS,),
        "loads-see-older-values": (LITMUS,),
        "loads-see-what-comes-after-them": (LITMUS,),
        "the-host-does-not-see-running-kernels": (LITMUS,),
        "messages-between-host-and-kernels-overtake": (LITMUS,),
    },
}
"""Group to fault to the files of suites that are run.

"asked": what a suite of order and time must find at the least; "from-the-text": what was written without a look at the
suites; "order" and "memory": the others of these chapters. A fault that these files find is found by a run of all
suites, too: the seed of an item depends on the run's seed and the item's own id alone.
"""
