"""The reasons in explanations for mutants that no call kills."""

from __future__ import annotations

UNSENT = "changes only undefined behaviour, or arguments of a form that no call has"
ALIKE = "equivalent for every call"
UNREACHED = "the changed part is not reached from this clause"
SAME_CODE = "if it holds, another clause with the same code may hold, too"
EITHER_CODE = "if it holds, a clause with another code holds, too, and either code may be returned"
NO_CODE = "the function returns no error code, and may always fail because memory is exhausted"
NO_SUCH_DEVICE = "no simulated or known device distinguishes the two"
NO_SUCH_PLATFORM = "no platform that follows the model distinguishes the two"
ALLOWED = "changes only what is allowed: a platform that conforms by one conforms by the other"
RECORDED = "only recordings of other programs bring it about: of what suites make, the model knows that"
