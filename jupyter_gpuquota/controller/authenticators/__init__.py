"""What knows the bearer tokens of people: one module an authenticator."""
