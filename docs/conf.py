"""How the site is built: ``python -m sphinx -W docs build/site``. Nothing on it is fetched from elsewhere."""

import os
import sys
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))
os.environ["UNNAIVE_DOCS"] = ".."  # representations of estimators link to pages of this site

import matplotlib  # noqa: E402

import unnaive  # noqa: E402

matplotlib.use("agg")

project = "unnaive"
author = "The unnaive developers"
version = release = unnaive.__version__
copyright = author

extensions = [
    "sphinx.ext.autodoc",
    "numpydoc",
    "myst_parser",
    "sphinx_design",
    "sphinx_copybutton",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "pictures",
    "commands",
    "reference",
]
exclude_patterns = ["gallery/GALLERY_HEADER.rst", "_extensions"]
templates_path = ["_templates"]
suppress_warnings = ["config.cache"]  # the scraper of figures is a function

myst_enable_extensions = ["colon_fence", "dollarmath", "attrs_inline"]
myst_heading_anchors = 4

default_role = "literal"  # as in scikit-learn's docstrings
autodoc_typehints = "none"
numpydoc_show_class_members = False
numpydoc_class_members_toctree = False

copybutton_prompt_text = r"\$ |>>> |\.\.\. "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = True

sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "image_scrapers": ("pictures.scrape",),
    "reset_modules": ("pictures.reset",),
    "abort_on_example_error": True,
    "capture_repr": ("_repr_html_",),
    "show_memory": False,
    "show_signature": False,
    "min_reported_time": 1e9,
    "write_computation_times": False,
    "within_subsection_order": "ExampleTitleSortKey",
    "remove_config_comments": True,
    "download_all_examples": False,
}

html_theme = "pydata_sphinx_theme"
html_title = "unnaive"
html_static_path = ["_static"]
html_css_files = ["colors.css", "site.css"]
html_favicon = "_static/favicon.svg"
html_show_sourcelink = False
html_copy_source = False
html_context = {"default_mode": "auto"}
html_theme_options = {
    "logo": {"text": "unnaive"},
    "header_links_before_dropdown": 7,
    "show_toc_level": 2,
    "use_edit_page_button": False,
    "navbar_end": ["theme-switcher"],
    "navbar_persistent": ["search-button"],
    "secondary_sidebar_items": ["page-toc"],
    "footer_start": ["copyright"],
    "footer_end": [],
    "search_bar_text": "Search these pages",
    "pygments_light_style": "a11y-high-contrast-light",
    "pygments_dark_style": "a11y-high-contrast-dark",
}
