"""Draw the pass at the top of the README anew: python tools/film.py"""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

import minigrad as mg  # noqa: E402
from minigrad import viz  # noqa: E402

FILM = ROOT / "notebooks" / "images" / "stepper.svg"

A = mg.tensor(3.0, requires_grad=True)
B = mg.tensor(2.0, requires_grad=True)
C = A**2
D = B**2
E = C * D
F = D + E

if __name__ == "__main__":
    viz.BackwardStepper(F).save_svg(FILM, seconds=3)
    print(f"{FILM.relative_to(ROOT)}: {FILM.stat().st_size} bytes")
