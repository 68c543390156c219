"""Widgets made of core ipywidgets.

They never act by themselves in the kernel: any message from a kernel counts as activity, and
would keep an idle one from being culled. Their tables are elements that the front end keeps live
in the browser; buttons and fields act when a user uses them.
"""

from .datasets import DatasetsWidget
from .launch import LaunchWidget
from .quota import QuotaWidget
from .sessions import SessionsWidget
from .volumes import VolumesWidget

__all__ = ["DatasetsWidget", "LaunchWidget", "QuotaWidget", "SessionsWidget", "VolumesWidget"]
