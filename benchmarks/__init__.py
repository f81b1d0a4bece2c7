"""Scripts that measure this project; none of them is installed."""
