-- Facts of the league's schemas: (object, detail), each object once. The catalogue of PostgreSQL 15 to 18 gives the same.
WITH ours AS (
    SELECT oid, nspname, nspowner, nspacl FROM pg_namespace WHERE nspname IN ('league', 'runs')
), relations AS (
    SELECT c.*, format('%I.%I', nspname, relname) AS name, nspname = 'runs' AS of_run,
           CASE relkind WHEN 'r' THEN 'table' WHEN 'p' THEN 'table' WHEN 'v' THEN 'view' WHEN 'm' THEN 'materialized view'
                        WHEN 'f' THEN 'foreign table' WHEN 'S' THEN 'sequence' WHEN 'c' THEN 'type' END AS kind
    FROM pg_class AS c JOIN ours ON ours.oid = relnamespace
), functions AS (
    SELECT p.*, format('%I.%I(%s)', nspname, proname, pg_get_function_identity_arguments(p.oid)) AS name
    FROM pg_proc AS p JOIN ours ON ours.oid = pronamespace
), types AS (
    SELECT t.*, format('%I.%I', nspname, typname) AS name FROM pg_type AS t JOIN ours ON ours.oid = typnamespace
    WHERE typtype IN ('d', 'e', 'r', 'b') AND typelem = 0
), of_extensions AS (
    SELECT classid, objid FROM pg_depend WHERE deptype = 'e'
), program AS (
    -- The roles of the league, and logins that may act as the writer but not become the owner.
    SELECT oid, rolname FROM pg_roles
    WHERE rolname IN ('league_owner', 'league_writer', 'league_reader') OR NOT rolsuper
        AND pg_has_role(oid, 'league_writer', 'MEMBER') AND NOT pg_has_role(oid, 'league_owner', 'MEMBER')
), this AS (
    SELECT oid, datdba, coalesce(datacl, acldefault('d', datdba)) AS acl
    FROM pg_database WHERE datname = current_database()
), rights AS (
    -- PUBLIC has number 0. Rights of the owner are not told: newer versions know more of them.
    SELECT kind || ' ' || name AS object, relowner AS owner, relacl AS acl FROM relations WHERE kind IS NOT NULL
    UNION ALL SELECT 'schema ' || nspname, nspowner, nspacl FROM ours
    UNION ALL SELECT 'function ' || name, proowner, coalesce(proacl, acldefault('f', proowner)) FROM functions
    UNION ALL SELECT 'type ' || name, typowner, coalesce(typacl, acldefault('T', typowner)) FROM types
    UNION ALL SELECT format('column %s.%I', name, attname), relowner, attacl
              FROM relations JOIN pg_attribute ON attrelid = relations.oid WHERE attnum > 0 AND NOT attisdropped
)
SELECT 'schema ' || nspname, 'owner ' || nspowner::regrole FROM ours
UNION ALL
SELECT kind || ' ' || name, concat_ws(
    ', ', 'owner ' || relowner::regrole,
    CASE relpersistence WHEN 'u' THEN 'unlogged' END,
    CASE WHEN relkind = 'p' THEN 'partitioned by ' || pg_get_partkeydef(oid) END,
    CASE WHEN relispartition THEN 'partition of ' || (
        SELECT format('%I.%I', nspname, p.relname) FROM pg_inherits
        JOIN pg_class AS p ON p.oid = inhparent JOIN pg_namespace AS n ON n.oid = p.relnamespace
        WHERE inhrelid = relations.oid) || ' ' || pg_get_expr(relpartbound, oid) END,
    CASE WHEN relrowsecurity THEN 'row security' END, CASE WHEN relforcerowsecurity THEN 'row security forced' END,
    -- Since PostgreSQL 16 a view of one table is written without the table's name before each column.
    CASE WHEN relkind IN ('v', 'm') THEN
        regexp_replace(pg_get_viewdef(oid), '\m\w+\.(?=[\w"])', '', 'g') || ' of ' || (
            SELECT string_agg(DISTINCT named.identity, ' and ' ORDER BY named.identity)
            FROM pg_rewrite AS r JOIN pg_depend AS d ON d.classid = 'pg_rewrite'::regclass AND d.objid = r.oid,
                pg_identify_object(refclassid, refobjid, 0) AS named
            WHERE r.ev_class = relations.oid AND refobjid <> relations.oid)
        || coalesce(' with ' || array_to_string(reloptions, ', '), '') END,
    CASE WHEN relkind = 'S' THEN (
        SELECT concat_ws(' ', seqtypid::regtype, seqstart, seqincrement, seqmin, seqmax, seqcycle)
        FROM pg_sequence WHERE seqrelid = relations.oid) END
) FROM relations WHERE kind IS NOT NULL
UNION ALL
SELECT format('column %s.%I', name, attname), concat_ws(
    ', ', format_type(atttypid, atttypmod),
    CASE WHEN attnotnull THEN 'not null' END,
    CASE WHEN attcollation NOT IN (0, 100) THEN 'collation ' || attcollation::regcollation END,
    CASE attidentity WHEN 'a' THEN 'identity always' WHEN 'd' THEN 'identity by default' END,
    CASE WHEN attgenerated <> '' THEN 'generated ' || attgenerated::text END,
    'default ' || pg_get_expr(adbin, adrelid),
    CASE WHEN attstattarget = 0 THEN 'no statistics' END
) FROM relations JOIN pg_attribute ON attrelid = relations.oid AND attnum > 0 AND NOT attisdropped
LEFT JOIN pg_attrdef ON adrelid = attrelid AND adnum = attnum
WHERE kind IS NOT NULL AND relkind <> 'S'
UNION ALL
-- Not null is a fact of its column; PostgreSQL 18 makes it a constraint, too. Names of a run's own are cut at 63 bytes.
SELECT CASE WHEN of_run THEN format('constraint on %s %s', name, pg_get_constraintdef(k.oid))
            ELSE format('constraint %I on %s', conname, name) END,
       CASE WHEN of_run THEN 'there' ELSE pg_get_constraintdef(k.oid) END
