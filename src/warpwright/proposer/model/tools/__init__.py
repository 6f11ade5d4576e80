"""Look-ups that a model may ask for: they read the record, the documents and the field guide, and change nothing."""
