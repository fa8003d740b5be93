-- The color of a workspace on the pages that its clients see: #rrggbb; empty: none.

-- +goose Up
ALTER TABLE workspace ADD COLUMN color text NOT NULL DEFAULT '' CHECK (color = '' OR color ~ '^#[0-9a-f]{6}$');

-- +goose Down
ALTER TABLE workspace DROP COLUMN color;
