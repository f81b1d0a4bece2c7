"""Events, the bets on them, and the bounds that they give."""
