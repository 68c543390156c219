"""The lake: an object store that holds the versions of datasets."""
