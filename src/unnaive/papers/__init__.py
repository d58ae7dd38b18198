"""The papers' experiments, one file a paper: their protocols on real data, printed figures beside measured ones."""

from __future__ import annotations

# By short name, the paper; the module of that name has ``reproduce(request)``.
PAPERS = {
    "honb": "Leveraging Higher Order Dependencies Between Features for Text Classification (Ganiz et al. 2009)",
    "icgnb": "Instance Correlation Graph-based Naive Bayes (Li et al. 2025)",
    "massbayes": "MassBayes: A New Generative Classifier with Multi-dimensional Likelihood Estimation "
    "(Aryal & Ting 2013)",
    "bat": "A Bayesian Classifier for Learning from Tensorial Data (Liu et al. 2013)",
    "dtc": "Tensor Decompositions for Probabilistic Classification (van Gerven 2007)",
}
