"""KAI Scheduler: queues in two levels, and fractions of GPUs (`scheduling.run.ai/v2`)."""
