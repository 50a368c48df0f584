"""Names that PyTorch has and this package has not, and what to use instead: the ends of the AttributeErrors.

After this module a reader knows where the package stops: real numbers in dense tensors, on the CPU, in one process, run
as they are written.
"""

from __future__ import annotations

NUMBERS_ARE_REAL = "numbers are real here. Keep a complex number's two parts in two tensors."
_FLOATS = "numpy has no such floats. Use float32, or float16 where memory is short."
_INTEGERS = "the dtypes of integers are uint8, int8, int16, int32 and int64."
_DENSE = "tensors are dense here. Use zeros() and index_put_(), or leave the conversion out."
_QUANTIZED = "there are no quantized tensors here. Use float32."
_AS_WRITTEN = "nothing is compiled or exported here. Leave the call out: the model itself does the same."
_FUNCTIONS = "see autograd.functional for jacobian, hessian, vjp and jvp (vectorize=True runs them as a batch)."
_ONE_PROCESS = "minigrad computes in one process. Use the model itself."
_CPU = "minigrad computes on the CPU only."
_THREADS = "numpy's threads are counted before Python starts, by the environment variable OMP_NUM_THREADS."
_MEMORY = "data_ptr(), stride(), storage_offset() and numpy() tell of a tensor's memory."

_FUNCTIONS_LEFT_OUT = {
    NUMBERS_ARE_REAL: (
        "angle cdouble cfloat chalf complex complex128 complex32 complex64 conj fft imag is_complex istft polar real "
        "resolve_conj stft view_as_complex view_as_real"
    ),
    _FLOATS: "bfloat16 float8_e4m3fn float8_e4m3fnuz float8_e5m2 float8_e5m2fnuz float8_e8m0fnu float4_e2m1fn_x2",
    _INTEGERS: "uint16 uint32 uint64",
    _DENSE: "sparse sparse_coo sparse_coo_tensor sparse_csr sparse_csr_tensor sparse_compressed_tensor",
    _QUANTIZED: "ao qint32 qint8 quantization quantize_per_channel quantize_per_tensor quint8",
    _AS_WRITTEN: "compile export fx jit onnx",
    _FUNCTIONS: "func vmap",
    _ONE_PROCESS: "distributed multiprocessing futures",
    _CPU: "mps mtia xpu set_default_device",
    _THREADS: "get_num_interop_threads get_num_threads set_num_interop_threads set_num_threads",
}
_METHODS_LEFT_OUT = {
    NUMBERS_ARE_REAL: "angle cdouble cfloat chalf conj imag resolve_conj",
    _FLOATS: "bfloat16",
    _DENSE: "coalesce indices sparse_dim sparse_mask to_dense to_sparse to_sparse_coo to_sparse_csr values",
    _QUANTIZED: "dequantize int_repr q_scale",
    _ONE_PROCESS: "is_shared share_memory_",
    _CPU: "ipu mtia pin_memory to_mkldnn xpu",
    _MEMORY: "resize_ set_ storage storage_type untyped_storage",
    "that is a loop in Python: compute with whole tensors, as in x * 2 + 1.": "apply_ map_ map2_",
    "it is a function of minigrad.linalg.": "eig lstsq lu qr solve symeig",
}
_LAYERS_LEFT_OUT = {
    _ONE_PROCESS: "DataParallel SyncBatchNorm",
    _QUANTIZED: "qat quantizable quantized",
}
_OPTIMIZERS_LEFT_OUT = {
    "the optimizers here are SGD, Adam, AdamW and RMSprop.": (
        "ASGD Adadelta Adafactor Adagrad Adamax LBFGS Muon NAdam RAdam Rprop SparseAdam"
    ),
}


def error(owner: str, name: str, place: object) -> AttributeError:
    """The AttributeError for a name that is not there. `owner` is "minigrad", "Tensor", "minigrad.nn" ..."""
    text = (
        f"'Tensor' object has no attribute {name!r}"
        if owner == "Tensor"
        else f"module {owner!r} has no attribute {name!r}"
    )
    for reason, names in _LEFT_OUT[owner].items():
        if name in names.split():
            text += f": {reason}"
    return AttributeError(text, name=name, obj=place)


def of_tensors() -> list[str]:
    """The names of attributes that PyTorch's tensors have and these have not."""
    return [name for names in _METHODS_LEFT_OUT.values() for name in names.split()]


_LEFT_OUT = {
    "minigrad": _FUNCTIONS_LEFT_OUT,
    "Tensor": _METHODS_LEFT_OUT,
    "minigrad.nn": _LAYERS_LEFT_OUT,
    "minigrad.optim": _OPTIMIZERS_LEFT_OUT,
}
