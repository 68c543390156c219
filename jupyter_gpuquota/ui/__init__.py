"""Three skins over the client: `%gpu`, widgets, `jupyter gpu`."""
