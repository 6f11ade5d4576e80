"""Fetches documents from their public host, on request only."""
