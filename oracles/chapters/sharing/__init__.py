"""Sharing with other APIs: Direct3D, DX9, EGL, OpenGL."""
