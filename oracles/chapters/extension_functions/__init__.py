"""The addresses of extensions' functions, by their names."""
