"""Text in, words of the analysis out.

`read` turns bytes into a tree, `lower` a tree into a `Module`; comments are read on their own.
The vocabulary of trees is the standard `ast`'s, whichever parser made them.
"""
