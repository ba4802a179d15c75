-- Creates the role of Tidegate: it owns its database and has no other rights. Run by psql as a superuser.
\set password `cat /run/secrets/tidegate-password`
CREATE ROLE tidegate LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE tidegate OWNER tidegate;
REVOKE ALL ON DATABASE tidegate FROM PUBLIC;
