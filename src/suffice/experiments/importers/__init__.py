"""Public collections as a folder of documents and a benchmark file: one module a format, each with `load`."""
