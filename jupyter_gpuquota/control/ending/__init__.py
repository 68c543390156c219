"""End sessions after their open pages have saved."""
