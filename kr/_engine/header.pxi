# The header of a database's file: JSON, of which a few fields count (docs/reference/egdb-format.md).

cdef enum:
    EGDB_VERSION = 1
    FIXED_BYTES = 20         # magic, format version, bytes of the JSON text, checksum of both
    EGDB_ALIGNMENT = 64
    MOST_HEADER_BYTES = 1 << 24
    MOST_NESTING = 32

cdef struct FileHeader:
    bint distances
    int shape[4]             # own men, own kings, opponent's men, opponent's kings
    u64 entries
    u64 block_bits
    u64 index_bytes
    u64 data_bytes
    const char* codes        # the array of code lengths

cdef struct Text:
    # JSON that is left to read; `end` is behind it.
    const char* at
    const char* end


cdef inline char peek(Text* text) noexcept nogil:
    """The next character that is no blank; 0 at the end."""
    while text.at < text.end and (text.at[0] == c' ' or text.at[0] == c'\n' or text.at[0] == c'\t'
                                  or text.at[0] == c'\r'):
        text.at += 1
    return text.at[0] if text.at < text.end else 0


cdef inline bint take_character(Text* text, char wanted) noexcept nogil:
    if peek(text) != wanted:
        return False
    text.at += 1
    return True


cdef bint take_string(Text* text, const char** first, u64* size) noexcept nogil:
    """Read a string; its bytes as they stand there, with escapes."""
    if not take_character(text, c'"'):
        return False
    first[0] = text.at
    while text.at < text.end and text.at[0] != c'"':
        text.at += 1 + (text.at[0] == c'\\')
    if text.at >= text.end:
        return False
    size[0] = text.at - first[0]
    text.at += 1
    return True


cdef bint skip_value(Text* text) noexcept nogil:
    """Skip a value of any kind, arrays and objects by their brackets."""
    cdef const char* first
    cdef u64 size
    cdef int depth = 0
    cdef char next_one
    while True:
        next_one = peek(text)
        if next_one == c'"':
            if not take_string(text, &first, &size):
                return False
        elif next_one == c'[' or next_one == c'{':
            depth += 1
            text.at += 1
        elif next_one == c']' or next_one == c'}':
            depth -= 1
            text.at += 1
        elif next_one == 0 or depth > MOST_NESTING:
            return False
        elif depth == 0 and (next_one == c',' or next_one == c':'):
            return False
        else:
            # a number, a word, or what stands between values
            text.at += 1
            if depth == 0:
                while text.at < text.end and text.at[0] != c',' and text.at[0] != c'}' and text.at[0] > c' ':
                    text.at += 1
        if depth < 0:
            return False
        if depth == 0:
            return True


cdef bint take_count(Text* text, u64* number) noexcept nogil:
    """Read a whole number below 2^56."""
    cdef const char* first
    peek(text)
    first = text.at
    number[0] = 0
    while text.at < text.end and c'0' <= text.at[0] <= c'9':
        number[0] = 10 * number[0] + (text.at[0] - c'0')
        text.at += 1
        if number[0] >> 56:
            return False
    return text.at > first


cdef inline bint is_word(const char* text, u64 size, const char* word) noexcept nogil:
    return strlen(word) == size and memcmp(text, word, size) == 0


cdef bint take_field(Text* text, const char* name, u64 name_size, FileHeader* header) noexcept nogil:
    """Read a field of the header, and keep it if it counts."""
    cdef const char* word
    cdef u64 size
    cdef int i
    if is_word(name, name_size, b"kind"):
        if not take_string(text, &word, &size):
            return False
        header.distances = is_word(word, size, b"dtw")
        return header.distances or is_word(word, size, b"wld")
    if is_word(name, name_size, b"stored"):
        if not take_string(text, &word, &size) or size != 4:
            return False
        for i in range(4):
            header.shape[i] = word[i] - c'0'
            if not 0 <= header.shape[i] < EGDB_MAX_PIECES:
                return False
        # as describe_slice wants it
        return (header.shape[0] + header.shape[1] > 0 and header.shape[2] + header.shape[3] > 0
                and header.shape[0] + header.shape[1] + header.shape[2] + header.shape[3] <= EGDB_MAX_PIECES)
    if is_word(name, name_size, b"entries"):
        return take_count(text, &header.entries)
    if is_word(name, name_size, b"block_bits"):
        return take_count(text, &header.block_bits)
    if is_word(name, name_size, b"index_bytes"):
        return take_count(text, &header.index_bytes)
    if is_word(name, name_size, b"data_bytes"):
        return take_count(text, &header.data_bytes)
    if is_word(name, name_size, b"codes"):
        peek(text)
        header.codes = text.at
    return skip_value(text)


