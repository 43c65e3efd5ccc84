# Databases for C: from a folder, or from the bytes of files.

cdef enum:
    PATH_BYTES = 4096
    NAME_BYTES = 32

cdef struct OpenFile:
    # A file of a database: its entries, and what they are of.
    CodedSlice coded
    FileHeader header

cdef struct Store:
    # A database with all that it owns.
    Egdb db
    int count
    OpenFile* files          # which may move while they are being opened
    StoredSlice* slices      # of values or distances, one for each file
    uint8_t* memory          # unpacked values


cdef int STORES              # open ones, whose slices share MEN_OFFSETS; both are INDEXING's


cdef Store* new_store() noexcept nogil:
    """An empty one; NULL without memory."""
    global STORES
    cdef Store* store = <Store*>calloc(1, sizeof(Store))
    if store != NULL:
        acquire(&INDEXING)
        STORES += 1
        release(&INDEXING)
    return store


cdef void forget_store() noexcept nogil:
    """Count a store that is closed; after the last one free what they shared."""
    global STORES
    cdef int own, opponent
    acquire(&INDEXING)
    STORES -= 1
    if STORES == 0:
        for own in range(EGDB_MAX_PIECES):
            for opponent in range(EGDB_MAX_PIECES):
                free(MEN_OFFSETS[own][opponent])
                MEN_OFFSETS[own][opponent] = NULL
    release(&INDEXING)


cdef int open_entries(OpenFile* file, int descriptor, const uint8_t* memory, u64 size) noexcept nogil:
    """Open the entries of a file, `file` being all zeros; KR_OK or an error. memory: NULL to read the descriptor."""
    cdef uint8_t fixed[FIXED_BYTES]
    cdef char* json
    cdef CodedPlace place
    cdef uint8_t* lengths = NULL
    cdef u64 json_bytes
    cdef int error, failed
    if size < FIXED_BYTES:
        return KR_NOT_KR
    if memory != NULL:
        memcpy(fixed, memory, FIXED_BYTES)
    elif read_at(descriptor, fixed, FIXED_BYTES, 0):
        return KR_NO_FILE
    if memcmp(fixed, b"\x89KREGDB\n", 8):
        return KR_NOT_KR
    if load32(fixed + 8) != EGDB_VERSION:
        return KR_NEWER
    json_bytes = load32(fixed + 12)
    if json_bytes > min(size - FIXED_BYTES, <u64>MOST_HEADER_BYTES):
        return KR_DAMAGED
    json = <char*>malloc(json_bytes + 1)
    if json == NULL:
        return KR_NO_MEMORY
    error = KR_OK
    if memory != NULL:
        memcpy(json, memory + FIXED_BYTES, json_bytes)
    elif read_at(descriptor, <uint8_t*>json, json_bytes, FIXED_BYTES):
        error = KR_NO_FILE
    if error == KR_OK:
        error = open_header(fixed, json, json_bytes, size, &file.header, &place, &lengths)
    if error == KR_OK:
        place.descriptor = descriptor
        place.memory = memory
        failed = open_coded(&file.coded, &place)
        if failed == CODED_NO_MEMORY:
            error = KR_NO_MEMORY
        elif failed == CODED_DESCRIPTOR or failed == CODED_SHORT:
            # the system's limit, or a fault of the medium
            error = KR_NO_FILE
        elif failed:
            error = KR_DAMAGED
    free(lengths)
    free(json)
    return error


cdef int add_file(Store* store, int descriptor, const uint8_t* memory, u64 size) noexcept nogil:
    """Add a file to a database under construction; KR_OK or an error."""
    cdef OpenFile* files = <OpenFile*>realloc(store.files, (store.count + 1) * sizeof(OpenFile))
    cdef int error
    if files == NULL:
        return KR_NO_MEMORY
    store.files = files
    memset(files + store.count, 0, sizeof(OpenFile))
    error = open_entries(files + store.count, descriptor, memory, size)
    if error:
        close_coded(&files[store.count].coded)
        return error
    store.count += 1
    return KR_OK


cdef inline int file_number(const OpenFile* file) noexcept nogil:
    cdef FileHeader header = file.header
    return slice_number(header.shape[0], header.shape[1], header.shape[2], header.shape[3])


