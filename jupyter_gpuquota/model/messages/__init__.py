"""Messages that can be translated: a catalog of English templates, by key."""
