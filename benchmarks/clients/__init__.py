"""Clients that generate load with little overhead of their own."""
