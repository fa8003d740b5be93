package harness

// Recover runs what an operator runs after the database was restored to an earlier moment.
func (s *System) Recover() { s.run("worker", "recover") }
