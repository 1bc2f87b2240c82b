"""Open points that many functions share: flags, lists of properties, handles of another type, commands on no bytes."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "unknown-fact",
        "any clause",
        "the clause may hold or not",
        "the condition depends on a fact about the driver that no call of the sequence has asked for",
    ),
    Interpretation(
        "undecided-gate",
        "every fact that only holds from a version on, with an extension, or for a profile",
        "the clause may hold or not, and what else the fact requires is not judged",
        "of the devices that the call concerns, it holds for some and not for others, or only their platform reports "
        "the extension, or the driver does not tell its version, extensions or profile; the documents say that a "
        "platform reports what all of its devices support, and not that all of them support what it reports",
    ),
    Interpretation(
        "beside-null",
        "clauses about how objects belong together, where NULL stands for one of them, or overlap, where both are NULL",
        "the clause's code is allowed in addition to that of the NULL object",
        "whether a device or a pointer belongs to a context that is not given can be answered either way, and so can "
        "whether bytes at NULL overlap",
    ),
    Interpretation(
        "misused-object",
        "clauses about an object that is not valid: one given to, or made by, a call that had to fail but succeeded",
        "the clause may hold or not, but for contexts, devices and queues that were given to the call",
        "the driver is blamed for that success; what it has done is open, and it may have released the object, as one "
        "does that makes an image of a pipe",
    ),
    Interpretation(
        "no-predicate",
        "any clause",
        "the clause may hold or not, and its record is not provoked",
        "no rule says yet when this clause holds, or its rule was written for another wording and nobody has said that "
        "both mean the same; so its code is allowed everywhere",
    ),
    Interpretation(
        "dropped-clause",
        "errors that the list of a function has in 3.0.17 and lacks in a later revision, whose tables are used",
        "the code is still allowed where the older list requires it, and not required any more",
        "the later revision describes the same versions, and does not say that the error must not come",
    ),
    Interpretation(
        "feature-of-nobody",
        "3.4.2, optional functions of 3.0; CL_INVALID_OPERATION without support for images, pipes, shared virtual "
        "memory or an intermediate language",
        "allowed in addition to the error for an invalid object, if no device of the platform supports the feature",
        "such a function may always fail, and without a valid object no device is named that could support it",
    ),
    Interpretation(
        "other-type",
        "glossary, Valid Object",
        "the call may fail with the clause's code, or behave in any other way except to crash or hang",
        "only NULL has to be detected; for a valid handle of another type the behaviour is implementation-defined",
    ),
    Interpretation(
        "memory-of-another-kind",
        "clauses about a buffer, image or pipe that is not valid: a memory object of another kind",
        "the clause's code is required; such calls are only made with --robustness",
        "a live image is a valid memory object, and an implementation can ask it for its type, as CL_MEM_TYPE shows; "
        "but it is not a valid buffer object, which the clause names. What the glossary leaves to the implementation "
        "is how it finds out that a handle is no object at all. It can also be read to cover this case, so no such "
        "call is made by default",
    ),
    Interpretation(
        "flag-of-elsewhere",
        "clauses about values of flags that are not valid",
        "success and the clause's code are both allowed",
        "the bit is defined, but in another table, a later version, an extension that is not supported, or only for a "
        "query; a driver may support more than it reports",
    ),
    Interpretation(
        "name-not-supported",
        "every query function: param_name",
        "CL_INVALID_VALUE and an answer are both allowed for a name of a later version, or of an extension that is "
        "not reported, and for a value that only the registry or a vendor may know",
        "the clause speaks of supported values, and a driver may support more than its version and its extensions say",
    ),
    Interpretation(
        "property-value",
        "every list of properties: a value",
        "success and the clause's code are both allowed",
        "the documents do not say which values of such a type are valid, or what happens to undefined bits",
    ),
    Interpretation(
        "counts-are-stale",
        "every query for a reference count",
        "an answer is right if it is not less than the number of references that the application owns, also for an "
        "object that nothing else uses; for a root device it is 1",
        "a count is said to be stale at once, and an implementation may hold references of its own at any time",
    ),
    Interpretation(
        "deadline-of-a-call",
        "every call: that it returns",
        "a call that has not returned before its deadline, and does not when it is repeated, counts as one that never "
        "returns; as long as the kernel holds up the driver's process, it is waited for up to 60 s more; what a file "
        "of known deviations names is not repeated",
        "the documents name no time; deadlines are many times what calls take, depend on the function, and can be "
        "scaled by the user (--deadline-scale)",
    ),
    Interpretation(
        "deadline-of-a-callback",
        "5.11 and others: that a registered callback is called",
        "a callback that has not been called 2 s after the last thing that it waits for counts as one that never comes",
        "callbacks may be called asynchronously, and the documents name no time; 2 s are many times what drivers take",
    ),
    Interpretation(
        "odd-boolean",
        "every list of properties: a value of the type cl_bool",
        "success and the clause's code are both allowed for a value that is neither CL_TRUE nor CL_FALSE",
        "C treats every value but zero as true, and the documents do not forbid a driver to do the same",
    ),
    Interpretation(
        "property-of-elsewhere",
        "every list of properties: a name",
        "success and the clause's code are both allowed for a name of a later version, of an extension that is not "
        "reported, or that is only in the registry",
        "the clause speaks of supported names, and a driver may support more than its version and its extensions say; "
        "the valid values are then defined by the text of the extension",
    ),
    Interpretation(
        "property-twice",
        "5.1 and others: the same name twice in a list of properties",
        "success and the clause's code are both allowed",
        "other clauses name it as an error, these do not (OpenCL-Docs issue 426)",
    ),
    Interpretation(
        "end-of-no-property",
        "queries for the list of properties of an object that was made with {0}",
        "the answer may be {0}, or nothing at all",
        "the values of the argument must be returned if it was not NULL, and nothing if it was; a list "
        "that has only its end is not NULL, and holds no property to be returned",
    ),
    Interpretation(
        "no-bytes",
        "5.2.2 and 5.6.1, commands on no bytes",
        "success and CL_INVALID_VALUE are both allowed for copies, on a platform or device before version 2.1, for a "
        "NULL pointer, and for an offset behind the end",
        "no clause is about a size of zero; earlier versions refused it, and implementations of all versions refuse "
        "such copies",
    ),
)