cdef inline int file_pieces(const OpenFile* file) noexcept nogil:
    cdef FileHeader header = file.header
    return header.shape[0] + header.shape[1] + header.shape[2] + header.shape[3]


cdef void mark_files(const Store* store, bint distances, uint8_t* present) noexcept nogil:
    """Mark the slices of the files of a kind; present: (SLICES,), by slice number."""
    cdef int i
    memset(present, 0, SLICES)
    for i in range(store.count):
        if store.files[i].header.distances == distances and file_pieces(&store.files[i]) <= EGDB_MAX_PIECES:
            present[file_number(&store.files[i])] = True


cdef inline bint is_used(const Egdb* db, const OpenFile* file) noexcept nogil:
    """True for a file of distances as far as they are complete, or of values of a class that is there."""
    cdef FileHeader header = file.header
    if file_pieces(file) > (db.distance_pieces if header.distances else db.most_pieces):
        return False
    return header.distances or db.classes[header.shape[0] + header.shape[1]][header.shape[2] + header.shape[3]]


cdef int put_together(Store* store, int unpacked) noexcept nogil:
    """Make a database of the files that were added; KR_OK or an error."""
    cdef uint8_t present[SLICES]
    cdef StoredSlice* s
    cdef OpenFile* file
    cdef u64 bytes = 0
    cdef int failed, i
    store.slices = <StoredSlice*>calloc(store.count + 1, sizeof(StoredSlice))
    if store.slices == NULL:
        return KR_NO_MEMORY
    mark_files(store, False, present)
    note_classes(&store.db, present)
    mark_files(store, True, present)
    store.db.distance_pieces = min(complete_pieces(present), store.db.pieces)
    if store.db.pieces < 2:
        return KR_NO_FILE
    for i in range(store.count):
        file = store.files + i
        s = store.slices + i
        if not is_used(&store.db, file):
            continue
        acquire(&INDEXING)
        failed = store_slice(s, &file.coded, file.header.shape[0], file.header.shape[1], file.header.shape[2],
                             file.header.shape[3])
        release(&INDEXING)
        if failed:
            return KR_NO_MEMORY if failed == -1 else KR_DAMAGED
        if file.header.distances:
            store.db.distances[file_number(file)] = s
        else:
            store.db.values[file_number(file)] = s
            if file_pieces(file) <= unpacked:
                bytes += packed_bytes(s.shape.size)
    if bytes == 0:
        return KR_OK
    store.memory = <uint8_t*>allocate_untouched(bytes)
    if store.memory == NULL:
        return KR_NO_MEMORY
    bytes = 0
    for i in range(store.count):
        s = store.slices + i
        if s.coded != NULL and not store.files[i].header.distances and file_pieces(store.files + i) <= unpacked:
            # a slice that turns out to be damaged stays packed
            if unpack_values(s.coded, store.memory + bytes) == 0:
                s.packed = store.memory + bytes
            bytes += packed_bytes(s.shape.size)
    return KR_OK


cdef char* pair_name(char* text, bint distances, int mine, int other) noexcept nogil:
    """Write the name of the file of a pair of slices, such as wld-2102.egdb; a side is 8 * men + kings."""
    memcpy(text, b"dtw-" if distances else b"wld-", 4)
    text[4] = <char>(c'0' + (mine >> 3))
    text[5] = <char>(c'0' + (mine & 7))
    text[6] = <char>(c'0' + (other >> 3))
    text[7] = <char>(c'0' + (other & 7))
    memcpy(text + 8, b".egdb", 6)
    return text


cdef int add_named(Store* store, const char* path) noexcept nogil:
    """Add a file by its path, if there is one."""
    cdef int descriptor = open_file(path)
    cdef int64_t size
    cdef int error
    if descriptor < 0:
        return KR_OK if no_such_file() else KR_NO_FILE
    size = file_size(descriptor)
    error = KR_NO_FILE if size < 0 else add_file(store, descriptor, NULL, <u64>size)
    close_descriptor(descriptor)
    return error


cdef bint has_file(const Store* store, bint distances, int mine, int other) noexcept nogil:
    """True if the file of a pair of slices was added: it may have either of them."""
    cdef int i, number
    for i in range(store.count):
        number = file_number(store.files + i)
        if store.files[i].header.distances == distances and number in (mine << 6 | other, other << 6 | mine):
            return True
    return False


