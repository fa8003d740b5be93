-- Addresses of people are compared as email.Address does: only the case of ASCII letters is ignored. lower() of another
-- collation maps more (C.UTF-8: the Kelvin sign to k) or less (Turkish: not I to i), so that one person's address could
-- find another person.

-- +goose Up
-- +goose StatementBegin
DO $$
DECLARE twins text;
BEGIN
    SELECT string_agg(email, ', ' ORDER BY email) INTO twins FROM (
        SELECT email, count(*) OVER (PARTITION BY lower(email COLLATE "C")) AS same FROM app_user
    ) u WHERE same > 1;
    IF twins IS NOT NULL THEN
        RAISE EXCEPTION 'these users have the same email address: %', twins
            USING HINT = 'Decide which user stays, and give the others another address: UPDATE app_user SET email = ... WHERE id = ... Then run migrate again.';
    END IF;
END $$;
-- +goose StatementEnd
CREATE UNIQUE INDEX app_user_by_address ON app_user (lower(email COLLATE "C"));
DROP INDEX app_user_by_email;
CREATE INDEX password_reset_by_address ON password_reset (lower(email COLLATE "C"), created_at);
DROP INDEX password_reset_by_email;

-- The person who made a key, whose loss of the role ends it; null: an operator, or a key from before.
ALTER TABLE api_key ADD created_by uuid REFERENCES app_user ON DELETE SET NULL;
CREATE INDEX api_key_by_creator ON api_key (created_by) WHERE created_by IS NOT NULL;

-- +goose Down
ALTER TABLE api_key DROP created_by;
CREATE INDEX password_reset_by_email ON password_reset (lower(email), created_at);
DROP INDEX password_reset_by_address;
CREATE UNIQUE INDEX app_user_by_email ON app_user (lower(email));
DROP INDEX app_user_by_address;
