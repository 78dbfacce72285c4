package mutants

// queueMutants are bugs of the worlds and of the engines.
var queueMutants = []Mutant{
	{
		ID: "fifo_ignores_idle_time", File: "queue/fifo.go",
		Find: "\t\tstart = max(now, f.free)\n\t\tfinish = start + w/f.speed\n\t\tf.free", Replace: "\t\tstart = f.free\n\t\tfinish = start + w/f.speed\n\t\tf.free",
		Story:    "A job starts when the one before it ends even when it has not arrived yet: idle time is used up and waiting vanishes.",
		Source:   "classic: the recursion of Lindley 1952 without its maximum",
		Predicts: []string{"queueing/first-come-first-served"},
		Spares:   []string{"cost", "random", "round-robin", "power-of-d", "least-request", "keys"},
	},
}
