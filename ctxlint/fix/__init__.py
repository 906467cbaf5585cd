"""Rewrites that remove a fault: the file's tree is opened again, and every byte outside of the edits stays.

`rewrites/` has one function for each way of repairing code; `fixes` asks them, `passes` applies what they answer until nothing is
left and proves that the finding is gone and nothing came instead.
"""
