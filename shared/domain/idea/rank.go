package idea

// RankStep is the distance between the ranks of neighbours as long as nothing is put between them: room for 32 cards at the
// same place before the column has to be numbered anew.
const RankStep int64 = 1 << 32

// RankBetween is a rank between those of two neighbours in a column; nil stands for no neighbour on that side. It is false when
// there is no room: the column is then numbered anew, with RankStep between all, and asked again.
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
