# The options of the search for Python.


cdef dict option_table():
    return {OPTION_ROWS[i].name.decode(): (OPTION_ROWS[i].usual, OPTION_ROWS[i].least, OPTION_ROWS[i].most,
                                           OPTION_ROWS[i].off, OPTION_ROWS[i].about.decode())
            for i in range(OPTION_COUNT)}


# name: default, lowest, highest, off, description
SEARCH_OPTIONS = option_table()


cdef SearchOptions search_options(dict settings) except *:
    """The default options, changed by those chosen by name.

    Raises ValueError for unknown names, for values that are not whole numbers, and for numbers out of range.
    """
    cdef SearchOptions chosen = DEFAULT_OPTIONS
    for name in settings:
        if name not in SEARCH_OPTIONS:
            raise ValueError(f"no search option {name!r}; one of {', '.join(SEARCH_OPTIONS)}")
        _, least, most, _, _ = SEARCH_OPTIONS[name]
        if not isinstance(settings[name], int):
            raise ValueError(f"search option {name} is {settings[name]!r}, not a whole number")
        if not least <= settings[name] <= most:
            raise ValueError(f"search option {name}: {settings[name]} is out of range; expected {least} to {most}")
    for i, name in enumerate(SEARCH_OPTIONS):
        if name in settings:
            (<int*>&chosen)[<int>i] = settings[name]
    return chosen
