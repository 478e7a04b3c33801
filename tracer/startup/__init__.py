"""Holds the sitecustomize that a traced program starts with; nobody imports this package."""
