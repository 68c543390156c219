"""Datasets in the controller: what lakes hold, cached versions, jobs."""