cdef int add_folder(Store* store, const char* folder, u64 length) noexcept nogil:
    """Add the files of a folder that are not there yet, by the names that they must have."""
    cdef char path[PATH_BYTES]
    cdef int mine, other, pieces, error, distances
    if length == 0 or length + NAME_BYTES > PATH_BYTES:
        return KR_NO_FILE
    memcpy(path, folder, length)
    path[length] = c'/'
    for distances in range(2):
        for mine in range(1, 64):
            for other in range(1, 64):
                pieces = (mine >> 3) + (mine & 7) + (other >> 3) + (other & 7)
                if pieces > EGDB_MAX_PIECES or has_file(store, distances, mine, other):
                    continue
                pair_name(path + length + 1, distances, mine, other)
                error = add_named(store, path)
                if error:
                    return error
    return KR_OK


cdef int add_folders(Store* store, const char* folders) noexcept nogil:
    """Add the files of a folder, or of several with separators between them."""
    cdef u64 length = 0
    cdef int error = add_folder(store, folders, strlen(folders))
    if store.count > 0 or error == KR_NO_MEMORY:
        return error
    while True:
        if folders[length] != 0 and folders[length] != PATH_SEPARATOR:
            length += 1
            continue
        error = add_folder(store, folders, length) if length > 0 else KR_OK
        if error or folders[length] == 0:
            return error
        folders += length + 1
        length = 0


cdef int give_store(kr_database** database, Store* store, int unpacked, int error) noexcept nogil:
    """Put a database together unless there was an error, and give it to the caller."""
    database[0] = NULL
    if error == KR_OK:
        error = put_together(store, unpacked)
    if error:
        kr_close_database(<kr_database*>store)
        return error
    database[0] = <kr_database*>store
    return KR_OK


cdef public int kr_open_database(kr_database** database, const char* folder, int unpacked) noexcept nogil:
    cdef Store* store = new_store()
    database[0] = NULL
    if store == NULL:
        return KR_NO_MEMORY
    return give_store(database, store, unpacked, add_folders(store, folder))


cdef public int kr_read_database(kr_database** database, const kr_bytes* files, int count,
                                 int unpacked) noexcept nogil:
    cdef Store* store = new_store()
    cdef int error = KR_OK
    cdef int i
    database[0] = NULL
    if store == NULL:
        return KR_NO_MEMORY
    for i in range(count):
        if error == KR_OK:
            error = add_file(store, -1, <const uint8_t*>files[i].bytes, files[i].size)
    return give_store(database, store, unpacked, error)


cdef public void kr_close_database(kr_database* database) noexcept nogil:
    cdef Store* store = <Store*>database
    cdef int i
    if store != NULL:
        for i in range(store.count):
            close_coded(&store.files[i].coded)
        free(store.files)
        free(store.slices)
        free_pages(store.memory)
        free(store)
        forget_store()


cdef public int kr_database_pieces(const kr_database* database) noexcept nogil:
    return (<const Store*>database).db.pieces


cdef public int kr_has_class(const kr_database* database, int own, int other) noexcept nogil:
    if own < 0 or other < 0 or own > EGDB_MAX_PIECES or other > EGDB_MAX_PIECES or own + other > EGDB_MAX_PIECES:
        return 0
    return (<const Store*>database).db.classes[own][other]


cdef public int kr_distance_pieces(const kr_database* database) noexcept nogil:
    return (<const Store*>database).db.distance_pieces


cdef public int kr_value(const kr_database* database, const kr_position* position) noexcept nogil:
    cdef Board board
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    return egdb_value(&(<const Store*>database).db, &board)


cdef public int kr_distance(const kr_database* database, const kr_position* position) noexcept nogil:
    cdef Board board
    if kr_check(position):
        return KR_ILLEGAL
    board = board_of(position)
    return egdb_distance(&(<const Store*>database).db, &board)


cdef public void kr_values(const kr_database* database, const kr_position* positions, uint8_t* values,
                           size_t count) noexcept nogil:
    # four numbers each, as probe_boards reads them
    probe_boards(&(<const Store*>database).db, <const u32*>positions, values, count)
