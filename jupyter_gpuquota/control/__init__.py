"""What every backend shares while it is resident in a controller."""
