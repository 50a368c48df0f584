"""A graph as an SVG: `layout` asks Graphviz where things go, `svg` draws them, `markup` keeps every text harmless.

`figure` has the parts of a chart.
"""
