"""What the rows of a report cost: pairs of laws at the real distance, and what they compose to."""
