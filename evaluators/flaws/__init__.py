"""What is wrong with an answer, by kind, read from labels that are there: nobody is asked."""
