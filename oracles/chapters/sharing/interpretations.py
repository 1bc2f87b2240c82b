"""Open points of sharing with other interfaces."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "nothing-to-hand-over",
        "5.5.10 to 5.5.13, commands that acquire or release no objects, in a context that shares with nothing",
        "success and CL_INVALID_CONTEXT are both right",
        "for no objects the function is said to do nothing and to succeed, while a clause asks for an error wherever "
        "the context was not created for the interface",
    ),
    Interpretation(
        "display-of-no-image",
        "5.3.12, clCreateFromEGLImageKHR: NULL for both the display and the image",
        "CL_INVALID_VALUE is allowed in addition to CL_INVALID_EGL_OBJECT_KHR",
        "an implementation may accept images without a display, which then is not looked at",
    ),
)
