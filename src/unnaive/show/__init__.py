"""What a person sees: displays drawn with matplotlib, and the report of a comparison."""

from __future__ import annotations

from unnaive.lazy import lazy_names

# Where each public name lives; a module is imported when one of its names is first used.
_HOME = {
    "AttributeCorrelationDisplay": "attribute_correlations",
    "CellEvidenceDisplay": "cell_evidence",
    "ColumnInformationDisplay": "column_information",
    "ComponentScoresDisplay": "component_scores",
    "ComponentsDisplay": "components",
    "CriticalDifferenceDisplay": "critical_difference",
    "EvidenceDisplay": "evidence",
    "GaussianityDisplay": "gaussianity",
    "InstanceGraphDisplay": "instance_graph",
    "LogRatioDisplay": "log_ratios",
    "NetworkDisplay": "network",
    "ParameterEffectDisplay": "parameter_effect",
    "PosteriorsDisplay": "posteriors",
    "ReliabilityDisplay": "reliability",
    "ScaleUpDisplay": "scale_up",
    "ScoreTimeDisplay": "score_time",
    "SubgraphDisplay": "subgraphs",
    "TensorDisplay": "tensor",
    "TrainingShareDisplay": "training_share",
    "WinTieLossDisplay": "win_tie_loss",
    "render_report": "report",
    "write_report": "report",
}

__all__ = [*_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
