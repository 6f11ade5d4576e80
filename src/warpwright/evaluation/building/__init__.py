"""What the host does before a candidate may run: its plans, the policy, compilation, the signature."""
