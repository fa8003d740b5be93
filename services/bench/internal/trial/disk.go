package trial

import (
	"time"

	"fencepost.internal/services/bench/internal/lab"
)

const (
	diskPosts   = 5_000
	diskWarmUp  = 500
	diskSettles = 75 * time.Second // until Temporal has deleted the tasks it has done, which it does twice a minute
	diskBeyond  = 60 * 24 * time.Hour
)

// disk measures how many bytes a sleeping post takes in the databases of the service, of Temporal, and of Temporal's
// visibility store without the indexes that migrate drops: a post of tomorrow, which has a workflow, and a post beyond
// the horizon, which has none.
func disk(r *lab.Run) []Row {
	r.DropVisibilityIndexes()
	r.Start("api")
	n, t := min(diskPosts, r.Backlog), r.Tenant("Sleeping")
	sleep(r, t, diskWarmUp, tomorrow) // the first pages of tables and indexes
	within, beyond := growth(r, t, n, tomorrow), growth(r, t, n, diskBeyond)
	return []Row{
		Plain("disk_within", within[0]+within[1]+within[2], "KB").MaxValue(10),
		Plain("disk_beyond", beyond[0]+beyond[1]+beyond[2], "KB").MaxValue(3),
		Plain("disk_service", within[0], "KB"),
		Plain("disk_temporal", within[1], "KB"),
		Plain("disk_visibility", within[2], "KB"),
	}
}

// sleep creates n posts that are due after a while, and waits until Temporal has their messages and has settled.
func sleep(r *lab.Run, t lab.Tenant, n int, ahead time.Duration) {
	first := time.Now().Add(ahead).Truncate(time.Second)
	r.Posts(t, n, func(i int) time.Time { return first.Add(time.Duration(i) * time.Second) })
	r.OutboxEmpty(longLimit)
	r.EventsNumbered(limit)
	r.Pause(diskSettles)
}

// growth returns the growth of each database per post, in KB of 1,000 bytes.
func growth(r *lab.Run, t lab.Tenant, n int, ahead time.Duration) []float64 {
	before := r.DiskUse(`VACUUM FULL`) // without free space, which earlier measurements left and new rows would fill
	sleep(r, t, n, ahead)
	sizes := r.DiskUse(`VACUUM`) // as the server does from time to time
	const kilo = 1000
	for i := range sizes {
		sizes[i] = (sizes[i] - before[i]) / float64(n) / kilo
	}
	return sizes
}
