"""A graph as an SVG: `layered` says where things go, `layout` puts groups into groups, `svg` draws, and `markup` keeps
every text harmless.

`figure` has the parts of a chart.
"""
