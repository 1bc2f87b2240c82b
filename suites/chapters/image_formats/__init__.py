"""Image formats (sections 5.3.1.1 and 5.3.2): lists of supported formats, and images with every format."""
