"""Find, start, replace and reach a controller."""
