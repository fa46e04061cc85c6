"""A data set from one's own documents and questions: reading, chunks, an index, the best ones."""
