"""What follows a verdict: the witness of a refutation, the leaks that a pass would have caught."""
