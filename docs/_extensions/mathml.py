"""Formulas as MathML, which browsers show without a script."""

from docutils import nodes
from latex2mathml.converter import convert


def visit_math(writer, node):
    writer.body.append(convert(node.astext()))
    raise nodes.SkipNode


def visit_display(writer, node):
    # "aligned" and plain formulas alike; a formula wider than the page scrolls by itself.
    writer.body.append(f'<div class="math">{convert(node.astext(), display="block")}</div>\n')
    raise nodes.SkipNode


def setup(app):
    app.add_html_math_renderer("mathml", (visit_math, None), (visit_display, None))
    app.config.html_math_renderer = "mathml"
    return {"parallel_read_safe": True, "parallel_write_safe": True}
