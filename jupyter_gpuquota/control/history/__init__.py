"""The usage history: sampled, stored and read in a thread of its own."""
