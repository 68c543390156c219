"""Forecasts: what a request or a change of settings would do."""
