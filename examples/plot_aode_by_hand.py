r"""
What does AODE compute, exactly?
================================

Naive Bayes multiplies one factor per column, each given the class alone. AODE, averaged one-dependence estimators,
lets every column in turn be the parent of all others, and averages the models that result:

.. math::

    \hat p(y, x) \;\propto \sum_i \hat p(y, x_i) \prod_{j \ne i} \hat p(x_j \mid y, x_i)

That is all. Here it is in plain NumPy, beside :class:`~unnaive.AODE`, on the wines that come with scikit-learn.
"""

import numpy as np
from sklearn.datasets import load_wine
from sklearn.model_selection import train_test_split

from unnaive import AODE, MDLDiscretizer, NaiveBayes
from unnaive.show.style import FAINT, INK, PALETTE, add_grid, axes_for

X, y = load_wine(return_X_y=True, as_frame=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, test_size=0.5, stratify=y, random_state=0)
model = AODE().fit(X_train, y_train)

# %%
# By hand
# -------
#
# Numbers are cut into bins first, as the model does it, so that a row is a list of small integers. Then all there is to
# do is count: rows of a class with one value, and with two. A count becomes a probability by an m-estimate, which adds
# one imaginary row that is spread evenly over the cells.

bins = MDLDiscretizer().fit(X_train, y_train)
train, test = bins.transform(X_train), bins.transform(X_test)
labels = y_train.to_numpy()
n_values, classes = bins.n_bins_, np.unique(labels)


def estimate(count, total, cells):
    """The m-estimate with m = 1."""
    return (count + 1 / cells) / (total + 1)


def joint_by_parent(row):
    """p(y, x_i) times the product of p(x_j | y, x_i), for every parent i and class y."""
    joint = np.zeros((len(row), len(classes)))
    for i, parent in enumerate(row):
        same = train[:, i] == parent
        if not same.any():  # a value that training never had is no parent
            continue
        for y in classes:
            of_class = same & (labels == y)
            p = estimate(of_class.sum(), len(train), len(classes) * n_values[i])
            for j, value in enumerate(row):
                if j != i:
                    p *= estimate((of_class & (train[:, j] == value)).sum(), of_class.sum(), n_values[j])
            joint[i, y] = p
    return joint


by_hand = np.array([joint_by_parent(row).sum(axis=0) for row in test])
by_hand /= by_hand.sum(axis=1, keepdims=True)

# %%
# Beside the model
# ----------------

ours = model.predict_proba(X_test)
print("equal to ten decimals:", np.allclose(by_hand, ours, rtol=0, atol=1e-10))
print("rows compared:", len(test))

# %%
# What the average is good for
# ----------------------------
#
# Take the row on which the parents disagree most. Each dot is the answer of the model with one column as the parent;
# the size of a dot is its weight in the average: a parent under which the row is improbable has little say. The parents
# that explain the row well agree with each other, and so does their average.

joints = [joint_by_parent(row) for row in test]
answers = np.array([joint / joint.sum(axis=1, keepdims=True) for joint in joints])
row = int(answers.std(axis=1).max(axis=1).argmax())
shown = int(y_test.iloc[row])
weight = joints[row].sum(axis=1) / joints[row].sum()
order = np.argsort(weight)

ax = axes_for(None, (4.4, 4.2))
ax.scatter(
    answers[row][order, shown], range(len(order)), 20 + 500 * weight[order], color=PALETTE[0], linewidths=0, alpha=0.8
)
naive = NaiveBayes().fit(X_train, y_train).predict_proba(X_test.iloc[[row]])[0, shown]
ax.axvline(ours[row, shown], color=INK, linewidth=1.4, label="their average: AODE")
ax.axvline(naive, color=FAINT, linewidth=1.4, linestyle="--", label="naive Bayes")
ax.set_yticks(range(len(order)), [X.columns[i].replace("od280/od315_of_diluted_wines", "od280/od315") for i in order])
ax.set(xlabel=f"probability of class {shown}, the true one", ylabel="parent", xlim=(-0.03, 1.03))
add_grid(ax)
ax.legend(frameon=False, fontsize=9, labelcolor=INK, loc="lower center", bbox_to_anchor=(0.35, 1.0), ncols=2)

# %%
# **Answer.** AODE is an average of one-parent models, and its training is a count of pairs: there is no structure to
# search for, and nothing to tune. The thirty lines above take a while for every row; :class:`~unnaive.AODE` gives the
# same probabilities from a table that was counted once, for missing values and row weights too. :class:`~unnaive.AnDE`
# takes two or three parents at a time.
