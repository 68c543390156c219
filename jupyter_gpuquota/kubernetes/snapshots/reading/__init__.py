"""The copies of volumes are read in the pod of a Job, and streamed as an archive."""
