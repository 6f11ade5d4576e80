"""Sections to an SQLite file with full-text search, and back."""
