"""Configuration of a Jupyter Server whose sessions have hosts of their own, for the browser tests.

Unlike that of the other tests it asks for a token: what a page can do without it is what is tested.
"""

import os

c = get_config()  # Jupyter defines it before it runs this file

c.ServerApp.jpserver_extensions = {"jupyter_gpuquota": True}
c.ServerApp.open_browser = False
c.ServerApp.port_retries = 0
c.ServerApp.root_dir = os.environ["JUPYTERLAB_GALATA_ROOT_DIR"]
c.GpuQuota.ingress_host = "{session}.localhost"
c.IdentityProvider.token = os.environ["GPUQUOTA_TEST_TOKEN"]
c.Application.log_level = "WARN"
