"""A simulated league: one seed decides what people do, which statement runs next, and what goes wrong."""
