"""What people see: terminal, HTML."""
