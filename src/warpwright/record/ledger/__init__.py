"""Sums over `ledger.jsonl`."""
