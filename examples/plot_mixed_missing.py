"""
My table has text, numbers and holes: what must I do first?
===========================================================

A pipeline of scikit-learn has to say which columns are text and which are numbers, how each is imputed, and how text
is encoded. The models here take the frame as it is: a missing value is left out of the likelihood, as probability
theory has it, and a category never seen before is a missing value. Does that cost accuracy?

The table is made up: 4,000 trains, of which some are late. Values are then deleted at random, with a seed.
"""

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import HistGradientBoostingClassifier, RandomForestClassifier
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from unnaive import AnDE, NaiveBayes, PooledBayes
from unnaive.show import CurvesDisplay
from unnaive.show.style import axes_for

rng = np.random.default_rng(0)
n = 4000
season = rng.choice(["spring", "summer", "autumn", "winter"], n)
X = pd.DataFrame(
    {
        "season": season,
        "line": rng.choice(["coast", "city", "valley", "ridge"], n),
        "weekday": rng.choice(["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"], n),
        "temperature": np.select([season == "winter", season == "summer"], [0.0, 22.0], 11.0) + rng.normal(0, 5, n),
        "wind": rng.gamma(3, 8, n),
        "passengers": rng.gamma(5, 40, n),
    }
)
late = (
    -3.0
    + 4.0 * ((X["season"] == "autumn") & (X["wind"] > 30) & (X["line"] != "city"))
    + 5.0 * ((X["temperature"] < 0) & X["line"].isin(["ridge", "valley"]))
    + 5.0 * ((X["passengers"] > 220) & ~X["weekday"].isin(["Sat", "Sun"]) & (X["line"] == "city"))
    + 4.0 * (X["temperature"] > 26)
)
y = np.where(rng.random(n) < 1 / (1 + np.exp(-late)), "late", "on time")

# %%
# A frame goes in as it is
# ------------------------
#
# A third of the values is deleted; the first rows look like this, and one line is all it takes:

with_holes = X.mask(rng.random(X.shape) < 1 / 3)
print(with_holes.head(4).round(1).to_string(index=False))

model = AnDE(n=2)
model.fit(with_holes[:2000], y[:2000])

# %%
# The less is known of a train, the nearer the answer is to the share of late trains. A line that training never had
# says nothing, and raises no error:

trains = pd.DataFrame(
    {
        "season": ["winter", None, None],
        "line": ["ridge", None, "harbour"],
        "weekday": ["Mon", None, None],
        "temperature": [-6.0, -6.0, None],
        "wind": [12.0, None, None],
        "passengers": [180.0, None, None],
    }
)
print("accuracy on other rows:", round(model.score(with_holes[2000:], y[2000:]), 3))
print("probability to be late:", *model.predict_proba(trains)[:, 0].round(2))
print("share of late trains:  ", np.mean(y[:2000] == "late").round(2))

# %%
# What the others need
# --------------------
#
# The usual pipelines, for comparison: medians and scaling for numbers, one-hot encoding for text. Boosting takes
# missing values, too, once text has become categories.


def pipeline(classifier):
    """scikit-learn's recipe for mixed columns."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    text = OneHotEncoder(handle_unknown="ignore")
    columns = make_column_transformer(
        (numbers, make_column_selector(dtype_include="number")), (text, make_column_selector(dtype_exclude="number"))
    )
    return make_pipeline(columns, classifier)


models = {
    "NaiveBayes": NaiveBayes(),
    "AnDE": AnDE(n=2),
    "PooledBayes": PooledBayes(random_state=0),
    "logistic regression": pipeline(LogisticRegression(max_iter=1000)),
    "random forest": pipeline(RandomForestClassifier(random_state=0)),
    "boosting": HistGradientBoostingClassifier(random_state=0),
}

shares = [0.0, 0.15, 0.3, 0.45, 0.6]
losses = {name: [] for name in models}
for share in shares:
    holes = np.random.default_rng(0).random(X.shape) < share
    table = X.mask(holes)
    as_categories = table.astype(dict.fromkeys(("season", "line", "weekday"), "category"))
    for name, model in models.items():
        frame = as_categories if name == "boosting" else table
        model.fit(frame[:2000], y[:2000])
        losses[name].append(log_loss(y[2000:], model.predict_proba(frame[2000:])))

# %%
# Log loss on 2,000 other trains, by the share of values that was deleted, in training and in test rows alike:

ax = axes_for(None, (4.8, 4.0))
CurvesDisplay(
    [100 * share for share in shares],
    losses,
    faint=["logistic regression", "random forest", "boosting"],
    higher_is_better=False,
    x_label="values deleted, in percent",
    y_label="log loss",
).plot(ax=ax)

# %%
# **Answer.** Nothing. On this table :class:`~unnaive.PooledBayes` has the lowest log loss, or nearly so, with every
# share of holes, and :class:`~unnaive.AnDE` follows, while neither was told what is text and what is missing. Two
# things to know: the more is missing, the fewer rows ``AnDE(n=2)`` has to count pairs of parents in, so that in the end
# naive Bayes is as good; and the forest falls behind because its trees, grown to single rows by default, are too sure:
# to some trains it gives the true class a probability of zero, which log loss punishes. One made table shows how, not
# how often: the :doc:`/leaderboard` compares all models on 64 tables.
