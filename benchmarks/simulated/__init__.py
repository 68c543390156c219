"""Simulated servers, kernels and users."""
