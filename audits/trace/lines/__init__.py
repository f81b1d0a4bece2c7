"""Lines: where a value that differs first stands in a variable."""
