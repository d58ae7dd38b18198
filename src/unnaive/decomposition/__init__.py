"""Decomposed tensor classifiers: CP, Tucker and mixture decompositions of the joint distribution."""
