"""What an output is: its places, the columns that they give, and their names."""
