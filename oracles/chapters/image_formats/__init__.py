"""Rules for image formats: their components and the lists of supported formats (sections 5.3.1.1 and 5.3.2)."""
