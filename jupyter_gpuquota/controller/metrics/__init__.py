"""Figures of the controller for Prometheus, on an address of their own."""
