"""Plain ResourceQuotas: each namespace has its own limit, nothing is lent."""
