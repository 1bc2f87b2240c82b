"""Which calls put what is said of images to the test (section 5.3)."""
