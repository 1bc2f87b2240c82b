"""When calls about semaphores must fail: those that make one, commands that use some, and handles of other APIs."""
