"""One file per command; `registry.py` lists them."""
