"""Labelled graphs: closed frequent subgraphs by gSpan, and tensors of them."""
