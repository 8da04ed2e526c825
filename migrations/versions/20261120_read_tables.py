"""The read tables: everything here can be thrown away and folded again from the log.

The tables and their partitions belong to the owner. The writer changes rows, and has functions that make, attach,
analyze and drop the partitions of a run, and do nothing else (docs/decisions/the-writer-owns-nothing.md).
"""

from __future__ import annotations

from alembic import op

revision = "20261120_read_tables"
down_revision = "20261120_event_log"
branch_labels = None
depends_on = None

READ_TABLES = """
-- Rows that do not depend on the rules. All runs share them; they are folded up to the official run's position.
CREATE TABLE league (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    name text NOT NULL,
    time_zone text NOT NULL
);
CREATE TABLE players (
    player_id text COLLATE "C" PRIMARY KEY,
    name text,
    region text COLLATE "C",
    registered_at timestamptz NOT NULL
);
ALTER TABLE players ALTER COLUMN name SET STATISTICS 0;  -- no samples that outlive the name, as with its key
CREATE INDEX players_region_idx ON players (region);
CREATE TABLE seasons (
    season_id text COLLATE "C" PRIMARY KEY,
    name text NOT NULL,
    starts_at timestamptz NOT NULL,
    ends_at timestamptz
);
CREATE TABLE editions (
    hash text COLLATE "C" PRIMARY KEY,
    edition integer UNIQUE,            -- null: a candidate that a run uses, not published
    title text NOT NULL,
    document bytea NOT NULL
);
-- Merged ids: each is read as another id, because one person was registered twice.
CREATE TABLE player_aliases (
    player_id text COLLATE "C" PRIMARY KEY,
    merged_into text COLLATE "C" NOT NULL,     -- an id that may itself be merged into another
    canonical_id text COLLATE "C" NOT NULL
);
CREATE INDEX player_aliases_canonical_idx ON player_aliases (canonical_id);
CREATE TABLE match_facts (
    match_id text COLLATE "C" PRIMARY KEY,
    began_at timestamptz NOT NULL,
    changed_position bigint NOT NULL,
    state bytea NOT NULL
);
CREATE INDEX match_facts_began_idx ON match_facts (began_at, match_id);
CREATE TABLE match_players (
    player_id text COLLATE "C" NOT NULL,
    began_at timestamptz NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    PRIMARY KEY (player_id, began_at, match_id)
);

-- A run is the whole league folded under one timeline of the rules.
CREATE TABLE runs (
    run integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    timeline jsonb NOT NULL,           -- [{"start", "hash"}], starts ascending, the first null
    code text NOT NULL,                -- the version of the folds
    position bigint NOT NULL,          -- folded up to here
    latest_decided_at timestamptz,
    ready boolean NOT NULL DEFAULT false,
    created_at timestamptz NOT NULL DEFAULT clock_timestamp()
);
CREATE TABLE official_run (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    run integer NOT NULL REFERENCES runs
);

-- The generation. Changes of rows that do not move the official run's position raise it, such as an erased name or
-- another official run. It begins with the time, so that a restored league under the same URL repeats no value.
CREATE TABLE generation (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    number bigint NOT NULL
);
INSERT INTO generation (number) VALUES (extract(epoch FROM clock_timestamp()));

-- The rows of a run are in partitions of their own, in the schema `runs`: matches_1, hands_1, …
CREATE TABLE matches (
    run integer NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    ruleset text COLLATE "C" NOT NULL,
    mode text COLLATE "C" NOT NULL,
    competition text COLLATE "C" NOT NULL,
    began_at timestamptz NOT NULL,
    decided_at timestamptz,            -- null: open or voided
    seats text[] NOT NULL,
    status text NOT NULL,
    winner smallint,
    score integer[],
    last_hand smallint,
    announced jsonb,
    terms jsonb NOT NULL,
    not_judged text[] NOT NULL,
    edition text COLLATE "C" NOT NULL,
    position bigint,                   -- of the event that decided it
    decided bytea,                     -- what the fold of the league reads; null: open or voided
    PRIMARY KEY (run, match_id)
) PARTITION BY LIST (run);
CREATE INDEX matches_decided_idx ON matches (run, decided_at, match_id) WHERE decided IS NOT NULL;
CREATE INDEX matches_began_idx ON matches (run, began_at, match_id);

CREATE TABLE hands (
    run integer NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    hand smallint NOT NULL,
    ruleset text COLLATE "C" NOT NULL,
    winner smallint,
    winning_seat smallint,
    ended_by text NOT NULL,
    points integer[] NOT NULL,
    terms jsonb NOT NULL,
    not_judged text[] NOT NULL,
    counted boolean NOT NULL,
    position bigint NOT NULL,
    winner_by text,                    -- facts or stated; null where no side has won
    stated_winner smallint,
    PRIMARY KEY (run, match_id, hand)
) PARTITION BY LIST (run);

CREATE TABLE changes (
    run integer NOT NULL,
    decided_at timestamptz NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    mode text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    before double precision NOT NULL,
    after double precision NOT NULL,
    k double precision NOT NULL,
    k_rule text NOT NULL,
    outcome double precision NOT NULL,
    expected double precision NOT NULL,
    modifier double precision NOT NULL,
    modifier_terms jsonb NOT NULL,     -- [[rule, value]]
    capped boolean NOT NULL,
    opponents double precision NOT NULL, -- the rating that E was computed against
    own double precision NOT NULL,     -- this side's rating that E was computed from
    matches_before integer NOT NULL,
    edition text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (run, subject, id, decided_at, match_id)
) PARTITION BY LIST (run);
CREATE INDEX changes_order_idx ON changes (run, decided_at, match_id);
CREATE INDEX changes_match_idx ON changes (run, match_id);

CREATE TABLE ratings (
    run integer NOT NULL,
    mode text COLLATE "C" NOT NULL,    -- 1v1, 2v2, overall
    subject text COLLATE "C" NOT NULL, -- player, team
    id text COLLATE "C" NOT NULL,
    rating double precision NOT NULL,
    matches integer NOT NULL,
    provisional boolean NOT NULL,
    last_decided_at timestamptz NOT NULL, -- of the latest match in the mode; overall: of any match
    PRIMARY KEY (run, subject, id, mode)
) PARTITION BY LIST (run);
CREATE INDEX ratings_board_idx ON ratings (run, subject, mode, provisional, rating DESC, id);

-- A decided match as one of its players sees it; statistics are sums over these rows.
CREATE TABLE appearances (
    run integer NOT NULL,
    player_id text COLLATE "C" NOT NULL,
    began_at timestamptz NOT NULL,
    decided_at timestamptz NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    mode text COLLATE "C" NOT NULL,
    competition text COLLATE "C" NOT NULL,
    ruleset text COLLATE "C" NOT NULL,
    side smallint NOT NULL,
    won boolean NOT NULL,
    own_score integer,                 -- null: without points
    other_score integer,               -- the best of the others
    hands_won smallint NOT NULL,       -- by the side
    hands_won_by_block smallint NOT NULL,
    capicuas smallint NOT NULL,        -- by the player
    viajeras smallint NOT NULL,
    blocks smallint NOT NULL,          -- hands won by a block, as the seat that is credited
    pollona boolean NOT NULL,
    pollona_suffered boolean NOT NULL,
    trailed_by integer NOT NULL,       -- the most points that the winner was behind; 0 for a loser
    partner text COLLATE "C",
    opponents text[] NOT NULL,
    PRIMARY KEY (run, player_id, decided_at, match_id)
) PARTITION BY LIST (run);
CREATE INDEX appearances_match_idx ON appearances (run, match_id);

CREATE TABLE achievements (
    run integer NOT NULL,
    player_id text COLLATE "C" NOT NULL,
    matches integer NOT NULL,          -- of any kind
    hands_won integer NOT NULL,
    capicuas integer NOT NULL,
    viajeras integer NOT NULL,
    pollonas integer NOT NULL,
    PRIMARY KEY (run, player_id)
) PARTITION BY LIST (run);
CREATE INDEX achievements_capicuas_idx ON achievements (run, capicuas DESC, player_id);
CREATE INDEX achievements_viajeras_idx ON achievements (run, viajeras DESC, player_id);
CREATE INDEX achievements_pollonas_idx ON achievements (run, pollonas DESC, player_id);

CREATE TABLE badges (
    run integer NOT NULL,
    player_id text COLLATE "C" NOT NULL,
    badge text COLLATE "C" NOT NULL,   -- measure and threshold, streak-5
    measure text COLLATE "C" NOT NULL,
    threshold integer NOT NULL,
    earned_at timestamptz NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    position bigint NOT NULL,          -- of the event that decided the match
    PRIMARY KEY (run, player_id, badge)
) PARTITION BY LIST (run);
CREATE INDEX badges_order_idx ON badges (run, earned_at, match_id);

CREATE TABLE checkpoints (
    run integer NOT NULL,
    decided_at timestamptz NOT NULL,
    match_id text COLLATE "C" NOT NULL,
    state bytea NOT NULL,
    PRIMARY KEY (run, decided_at, match_id)
) PARTITION BY LIST (run);

-- The play metrics of each seat in a hand. They follow from the turns alone, so all runs share them.
CREATE TABLE play_metrics (
    match_id text COLLATE "C" NOT NULL,
    seat smallint NOT NULL,
    hand smallint NOT NULL,
    player_id text COLLATE "C" NOT NULL,
    turns smallint NOT NULL,
    passes smallint NOT NULL,
    passes_caused smallint NOT NULL,
    timed smallint NOT NULL,           -- plays whose time is known
    milliseconds bigint NOT NULL,      -- the sum of these times
    led smallint[],                    -- the halves of the tile with which the player led the hand
    closed_by text COLLATE "C",        -- how the hand ended, if the player played its last tile
    pips smallint,                     -- held at the end
    PRIMARY KEY (match_id, seat, hand)
);
-- The position up to which the log is counted, and the version of the counting.
CREATE TABLE play_progress (
    singleton boolean PRIMARY KEY DEFAULT true CHECK (singleton),
    position bigint NOT NULL,
    code text NOT NULL
);
CREATE INDEX stored_events_of_play_idx ON stored_events (position)
    WHERE topic IN (
        'hand-transcribed/1', 'hand-corrected/1', 'table-hand-ended/1', 'players-merged/1', 'merge-undone/1');

GRANT SELECT, INSERT, UPDATE, DELETE ON play_metrics, play_progress TO league_writer;
GRANT SELECT ON play_metrics TO league_reader;
GRANT SELECT, INSERT, UPDATE, DELETE ON league, players, player_aliases, seasons, editions, match_facts, match_players,
    runs, official_run, generation, matches, hands, changes, ratings, appearances, achievements, badges, checkpoints
    TO league_writer;
-- The rows that public queries read. They follow from the generation, the official run and its position alone.
GRANT SELECT ON league, players, player_aliases, seasons, editions, match_facts, match_players, matches, hands, changes,
    ratings, appearances, achievements, badges TO league_reader;
GRANT SELECT (run, timeline, position, latest_decided_at, created_at) ON runs TO league_reader;
-- A restore goes on counting where the backup was made.
GRANT SELECT, UPDATE ON SEQUENCE runs_run_seq TO league_writer;

-- Each table that has partitions, and the partition of a run.
CREATE FUNCTION tables_of_run(run integer) RETURNS TABLE (parent text, part text)
LANGUAGE sql STABLE SET search_path = pg_catalog, pg_temp AS $$
    SELECT format('league.%I', relname), format('runs.%I', relname || '_' || run) FROM pg_class
    WHERE relnamespace = 'league'::regnamespace AND relkind = 'p' ORDER BY oid
$$;

-- Makes the partitions of a run. No reader sees them before they are attached. Tables that a fold only fills get their
-- indexes when they are attached: to build an index takes less time than to keep it up with every row.
CREATE FUNCTION make_run(run integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT * FROM league.tables_of_run(run) LOOP
        EXECUTE format(
            'CREATE TABLE %s (LIKE %s INCLUDING ALL %s, CHECK (run = %s))', made.part, made.parent,
            CASE WHEN made.parent IN (
                'league.appearances', 'league.changes', 'league.ratings', 'league.achievements', 'league.badges',
                'league.standings'
            ) THEN 'EXCLUDING INDEXES' END, run);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %s TO league_writer', made.part);
    END LOOP;
    -- The rows of a match are replaced whenever more of it is read.
    EXECUTE format('CREATE INDEX ON runs.appearances_%s (run, match_id)', run);
END $$;

CREATE FUNCTION attach_run(run integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
DECLARE
    made record;
BEGIN
    FOR made IN SELECT * FROM league.tables_of_run(run) LOOP
        EXECUTE format('ALTER TABLE %s ATTACH PARTITION %s FOR VALUES IN (%s)', made.parent, made.part, run);
    END LOOP;
END $$;

-- A quarter of the usual sample leads to the same plans, and takes a quarter of the time. No plan depends on lists,
-- documents and numbers outside of indexes. With a list of columns, ANALYZE leaves out the expressions of indexes.
CREATE FUNCTION analyze_run(run integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp SET default_statistics_target = 25 AS $$
DECLARE
    made record;
BEGIN
    FOR made IN
        SELECT part, (
            SELECT '(' || string_agg(quote_ident(attname), ', ') || ')'
            FROM pg_attribute JOIN pg_type ON pg_type.oid = atttypid
            WHERE attrelid = part::regclass AND attnum > 0 AND NOT attisdropped AND (
                typcategory NOT IN ('A', 'U', 'N')
                OR EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND attnum = ANY (indkey))
            ) AND NOT EXISTS (SELECT FROM pg_index WHERE indrelid = attrelid AND indexprs IS NOT NULL)
        ) AS columns
        FROM league.tables_of_run(run)
    LOOP
        EXECUTE format('ANALYZE %s %s', made.part, made.columns);
    END LOOP;
END $$;

CREATE FUNCTION drop_run(run integer) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
BEGIN
    EXECUTE (SELECT 'DROP TABLE IF EXISTS ' || string_agg(part, ', ') FROM league.tables_of_run(run));
END $$;

-- The state of the read side: generation, official run and its position, as a JSON array; null without a run.
CREATE FUNCTION read_state() RETURNS text LANGUAGE sql STABLE AS $$
    SELECT json_build_array(number, run, position)::text FROM generation, official_run JOIN runs USING (run)
$$;
-- Tells the processes that serve the league the state that this transaction makes. It waits for a transaction that has
-- raised the generation, and holds up those that want to, so that the last one to commit tells the state of them all.
CREATE FUNCTION tell_state() RETURNS void LANGUAGE sql AS $$
    SELECT FROM generation FOR SHARE;
    SELECT pg_notify('league_projected', read_state());
$$;
CREATE FUNCTION raise_generation() RETURNS void LANGUAGE sql AS $$
    UPDATE generation SET number = number + 1;
    SELECT tell_state();
$$;

REVOKE EXECUTE ON FUNCTION make_run, attach_run, analyze_run, drop_run FROM PUBLIC;
GRANT EXECUTE ON FUNCTION make_run, attach_run, analyze_run, drop_run TO league_writer;
"""


def upgrade() -> None:
    """Create the read tables, and the functions for the partitions of a run."""
    op.execute(READ_TABLES)
