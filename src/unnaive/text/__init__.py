"""Documents: terms, higher-order naive Bayes and support vector machines, word clusters."""
