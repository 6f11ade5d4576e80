"""The checks of one case, one a file; `registry.py` lists them in the order in which they speak."""
