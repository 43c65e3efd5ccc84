# Region tables from a file (docs/reference/c-library.md describes it): entries that aren't zero, and the parts that
# many entries share, unpacked into memory at once.

cdef enum:
    TABLES_VERSION = 1
    MOST_PARTS = 160         # of a group, as in kr.evaluation.parts
    MOST_WINDOWS = MAX_REGIONS + MOST_PARTS
    MOST_TABLES_BYTES = 1 << 29      # all entries and parts take 0.3 GB
    MOST_MATERIAL = 1 << 20          # either way, as kr.evaluation.weights allows

cdef struct Tables:
    RegionTables regions
    char checksum[CHECKSUM_LETTERS + 1]
    uint8_t squares[2][MAX_REGIONS * MEN_SQUARES]     # of the regions without kings, and with

cdef struct Window:
    # A region, or a part in its home, which is another window.
    int size
    int home
    uint8_t squares[MEN_SQUARES]
    u64 entries
    int16_t* own             # weights of its entries, two each; of a part alone


cdef bint take_squares(Bytes* data, uint8_t* squares, int size) noexcept nogil:
    """Read ascending squares 0-31."""
    cdef const uint8_t* at = take_bytes(data, size)
    cdef int i
    if at == NULL:
        return False
    for i in range(size):
        if at[i] > 31 or i > 0 and at[i] <= at[i - 1]:
            return False
    memcpy(squares, at, size)
    return True


cdef inline u64 power_of(u64 base, int exponent) noexcept nogil:
    cdef u64 power = 1
    cdef int i
    for i in range(exponent):
        power *= base
    return power


cdef bint take_windows(Bytes* data, Window* windows, int regions, int parts, u64 base) noexcept nogil:
    """Read the squares of regions and parts; False for those that aren't right."""
    cdef const uint8_t* at
    cdef Window* window
    cdef Window* home
    cdef int i, j, k
    for i in range(regions + parts):
        window = windows + i
        window.size = MEN_SQUARES if base == 3 else KINGS_SQUARES
        window.home = -1
        if i >= regions:
            at = take_bytes(data, 2)
            if at == NULL or at[0] >= i or at[1] == 0 or at[1] >= windows[at[0]].size:
                return False
            window.home = at[0]
            window.size = at[1]
        if not take_squares(data, window.squares, window.size):
            return False
        window.entries = power_of(base, window.size)
        if window.home >= 0:
            home = windows + window.home
            k = 0
            for j in range(home.size):
                k += k < window.size and window.squares[k] == home.squares[j]
            if k < window.size:
                return False
    return True


cdef bint take_entries(Bytes* data, int16_t* entries, u64 room) noexcept nogil:
    """Read the entries that aren't zero: by the gaps before them, then their weights in the opening and the ending."""
    cdef const uint8_t* gaps
    cdef const uint8_t* opening
    cdef const uint8_t* ending
    cdef u32 count, gap_bytes
    cdef u64 at = 0
    cdef u64 i, done
    cdef uint8_t gap
    if not take_number(data, &count) or not take_number(data, &gap_bytes):
        return False
    gaps = take_bytes(data, gap_bytes)
    opening = take_bytes(data, 2 * <u64>count)
    ending = take_bytes(data, 2 * <u64>count)
    if gaps == NULL or opening == NULL or ending == NULL:
        return False
    done = 0
    for i in range(gap_bytes):
        gap = gaps[i]
        at += gap
        # 255: the gap goes on
        if gap < 255:
            if at >= room or done == count:
                return False
            memcpy(entries + 2 * at, opening + 2 * done, 2)
            memcpy(entries + 2 * at + 1, ending + 2 * done, 2)
            done += 1
            at += 1
    return done == count


cdef inline void add_weights(int16_t* to, const int16_t* from_) noexcept nogil:
    # modulo 2^16, as they were taken apart
    to[0] = <int16_t>(<uint16_t>to[0] + <uint16_t>from_[0])
    to[1] = <int16_t>(<uint16_t>to[1] + <uint16_t>from_[1])


cdef void add_part(int16_t* home_entries, const Window* home, const Window* part, u64 base) noexcept nogil:
    """Add the weights of a part to the entries of its home that show it, counting in the digits of the home."""
    cdef int digits[MEN_SQUARES]
    cdef u64 steps[MEN_SQUARES]          # what a digit of the home adds to the part's index
    cdef u64 step = 1
    cdef u64 index = 0
    cdef u64 i
    cdef int j, k
    k = 0
    for j in range(home.size):
        digits[j] = 0
        steps[j] = 0
        if k < part.size and part.squares[k] == home.squares[j]:
            steps[j] = step
            step *= base
            k += 1
    for i in range(home.entries):
        add_weights(home_entries + 2 * i, part.own + 2 * index)
        j = 0
        while j < home.size:
            digits[j] += 1
            index += steps[j]
            if digits[j] < <int>base:
                break
            digits[j] = 0
            index -= steps[j] * base
            j += 1


