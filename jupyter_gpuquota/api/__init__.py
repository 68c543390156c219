"""The REST interface: what the Jupyter extension and the controller share."""
