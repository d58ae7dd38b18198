"""The same models from more rows than one machine holds: partitions are counted on Dask's workers, and merged."""

try:
    import dask.dataframe  # noqa: F401
    import distributed  # noqa: F401
except ImportError as error:
    raise ImportError("unnaive.distributed works on Dask, which is not installed: install unnaive[dask].") from error

from unnaive.distributed.fitting import connect, fit, predict, predict_proba

__all__ = ["connect", "fit", "predict", "predict_proba"]
