"""How other people's code gets in."""
