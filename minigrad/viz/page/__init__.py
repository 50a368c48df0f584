"""What goes to a browser, with a kernel behind it or without.

`widget_source` joins the script and the style sheet of the folder static/, `widget_picture` is what they get to know of
a graph, and of one with other numbers, and `packing` what a notebook's file keeps of a stepper. `program` is what a
page needs to compute a pass with other numbers itself. `standalone` writes one stepper as a page, `notebook` a whole
notebook, with the templates beside it.
"""
