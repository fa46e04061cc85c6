"""What people say of answers: labels with an author, and which of them count."""
