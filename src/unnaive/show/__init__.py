"""What a person sees: displays drawn with matplotlib, and the report of a comparison."""

from __future__ import annotations

from unnaive.lazy import lazy_names

# Where each public name lives; a module is imported when one of its names is first used.
_HOME = {
    "CellEvidenceDisplay": "cell_evidence",
    "CriticalDifferenceDisplay": "critical_difference",
    "CurvesDisplay": "curves",
    "EvidenceDisplay": "evidence",
    "NetworkDisplay": "network",
    "ReliabilityDisplay": "reliability",
    "ScoreTimeDisplay": "score_time",
    "SubgraphDisplay": "subgraphs",
    "TensorDisplay": "tensor",
    "WhatIf": "what_if.widget",
    "WinTieLossDisplay": "win_tie_loss",
    "render_card": "model_card",
    "render_report": "report",
    "write_report": "report",
}

__all__ = [*_HOME]

__getattr__, __dir__ = lazy_names(__name__, _HOME)
