"""Writes parts of the site, for a test that compares them: python parts.py FOLDER NOTEBOOKS book others.

The code is that of the whole build. What is small are the chapters: those of the folder NOTEBOOKS. `others` are the
parts that are the same whatever the chapters are.
"""

import sys
from pathlib import Path

import book
import front
import gallery
from pages import Site

site = Site(Path(sys.argv[1]), Path(sys.argv[2]), "", has_live=True)
if "others" in sys.argv:
    gallery.write(site)
    front.write(site)
    site.pages = [page for page in site.pages if page.path in ("index.html", "gallery/rnn.html")]
    site.write_previews()
if "book" in sys.argv:
    book.write(site)
