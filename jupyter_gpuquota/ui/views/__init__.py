"""What commands answer: objects with a plain, a rich and a tabular side."""
