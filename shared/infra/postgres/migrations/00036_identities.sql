-- +goose Up
-- The accounts of people at the sign-in provider. The subject is the provider's own name of the person; addresses change.
CREATE TABLE user_identity (
    issuer       text NOT NULL CHECK (length(issuer) BETWEEN 1 AND 500),
    subject      text NOT NULL CHECK (length(subject) BETWEEN 1 AND 255),
    user_id      uuid NOT NULL REFERENCES app_user ON DELETE CASCADE,
    email        text NOT NULL, -- at the time of the link
    created_at   timestamptz NOT NULL,
    last_used_at timestamptz,
    PRIMARY KEY (issuer, subject),
    UNIQUE (user_id, issuer)
);

-- +goose Down
DROP TABLE user_identity;
