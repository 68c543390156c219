"""What a session has beside its files: repositories, packages, GPUs, notebooks.

These modules run beside a session, or inside of it, where `shipping` carries them: the standard
library and the syntax of Python 3.8 only.
"""
