"""The parts of Kubernetes objects that are read, as small records.

Unknown fields are ignored, absent ones have the value that means absence. Decoding to these takes a
thirtieth of the time of the official client's classes.
"""
