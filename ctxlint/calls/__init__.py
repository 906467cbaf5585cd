"""Many functions: types of receivers, the call graph, what each call does to stores and cells."""
