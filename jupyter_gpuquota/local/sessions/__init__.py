"""Sessions as processes: launch specification, start, observation, logs and programs."""
