"""The activity of sessions: their Jupyter Servers, and what a Prometheus measures."""
