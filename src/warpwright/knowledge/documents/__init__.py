"""An index over documentation on this disk: found, fetched on request, split into sections, searched."""
