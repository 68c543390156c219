"""The systems under test: environments, JupyterLab servers, browsers and sessions."""
