"""What goes to a browser, with a kernel behind it or without.

`widget_source` joins the script and the style sheet of the folder static/, `widget_picture` is what they get to know of
a graph, and `recording` what a notebook's file keeps of a stepper. `other_numbers` is what they get of a pass with
other numbers, and `program` what a page needs to compute one itself. `standalone` writes one stepper as a page,
`notebook` a whole notebook, with the templates beside it.
"""
