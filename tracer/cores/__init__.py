"""The two ways to see calls, behind one protocol, and the choice between them."""
