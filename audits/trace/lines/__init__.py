"""Lines: where a value that differs was computed, and the variables without whose difference nothing is
found."""
