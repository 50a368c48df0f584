"""`python -m minigrad`: what is installed, what is missing, where the course is. `python -m minigrad lab` opens it."""

from minigrad.teach.whereabouts import main

raise SystemExit(main())
