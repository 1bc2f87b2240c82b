"""Rules for sharing with other APIs (Direct3D, DX9, EGL, OpenGL), as far as they need no object of these APIs."""
