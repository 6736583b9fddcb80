"""NumPy: elementwise work is in one thread by itself."""
import numpy

library = numpy
prefix = "np"


def filled(shape, factor):
    count = int(numpy.prod(shape))
    values = (numpy.arange(count, dtype=numpy.int64) * factor) & 4095
    return (values.astype(numpy.float32) / 1024 - 2).reshape(shape)


def zeros(shape):
    return numpy.zeros(shape, dtype=numpy.float32)
