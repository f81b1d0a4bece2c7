"""Reference implementations: the algorithms of the papers, and nothing about claims, statistics or files."""

__distribution__ = "dpclaims"
