"""compute-sanitizer: memcheck, racecheck, initcheck and synccheck on one run of the harness."""
