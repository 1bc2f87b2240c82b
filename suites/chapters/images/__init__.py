"""Images (section 5.3): a valid call of each function that moves their contents."""
