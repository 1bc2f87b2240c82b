"""Interpretations that many functions share: flags, property lists, handles of another type, commands of size 0."""

from __future__ import annotations

from typing import NewType

from clconform.calls.journal import Interpretation

InterpretationId = NewType("InterpretationId", str)
"""The id of an interpretation that a mismatch, a memory effect or a text about allowed values names."""

ENTRIES = (
    Interpretation(
        "unknown-fact",
        "any clause",
        "the clause may hold or not",
        "the condition depends on a fact about the driver that no call of the sequence has queried",
    ),
    Interpretation(
        "undecided-applicability",
        "every requirement that applies only from a version on, with an extension, or for a profile",
        "the clause may hold or not, and other requirements under the same condition are not judged",
        "it applies to some of the devices that the call concerns and not to others, or only their platform reports "
        "the extension, or the driver does not report its version, extensions or profile; according to the documents, "
        "a platform reports what all its devices support, but a device need not support everything that its platform "
        "reports",
    ),
    Interpretation(
        "other-revision",
        "requirements of an extension whose revision on the driver is not that of the tables, if they read differently "
        "in both",
        "the clause's code is allowed everywhere, other requirements are not judged, and functions that differ are not "
        "called",
        "between the revisions of a provisional extension, prototypes, values and meanings may change; the history of "
        "the extension lists what changed, and a revision that it does not contain counts as different in everything",
    ),
    Interpretation(
        "related-to-null",
        "clauses about the relation between objects, where one of them is NULL; clauses about overlap, where both are "
        "NULL",
        "the clause's code is allowed in addition to that of the NULL object",
        "the documents do not specify whether a device or a pointer belongs to a context that is NULL, or whether "
        "bytes at NULL overlap",
    ),
    Interpretation(
        "possibly-invalid-object",
        "clauses about an invalid object: one that was passed to, or created by, a call that should have failed but "
        "succeeded",
        "the clause may hold or not, except for contexts, devices and queues that were passed to the call",
        "the deviation is the unexpected success; its effects are unspecified, and it may have released the object, as"
        " when an image is created from a pipe",
    ),
    Interpretation(
        "no-predicate",
        "any clause",
        "the clause may hold or not, and its requirement is not covered",
        "no rule defines yet when this clause holds, or the rule was written for another wording and a maintainer has "
        "not confirmed that both mean the same; so its code is allowed everywhere",
    ),
    Interpretation(
        "removed-clause",
        "errors that the list of a function has in 3.0.17 but not in the later revision whose tables are used",
        "the code is still allowed where the older list requires it, but no longer required",
        "the later revision describes the same versions, and does not forbid the error",
    ),
    Interpretation(
        "feature-unsupported-everywhere",
        "3.4.2, optional functions of 3.0; CL_INVALID_OPERATION without support for images, pipes, shared virtual "
        "memory or an intermediate language",
        "allowed in addition to the error for an invalid object, if no device of the platform supports the feature",
        "such a function may always fail, and an invalid object does not identify a device that could support the "
        "feature",
    ),
    Interpretation(
        "handle-of-other-type",
        "glossary, Valid Object",
        "the call may fail with the clause's code, or behave in any other way except to crash or hang",
        "only NULL has to be detected; for a valid handle of another type the behaviour is implementation-defined",
    ),
    Interpretation(
        "other-memory-object-kind",
        "clauses about a buffer, image or pipe that is not valid: a memory object of another kind",
        "the clause's code is required; such calls are only made with --robustness",
        "a live image is a valid memory object, and an implementation can determine its type, as CL_MEM_TYPE shows; "
        "but it is not a valid buffer object, and the clause requires that. The glossary leaves to the implementation "
        "how it detects that a handle is not an object at all. It can also be read to cover this case, so such calls "
        "are not made by default",
    ),
    Interpretation(
        "flag-defined-elsewhere",
        "clauses about values of flags that are not valid",
        "success and the clause's code are both allowed",
        "the bit is defined, but in another table, a later version, an extension that is not supported, or only for a "
        "query; a driver may support more than it reports",
    ),
    Interpretation(
        "query-name-unsupported",
        "every query function: param_name",
        "CL_INVALID_VALUE and a value are both allowed for a name of a later version, or of an extension that is not "
        "reported, and for a value that only the registry or a vendor may define",
        "the clause refers to supported values, and a driver may support more than its reported version and extensions",
    ),
    Interpretation(
        "unspecified-property-value",
        "every list of properties: a value",
        "success and the clause's code are both allowed",
        "the documents do not specify which values of such a type are valid, or how undefined bits are handled",
    ),
    Interpretation(
        "reference-count-lower-bound",
        "every query for a reference count",
        "a count is valid if it is not less than the number of references that the application owns, also for an "
        "object that nothing else uses; for a root device it is 1",
        "according to the documents, a count is immediately out of date, and an implementation may hold references of "
        "its own at any time",
    ),
    Interpretation(
        "call-timeout",
        "every call: it returns",
        "a call that has not returned before its deadline, and also does not return when it is repeated, counts as a "
        "hang; while the driver uses processor time or needs a processor, the harness waits up to 12 times the "
        "deadline and at most 60 s more (180 s on a busy machine), and up to 60 s more while the kernel blocks the "
        "driver; known deviations are not repeated",
        "the documents do not specify a time; deadlines are many times the usual duration of a call, depend on the "
        "function, and can be scaled by the user (--deadline-scale); a driver that works on a busy machine is slow",
    ),
    Interpretation(
        "independent-queues",
        "3.2: a call that waits for a queue while another queue of the same device waits for a user event",
        "the call may return before the event is set, or wait until it is set; a call that waits for nothing, such as "
        "clFlush, must return",
        "several queues execute commands independently, but no sentence promises their progress, and all queues of a "
        "device feed one work-pool",
    ),
    Interpretation(
        "callback-timeout",
        "5.11 and others: a registered callback is called",
        "a callback that has not been called 2 s after its last prerequisite counts as never called; while the driver "
        "uses processor time or needs a processor, the harness waits up to 24 s",
        "callbacks may be called asynchronously, and the documents do not specify a time; 2 s are many times the usual"
        " delay",
    ),
    Interpretation(
        "boolean-other-than-0-or-1",
        "every list of properties: a value of the type cl_bool",
        "success and the clause's code are both allowed for a value that is neither CL_TRUE nor CL_FALSE",
        "C treats every nonzero value as true, and the documents do not forbid a driver to do the same, also after it "
        "has reduced a wider element of the list to the 32 bits of the type; the official tests require the error for "
        "-1 as CL_CONTEXT_INTEROP_USER_SYNC",
    ),
    Interpretation(
        "property-defined-elsewhere",
        "every list of properties: a name",
        "success and the clause's code are both allowed for a name of a later version, of an extension that is not "
        "reported, or that is only in the registry",
        "the clause refers to supported names, and a driver may support more than its reported version and extensions;"
        " the valid values are then defined by the text of the extension",
    ),
    Interpretation(
        "duplicate-property",
        "5.1 and others: the same name twice in a list of properties",
        "success and the clause's code are both allowed",
        "other clauses list it as an error, these do not (OpenCL-Docs issue 426)",
    ),
    Interpretation(
        "empty-property-list",
        "queries for the property list of an object that was created with {0}",
        "the value may be {0} or empty",
        "the query must return the values of the argument if it was not NULL, and nothing if it was NULL; a list that "
        "consists of the terminator only is not NULL, and has no property to return",
    ),
    Interpretation(
        "zero-size-command",
        "5.2.2 and 5.6.1, commands with a size of 0",
        "success and CL_INVALID_VALUE are both allowed for copies, on a platform or device before version 2.1 (reads, "
        "writes and fills), for a "
        "NULL pointer, and for an offset past the end",
        "no clause mentions a size of zero; earlier versions rejected it, and implementations of all versions reject "
        "such copies",
    ),
)