FROM pg_constraint AS k JOIN relations ON relations.oid = conrelid WHERE contype NOT IN ('n', 't')
UNION ALL
-- A foreign key from elsewhere keeps rows of the league from being changed.
SELECT format('constraint %I of %s', conname, conrelid::regclass), pg_get_constraintdef(k.oid)
FROM pg_constraint AS k JOIN relations ON relations.oid = confrelid
WHERE contype = 'f' AND NOT EXISTS (SELECT FROM relations AS r WHERE r.oid = conrelid)
UNION ALL
SELECT DISTINCT CASE WHEN t.of_run THEN format('index on %s%s %s', t.name, CASE WHEN indisunique THEN ' unique' END,
                                      regexp_replace(pg_get_indexdef(i.oid), '^.* USING ', ''))
            ELSE format('index %s', i.name) END,
       concat_ws(', ', CASE WHEN t.of_run THEN 'there' ELSE pg_get_indexdef(i.oid) END,
                 CASE WHEN NOT indisvalid THEN 'not valid' END, CASE WHEN NOT indisready THEN 'not ready' END)
FROM relations AS i JOIN pg_index ON indexrelid = i.oid JOIN relations AS t ON t.oid = indrelid
UNION ALL
-- The system's own triggers, of foreign keys, are told only when they are off.
SELECT format('trigger %I on %s', tgname, name), pg_get_triggerdef(t.oid) || CASE tgenabled
    WHEN 'O' THEN ', on' WHEN 'D' THEN ', disabled' WHEN 'A' THEN ', always on' ELSE ', on for replicas only' END
