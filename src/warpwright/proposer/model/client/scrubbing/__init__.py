"""Secrets are taken out of what a server or a model said: the user's own keys, and what looks like one."""
