"""What earlier runs found out, kept in a folder: lowered files by content, and the reports of whole runs.

The folder may be thrown away, shared and written by several runs at once.
"""
