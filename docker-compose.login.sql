-- The login of the program. The postgres image runs this once, as the superuser, when its volume is still empty.
-- It may become league_writer, which appends to the log, and never league_owner, which could change it.
\getenv password PROGRAM_PASSWORD
CREATE ROLE league_writer NOLOGIN;
CREATE ROLE league_program LOGIN PASSWORD :'password' IN ROLE league_writer;
