"""Run the pods of a test cluster that are real processes, until this process is killed."""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

from ..layout import Layout
from .client import Client
from .node import Kubelet

layout = Layout.load(Path(sys.argv[1]))
asyncio.run(Kubelet(Client(layout.kubeconfig("kubelet")), layout.pods).run())
