package bootstrap

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/infra/postgres"
)

const countTimeout = 2 * time.Second

// counts are gauges that the database counts on each scrape.
type counts struct {
	of     string // for the log
	log    *slog.Logger
	gauges []*prometheus.Desc
	read   func(context.Context) ([]float64, error) // the values of the gauges
}

func gauge(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }

// PostMetrics registers the counts of scheduled, due and late posts.
func PostMetrics(reg prometheus.Registerer, posts *postgres.Posts, log *slog.Logger) {
	reg.MustRegister(&counts{of: "posts", log: log, gauges: []*prometheus.Desc{
		gauge("posts_scheduled", "Posts that wait to be published."),
		gauge("posts_due", "Scheduled posts that are due and not yet published."),
		gauge("posts_late", "Scheduled posts that have been due for more than a minute, for any reason."),
	}, read: func(ctx context.Context) ([]float64, error) {
		found, err := posts.Counts(ctx)
		return []float64{float64(found.Scheduled), float64(found.Due), float64(found.Late)}, err
	}})
}

// MailMetrics registers the number of waiting mails and the age of the oldest.
func MailMetrics(reg prometheus.Registerer, mails *postgres.Mails, log *slog.Logger) {
	reg.MustRegister(&counts{of: "mails", log: log, gauges: []*prometheus.Desc{
		gauge("mails_waiting", "Mails that are not sent yet."),
		gauge("mails_oldest_seconds", "How long the oldest of them has been waiting."),
	}, read: func(ctx context.Context) ([]float64, error) {
		count, oldest, err := mails.Waiting(ctx)
		return []float64{float64(count), oldest.Seconds()}, err
	}})
}

// InboundMetrics registers the number of events of networks that wait to be read, and the age of the oldest that is due.
func InboundMetrics(reg prometheus.Registerer, inbound *postgres.Inbound, log *slog.Logger) {
	reg.MustRegister(&counts{of: "events of networks", log: log, gauges: []*prometheus.Desc{
		gauge("inbound_events_waiting", "Events of networks that wait to be read."),
		gauge("inbound_oldest_seconds", "How long the oldest due one has been waiting."),
	}, read: func(ctx context.Context) ([]float64, error) {
		count, oldest, err := inbound.Waiting(ctx)
		return []float64{float64(count), oldest.Seconds()}, err
	}})
}

// Describe lists the metrics.
func (c *counts) Describe(out chan<- *prometheus.Desc) {
	for _, one := range c.gauges {
		out <- one
	}
}

// Collect queries the database.
func (c *counts) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	values, err := c.read(ctx)
	if err != nil {
		c.log.WarnContext(ctx, "counting for metrics failed", slog.String("of", c.of), slog.Any("error", err))
		return
	}
	for i, one := range c.gauges {
		out <- prometheus.MustNewConstMetric(one, prometheus.GaugeValue, values[i])
	}
}
