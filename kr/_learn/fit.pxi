# Logistic regression over region entries: indices once, then loss and gradient of many samples an iteration.
#
# The ids of n samples stand region by region, (R, n): the forward pass adds up one region after another over a block
# of samples, and the gradient of a region is the work of one thread, so that it does not depend on their number.
# An entry has two weights, opening and ending, of which a sample with p pieces takes p/24 and (24 - p)/24.

cdef extern from "math.h" nogil:
    double exp(double x) noexcept
    double log1p(double x) noexcept
    double fabs(double x) noexcept

cdef enum:
    FIT_BLOCK = 2048         # samples whose sums stay in the first-level cache
    FIT_MATERIAL = 3         # a man, a king, having the move
    LOSS_CROSS_ENTROPY = 0
    LOSS_SQUARED = 1


def region_ids(const uint32_t[:, ::1] boards, const uint32_t[:, :, ::1] digits, uint32_t[:, ::1] out,
               Py_ssize_t first, Py_ssize_t last):
    """Table indices of the samples first..last-1: boards (n, 4) in the mover's frame -> out (R, n).

    digits (R, 4, 256): for each region and byte of a bitboard the sum of base^i over its squares that are set there.
    """
    cdef Py_ssize_t r, i, b
    cdef u32 index
    cdef int board, shift
    with nogil:
        for r in range(digits.shape[0]):
            for i in range(first, last):
                index = 0
                for board in range(SAMPLE_BOARDS):
                    for b in range(4):
                        shift = 8 * <int>b
                        index += (board + 1) * digits[r, b, boards[i, board] >> shift & 255]
                out[r, i] = index


def count_ids(const uint32_t[::1] ids, const uint32_t[::1] count, int64_t[::1] occurrences):
    """Add the number of times that each table index occurs in one region's ids, samples counted `count` times."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(ids.shape[0]):
            occurrences[ids[i]] += count[i]


def rank_ids(uint32_t[::1] ids, const uint32_t[::1] rank):
    """Replace one region's table indices by their ranks, in place."""
    cdef Py_ssize_t i
    with nogil:
        for i in range(ids.shape[0]):
            ids[i] = rank[ids[i]]


cdef inline void block_logits(const uint32_t[:, ::1] ids, const int64_t[::1] starts, const float* weights,
                              const uint8_t* pieces, const int8_t* material, const double* material_weights,
                              Py_ssize_t first, Py_ssize_t n, float* logits) noexcept nogil:
    """Logits of n <= FIT_BLOCK samples from `first` on; the pointers stand at that sample."""
    cdef float[FIT_BLOCK] opening
    cdef Py_ssize_t i, r
    cdef const uint32_t* id
    cdef const float* w
    cdef double a
    for i in range(n):
        a = pieces[i] / <double>FULL_BOARD
        opening[i] = <float>a
        logits[i] = <float>(
            material[2 * i] * (a * material_weights[0] + (1 - a) * material_weights[1])
            + material[2 * i + 1] * (a * material_weights[2] + (1 - a) * material_weights[3])
            + a * material_weights[4] + (1 - a) * material_weights[5])
    for r in range(ids.shape[0]):
        id = &ids[r, first]
        w = weights + 2 * starts[r]
        for i in range(n):
            logits[i] += opening[i] * w[2 * <Py_ssize_t>id[i]] + (1 - opening[i]) * w[2 * <Py_ssize_t>id[i] + 1]


cdef inline double sample_loss(double logit, double target, int kind, double* slope) noexcept nogil:
    """Loss of the prediction sigmoid(logit) and its derivative by the logit."""
    cdef double small = exp(-fabs(logit))
    cdef double p = 1 / (1 + small) if logit >= 0 else small / (1 + small)
    if kind == LOSS_SQUARED:
        slope[0] = 2 * (p - target) * p * (1 - p)
        return (p - target) * (p - target)
    slope[0] = p - target
    return (logit if logit > 0 else 0) - target * logit + log1p(small)


def logits_and_slopes(const uint32_t[:, ::1] ids, const int64_t[::1] starts, const float[:, ::1] weights,
                      const uint8_t[::1] pieces, const int8_t[:, ::1] material, const double[:, ::1] material_weights,
                      const float[::1] target, const uint32_t[::1] count, int kind,
                      float[::1] logits, float[::1] slopes, double[:, ::1] material_gradient,
                      Py_ssize_t first, Py_ssize_t last):
    """Forward pass over the samples first..last-1, each counted `count` times; returns their summed loss.

    ids (R, n) ranks within a region, whose weights start at row starts[r] of weights (rows, 2); pieces (n,) on the
    board; material (n, 2) men and kings, own minus opponent's; material_weights (3, 2); target (n,) in 0..1;
    kind 0 cross entropy, 1 squared error. Writes logits (n,), slopes (n,) = count * dloss/dlogit and adds to
    material_gradient (3, 2).
    """
    cdef Py_ssize_t block, i, n
    cdef double loss = 0
    cdef double slope, opening, ending
    cdef double[6] sums
    memset(sums, 0, sizeof(sums))
    with nogil:
        block = first
        while block < last:
            n = min(<Py_ssize_t>FIT_BLOCK, last - block)
            block_logits(ids, starts, &weights[0, 0], &pieces[block], &material[block, 0], &material_weights[0, 0],
                         block, n, &logits[block])
            for i in range(block, block + n):
                loss += count[i] * sample_loss(logits[i], target[i], kind, &slope)
                slope *= count[i]
                slopes[i] = <float>slope
                opening = slope * pieces[i] / <double>FULL_BOARD
                ending = slope - opening
                sums[0] += material[i, 0] * opening
                sums[1] += material[i, 0] * ending
                sums[2] += material[i, 1] * opening
                sums[3] += material[i, 1] * ending
                sums[4] += opening
                sums[5] += ending
            block += n
    for i in range(FIT_MATERIAL):
        material_gradient[i, 0] += sums[2 * i]
        material_gradient[i, 1] += sums[2 * i + 1]
    return loss


def region_gradient(const uint32_t[::1] ids, const float[::1] slopes, const uint8_t[::1] pieces,
                    double[:, ::1] gradient):
    """Add one region's gradient: ids (n,) ranks, slopes (n,) -> gradient (entries, 2)."""
    cdef Py_ssize_t i
    cdef double opening
    cdef double* entry
    with nogil:
        for i in range(ids.shape[0]):
            opening = slopes[i] * (pieces[i] / <double>FULL_BOARD)
            entry = &gradient[ids[i], 0]
            entry[0] += opening
            entry[1] += slopes[i] - opening


def region_curvature(const uint32_t[::1] ids, const uint32_t[::1] count, const uint8_t[::1] pieces,
                     double[:, ::1] curvature):
    """Add one region's summed squares of the inputs: ids (n,) ranks -> curvature (entries, 2)."""
    cdef Py_ssize_t i
    cdef double opening
    with nogil:
        for i in range(ids.shape[0]):
            opening = pieces[i] / <double>FULL_BOARD
            curvature[ids[i], 0] += count[i] * opening * opening
            curvature[ids[i], 1] += count[i] * (1 - opening) * (1 - opening)
