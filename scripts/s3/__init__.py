"""Real S3 servers for tests and benchmarks: moto, and versitygw over a folder."""
