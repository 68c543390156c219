"""The cache: verified copies of versions in a folder, on a disk or on a shared claim.

::

    ROOT/DATASET/VERSION/tree/…                the files, read-only
    ROOT/DATASET/VERSION/manifest.jsonl.gz     what they should be
    ROOT/DATASET/VERSION/COMPLETE              nothing is missing: files, bytes, since when
    ROOT/DATASET/.VERSION/used.json            when a session last used it (by the controller)
    ROOT/DATASET/.VERSION/verified.json        what the last verification found
    ROOT/DATASET/.VERSION/pins/HASH.json       one user's wish to keep it
    ROOT/DATASET/.VERSION/fetching/JOB.json    a running fetch: whose, how far (by its process)
    ROOT/DATASET/.VERSION/fetching/JOB.part/   what that fetch has written
    ROOT/DATASET/.VERSION/gone/ID/             a version that is being removed
    ROOT/DATASET/.VERSION/quarantine/ID        a damaged file

Many processes and machines use one folder, and no lock is trusted: versions appear and disappear
by one rename, and every small file has one writer, who replaces it.
"""
