"""What is learned from earlier samples: scores that tell outputs on two datasets apart, one idea a file."""
