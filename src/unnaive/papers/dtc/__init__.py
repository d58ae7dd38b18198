"""van Gerven 2007: tensor decompositions for probabilistic classification (DTC)."""
