"""The verdict on a call: the rules, what they allow, and what an outcome means."""