FROM pg_trigger AS t JOIN relations ON relations.oid = tgrelid WHERE NOT tgisinternal OR tgenabled <> 'O'
UNION ALL
SELECT format('rule %I on %s', rulename, name), CASE WHEN rulename = '_RETURN' THEN 'of the view'
    ELSE pg_get_ruledef(r.oid) END || CASE WHEN ev_enabled <> 'O' THEN ', enabled ' || ev_enabled::text ELSE '' END
FROM pg_rewrite AS r JOIN relations ON relations.oid = ev_class
UNION ALL
SELECT format('policy %I on %s', polname, name), concat_ws(
    ', ', CASE WHEN polpermissive THEN 'permissive' ELSE 'restrictive' END, 'for ' || polcmd::text,
    'using ' || pg_get_expr(polqual, polrelid), 'check ' || pg_get_expr(polwithcheck, polrelid))
FROM pg_policy JOIN relations ON relations.oid = polrelid
UNION ALL
-- Rows of a table that inherits are rows of its parent.
SELECT format('table %s under %s', inhrelid::regclass, name), 'inherits'
FROM pg_inherits JOIN relations ON relations.oid = inhparent
WHERE NOT EXISTS (SELECT FROM relations AS r WHERE r.oid = inhrelid AND (r.relispartition OR r.relkind IN ('i', 'I')))
UNION ALL
SELECT 'function ' || name, concat_ws(
    ', ', 'owner ' || proowner::regrole, 'language ' || lanname, 'kind ' || prokind::text,
    'returns ' || pg_get_function_result(p.oid), 'volatility ' || provolatile::text, 'parallel ' || proparallel::text,
    CASE WHEN prosecdef THEN 'rights of the owner' END, CASE WHEN proisstrict THEN 'strict' END,
    CASE WHEN proleakproof THEN 'leakproof' END, 'set ' || array_to_string(proconfig, ', '),
    'arguments ' || nullif(pg_get_function_arguments(p.oid), ''),
    'support ' || nullif(prosupport, 0)::regproc::text, 'library ' || probin,
    'text ' || left(encode(sha256(convert_to(coalesce(pg_get_function_sqlbody(p.oid), prosrc), 'UTF8')), 'hex'), 16))
FROM functions AS p JOIN pg_language AS l ON l.oid = prolang
UNION ALL
SELECT 'type ' || name, concat_ws(
    ', ', 'owner ' || typowner::regrole, 'kind ' || typtype::text,
    (SELECT string_agg(enumlabel, ' ' ORDER BY enumsortorder) FROM pg_enum WHERE enumtypid = types.oid),
    CASE WHEN typtype = 'd' THEN format_type(typbasetype, typtypmod) END, 'default ' || typdefault)
FROM types
UNION ALL
SELECT format('rights of %s on %s', CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END, object),
       string_agg(privilege_type || CASE WHEN is_grantable THEN ' with grant option' ELSE '' END, ', '
                  ORDER BY privilege_type)
FROM rights, aclexplode(acl) WHERE grantee <> owner GROUP BY grantee, object
UNION ALL
SELECT format('default rights of objects of %s%s', defaclrole::regrole, ' in ' || nspname),
       string_agg(defaclobjtype::text || ' ' || defaclacl::text, ' and ' ORDER BY defaclobjtype)
FROM pg_default_acl LEFT JOIN pg_namespace AS n ON n.oid = defaclnamespace
WHERE defaclrole = 'league_owner'::regrole OR defaclnamespace IN (SELECT oid FROM ours)
GROUP BY defaclrole, nspname
UNION ALL
-- What is searched before, or fits better than, what the system has.
SELECT 'operator ' || o.oid::regoperator, 'calls ' || oprcode FROM pg_operator AS o JOIN ours ON ours.oid = oprnamespace
UNION ALL
SELECT format('cast from %s to %s', castsource::regtype, casttarget::regtype),
       coalesce('calls ' || nullif(castfunc, 0)::regprocedure, 'without a function') || ', ' || castcontext::text
