"""Variables of kernels: as messages between two kernels, and as a file that outlives one."""
