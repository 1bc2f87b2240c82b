"""Everything that touches a driver: it runs in a worker process, and whatever it does is the outcome of a call.

``Target`` describes what is tested, ``Worker`` is a running worker for it, ``survey`` returns the platforms found.
"""

from clconform.harness.deadlines import Deadlines
from clconform.harness.errors import BadCall, HarnessError, StartError
from clconform.harness.process import Worker, survey
from clconform.harness.targets import Target

__all__ = ["BadCall", "Deadlines", "HarnessError", "StartError", "Target", "Worker", "survey"]
