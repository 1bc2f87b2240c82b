"""Error conditions of semaphores: creation, commands, and handles of other APIs."""
