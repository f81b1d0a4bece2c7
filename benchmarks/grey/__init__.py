"""Small programs in ordinary styles, correct and leaky, and what `trace` says of them."""
