"""Where was it lost? Each piece that an answer needs is followed through the layers, with its exact ranks."""
