"""What users read: one format a file, and the rule pages."""
