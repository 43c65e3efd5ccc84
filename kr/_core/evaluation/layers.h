/* kr_layer_sums: the sums of a layer of a network; kr_dot, kr_tanh_of_all. C, since Cython has no vectors, which keep
   sums in registers. */

#pragma once

#include <stddef.h>

/* Eight units: one register with AVX, two with SSE or NEON. */
typedef float kr_eight __attribute__((vector_size(32), aligned(4), may_alias));

/* The sums of adjacent units, eight to a vector, from the inputs that are listed by their rows; NULL for all rows. The
   inputs are added in their order. */
static inline __attribute__((always_inline)) void kr_add_inputs(const float* weights, const float* biases,
        const int* rows, const float* inputs, int count, float* sums, int units, const int vectors) {
    kr_eight sum[6];
    int i, k;
#pragma GCC unroll 6
    for (i = 0; i < vectors; i++) sum[i] = ((const kr_eight*)biases)[i];
    for (k = 0; k < count; k++) {
        const kr_eight* row = (const kr_eight*)(weights + (size_t)(rows ? rows[k] : k) * units);
        const float input = inputs[k];
#pragma GCC unroll 6
        for (i = 0; i < vectors; i++) sum[i] += input * row[i];
    }
#pragma GCC unroll 6
    for (i = 0; i < vectors; i++) ((kr_eight*)sums)[i] = sum[i];
}

/* The sums of all units, a multiple of eight. The number of vectors is a constant in each branch; 40 units are five. */
static void kr_layer_sums(const float* weights, const float* biases, const int* rows, const float* inputs, int count,
        float* sums, int units) {
    int at, vectors;
    for (at = 0; at < units; at += 8 * vectors) {
        vectors = (units - at) / 8;
        if (vectors >= 6)
            kr_add_inputs(weights + at, biases + at, rows, inputs, count, sums + at, units, vectors = 6);
        else if (vectors == 5)
            kr_add_inputs(weights + at, biases + at, rows, inputs, count, sums + at, units, 5);
        else if (vectors >= 2)
            kr_add_inputs(weights + at, biases + at, rows, inputs, count, sums + at, units, vectors = 2);
        else
            kr_add_inputs(weights + at, biases + at, rows, inputs, count, sums + at, units, 1);
    }
}

/* The sum of the products of two rows of a number of units that is a multiple of eight. */
static float kr_dot(const float* a, const float* b, int units) {
    kr_eight sum = {0};
    int i;
    for (i = 0; i < units; i += 8) sum += *(const kr_eight*)(a + i) * *(const kr_eight*)(b + i);
    return ((sum[0] + sum[1]) + (sum[2] + sum[3])) + ((sum[4] + sum[5]) + (sum[6] + sum[7]));
}

/* tanh of each unit, to 4e-7: an odd polynomial over an even one, fitted by least squares with the largest relative
   errors weighted up until they were level. */
static void kr_tanh_of_all(float* values, int count) {
    int i;
    for (i = 0; i < count; i++) {
        float x = values[i], square, above, below;
        x = x < 9.0f ? x : 9.0f;
        x = x > -9.0f ? x : -9.0f;
        square = x * x;
        above = 3.4955906e-03f + square * (2.0609059e-05f + square * 1.33545193e-08f);
        above = x * (1.0f + square * (0.1338103f + square * above));
        below = 2.5876997e-02f + square * (3.2856359e-04f + square * 7.7765230e-07f);
        below = 1.0f + square * (0.46714345f + square * below);
        x = above / below;
        x = x < 1.0f ? x : 1.0f;
        values[i] = x > -1.0f ? x : -1.0f;
    }
}
