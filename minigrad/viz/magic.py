"""`%%step`: run a cell, then step through the backward pass of what it computed.

After this module a reader can put one line above a cell and click through its gradients. The cell runs as it would
without that line, with its own variables and line numbers; its last expression, if that is a tensor, or else the last
scalar with a graph that it assigned, becomes the root of a `BackwardStepper`. The options are the stepper's.
"""

from __future__ import annotations

import argparse
import ast
import shlex
from typing import Any, NoReturn

from IPython.core.error import UsageError

from minigrad.viz import naming
from minigrad.viz.rich import running_shell
from minigrad.viz.stepper import BackwardStepper

SHOWN = "_minigrad_step_shown"  # holds the value of the cell's last expression while the cell runs
MAKE = "_minigrad_step_make"  # makes the stepper, called from the notebook's own namespace


class _Options(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        raise UsageError(f"%%step: {message}. %%step? shows what may be given")


OPTIONS = _Options(prog="%%step", add_help=False, allow_abbrev=False)
OPTIONS.add_argument("root", nargs="?")
for _option in ("--gradient", "--inputs", "--as"):
    OPTIONS.add_argument(_option)
for _option in ("--retain-graph", "--create-graph"):
    OPTIONS.add_argument(_option, action="store_true")


def register(shell: Any) -> None:
    """Make `%%step` known to IPython."""
    shell.register_magic_function(step, "cell", "step")


def step(line: str, cell: str) -> BackwardStepper:
    """Run the cell, then step through backward() from its last scalar.

    %%step                       the last expression, or the last scalar with a graph that the cell assigns
    %%step loss                  this one: a name or an expression
    %%step loss --inputs w,b     only these get a .grad
    %%step y --gradient v        start from this gradient, needed if y is no scalar
    %%step loss --retain-graph   keep the graph for another backward()
    %%step loss --create-graph   record the backward pass too, for second derivatives
    %%step loss --as s           keep the stepper in the variable s; without it, it is _
    """
    __tracebackhide__ = True  # where the cell raises, the traceback begins in the cell
    shell = running_shell()
    options = _parsed(line)
    tree, shown = _run(shell, line, cell)
    if options.root is not None:
        root, named = _value(shell, options.root, "the root"), options.root
    else:
        root, named = _last_scalar(tree, shown, shell.user_ns)
    _check(root, named, options.gradient)
    more = {
        "gradient": None if options.gradient is None else _value(shell, options.gradient, "--gradient"),
        "inputs": None if options.inputs is None else _inputs(shell, options.inputs),
        "retain_graph": True if options.retain_graph else None,
        "create_graph": options.create_graph,
    }
    stepper = _made(shell, root, more)
    if getattr(options, "as") is not None:
        shell.user_ns[getattr(options, "as")] = stepper
    return stepper


def _parsed(line: str) -> argparse.Namespace:
    try:
        options = OPTIONS.parse_args(shlex.split(line))
    except ValueError as error:  # a quote that does not end
        raise UsageError(f"%%step: {error} in {line!r}") from None
    name = getattr(options, "as")
    if name is not None and not name.isidentifier():
        raise UsageError(f"%%step: --as expects a variable's name, not {name!r}")
    return options


def _run(shell: Any, line: str, cell: str) -> tuple[ast.Module, Any]:
    """Run the cell as IPython would, keeping the value of its last expression; errors go through."""
    __tracebackhide__ = True
    # The magic's own line stays as a comment, so that line numbers are those that the reader sees.
    text = shell.transform_cell(f"# %%step {line}".rstrip() + f"\n{cell}")
    file = shell.compile.cache(text, shell.execution_count, raw_code=text)
    tree = shell.compile.ast_parse(text, filename=file)
    written = ast.Module(body=list(tree.body), type_ignores=[])
    for transformer in shell.ast_transformers:
        tree = transformer.visit(tree)
    if tree.body and isinstance(tree.body[-1], ast.Expr):
        last = tree.body[-1]
        kept = ast.Assign(targets=[ast.Name(SHOWN, ast.Store())], value=last.value)
        tree.body[-1] = ast.fix_missing_locations(ast.copy_location(kept, last))
    try:
        exec(compile(tree, file, "exec"), shell.user_global_ns, shell.user_ns)
        return written, shell.user_ns.get(SHOWN)
    finally:
        shell.user_ns.pop(SHOWN, None)


def _value(shell: Any, text: str, what: str) -> Any:
    try:
        return eval(text, shell.user_global_ns, shell.user_ns)
    except NameError as error:
        raise UsageError(
            f"%%step: {error}, which {what} names. Take a variable that the cell, or one before it, sets."
        ) from None
    except SyntaxError:
        raise UsageError(
            f"%%step: {what} must be a name or an expression, not {text!r} (quote it if it has blanks)"
        ) from None


def _inputs(shell: Any, text: str) -> list[Any]:
    found = [(name, _value(shell, name, "--inputs")) for name in text.split(",") if name]
    for name, value in found:
        if not naming.is_tensor(value):
            raise UsageError(f"%%step: --inputs names tensors, and {name} is {_a(value)}")
    if not found:
        raise UsageError("%%step: --inputs expects names with commas between, as in --inputs w,b")
    return [value for _, value in found]


def _made(shell: Any, root: Any, more: dict[str, Any]) -> BackwardStepper:
    """Make the stepper from the notebook's own namespace, where the learner's names are."""
    shell.user_ns[MAKE] = lambda: BackwardStepper(root, **more)
    try:
        stepper: BackwardStepper = eval(f"{MAKE}()", shell.user_global_ns, shell.user_ns)
        return stepper
    finally:
        shell.user_ns.pop(MAKE, None)


def _last_scalar(tree: ast.Module, shown: Any, scope: dict[str, Any]) -> tuple[Any, str]:
    """What the cell shows, if it is a tensor; else the scalar with a graph that it assigned last. And its name."""
    if naming.is_tensor(shown):
        return shown, ast.unparse(tree.body[-1])
    assigned = _assigned(tree)
    tensors = [(name, scope[name]) for name in assigned if naming.is_tensor(scope.get(name))]
    for name, value in tensors:
        if value.grad_fn is not None and value.numel() == 1:
            return value, name
    if not tensors:
        found = "it assigns none" if shown is None else f"its last line gives {_a(shown)}"
        raise UsageError(
            f"%%step found no tensor in this cell: {found}. End the cell with the loss, or name it: %%step loss"
        )
    graphs = [name for name, value in tensors if value.grad_fn is not None]
    if graphs:
        shape = list(dict(tensors)[graphs[0]].shape)
        raise UsageError(
            f"%%step found no scalar in this cell: {graphs[0]} has shape {shape}. Reduce it to one number, as in "
            f"{graphs[0]}.sum(), or give its gradient: %%step {graphs[0]} --gradient mg.ones_like({graphs[0]})"
        )
    raise UsageError(
        f"%%step found no tensor with a graph in this cell: {tensors[0][0]} was not computed from a tensor with "
        "requires_grad=True"
    )


def _assigned(tree: ast.Module) -> list[str]:
    """The names that the cell's own statements assign, the last one first."""
    names: list[str] = []
    for statement in reversed(tree.body):
        if isinstance(statement, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            continue
        stores = [
            node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)
        ]
        names += reversed(stores)
    return list(dict.fromkeys(names))


def _check(root: Any, named: str, gradient: str | None) -> None:
    """Say what is wrong with a root before the stepper does, in terms of the cell."""
    if not naming.is_tensor(root):
        raise UsageError(f"%%step: {named} is {_a(root)}, not a tensor")
    if root.grad_fn is None:
        why = (
            "it is a leaf, so nothing was computed: step a result of it"
            if root.requires_grad
            else "it was not computed from a tensor with requires_grad=True, or under no_grad()"
        )
        raise UsageError(f"%%step: {named} has no graph: {why}")
    if root.numel() != 1 and gradient is None:
        raise UsageError(
            f"%%step: {named} has shape {list(root.shape)}, and backward() starts from one number. Reduce it, as in "
            f"({named}).sum(), or give its gradient: --gradient mg.ones_like({named})"
        )


def _a(value: Any) -> str:
    kind = type(value).__name__
    return f"{'an' if kind[0] in 'aeiou' else 'a'} {kind}"
