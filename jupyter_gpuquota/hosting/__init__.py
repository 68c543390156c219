"""How a controller is found, started and reached."""
