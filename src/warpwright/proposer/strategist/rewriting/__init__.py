"""What every move needs to turn a candidate into another: the subject, plan expressions, CUDA snippets."""
