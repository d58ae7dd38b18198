"""MassBayes and its h:d-trees."""
