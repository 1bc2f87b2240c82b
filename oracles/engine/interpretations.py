"""Open points that many functions share: flags, lists of properties, handles of another type, commands on no bytes."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "unknown-fact",
        "any clause",
        "the clause may hold or not",
        "the condition hangs on a fact about the driver that no call of the sequence has asked for",
    ),
    Interpretation(
        "beside-null",
        "clauses about how objects belong together, where NULL stands for one of them",
        "the clause's code is allowed beside that of the NULL object",
        "whether a device is one of a context that is not there, or a pointer belongs to it, can be answered both ways",
    ),
    Interpretation(
        "no-predicate",
        "any clause",
        "the clause may hold or not, and its record is not provoked",
        "nobody has yet written down when this clause holds, so its code is allowed everywhere",
    ),
    Interpretation(
        "feature-of-nobody",
        "3.4.2, what may always fail on 3.0; CL_INVALID_OPERATION for want of images, pipes, shared virtual "
        "memory or an intermediate language",
        "allowed beside the error of an object that is not valid, where no device of the platform has the feature",
        "such a function may always fail, and without a valid object there is no device to be asked",
    ),
    Interpretation(
        "other-type",
        "glossary, Valid Object",
        "the call may fail with the clause's code, or do anything else short of a verdict",
        "only NULL has to be detected; for a live handle of another type the behaviour is implementation-defined",
    ),
    Interpretation(
        "flag-of-elsewhere",
        "clauses about values of flags that are not valid",
        "success and the clause's code are both allowed",
        "the bit has a meaning, but in another table, a later version, an extension that is not there, or only in a "
        "query; a driver may know more than it has to",
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
        "the clause's code is allowed beside success",
        "what values of such a type are valid is not said, nor what becomes of bits that the type does not have",
    ),
    Interpretation(
        "odd-boolean",
        "every list of properties: a value of the type cl_bool",
        "the clause's code is allowed beside success for a value that is neither CL_TRUE nor CL_FALSE",
        "C takes every number but zero for true, and the text does not say that a driver must not",
    ),
    Interpretation(
        "property-of-elsewhere",
        "every list of properties: a name",
        "the clause's code is allowed beside success for a name of a later version, of an extension that is not "
        "reported, or that only the registry has",
        "the clause speaks of supported names, and a driver may support more than its version and its extensions say; "
        "which values a name has then, the extension's own text says",
    ),
    Interpretation(
        "property-twice",
        "5.1 and others: the same name twice in a list of properties",
        "the clause's code is allowed beside success",
        "other clauses name it as an error, these do not (OpenCL-Docs issue 426)",
    ),
    Interpretation(
        "no-bytes",
        "5.2.2 and 5.6.1, commands on no bytes",
        "for copies, before version 2.1, without a pointer, or behind the end: success and CL_INVALID_VALUE are right",
        "no clause names a size of zero; earlier versions refused it, and implementations of all refuse such copies",
    ),
)
