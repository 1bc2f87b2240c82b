"""Formats of images (sections 5.3.1.1 and 5.3.2): what they are made of, and which ones are listed."""
