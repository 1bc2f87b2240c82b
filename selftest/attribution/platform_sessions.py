"""Sessions with a simulated platform in this process, which chooses its results by a policy of the selftest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from clconform.harness import BadCall, Target
from clconform.runner.session.errors import UndefinedCallError
from clconform.runner.session.self_limits import SelfLimits
from clconform.runner.session.session import Session
from clconform.selftest.trial import run_item
from clconform.simulator.in_process_worker import InProcessWorker

if TYPE_CHECKING:
    from clconform.runner.session.observer import SessionObserver
    from clconform.selftest.trial import Runnable
    from clconform.simulator.answer_policy import FirstAllowedPolicy
    from clconform.simulator.server import Change
    from clconform.spec_tables import Tables

CALL_CPU_SECONDS, ITEM_MEMORY_BYTES = 20.0, 2 << 30
"""The limits on the CPU time of a call and on the memory of an item."""


def open_session(
    topology: str, tables: Tables, observer: SessionObserver, choices: FirstAllowedPolicy, change: Change | None = None
) -> Session:
    """Return a session with a platform that chooses its results by ``choices``; HarnessError for an unknown topology.

    ``change``: changes the outcomes of the platform.
    """
    session = Session(
        Target.simulated(topology),
        tables,
        observer,
        own_work=SelfLimits(CALL_CPU_SECONDS, ITEM_MEMORY_BYTES),
        start=lambda _target, _deadlines: InProcessWorker(topology, change=change, choices=choices),
    )
    session.base.size_queries = []  # these platforms report the same limits in every process
    return session


def run_limited(item: Runnable, session: Session) -> bool:
    """Run an item; return False if it fails since a call needs behaviour that the model does not define.

    An item that ends early at a call which the session refuses has not failed.
    """
    try:
        with session.self_limits.limit_block():
            run_item(item, session)
    except (UndefinedCallError, BadCall):
        return True
    except Exception:  # noqa: BLE001 (whatever the model raises for such a call)
        return False
    return True
