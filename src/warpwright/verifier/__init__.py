"""What "correct" means: one check a file in `checks/`, run over the evidence that a case's runs leave behind."""
