"""Programs (section 5.8): a valid call of each function that makes them."""
