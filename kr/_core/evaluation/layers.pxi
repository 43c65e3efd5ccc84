# Layers of networks of floats: the forward pass of the networks below and of policies. Inputs are few of many, so that
# they are listed by their rows of weights.

cdef extern from "_core/evaluation/layers.h":
    void layer_sums "kr_layer_sums"(const float* weights, const float* biases, const int* rows, const float* inputs,
                                    int count, float* sums, int units) noexcept nogil
    float dot "kr_dot"(const float* a, const float* b, int units) noexcept nogil
    void tanh_of_all "kr_tanh_of_all"(float* values, int count) noexcept nogil

cdef struct Layer:
    int inputs
    int units                   # in multiples of 8; the weights of those beyond are 0
    float* weights              # [inputs][units]
    float* biases


cdef int open_layer(Layer* layer, int inputs, int units) noexcept nogil:
    """Make room for weights and biases, which are all 0; -1 without memory."""
    layer.inputs = inputs
    layer.units = (units + 7) // 8 * 8
    layer.weights = <float*>allocate_pages(<u64>layer.inputs * layer.units * sizeof(float))
    layer.biases = <float*>allocate_pages(layer.units * sizeof(float))
    return -1 if layer.weights == NULL or layer.biases == NULL else 0


cdef void close_layer(Layer* layer) noexcept nogil:
    free_pages(layer.weights)
    free_pages(layer.biases)


cdef inline void add_inputs(const Layer* layer, const int* rows, const float* inputs, int count,
                            float* sums) noexcept nogil:
    """The sums of a layer from the inputs that are listed by their rows, NULL for all."""
    layer_sums(layer.weights, layer.biases, rows, inputs, count, sums, layer.units)
