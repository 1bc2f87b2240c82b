"""Sharing with other interfaces: Direct3D, DX9, EGL, OpenGL."""
