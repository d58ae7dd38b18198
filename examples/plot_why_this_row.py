"""
Why did the model say that?
===========================

Naive Bayes, AODE, the networks and most other models here can take an answer apart: into what the prior says, and
what each column adds, in log odds that sum to the answer. Let us look at a row that naive Bayes gets wrong, although
it is sure, and that AODE gets right.

The data are scikit-learn's breast cancer table; half of the rows are for training.
"""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split

from unnaive import AODE, NaiveBayes
from unnaive.show import EvidenceDisplay
from unnaive.show.style import axes_for

data = load_breast_cancer(as_frame=True)
X, y = data.data, data.target_names[data.target]
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
naive = NaiveBayes().fit(X_train, y_train)
aode = AODE().fit(X_train, y_train)

wrong = (naive.predict(X_test) != y_test) & (aode.predict(X_test) == y_test)
surest = naive.predict_proba(X_test).max(axis=1)
row = int(np.argmax(np.where(wrong, surest, 0)))
print("true class:", y_test[row])
for name, model in (("naive Bayes", naive), ("AODE", aode)):
    probabilities = model.predict_proba(X_test.iloc[[row]])[0]
    print(f"{name:11}", *(f"{label} {p:.4f}" for label, p in zip(model.classes_, probabilities)))

# %%
# Naive Bayes: witnesses who repeat each other
# --------------------------------------------
#
# A bar to the right speaks for *malignant*, one to the left for *benign*, in log odds; beside each number stands the
# bin it fell into. Perimeter, area and radius say the same thing of the same nuclei, that they are large, and naive
# Bayes believes every one of them as if the others had kept silent.


def show(model):
    """What the weightiest columns say about the row."""
    display = EvidenceDisplay.from_estimator(
        model, X_test, row=row, label="malignant", against="benign", top=5, ax=axes_for(None, (4.8, 3.2))
    )
    display.ax_.set_xlabel("← benign | malignant →")


show(naive)

# %%
# AODE: the same row
# ------------------
#
# AODE averages models in which each column in turn is given, so that what follows from it is no longer news. It has no
# single factor per column; a bar is the column's Shapley value, the mean gain of adding it to those before it. The bars
# still sum to the answer.

show(aode)

# %%
# The measures of size together, in log odds for *malignant*, and everything else:

size = [name.startswith(("mean", "worst")) and name.endswith(("radius", "perimeter", "area")) for name in X.columns]
for name, model in (("naive Bayes", naive), ("AODE", aode)):
    evidence = model.predict_evidence(X_test.iloc[[row]])[0]
    odds = evidence[:, 1] - evidence[:, 0]
    print(f"{name:11} size {odds[1:][size].sum():+6.2f}   else {odds[1:][~np.array(size)].sum():+6.2f}")

# %%
# **Answer.** :meth:`~unnaive.AODE.predict_evidence` gives these numbers for any rows, and
# :class:`~unnaive.show.EvidenceDisplay` draws them; on the command line it is ``unnaive explain``. The two models hear
# the same witnesses, and AODE gives six measures of one thing less than half of the weight. This row was picked to show
# the difference; :doc:`/gallery/plot_calibration` looks at all rows.
