package idea

// RankStep is the initial distance between the ranks of adjacent cards: enough for 32 insertions at the same place
// before the column has to be renumbered.
const RankStep int64 = 1 << 32

// RankBetween returns a rank between those of two adjacent cards in a column; nil means that there is no card on that
// side. It returns false if there is no room: the caller then renumbers the column at intervals of RankStep and calls
// it again.
func RankBetween(before, after *int64) (rank int64, room bool) {
	switch {
	case before == nil && after == nil:
		return 0, true
	case after == nil:
		return *before + RankStep, true
	case before == nil:
		return *after - RankStep, true
	}
	rank = *before + (*after-*before)/2
	return rank, rank != *before
}