cdef int take_group(Bytes* data, RegionGroup* group, uint8_t* squares, u32 regions, u32 parts, u64 base,
                    const int32_t* material) noexcept nogil:
    """Read a group of tables; KR_OK or an error."""
    cdef Window windows[MOST_WINDOWS]
    cdef u64 table = MEN_ENTRIES if base == 3 else KINGS_ENTRIES
    cdef u64 rows = 0
    cdef int16_t* entries
    cdef int16_t* weights
    cdef int16_t* target
    cdef int size = MEN_SQUARES if base == 3 else KINGS_SQUARES
    cdef int error = KR_DAMAGED
    cdef int i, home
    if regions == 0 or regions > MAX_REGIONS or parts > MOST_PARTS:
        return KR_DAMAGED
    if not take_windows(data, windows, regions, parts, base):
        return KR_DAMAGED
    for i in range(<int>regions):
        memcpy(squares + i * size, windows[i].squares, size)
    for i in range(<int>regions, <int>(regions + parts)):
        rows += windows[i].entries
    # and an entry of zeros behind the last
    entries = <int16_t*>allocate_pages((regions * table + 1) * sizeof(uint32_t))
    weights = <int16_t*>allocate_pages((rows + 1) * sizeof(uint32_t))
    if entries == NULL or weights == NULL:
        error = KR_NO_MEMORY
    elif open_group(group, squares, regions, <int>base, <uint32_t*>entries, table, material) < 0:
        # the group frees the entries
        free_pages(weights)
        return KR_NO_MEMORY
    elif take_entries(data, entries, regions * table) and take_entries(data, weights, rows):
        error = KR_OK
        target = weights
        for i in range(<int>regions, <int>(regions + parts)):
            windows[i].own = target
            target += 2 * windows[i].entries
        # from the last part to the first, so that each has those in it
        for i in range(<int>(regions + parts) - 1, <int>regions - 1, -1):
            home = windows[i].home
            target = entries + 2 * table * home if home < <int>regions else windows[home].own
            add_part(target, windows + home, windows + i, base)
    free_pages(weights)
    if group.entries == NULL:
        free_pages(entries)
    return error


cdef int read_tables(Tables* tables, const uint8_t* bytes, u64 size) noexcept nogil:
    """Read a file of tables, `tables` being all zeros; KR_OK or an error."""
    cdef Bytes data
    cdef u32 version, check, men, kings, men_parts, kings_parts
    cdef const uint8_t* magic
    cdef const uint8_t* text
    cdef int32_t material[2][6]
    cdef int error, i
    data.at = bytes
    data.left = size
    magic = take_bytes(&data, 8)
    if magic == NULL or memcmp(magic, b"\x89KRTABL\n", 8):
        return KR_NOT_KR
    if not take_number(&data, &version):
        return KR_DAMAGED
    if version != TABLES_VERSION:
        return KR_NEWER
    if not take_number(&data, &check) or crc32(data.at, data.left) != check:
        return KR_DAMAGED
    text = take_bytes(&data, CHECKSUM_LETTERS)
    if (text == NULL or not take_number(&data, &men) or not take_number(&data, &kings)
            or not take_number(&data, &men_parts) or not take_number(&data, &kings_parts)):
        return KR_DAMAGED
    memcpy(tables.checksum, text, CHECKSUM_LETTERS)
    text = take_bytes(&data, sizeof(material))
    if text == NULL:
        return KR_DAMAGED
    memcpy(material, text, sizeof(material))
    for i in range(6):
        if abs(material[0][i] // 2) > MOST_MATERIAL // 2 or abs(material[1][i] // 2) > MOST_MATERIAL // 2:
            return KR_DAMAGED
    error = take_group(&data, &tables.regions.men, tables.squares[0], men, men_parts, 3, material[0])
    if error == KR_OK:
        error = take_group(&data, &tables.regions.kings, tables.squares[1], kings, kings_parts, 5, material[1])
    if error == KR_OK and data.left:
        error = KR_DAMAGED
    return error


cdef public int kr_read_tables(kr_tables** tables, const void* bytes, size_t size) noexcept nogil:
    cdef Tables* made = <Tables*>calloc(1, sizeof(Tables))
    cdef int error
    tables[0] = NULL
    if made == NULL:
        return KR_NO_MEMORY
    error = read_tables(made, <const uint8_t*>bytes, size)
    if error:
        kr_close_tables(<kr_tables*>made)
        return error
    tables[0] = <kr_tables*>made
    return KR_OK


cdef public int kr_open_tables(kr_tables** tables, const char* path) noexcept nogil:
    cdef uint8_t* bytes
    cdef size_t size
    cdef int error = read_whole(path, MOST_TABLES_BYTES, &bytes, &size)
    tables[0] = NULL
    if error == KR_OK:
        error = kr_read_tables(tables, bytes, size)
    free(bytes)
    return error


cdef public const char* kr_tables_checksum(const kr_tables* tables) noexcept nogil:
    return (<const Tables*>tables).checksum


cdef public void kr_close_tables(kr_tables* tables) noexcept nogil:
    if tables != NULL:
        free_group(&(<Tables*>tables).regions.men)
        free_group(&(<Tables*>tables).regions.kings)
        free(tables)
