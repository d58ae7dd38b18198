"""
Do tensors beat vectors, as the paper on Bat says?
==================================================

A document can be a vector: how often each of n terms occurs. Liu et al. (2013) make it a matrix of n × n cells: how
many paragraphs contain both of two terms. They report that classifiers gain from it, and most of all their own, Bat
(:class:`~unnaive.BayesianTensorClassifier`). Here is the same claim, small enough to be tried on this page.

The paper ranks test rows and measures the area under the precision-recall curve. Ranked by probability, that is unkind
to tensors: many of their probabilities are saturated, rounded to exactly one, and rows that share a probability cannot
be ranked. Our record of it (``unnaive reproduce bat --full``, :doc:`/papers`) ranks by log odds. This page draws
nothing that rests on ranks: it counts right answers, and it counts saturated probabilities. The paper prints neither,
so there are no printed figures to put beside these.
"""

# %%
# The documents are docstrings of four packages, which need no download. The task is to name the package. Each fold
# chooses the terms with the highest information gain, on its training documents alone. The diagonal of the matrix is
# the vector.

import numpy as np
from sklearn.model_selection import StratifiedKFold

from unnaive import AODE, BayesianTensorClassifier, NaiveBayes, TextTensor
from unnaive.papers.docstring_corpus import docstrings
from unnaive.show import CurvesDisplay
from unnaive.show.style import axes_for, set_title

texts, labels = (np.array(part) for part in docstrings(per_class=100))
sizes = [5, 10, 20, 40]
as_codes = {"categorical_features": "all", "smoothing": "laplace"}
models = {
    "Bat, tensor": BayesianTensorClassifier(),
    "NB, tensor": NaiveBayes(**as_codes),
    "NB, vector": NaiveBayes(**as_codes),
    "AODE, vector": AODE(**as_codes),
}
right = {name: np.zeros(len(sizes)) for name in models}
saturated = {name: np.zeros(len(sizes)) for name in models}
for train, test in StratifiedKFold(4, shuffle=True, random_state=0).split(texts, labels):
    maker = TextTensor(max_terms=sizes[-1]).fit(texts[train], labels[train])
    tensors = np.minimum(maker.transform(texts).to_dense(), 3).astype(int)  # Bat joins counts from 3 on, too
    by_gain = np.argsort(-maker.terms_.information_gain_, kind="stable")
    for place, size in enumerate(sizes):
        best = by_gain[:size]
        matrices = tensors[:, best][:, :, best]
        forms = {"vector": matrices[:, range(size), range(size)], "tensor": matrices.reshape(len(texts), -1)}
        for name, model in models.items():
            rows = matrices if name == "Bat, tensor" else forms[name.split(", ")[1]]
            probabilities = model.fit(rows[train], labels[train]).predict_proba(rows[test])
            right[name][place] += np.sum(model.classes_[probabilities.argmax(axis=1)] == labels[test]) / len(texts)
            saturated[name][place] += np.sum(probabilities.max(axis=1) == 1.0) / len(texts)
for size in sizes:
    print(f"{size} terms: {size} numbers in a vector, {size**2} cells in a tensor")

# %%
# Accuracy, by number of terms. Vectors are drawn gray; NB is naive Bayes.

vectors = ["AODE, vector", "NB, vector"]
curves = CurvesDisplay(sizes, right, faint=vectors, x_label="number of terms", y_label="share of documents right")
set_title(curves.plot(ax=axes_for(None, (4.2, 3.4))).ax_, "Accuracy of vectors and tensors")

# %%
# The share of documents whose most probable class has a probability of exactly 1.0, right or wrong.

curves = CurvesDisplay(sizes, saturated, faint=vectors, x_label="number of terms", y_label="share with probability 1.0")
set_title(curves.plot(ax=axes_for(None, (4.2, 3.4))).ax_, "Saturated probabilities")

# %%
# The answer
# ----------
#
# Not here. With a few terms tensors are level with vectors, and the more terms there are, the further they fall behind.
# The cells are made of the same terms, half of them twice, and naive Bayes takes every repetition for new evidence. Bat
# averages over parents, but each parent explains only its own row and column, so Bat stays close to naive Bayes on the
# same cells. The second figure shows the price: certainty grows with the number of cells, accuracy does not.
#
# Bat is fast, learns and forgets exactly and shows which cells decided (:doc:`/gallery/plot_molecules`). For accuracy
# take more terms as a vector. :doc:`/tensors` has the comparison on 13 data sets, where rankings suffer less.
