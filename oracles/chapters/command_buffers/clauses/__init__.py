"""When calls on command-buffers fail (section 5.17), beside the conditions that recur."""
