"""compute-sanitizer on one run of a candidate: what its four tools found, with source lines, or why they were not run."""
