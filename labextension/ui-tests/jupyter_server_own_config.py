"""Configuration of a Jupyter Server of the tests of one file, which asks for a token.

For measured GPUs the driver is that in `driver`, which serve.py puts in the place of NVIDIA's.
"""

import os

c = get_config()  # Jupyter defines it before it runs this file

c.ServerApp.jpserver_extensions = {"jupyter_gpuquota": True}
c.ServerApp.open_browser = False
c.ServerApp.port_retries = 0
c.ServerApp.root_dir = os.environ["JUPYTERLAB_GALATA_ROOT_DIR"]
c.IdentityProvider.token = os.environ["GPUQUOTA_TEST_TOKEN"]
c.Application.log_level = "WARN"
