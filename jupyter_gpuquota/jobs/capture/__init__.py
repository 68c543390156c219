"""What a snapshot records besides files: repositories, packages, notebooks."""
