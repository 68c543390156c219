"""The connection to a controller: found, spoken to in the words of the route table."""
