-- A role for Tidegate that owns its database and may do nothing else on the server. Run by psql as a superuser.
\set password `cat /run/secrets/tidegate-password`
CREATE ROLE tidegate LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE tidegate OWNER tidegate;
REVOKE ALL ON DATABASE tidegate FROM PUBLIC;
