"""Controls: claims that are wrong by construction. A suite that does not refute them is blind."""

from claims import Adjacency, Paper

PAPER = Paper("controls", reference="Errors planted by this project.", adjacency=Adjacency.REPLACE)
