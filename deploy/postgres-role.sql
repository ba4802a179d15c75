-- Creates the role of Tidegate: it owns its database and has no other rights. psql runs it as a superuser, with the password in
-- TIDEGATE_PASSWORD, or in a secret of compose-postgres.yaml.
\set ON_ERROR_STOP on
\set password `printenv TIDEGATE_PASSWORD || cat /run/secrets/tidegate-password`
SELECT :'password' = '' AS missing \gset
\if :missing
  DO $$ BEGIN RAISE 'The password of the role is empty: set TIDEGATE_PASSWORD.'; END $$;
\endif
CREATE ROLE tidegate LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION PASSWORD :'password';
CREATE DATABASE tidegate OWNER tidegate;
REVOKE ALL ON DATABASE tidegate FROM PUBLIC;
