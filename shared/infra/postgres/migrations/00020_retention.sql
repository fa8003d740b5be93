-- +goose Up
-- What ANALYTICS_RETENTION deletes.
CREATE INDEX page_view_day_by_day ON page_view_day (day);
CREATE INDEX click_day_by_day ON click_day (day);

-- +goose Down
DROP INDEX page_view_day_by_day, click_day_by_day;
