/* SPDX-License-Identifier: MIT */
/*
 * Matrix multiplication in the textbook order (ijk) and with the inner loops exchanged (ikj).
 *
 * Only the first `rows` rows of the result are computed, so many that a call has about 4 Mi
 * multiply-adds; each of them needs the whole second matrix. Both orders are compiled alike, once
 * without vectorisation (Makefile, LOOP), once as the compiler vectorises them (VECTOR).
 */
#include "probes/probe.h"
#include "probes/loops/leaf.h"

#define MADDS_PER_CALL (4 * MIB)

static const struct unit unit_ns_madd = { "ns/madd", SCALE_NS };

enum { IJK, IKJ, IJK_VECTOR, IKJ_VECTOR, ORDERS };

static const struct loop_order {
	const char *variant;
	uint64_t (*multiply)(const struct matmul *);
} orders[ORDERS] = {
	[IJK] = { "ijk", leaf_matmul_ijk },
	[IKJ] = { "ikj", leaf_matmul_ikj },
	[IJK_VECTOR] = { "ijk-vector", leaf_matmul_ijk_vector },
	[IKJ_VECTOR] = { "ikj-vector", leaf_matmul_ikj_vector },
};

static const uint64_t sizes[] = { 32, 512, 2048 }; /* of the largest a call computes one row */

#define SIZES (sizeof sizes / sizeof *sizes)

/* Parameters of a row: n x n matrices are multiplied. */
struct matmul_spec {
	const struct loop_order *order;
	uint64_t n;
};

static uint64_t rows_of(uint64_t n)
{
	uint64_t rows = MADDS_PER_CALL / (n * n);

	return rows < n ? rows : n;
}

/* Calls per sample: the small matrix is too quick alone. */
static uint64_t laps_of(uint64_t n)
{
	return n < 64 ? 8 : 1;
}

/* Small whole numbers, so that every sum is exact in any order. */
static void fill(struct bench *b, double *to, uint64_t n)
{
	uint64_t random = 0;

	for (uint64_t i = 0; i < n; i++, random >>= 8) {
		if (i % 8 == 0)
			random = random_next(&b->random);
		to[i] = (double)(random & 255);
	}
}

static double element(const struct matmul *m, uint64_t i, uint64_t j)
{
	double sum = 0;

	for (uint64_t k = 0; k < m->n; k++)
		sum += m->a[i * m->n + k] * m->b[k * m->n + j];
	return sum;
}

/* The bits of the last element of the last row. */
static uint64_t expected(const struct matmul *m)
{
	double last = element(m, m->rows - 1, m->n - 1);
	uint64_t bits;

	__builtin_memcpy(&bits, &last, sizeof bits);
	return bits;
}

/* One element of each row, and every seventh of one row. */
static bool check(struct bench *b, const struct job *job)
{
	const struct matmul *m = job->priv;
	uint64_t n = m->n, row = random_below(&b->random, m->rows);

	for (uint64_t i = 0; i < m->rows; i++)
		if (m->c[i * n + i % n] != element(m, i, i % n))
			return false;
	for (uint64_t j = 0; j < n; j += 7)
		if (m->c[row * n + j] != element(m, row, j))
			return false;
	return true;
}

static int prepare(struct bench *b, const struct row *row, struct job *job)
{
	const struct matmul_spec *spec = row_spec(row, struct matmul_spec);
	uint64_t n = spec->n, rows = rows_of(n), laps = laps_of(n);
	uint64_t bytes = (n * n + 2 * rows * n) * sizeof(double);
	struct matmul *m = job_alloc(b, job, sizeof *m);
	double *base = (double *)job->arena.base;

	if (!m)
		return -1;
	if (bytes > job->arena.bytes)
		return job_too_large(job, bytes);
	*m = (struct matmul){ base + n * n, base, base + n * n + rows * n, n, rows };
	fill(b, base, n * n + rows * n);
	const uint64_t args[LOOP_ARGS] = { (uint64_t)(uintptr_t)spec->order->multiply, laps,
		(uint64_t)(uintptr_t)m };

	job_call(job, loop_timed_call, 1, args);
	job->expect = laps * expected(m);
	job->ops = (double)(laps * rows * n * n);
	job->check = check;
	job->priv = m;
	return 0;
}

/*
 * The strided order misses once per multiply-add where the matrix is larger than the caches. An
 * emulator computes floating point by some fifty instructions of its own.
 */
static double cost(const struct bench *b, uint64_t n)
{
	double madds = (double)(laps_of(n) * rows_of(n) * n * n);
	double ns = n < 64 ? b->pace.ns_per_near_load
		: n < 1024 ? 4 * b->pace.ns_per_near_load
			   : b->pace.ns_per_far_load;

	if (b->room->facts.emulated)
		ns *= 16;
	return (double)(n * n * 8) * b->pace.ns_per_byte * 2 + 10 * madds * ns;
}

static void add(struct bench *b, const struct loop_order *order, uint64_t n, enum answer answer)
{
	struct row row = row_new(order->variant, &unit_ns_madd, answer, prepare);

	row.page_bytes = common_page(b);
	*row_spec(&row, struct matmul_spec) = (struct matmul_spec){ order, n };
	row.cost_ns = cost(b, n);
	row_param(&row, "n", (double)n);
	row_param(&row, "rows", (double)rows_of(n));
	plan_add(b, &row);
}

static void matmul_plan(struct bench *b)
{
	unsigned n = b->opt->profile == PROFILE_SMOKE ? SIZES - 1 : SIZES;

	for (unsigned i = 0; i < n; i++)
		for (unsigned order = IJK; order < ORDERS; order++)
			add(b, &orders[order], sizes[i],
				sizes[i] < 64             ? ANSWER_MATMUL_CACHED
					: sizes[i] > 1024 ? ANSWER_MATMUL_LARGE
							  : ANSWER_MATMUL);
}

static void matmul_meaning(struct bench *b)
{
	for (unsigned i = 0; i < SIZES; i++) {
		const struct param n = { "n", (double)sizes[i] };
		const struct result *ijk = find_row(b, orders[IJK].variant, &n, 1);
		const struct result *ikj = find_row(b, orders[IKJ].variant, &n, 1);

		if (ijk && ikj && ikj->median > 0)
			say(b, "  n = %.0f: the order ikj is %.1f times as fast as ijk.\n", n.value,
				ijk->median / ikj->median);
	}
}

const struct hooks probe_matmul = {
	.plan = matmul_plan,
	.meaning = matmul_meaning,
};
