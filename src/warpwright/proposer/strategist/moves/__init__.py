"""One file per move; `registry.py` lists them."""
