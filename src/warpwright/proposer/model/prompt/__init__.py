"""What a model is told: texts as files, filled with bounded parts of the record."""
