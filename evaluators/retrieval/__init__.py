"""A data set from one's own documents and questions: reading, chunks, an index on this computer,
the best for each.
"""
