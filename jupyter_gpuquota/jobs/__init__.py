"""Jobs: long operations on data, each in a process of its own that reports how far it is.

    python -m jupyter_gpuquota.store VERB …

A job is a client of the controller and a user of the store. The controller knows of running jobs
by their reports alone, so it may be restarted while they run.
"""
