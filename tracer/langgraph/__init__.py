"""LangGraph as it is traced: what its hooks say, one file for each part of it."""
