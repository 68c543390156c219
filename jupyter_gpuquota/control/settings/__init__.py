"""Settings of admins: kept, copied, audited, and read from a quota file."""
