"""Formats of images (sections 5.3.1.1 and 5.3.2): the lists of them, and images of every one."""
