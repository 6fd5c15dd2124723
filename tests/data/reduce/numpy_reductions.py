#!/usr/bin/env python3
"""Writes numpy_reductions.json: numpy's answers for tensors that formulas make, so that no elements need be stored.

Element i is made of k = (i * 7919 + seed) % 2003 - 1001: float32(k) / float32(1000), times `scale`, rounded to the type;
integers are k * scale, wrapped; a complex number has the next element as its imaginary part. Results are hexadecimal
doubles, NaN, inf or the name of an exception. The file in the repository was written with numpy 1.24.2.
"""
import json
import sys

import numpy

OPERATIONS = {"min": numpy.min, "max": numpy.max, "mean": numpy.mean, "std": numpy.std, "variance": numpy.var,
              "sum": numpy.sum, "prod": numpy.prod, "l1": lambda a: numpy.linalg.norm(a, 1),
              "l2": lambda a: numpy.linalg.norm(a, 2)}


def elements(dtype, count, seed, scale):
    i = numpy.arange(2 * count, dtype=numpy.int64)
    k = (i * 7919 + seed) % 2003 - 1001
    kind = numpy.dtype(dtype).kind
    if kind == "b":
        return k[:count] > 0
    if kind in "iu":
        return (k[:count] * int(scale)).astype(dtype)
    numbers = k.astype(numpy.float32) / numpy.float32(1000)
    if dtype in ("float64", "complex128"):
        numbers = numbers.astype(numpy.float64) * numpy.float64(scale)
    else:
        numbers = numbers * numpy.float32(scale)
    if kind == "c":
        return (numbers[:count] + 1j * numbers[1:count + 1]).astype(dtype)
    return numbers[:count].astype(dtype)


def answer(operation, tensor):
    try:
        result = operation(tensor)
    except Exception as error:
        return type(error).__name__
    parts = [result.real, result.imag] if numpy.iscomplexobj(result) else [result]
    numbers = [float(part).hex() if not isinstance(part, numpy.integer) else str(int(part)) for part in parts]
    return [str(result.dtype), *numbers]


def main():
    rows = []
    shapes = [[1], [7], [129], [1000], [20000], [13, 11], [130, 3], [5, 4, 6]]
    for dtype in ("float16", "float32", "float64", "int8", "uint8", "int16", "int32", "int64", "uint64", "bool",
                  "complex64", "complex128"):
        for number, shape in enumerate(shapes):
            for scale in (1, 300) if numpy.dtype(dtype).kind in "fc" else (1, 100000):
                count = int(numpy.prod(shape))
                tensor = elements(dtype, count, 31 * number, scale).reshape(shape)
                out = {}
                with numpy.errstate(all="ignore"):
                    for name, operation in OPERATIONS.items():
                        out[name] = answer(operation, tensor)
                        out["abs_" + name] = answer(operation, numpy.abs(tensor))
                rows.append({"dtype": dtype, "shape": shape, "seed": 31 * number, "scale": scale, "out": out})
    lines = ",\n".join(json.dumps(row, separators=(",", ":")) for row in rows)
    sys.stdout.write(f'{{"about": "numpy {numpy.__version__}; see numpy_reductions.py", "rows": [\n{lines}\n]}}\n')


if __name__ == "__main__":
    main()
