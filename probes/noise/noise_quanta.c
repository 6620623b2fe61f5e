/* SPDX-License-Identifier: MIT */
/* Fixed work quanta: the same work many times; a call that took longer was disturbed. */
#include "engine/probe_api.h"
#include "lib/jsonl_write.h"
#include "probes/noise/noise.h"

static const struct unit unit_quantum = { "ns/quantum", SCALE_NS };

/* What a row measures. */
struct quanta_spec {
	uint64_t quantum_ns;
};

static void extra(struct bench *b, struct job *job, struct jsonl *l, const double *values,
	unsigned n)
{
	double sum = 0;

	for (unsigned i = 0; i < n; i++)
		sum += values[i];
	jsonl_number(l, "deviation", noise_deviation(values, n, sum / n));
	jsonl_number(l, "skew", noise_skew(values, n, sum / n));
}

/* As many dependent adds as take a quantum at the present core clock. */
static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	double quantum_ns = (double)row_spec(row, struct quanta_spec)->quantum_ns;
	uint64_t rounds = (uint64_t)(quantum_ns * b->core_hz / 64e9);
	const uint64_t args[LOOP_ARGS] = { rounds ? rounds : 1 };

	job_call(job, loop_add_chain, 0, args);
	job->expect = job->args[0] * 64;
	job->min_samples = job->max_samples = SAMPLES_LIMIT;
	job->extra = extra;
	job->tells_disturbance = true;
	return 0;
}

void noise_plan_quanta(struct bench *b)
{
	static const uint64_t quanta_ns[] = { 10000, 1000000 };

	for (unsigned i = 0; i < 2; i++) {
		struct row row = row_new("quanta", &unit_quantum, DROP_MIDDLE, prepare);

		row_spec(&row, struct quanta_spec)->quantum_ns = quanta_ns[i];
		row.cost_ns = (double)quanta_ns[i] * SAMPLES_LIMIT * 1.1;
		row_param(&row, "quantum_ns", (double)quanta_ns[i]);
		plan_add(b, &row);
	}
}
