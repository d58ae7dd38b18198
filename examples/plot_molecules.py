"""
Which fragments make a molecule an acid?
========================================

A molecule is a graph, not a row of a table. :class:`~unnaive.SubgraphTensor` finds the fragments that many molecules
share and counts, for each molecule, how often each fragment occurs and which fragments touch.
:class:`~unnaive.BayesianTensorClassifier` (Bat) classifies these tables of counts. Here both are asked a question to
which every chemist knows the answer, so that we can tell whether they found it.

SMILES strings are read with RDKit: ``pip install "unnaive[chem]"``.
"""

# %%
# Sixty-four well-known compounds, sixteen from each of four classes. Each has the functional group of its class and of
# no other class.

import numpy as np
from rdkit import Chem
from sklearn.model_selection import StratifiedKFold, cross_val_predict
from sklearn.pipeline import make_pipeline

from unnaive import BayesianTensorClassifier, SubgraphTensor
from unnaive.show import CellEvidenceDisplay, SubgraphDisplay
from unnaive.show.style import axes_for

COMPOUNDS = {
    "acid": (
        "formic OC=O, acetic CC(O)=O, propionic CCC(O)=O, butyric CCCC(O)=O, valeric CCCCC(O)=O, "
        "stearic CCCCCCCCCCCCCCCCCC(O)=O, oleic CCCCCCCCC=CCCCCCCCC(O)=O, benzoic OC(=O)c1ccccc1, "
        "cinnamic OC(=O)C=Cc1ccccc1, oxalic OC(=O)C(O)=O, succinic OC(=O)CCC(O)=O, "
        "adipic OC(=O)CCCCC(O)=O, fumaric OC(=O)C=CC(O)=O, phthalic OC(=O)c1ccccc1C(O)=O, "
        "ibuprofen CC(C)Cc1ccc(cc1)C(C)C(O)=O, valproic CCCC(CCC)C(O)=O"
    ),
    "alcohol": (
        "methanol CO, ethanol CCO, 1-propanol CCCO, 2-propanol CC(C)O, 1-butanol CCCCO, "
        "tert-butanol CC(C)(C)O, 1-octanol CCCCCCCCO, cyclohexanol OC1CCCCC1, benzyl alcohol OCc1ccccc1, "
        "ethylene glycol OCCO, glycerol OCC(O)CO, xylitol OCC(O)C(O)C(O)CO, menthol CC(C)C1CCC(C)CC1O, "
        "geraniol CC(C)=CCCC(C)=CCO, linalool CC(C)=CCCC(C)(O)C=C, borneol CC1(C)C2CCC1(C)C(O)C2"
    ),
    "amine": (
        "methylamine CN, ethylamine CCN, dimethylamine CNC, trimethylamine CN(C)C, "
        "triethylamine CCN(CC)CC, putrescine NCCCCN, cadaverine NCCCCCN, spermidine NCCCCNCCCN, "
        "aniline Nc1ccccc1, benzylamine NCc1ccccc1, phenethylamine NCCc1ccccc1, "
        "amphetamine CC(N)Cc1ccccc1, piperidine C1CCNCC1, pyrrolidine C1CCNC1, "
        "amantadine NC12CC3CC(CC(C3)C1)C2, coniine CCCC1CCCCN1"
    ),
    "ketone": (
        "acetone CC(C)=O, butanone CCC(C)=O, 2-pentanone CCCC(C)=O, 3-pentanone CCC(=O)CC, "
        "methyl isobutyl ketone CC(C)CC(C)=O, cyclopentanone O=C1CCCC1, cyclohexanone O=C1CCCCC1, "
        "muscone CC1CCCCCCCCCCCCC(=O)C1, acetophenone CC(=O)c1ccccc1, "
        "benzophenone O=C(c1ccccc1)c1ccccc1, diacetyl CC(=O)C(C)=O, acetylacetone CC(=O)CC(C)=O, "
        "camphor CC1(C)C2CCC1(C)C(=O)C2, carvone CC1=CCC(CC1=O)C(C)=C, menthone CC(C)C1CCC(C)CC1=O, "
        "benzoquinone O=C1C=CC(=O)C=C1"
    ),
}
pairs = [(label, *entry.rsplit(" ", 1)) for label, listed in COMPOUNDS.items() for entry in listed.split(", ")]
classes, names, molecules = zip(*pairs)
print(len(molecules), "molecules, for instance", names[0], molecules[0])

# %%
# The classes are facts, which RDKit can check: each molecule must match the pattern of its own class and of no other.

PATTERNS = {
    "acid": "[CX3](=O)[OX2H1]",
    "alcohol": "[CX4][OX2H1]",
    "amine": "[NX3][#6]",
    "ketone": "[#6][CX3](=O)[#6]",
}
for name, smiles, label in zip(names, molecules, classes):
    molecule = Chem.MolFromSmiles(smiles)
    found = [group for group, smarts in PATTERNS.items() if molecule.HasSubstructMatch(Chem.MolFromSmarts(smarts))]
    assert found == [label], (name, found)

# %%
# The library gets the SMILES strings alone: elements and bonds, no hydrogen, no list of functional groups. It mines all
# fragments of up to three bonds that a tenth of the training molecules share and keeps the twelve that say most about
# the class. The scores are those of cross-validation: each fold mines its own fragments.

model = make_pipeline(SubgraphTensor(max_edges=3, max_patterns=12), BayesianTensorClassifier())
folds = StratifiedKFold(8, shuffle=True, random_state=0)
predicted = cross_val_predict(model, np.array(molecules), np.array(classes), cv=folds)
print(f"{np.sum(predicted == classes)} of {len(classes)} right")
for name, label, guess in zip(names, classes, predicted):
    if guess != label:
        print(f"{name}: {guess} instead of {label}")

# %%
# The two mistakes are the smallest molecules of their classes: with one carbon atom they have few fragments to go by.
#
# Fitted on all molecules, these are the fragments that say most about the class. Double lines are double bonds.

model.fit(molecules, classes)
_ = SubgraphDisplay.from_estimator(model, top=6, ax=axes_for(None, (4.2, 3.4)))

# %%
# Which of them decide about one molecule? Ibuprofen was in the training set, so take naproxen, an acid with an ether
# and a double ring, which was not. Each bar is what the odds would lose without one cell: a fragment, or two fragments
# that touch (``×``). Names give bonds as numbers: C-2-O is C=O.

naproxen = ["COc1ccc2cc(ccc2c1)C(C)C(O)=O"]
for label, probability in zip(model.classes_, model.predict_proba(naproxen)[0]):
    print(f"{label:8} {probability:.3f}")
_ = CellEvidenceDisplay.from_estimator(model, naproxen, top=6, ax=axes_for(None, (4.8, 3.0)))

# %%
# The answer
# ----------
#
# The carboxyl group, and it was found from bonds alone: O–C=O is in exactly the sixteen acids. It need not do all the
# work. C–O is in acids and alcohols and nowhere else, C=O in acids and ketones, C–N in amines. So against an alcohol
# the double bond decides, with everything that touches it.
#
# Do not read the probabilities as chances. The cells of a tensor repeat each other, every repetition counts as new
# evidence, and the odds become absurd. The classes they name are right; :doc:`/gallery/plot_paper_bat` shows what the
# repetition costs on harder tasks. For accuracy alone, count more fragments (``n_modes=1, max_patterns=200``) and give
# them to a linear model or a forest, as :doc:`the page about tensors </tensors>` explains.
