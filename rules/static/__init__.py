"""Rules over the program model."""
