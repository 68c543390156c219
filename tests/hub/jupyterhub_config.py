"""A JupyterHub as an admin would configure it; see docs/hosting.md. The tests fill in `HUB_…`."""

import os
import sys

folder = os.environ["HUB_FOLDER"]
ports = dict(zip(("public", "hub", "proxy"), os.environ["HUB_PORTS"].split(), strict=True))

c.JupyterHub.bind_url = f"http://127.0.0.1:{ports['public']}/"
c.JupyterHub.hub_port = int(ports["hub"])
c.JupyterHub.db_url = f"sqlite:///{folder}/hub.sqlite"
c.JupyterHub.cookie_secret_file = f"{folder}/cookie-secret"
c.JupyterHub.tornado_settings = {"slow_spawn_timeout": 0}
c.ConfigurableHTTPProxy.api_url = f"http://127.0.0.1:{ports['proxy']}"
c.ConfigurableHTTPProxy.pid_file = f"{folder}/proxy.pid"
c.ConfigurableHTTPProxy.command = [os.environ["HUB_PROXY"]]

c.JupyterHub.authenticator_class = "dummy"
c.Authenticator.allow_all = True
c.Authenticator.admin_users = {"root-admin"}
c.JupyterHub.load_groups = {"ml": {"users": ["ana", "li"]}}

# People's servers find the controller by these; the token is the one that the Hub gives them.
c.JupyterHub.spawner_class = "jupyterhub.spawner.SimpleLocalProcessSpawner"
c.SimpleLocalProcessSpawner.home_dir_template = f"{folder}/home/{{username}}"
c.Spawner.environment = {
    "JUPYTER_GPUQUOTA_URL": os.environ["HUB_FOUND"],
    "JUPYTER_GPUQUOTA_CA": os.environ["HUB_CA"],
    "JUPYTER_CONFIG_PATH": os.environ["HUB_EXTENSIONS"],
}
c.Spawner.args = ["--allow-root"]
# A busy machine needs more than the usual minute and half a minute for a JupyterLab.
c.Spawner.start_timeout = c.Spawner.http_timeout = 240

# The controller is a service of the Hub, which starts it and starts it again.
c.JupyterHub.services = [
    {
        "name": "gpuquota",
        "command": [
            sys.executable,
            "-m",
            "jupyter_gpuquota.controller",
            "--hosting=https",
            "--backend=memory",
            f"--state-dir={folder}/state",
        ],
        "environment": {"JUPYTER_CONFIG_DIR": os.environ["HUB_CONTROLLER_CONFIG"]},
    },
    {"name": "tests", "api_token": os.environ["HUB_TOKEN"]},
]
c.JupyterHub.load_roles = [
    {
        "name": "tests",
        "services": ["tests"],
        "scopes": ["admin:users", "admin:servers", "tokens", "access:servers", "access:services"],
    }
]