cdef bint parse_header(Text* text, FileHeader* header) noexcept nogil:
    """Read the header, `header` being all zeros; False if it isn't one."""
    cdef const char* name
    cdef u64 size
    if not take_character(text, c'{'):
        return False
    while True:
        if not take_string(text, &name, &size) or not take_character(text, c':'):
            return False
        if not take_field(text, name, size, header):
            return False
        if take_character(text, c'}'):
            break
        if not take_character(text, c','):
            return False
    return (header.shape[0] + header.shape[1] > 0 and header.codes != NULL
            and fit_blocks(header.entries, <int>min(header.block_bits, 99)))


cdef bint take_code(Text* text, uint8_t* lengths, u64 symbols) noexcept nogil:
    """Read the lengths of a code, a hexadecimal digit each; those that aren't there are 0."""
    cdef const char* digits
    cdef u64 size, i
    cdef int digit
    if not take_string(text, &digits, &size) or size > symbols:
        return False
    memset(lengths, 0, symbols)
    for i in range(size):
        digit = digits[i] | 32
        digit -= c'0' if digit <= c'9' else c'a' - 10
        if not 0 <= digit <= 15:
            return False
        lengths[i] = <uint8_t>digit
    return True


cdef bint take_codes(const FileHeader* header, const char* end, uint8_t* lengths) noexcept nogil:
    """Read all code lengths, of `code_symbols` together."""
    cdef Text text
    cdef u64 runs = 1 + run_classes(<int>header.block_bits)
    cdef u64 symbols
    cdef int i
    cdef int codes = 2 * DISTANCE_CONTEXTS if header.distances else 3
    text.at = header.codes
    text.end = end
    if not take_character(&text, c'['):
        return False
    for i in range(codes):
        if i and not take_character(&text, c','):
            return False
        if header.distances:
            symbols = runs if i < DISTANCE_CONTEXTS else DISTANCE_DIFFERENCES
        else:
            symbols = run_symbols(<int>header.block_bits)
        if not take_code(&text, lengths, symbols):
            return False
        lengths += symbols
    return take_character(&text, c']')


cdef inline u64 aligned_bytes(u64 size) noexcept nogil:
    return (size + EGDB_ALIGNMENT - 1) // EGDB_ALIGNMENT * EGDB_ALIGNMENT


cdef int open_header(const uint8_t* fixed, const char* json, u64 json_bytes, u64 size, FileHeader* header,
                     CodedPlace* place, uint8_t** lengths) noexcept nogil:
    """Read a file's header and say where its entries stand; KR_OK or an error.

    fixed: its first FIXED_BYTES, which are those of a database; size: of the file; lengths: to free after use.
    """
    cdef Text text
    cdef u64 body_bytes
    cdef u32 check
    memset(header, 0, sizeof(FileHeader))
    memset(place, 0, sizeof(CodedPlace))
    check = crc32_on(crc32_on(0, fixed, FIXED_BYTES - 4), <const uint8_t*>json, json_bytes)
    text.at = json
    text.end = json + json_bytes
    if check != load32(fixed + 16) or not parse_header(&text, header):
        return KR_DAMAGED
    place.distances = header.distances
    place.block_bits = <int>header.block_bits
    place.length_count = code_symbols(header.distances, place.block_bits)
    lengths[0] = <uint8_t*>malloc(place.length_count)
    if lengths[0] == NULL:
        return KR_NO_MEMORY
    if header.data_bytes >> 32 or not take_codes(header, text.end, lengths[0]):
        return KR_DAMAGED
    place.lengths = lengths[0]
    place.size = size
    place.entries = header.entries
    place.index_bytes = header.index_bytes
    place.data_bytes = header.data_bytes
    place.body = aligned_bytes(FIXED_BYTES + json_bytes)
    body_bytes = header.index_bytes + header.data_bytes + CODE_PAD
    place.checks = place.body + aligned_bytes(body_bytes)
    if place.checks + 4 * ((body_bytes - 1) // CODE_CHUNK + 1) != size:
        return KR_DAMAGED
    return KR_OK
