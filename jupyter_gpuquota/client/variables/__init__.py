"""Variables of kernels: in files that outlive a kernel, and carried between two for a cell."""
