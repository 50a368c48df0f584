"""What does not hold for Python in WebAssembly, and why: all of it. And what takes long there.

What does not hold is run there all the same, and has to fail: what has come to hold is to be taken out here.
"""

from __future__ import annotations

THREADS = "a browser's Python is alone: it has no threads"
PROCESSES = "a browser's Python is alone: it starts no processes"
STACK = "a browser's Python has one thread and a stack of half a megabyte: two dozen backwards within each other"
SIZES = "numpy itself counts in 32 bits there: its own arrays of integers are int32"
FLAGS = "WebAssembly tells of no floating-point errors, by which numpy warns, and finds a singular matrix: nan there"
SIGNS = "which of 0 and -0 is the larger one differs between processors"
OVERFLOW = "what a float becomes as an integer that it does not fit into differs between processors"
COMPILED = "it needs a package that is compiled for one machine"


def each(reason: str, where: str, *names: str) -> dict[str, str]:
    return {f"{where}{name}": reason for name in names}


# Of the behaviours, by module and title.
BEHAVIOURS = {
    **each(
        THREADS,
        "engine.backward.test_threads: B19: ",
        "threads run backward on graphs of their own",
        "threads whose graphs share a leaf lose no gradient",
        "the first gradients of a leaf, from several threads at once, are all in the sum",
        "the later gradients of a leaf, from several threads at once, are all in the sum, element by element",
        "grad() in several threads gives each its own gradients",
        "a graph made in one thread is differentiated in another",
        "the grad mode of one thread does not reach another's backward()",
    ),
    **each(
        THREADS,
        "engine.modes.test_threads: F02: ",
        "a new thread records, whatever the mode of the thread that started it",
        "the mode of a thread is its own",
        "two threads in different modes at the same time",
        "an inference tensor is one in every thread",
    ),
    "engine.modes.test_anomaly: G06: the mode holds for all threads": THREADS,
    "engine.saved_tensors.test_pack_and_unpack: G01: hooks belong to the thread that entered them": THREADS,
    **each(
        STACK,
        "engine.function.test_nested_graphs: C09: ",
        "2,000 levels deep",
        "an error at the bottom of 300 levels comes out as it is",
        "at every depth backward runs without recording",
        "hooks on what is saved hold at every depth",
    ),
    "data.test_data: a batch of 0-d arrays": SIZES,
    "tensor.test_creation: F.tensor(np.arange(3))": SIZES,
    "tensor.test_numpy_functions: A07: np.asarray with another dtype copies": SIZES,
    "ops.test_elementwise: E03: elu keeps the sign of zero": SIGNS,
    "ops.test_values: I01: relu keeps the sign of zero as PyTorch does": SIGNS,
    "ops.test_numbers_that_do_not_fit: copy_, in uint8": OVERFLOW,
    "ops.test_linalg: matrices that are singular, not positive-definite or not finite: a LinAlgError says which and "
    "why": FLAGS,
}
# Of the behaviours those that take seconds each there: only `python -m wasm` runs them. Shorter ones are beside them.
LONG = {
    "engine.backward.test_deep_graphs: B18: a chain of 150,000 nodes is built, differentiated and dropped",
    "engine.backward.test_deep_graphs: B18: a chain that nobody differentiates is dropped at once, from its last "
    "result to its first",
    "engine.function.test_nested_graphs: C09: a chain of 20,000 Functions is built, differentiated and dropped",
    "engine.function.test_nested_graphs: C09: a chain of 10,000 Functions that nobody differentiates is dropped at "
    "once",
}
# Tests, as pytest names them; of one with parameters, all of them or some.
TESTS = {
    **each(
        THREADS,
        "tests/engine/test_engine.py::test_",
        "grad_modes_belong_to_a_thread",
        "threads_build_and_run_graphs_at_once",
        "two_threads_that_use_a_leaf_at_once_find_the_same_node",
        "two_threads_that_call_an_operation_first_write_it_once",
        "what_threads_switch_at_once_is_all_counted",
        "a_stop_ends_a_backward_that_goes_on_in_another_thread",
    ),
    **each(
        THREADS,
        "tests/engine/test_profiler.py::test_",
        "ops_of_another_thread_are_events_of_that_thread",
        "threads_that_work_while_profilers_come_and_go",
        "a_call_that_goes_on_after_the_end_is_cut_off",
        "trace_file",
    ),
    **each(
        PROCESSES,
        "tests/engine/test_profiler.py::test_",
        "a_jacobian_whose_rules_are_first_used_under_a_profiler",
        "a_function_called_for_the_first_time_under_a_profiler_still_checks_its_arguments",
    ),
    **each(
        THREADS,
        "tests/engine/test_stopping.py::test_",
        "it_is_waited_for_and_runs_in_a_thread_of_its_own",
        "a_stop_ends_it_and_is_what_is_raised_also_where_the_other_thread_fails_then",
        "a_thread_that_begins_after_the_stop_does_nothing",
        "a_stop_that_comes_with_a_failure_is_raised",
    ),
    **each(
        PROCESSES,
        "tests/ops/test_",
        "ops.py::test_rules_find_the_ops_that_they_use",
        "silence.py::test_nothing_is_said_whatever_python_is_started_with",
        "random.py::test_numpy_random_is_imported_at_first_use",
        "random.py::test_without_a_seed_each_program_draws_other_numbers",
    ),
    "tests/ops/test_random.py::test_threads_share_the_default_generator": THREADS,
    "tests/ops/test_silence.py::test_the_learners_own_numpy_code_goes_on_to_warn": FLAGS,
    "tests/engine/function/test_endless_recursion.py::"
    "test_functions_in_a_ring_that_call_the_next_ones_backward_are_explained[25]": STACK,
}
# Files that are not run there.
FILES = {
    "tests/engine/test_interrupts.py": "a browser's Python gets no signals",
    "tests/engine/test_leaks.py": "it takes too long there, and compares with PyTorch",
    "tests/engine/test_random_programs.py": COMPILED,
    "tests/engine/test_engine_properties.py": COMPILED,
    "tests/engine/test_explanations.py": COMPILED,
    "tests/data/test_serialization.py": COMPILED,
    "tests/tensor/test_printing.py": COMPILED,
}
