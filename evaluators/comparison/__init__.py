"""Two systems on the same questions: is one better, by how much, and how sure is that."""
