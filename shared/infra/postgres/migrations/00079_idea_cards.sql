-- +goose Up
-- Ideas as people work on them: with a day until which they are due, an author, and the posts that they became.
ALTER TABLE idea_column ADD COLUMN color text NOT NULL DEFAULT '' CHECK (color = '' OR color ~ '^#[0-9a-f]{6}$');
ALTER TABLE idea_card
    ADD COLUMN due       date,
    ADD COLUMN author_id uuid REFERENCES app_user ON DELETE SET NULL,
    ADD COLUMN editor_id uuid REFERENCES app_user ON DELETE SET NULL; -- who changed it last
CREATE INDEX idea_card_by_author ON idea_card (author_id) WHERE author_id IS NOT NULL;
CREATE INDEX idea_card_by_editor ON idea_card (editor_id) WHERE editor_id IS NOT NULL;

CREATE TABLE idea_card_post (
    card_id uuid NOT NULL REFERENCES idea_card ON DELETE CASCADE,
    post_id uuid NOT NULL REFERENCES post ON DELETE CASCADE,
    PRIMARY KEY (card_id, post_id)
);
CREATE INDEX idea_card_post_by_post ON idea_card_post (post_id);

-- +goose Down
DROP TABLE idea_card_post;
ALTER TABLE idea_card DROP COLUMN due, DROP COLUMN author_id, DROP COLUMN editor_id;
ALTER TABLE idea_column DROP COLUMN color;
