package bootstrap

import (
	"context"
	"log/slog"

	"github.com/prometheus/client_golang/prometheus"

	"fencepost.internal/shared/infra/postgres"
)

// mailCollector counts waiting mails on each scrape.
type mailCollector struct {
	mails   *postgres.Mails
	log     *slog.Logger
	waiting *prometheus.Desc
	oldest  *prometheus.Desc
}

// MailMetrics registers the number of waiting mails and the age of the oldest.
func MailMetrics(reg prometheus.Registerer, mails *postgres.Mails, log *slog.Logger) {
	reg.MustRegister(&mailCollector{
		mails: mails, log: log,
		waiting: prometheus.NewDesc("mails_waiting", "Mails that are not sent yet.", nil, nil),
		oldest:  prometheus.NewDesc("mails_oldest_seconds", "How long the oldest of them has been waiting.", nil, nil),
	})
}

// Describe lists the metrics.
func (c *mailCollector) Describe(out chan<- *prometheus.Desc) {
	out <- c.waiting
	out <- c.oldest
}

// Collect queries the database.
func (c *mailCollector) Collect(out chan<- prometheus.Metric) {
	ctx, cancel := context.WithTimeout(context.Background(), countTimeout)
	defer cancel()
	count, oldest, err := c.mails.Waiting(ctx)
	if err != nil {
		c.log.WarnContext(ctx, "counting mails for metrics failed", slog.Any("error", err))
		return
	}
	out <- prometheus.MustNewConstMetric(c.waiting, prometheus.GaugeValue, float64(count))
	out <- prometheus.MustNewConstMetric(c.oldest, prometheus.GaugeValue, oldest.Seconds())
}
