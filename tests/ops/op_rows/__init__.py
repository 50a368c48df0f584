"""The rows of the op table, one file for each kind of operation."""

from __future__ import annotations

import importlib
import pkgutil

from ops.op_table import ROWS as _FIRST
from ops.op_table import Case

_MODULES = [importlib.import_module(f"{__name__}.{found.name}") for found in pkgutil.iter_modules(__path__)]
ROWS = [*_FIRST, *(row for module in _MODULES for row in module.ROWS)]
CASES = [Case(row, shapes) for row in ROWS for shapes in row.shapes]
DIFFERENTIABLE = [case for case in CASES if case.row.differentiable]
