"""Files on the disk of this machine: clones, exact modes, holes, durability."""
