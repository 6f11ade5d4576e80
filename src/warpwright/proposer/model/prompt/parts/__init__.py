"""The parts of a prompt, one file each: from the record to text of bounded length."""
