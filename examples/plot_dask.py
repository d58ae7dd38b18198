"""
Is the model that Dask fits the same model?
===========================================

A table that does not fit in memory can be fitted on Dask, partition by partition. Many libraries then give you a
slightly different model. The models here are counts, and counts add up: :func:`unnaive.distributed.fit` promises the
model that ``fit`` gives in memory, bit for bit. Let us check that.

Dask comes with ``pip install "unnaive[dask]"``.
"""

# %%
# A made-up table of trips: two columns of categories, two of numbers. The last rows hold a category that occurs nowhere
# else, so that it is in one partition only.

import pickle

import dask.dataframe
import numpy as np
import pandas as pd

from unnaive import AODE
from unnaive.distributed import fit, predict
from unnaive.persist import content_hash
from unnaive.show import CurvesDisplay
from unnaive.show.style import axes_for, set_title


def trips(n_rows):
    """A made-up table of trips."""
    rng = np.random.default_rng(0)
    kilometres = rng.gamma(2.0, 3.0, n_rows).round(2)
    city = rng.choice(["Athens", "Basel", "Cork"], n_rows)
    rain = rng.random(n_rows) < 0.3
    minutes = (kilometres * (3 + 2 * rain) + rng.normal(0, 4, n_rows)).clip(1).round()
    late = np.where(minutes + 5 * (city == "Cork") + rng.normal(0, 5, n_rows) > 30, "late", "in time")
    frame = pd.DataFrame({"city": city, "rain": rain, "kilometres": kilometres, "minutes": minutes, "arrival": late})
    frame.loc[n_rows - 5 :, "city"] = "Dover"
    return frame


table = trips(40_000)
X, y = table.drop(columns="arrival"), table["arrival"]
table.tail(3)

# %%
# Fit once in memory, and once on four partitions. No cluster has to be started: without a client Dask uses threads. For
# a cluster pass ``client=connect("tcp://HOST:8786")``, and read files with ``dask.dataframe.read_parquet``.

in_memory = AODE().fit(X, y)
parts = dask.dataframe.from_pandas(table, npartitions=4)
on_dask = fit(AODE(), parts, "arrival")
print("partitions:          ", [len(part) for part in parts.partitions])
print("model in memory:     ", content_hash(in_memory)[:24])
print("model on partitions: ", content_hash(on_dask)[:24])
assert content_hash(in_memory) == content_hash(on_dask)

# %%
# The hash covers everything that a model file keeps: classes, categories, cut points, counts. So the probabilities are
# equal too, not merely close, and predictions can be made partition by partition.

assert np.array_equal(in_memory.predict_proba(X), on_dask.predict_proba(X))
assert (predict(on_dask, parts).compute() == in_memory.predict(X)).all()

# %%
# Other partitions, other hash? Seven are no multiple of four, and one is the whole table.

for n_partitions in (1, 2, 7, 16):
    again = fit(AODE(), dask.dataframe.from_pandas(table, npartitions=n_partitions), "arrival")
    assert content_hash(again) == content_hash(in_memory)
    print(f"{n_partitions:2} partitions: {content_hash(again)[:24]}")

# %%
# What travels between workers is not rows but states: distinct numbers, to find the bins from, then counts. Counts are
# as large as the model. Here is its size beside that of the table, for a thousand rows and more.

sizes = [1_000, 5_000, 25_000, 125_000]
columns = {"model": ["city", "rain", "kilometres", "minutes"], "model, no numbers": ["city", "rain"]}
kilobytes = {"rows": [], **{name: [] for name in columns}}
for size in sizes:
    some = trips(size)
    kilobytes["rows"].append(len(pickle.dumps(some)) / 1000)
    for name, used in columns.items():
        kilobytes[name].append(len(pickle.dumps(AODE().fit(some[used], some["arrival"]))) / 1000)
    print(f"{size:7,} rows:" + "".join(f"{kilobytes[name][-1]:10,.1f} kB" for name in kilobytes))

# %%
# Both axes are logarithmic.

curves = CurvesDisplay(sizes, kilobytes, log_x=True, log_y=True, x_label="rows of the table", y_label="size in kB")
set_title(curves.plot(ax=axes_for(None, (4.2, 3.4))).ax_, "Size of the table and of the model")

# %%
# The answer
# ----------
#
# Yes: the same hash on one, two, four, seven and sixteen partitions, and in memory. The table grows with every row. The
# model does not grow at all where columns hold categories, and where they hold numbers it grows as long as more rows
# show more bins. Which models can be fitted this way, what is sent over the network, and what is not exact (columns of
# more than 65,536 distinct numbers) is in :doc:`the page about Dask </distributed>`. On the command line it is
# ``unnaive fit 'data/*.parquet' --model aode -o trips.unnaive --dask local``.
