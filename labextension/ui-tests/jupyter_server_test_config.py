"""Configuration of the Jupyter Server for the browser tests. Never use it for anything else.

Galata's part switches the token and the XSRF check off and opens JupyterLab to scripts.
"""

from jupyterlab.galata import configure_jupyter_server

c = get_config()  # Jupyter defines it before it runs this file

configure_jupyter_server(c)
c.ServerApp.jpserver_extensions = {"jupyter_gpuquota": True}
# Else JupyterLab runs Yarn at each load of a page, to see whether extensions need a build.
c.ServerApp.tornado_settings = {"page_config_data": {"buildCheck": False, "buildAvailable": False}}
c.Application.log_level = "WARN"
