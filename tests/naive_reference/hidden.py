"""Hidden naive Bayes: every column gets a hidden parent that stands for all other columns."""

from tests.naive_reference.information import conditional_mutual_information
from tests.naive_reference.naive import MISSING, Counts, normalise


def hidden_naive_bayes(train, y, w, n_values, n_classes, test, m=1):
    """HNB: P(x_i | y, hidden parent) is an average of P(x_i | y, x_j) weighted by I(X_i; X_j | Y).

    Information comes from the rows in which both columns are observed. The average runs over the observed
    columns of the test row; if their weights sum to zero, x_i depends on the class only.
    """
    counts = Counts(train, y, w, n_classes)
    d = len(n_values)
    information = [[0.0] * d for _ in range(d)]
    for i in range(d):
        for j in range(i):
            found = conditional_mutual_information(train[:, i], train[:, j], y, w, smallest=1e-6)
            information[i][j] = information[j][i] = found

    in_class = counts.per_class()
    scores = []
    for row in test:
        observed = [j for j in range(d) if row[j] != MISSING]
        score = (in_class + m / n_classes) / (in_class.sum() + m)
        for i in observed:
            others = [j for j in observed if j != i]
            total = sum(information[i][j] for j in others)
            if total > 0:
                probability = 0.0
                for j in others:
                    count = counts.per_class((i, row[i]), (j, row[j]))
                    known = counts.per_class((j, row[j])) - counts.per_class((j, row[j]), (i, MISSING))
                    given_j = (count + m / n_values[i]) / (known + m)
                    probability = probability + information[i][j] / total * given_j
            else:
                known = in_class - counts.per_class((i, MISSING))
                probability = (counts.per_class((i, row[i])) + m / n_values[i]) / (known + m)
            score = score * probability
        scores.append(score)
    return normalise(scores)
