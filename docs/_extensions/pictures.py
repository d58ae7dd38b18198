"""Figures as SVG in the page, whose colors follow its light or dark theme."""

import html
import io
import re
from contextlib import redirect_stdout
from pathlib import Path

import matplotlib.pyplot as plt
from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective

import unnaive.show
from unnaive.show.style import PALETTE, THEME, to_svg


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


SHEET = (Path(unnaive.show.__file__).parent / "templates" / "report.css").read_text(encoding="utf-8")
ROOT = re.search(r":root \{.*?\n\}\n", SHEET, flags=re.DOTALL)[0]


def write_colors(app):
    """The colors of the report, for these pages too."""
    themes = re.findall(r":root\[data-theme=.*\n", SHEET)
    Path(app.srcdir, "_static", "colors.css").write_text(ROOT + "".join(themes), encoding="utf-8")


class DarkDrawings(SphinxTransform):
    """A second version of every stored drawing, in the colors of the dark theme."""

    default_priority = 100

    def apply(self):
        dark = dict(re.findall(r"--(\w+): light-dark\(#[0-9a-f]{6}, (#[0-9a-f]{6})\)", ROOT))
        named = {**THEME, "page": "#ffffff", **{f"c{place}": color for place, color in enumerate(PALETTE)}}
        colors = {color: dark[name] for name, color in named.items()}
        for image in list(self.document.findall(nodes.image)):
            if not image["uri"].endswith(".svg"):
                continue
            drawn = Path(self.env.srcdir, self.env.relfn2path(image["uri"])[0])
            text = re.sub(r"#[0-9a-f]{6}\b", lambda found: colors.get(found[0], found[0]), drawn.read_text("utf-8"))
            written = Path(self.env.srcdir, "_dark", drawn.name)
            written.parent.mkdir(exist_ok=True)
            written.write_text(text, encoding="utf-8")
            again = image.deepcopy()
            again["uri"] = f"/_dark/{drawn.name}"
            again["classes"].append("only-dark")
            image["classes"].append("only-light")
            image.parent.insert(image.parent.index(image) + 1, again)


def setup(app):
    app.add_directive("picture", Picture)
    app.add_transform(DarkDrawings)
    app.connect("builder-inited", write_colors)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
