"""The domain of tournaments: plans, competitors, drawings, rounds with their tables, and the standing."""
