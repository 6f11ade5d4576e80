"""How attempts lie on disk: begun, finished, and the best of them ready to use."""
