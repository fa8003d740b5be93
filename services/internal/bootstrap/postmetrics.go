package bootstrap

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/infra/postgres"
)

const countTimeout = 2 * time.Second

// postCollector counts scheduled, due and late posts on each scrape.
type postCollector struct {
	posts *postgres.Posts
	log   *slog.Logger
	due   *prometheus.Desc
	late  *prometheus.Desc
	open  *prometheus.Desc
}

// PostMetrics registers the counts of scheduled, due and late posts.
func PostMetrics(reg prometheus.Registerer, posts *postgres.Posts, log *slog.Logger) {
	reg.MustRegister(&postCollector{
		posts: posts, log: log,
		open: prometheus.NewDesc("posts_scheduled", "Posts that wait to be published.", nil, nil),
		due:  prometheus.NewDesc("posts_due", "Scheduled posts that are due and not yet published.", nil, nil),
		late: prometheus.NewDesc("posts_late", "Scheduled posts that have been due for more than a minute, for any reason.",
			nil, nil),
	})
}

// Describe lists the metrics.
func (c *postCollector) Describe(out chan<- *prometheus.Desc) {
	out <- c.open
	out <- c.due
	out <- c.late
}

// Collect queries the database.
func (c *postCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	counts, err := c.posts.Counts(ctx)
	if err != nil {
		c.log.WarnContext(ctx, "counting posts for metrics failed", slog.Any("error", err))
		return
	}
	out <- prometheus.MustNewConstMetric(c.open, prometheus.GaugeValue, float64(counts.Scheduled))
	out <- prometheus.MustNewConstMetric(c.due, prometheus.GaugeValue, float64(counts.Due))
	out <- prometheus.MustNewConstMetric(c.late, prometheus.GaugeValue, float64(counts.Late))
}
