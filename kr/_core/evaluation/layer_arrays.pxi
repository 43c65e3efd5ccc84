# Layers from arrays, for Python.

cdef int copy_layer(Layer* layer, const float[:, ::1] weights, const float[::1] biases) except -1:
    """Open a layer with these weights (inputs, units) and biases (units,)."""
    cdef int units = <int>weights.shape[1]
    cdef int i
    if open_layer(layer, <int>weights.shape[0], units) < 0:
        raise MemoryError("no memory for a network")
    for i in range(layer.inputs):
        memcpy(layer.weights + i * layer.units, &weights[i, 0], units * sizeof(float))
    memcpy(layer.biases, &biases[0], units * sizeof(float))
    return 0
