"""The event log: append and read events. The only package that imports `eventsourcing`."""
