"""Interpretations of sharing with other APIs."""

from __future__ import annotations

from clconform.calls.journal import Interpretation

ENTRIES = (
    Interpretation(
        "acquire-without-objects",
        "5.5.10 to 5.5.13, commands without objects to acquire or release, in a context without sharing",
        "success and CL_INVALID_CONTEXT are both allowed",
        "without objects the function does nothing and succeeds, while an error condition requires an error if the "
        "context was not created for the API",
    ),
    Interpretation(
        "egl-display-without-image",
        "5.3.12, clCreateFromEGLImageKHR: NULL for both the display and the image",
        "CL_INVALID_VALUE is allowed in addition to CL_INVALID_EGL_OBJECT_KHR",
        "an implementation may accept images without a display, and then does not check the display",
    ),
)
