"""NVRTC in a killable worker: binding, cache, diagnostics, include policy."""
