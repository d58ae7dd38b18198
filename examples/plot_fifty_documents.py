"""
I have fifty labelled documents: which classifier should I take?
================================================================

With few labelled documents most words have been seen once or never. Higher-order naive Bayes
(:class:`~unnaive.HigherOrderNB`, HONB) was made for this case: besides the documents that contain a word, it counts the
paths that lead from it to other words through documents that share words. Does that help, and is it enough to beat the
classifiers that one would try anyway?
"""

# %%
# The documents are real and need no download: docstrings of four installed Python packages, without their examples and
# without the names that would give the package away. The task is to tell which package a docstring comes from. Words
# are stemmed once, here; which of them are used is decided on the training documents alone, below.

import numpy as np
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import StratifiedShuffleSplit
from sklearn.naive_bayes import BernoulliNB, ComplementNB, MultinomialNB
from sklearn.pipeline import make_pipeline

from unnaive import HigherOrderNB, Terms
from unnaive.papers.docstring_corpus import docstrings
from unnaive.show import CurvesDisplay
from unnaive.show.style import PALETTE, axes_for, set_title

texts, labels = docstrings(per_class=100)
words = np.array([Terms().tokens(text) for text in texts], dtype=object)
labels = np.array(labels)
print(f"{len(texts)} docstrings of {', '.join(np.unique(labels))}")
print("for instance:", " ".join(texts[0].split())[:70])

# %%
# Five classifiers learn from 12 to 100 documents and are tested on 200 others. HONB and Bernoulli naive Bayes see
# whether a word occurs in a document. The other three see how often it occurs. Every score is a mean over six draws.

models = {
    "HONB": HigherOrderNB(),
    "Bernoulli NB": BernoulliNB(),
    "multinomial NB": MultinomialNB(),
    "complement NB": ComplementNB(),
    "tf-idf, logistic": make_pipeline(TfidfTransformer(), LogisticRegression()),
}
sizes = [12, 25, 50, 100]
scores = {name: np.zeros(len(sizes)) for name in models}
for place, size in enumerate(sizes):
    draws = StratifiedShuffleSplit(n_splits=6, train_size=size, test_size=200, random_state=0)
    for train, test in draws.split(words, labels):
        terms = Terms(counts=True, min_documents=2).fit(words[train])
        known, new = terms.transform(words[train]), terms.transform(words[test])
        for name, model in models.items():
            scores[name][place] += model.fit(known, labels[train]).score(new, labels[test]) / 6
for name, means in scores.items():
    print(f"{name:18}" + "".join(f"{mean:7.3f}" for mean in means))

# %%
# Both models that see only whether words occur are drawn in colour.

counting = ["multinomial NB", "complement NB", "tf-idf, logistic"]
curves = CurvesDisplay(
    sizes, scores, log_x=True, faint=counting, x_label="labelled documents", y_label="accuracy on 200 others"
)
ax = curves.plot(ax=axes_for(None, (4.2, 3.4))).ax_
ax.set_xticks(sizes, sizes)
ax.set_xticks([], minor=True)
set_title(ax, "Accuracy by number of labelled docstrings")

# %%
# What do paths see? With fifty documents most words are in one, two or three documents of a class, and Bernoulli naive
# Bayes cannot tell those of two documents apart. Paths can: a word whose documents share many words with other
# documents of the class has more paths through it. Each dot is a word, from the docstrings of scikit-learn.

fifty, _ = next(StratifiedShuffleSplit(n_splits=1, train_size=50, random_state=0).split(words, labels))
terms = Terms(min_documents=2).fit(words[fifty])
present = terms.transform(words[fifty])
model = HigherOrderNB().fit(present, labels[fifty])
place = list(model.classes_).index("scikit-learn")
n_documents = np.asarray(present[labels[fifty] == "scikit-learn"].sum(axis=0)).ravel()
share = 100 * model.path_count_[place] / model.total_paths_[place]

ax = axes_for(None, (4.2, 3.2))
shown = (n_documents >= 1) & (n_documents <= 6)
shift = np.random.default_rng(0).uniform(-0.2, 0.2, shown.sum())
ax.plot(n_documents[shown] + shift, share[shown], "o", color=PALETTE[0], markersize=3.5, alpha=0.5)
ax.set(xlabel="documents of the class with the word", ylabel="paths through it, in %", ylim=0)
set_title(ax, "Words of one class by documents and paths")
two = np.flatnonzero(n_documents == 2)
fewest, most = two[share[two].argmin()], two[share[two].argmax()]
names = terms.get_feature_names_out()
print(f"In two documents each: {names[fewest]!r} with {share[fewest]:.2f} %, {names[most]!r} with {share[most]:.2f} %")

# %%
# The answer
# ----------
#
# Paths help: HONB is ahead of Bernoulli naive Bayes at every size. They do not make up for what both leave out, how
# often a word occurs: on these docstrings multinomial naive Bayes and logistic regression on tf-idf are well ahead of
# HONB. So with fifty documents start with those two, and try HONB beside them.
#
# On newsgroup posts HONB comes closer, and on one of four sets it is the best from a tenth of the documents on:
# :doc:`/gallery/plot_paper_honb` shows where. To compare all models of text on your own documents, run
# ``unnaive compare yours.jsonl --text text --target label``.
