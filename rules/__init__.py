"""The rules, one a file, and what happens to findings between a rule and a report."""