FROM pg_cast AS c WHERE c.oid >= 16384
    AND NOT EXISTS (SELECT FROM of_extensions WHERE classid = 'pg_cast'::regclass AND objid = c.oid)
    AND (castsource < 16384 AND casttarget < 16384 OR castfunc IN (SELECT oid FROM functions))
UNION ALL
SELECT format('%s %I.%I', kind, nspname, name), 'there'
FROM (SELECT 'collation' AS kind, collname AS name, collnamespace AS schema FROM pg_collation
      UNION ALL SELECT 'conversion', conname, connamespace FROM pg_conversion
      UNION ALL SELECT 'operator class', opcname, opcnamespace FROM pg_opclass
      UNION ALL SELECT 'operator family', opfname, opfnamespace FROM pg_opfamily
      UNION ALL SELECT 'text search configuration', cfgname, cfgnamespace FROM pg_ts_config
      UNION ALL SELECT 'text search dictionary', dictname, dictnamespace FROM pg_ts_dict
      UNION ALL SELECT 'statistics', stxname, stxnamespace FROM pg_statistic_ext) AS other
JOIN ours ON ours.oid = schema
UNION ALL
SELECT format('event trigger %I', evtname), format(
    'on %s, calls %s%s', evtevent, evtfoid::regprocedure, CASE WHEN evtenabled = 'D' THEN ', disabled' END)
FROM pg_event_trigger AS e
WHERE NOT EXISTS (SELECT FROM of_extensions WHERE classid = 'pg_event_trigger'::regclass AND objid = e.oid)
UNION ALL
SELECT DISTINCT format('subscription into %s', name), 'there'
FROM pg_subscription_rel JOIN relations ON relations.oid = srrelid
UNION ALL
SELECT 'role ' || rolname, coalesce(nullif(concat_ws(
    ', ', CASE WHEN rolsuper THEN 'superuser' END, CASE WHEN rolbypassrls THEN 'bypasses row security' END,
    CASE WHEN rolcreaterole THEN 'creates roles' END, CASE WHEN rolcreatedb THEN 'creates databases' END,
    CASE WHEN rolreplication THEN 'replicates' END, CASE WHEN rolcanlogin THEN 'logs in' END,
    'member of ' || (SELECT string_agg(DISTINCT roleid::regrole::text, ' and ' ORDER BY roleid::regrole::text)
                     FROM pg_auth_members WHERE member = r.oid)), ''), 'no more')
FROM pg_roles AS r WHERE rolname IN ('league_owner', 'league_writer', 'league_reader')
UNION ALL
-- It could make schemas beside the league's, and set what the statements of others do.
SELECT format('owner %I of the database', rolname), 'it may act as the writer' FROM program JOIN this ON datdba = program.oid
UNION ALL
SELECT DISTINCT format('rights of %s on the database', CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END),
       privilege_type
FROM this, aclexplode(acl) JOIN program ON grantee = 0 OR pg_has_role(program.oid, grantee, 'MEMBER')
WHERE privilege_type = 'CREATE' AND grantee <> datdba
UNION ALL
-- They turn triggers off, choose what a name means, and make a dump leave rows out.
SELECT concat('setting ', split_part(setting, '=', 1), ' of role ' || nullif(setrole, 0)::regrole,
              CASE WHEN setdatabase <> 0 THEN ' in this database' END), setting
FROM pg_db_role_setting JOIN this ON setdatabase IN (0, this.oid), unnest(setconfig) AS setting
WHERE split_part(setting, '=', 1) = 'session_replication_role'
    OR split_part(setting, '=', 1) IN ('search_path', 'row_security') AND (
        setrole IN (SELECT 0 UNION ALL SELECT oid FROM program) OR setrole::regrole = session_user::regrole)
UNION ALL
SELECT format('setting %s of the server', name), name || '=' || reset_val
FROM pg_settings WHERE name IN ('session_replication_role', 'row_security') AND reset_val <> boot_val
    AND source IN ('configuration file', 'command line', 'environment variable')
