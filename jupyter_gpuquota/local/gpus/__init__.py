"""GPUs of this machine: real through NVML, or simulated."""
