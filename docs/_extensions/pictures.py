"""Figures as SVG in the page, whose colors follow its light or dark theme."""

import html
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import matplotlib.pyplot as plt
from docutils import nodes
from sphinx.util.docutils import SphinxDirective

import unnaive.show
from unnaive.show.style import to_svg


def as_html(figure, name, alt):
    """A figure as an HTML element with a text for those who cannot see it."""
    svg = to_svg(figure, re.sub(r"\W+", "-", name))
    return f'<div class="picture" role="img" aria-label="{html.escape(alt, quote=True)}">{svg}</div>'


class Picture(SphinxDirective):
    """``{picture} alternative text``, with Python code that draws one figure."""

    has_content = True
    required_arguments = 1
    final_argument_whitespace = True

    def run(self):
        plt.close("all")
        with redirect_stdout(io.StringIO()):
            exec(compile("\n".join(self.content), f"picture of {self.env.docname}", "exec"), {"__name__": "picture"})
        (number,) = plt.get_fignums()
        name = f"{self.env.docname}-{self.env.new_serialno('picture')}"
        text = as_html(plt.figure(number), name, " ".join(self.arguments[0].split()))
        plt.close("all")
        return [nodes.raw("", text, format="html")]


def scrape(block, block_vars, gallery_conf):
    """The figures of a block of an example, for sphinx-gallery."""
    script = Path(block_vars["src_file"]).stem
    shown = []
    for number in plt.get_fignums():
        figure = plt.figure(number)
        path = next(block_vars["image_path_iterator"])
        figure.savefig(path, dpi=100, facecolor="white", bbox_inches="tight")  # for the thumbnail
        shown.append(as_html(figure, f"{script}-{Path(path).stem}", alternative_text(figure)))
    plt.close("all")
    lines = "\n".join(f"    {line}" for element in shown for line in element.splitlines())
    return f"\n.. raw:: html\n\n{lines}\n" if shown else ""


def alternative_text(figure):
    """What the axes of a figure say that they show."""
    told = []
    for ax in figure.axes:
        labels = [text for text in (ax.get_ylabel(), ax.get_xlabel()) if text]
        title = ax.get_title() or ax.get_title(loc="left")
        told.append(" ".join(filter(None, [title and f"{title}:", " against ".join(labels)])))
    return "; ".join(filter(None, told)).replace("\n", " ") or "Figure of this example"


def reset(gallery_conf, fname):
    """Examples begin without figures."""
    plt.close("all")


def write_colors(app):
    """The colors of the report, for these pages too."""
    sheet = (Path(unnaive.show.__file__).parent / "templates" / "report.css").read_text(encoding="utf-8")
    root = re.search(r":root \{.*?\n\}\n", sheet, flags=re.DOTALL)[0]
    themes = re.findall(r":root\[data-theme=.*\n", sheet)
    Path(app.srcdir, "_static", "colors.css").write_text(root + "".join(themes), encoding="utf-8")


def setup(app):
    app.add_directive("picture", Picture)
    app.connect("builder-inited", write_colors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
