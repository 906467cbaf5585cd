"""Findings and rules as text: for people, for editors, for other tools."""
