"""The parts that all backends share inside a controller."""
