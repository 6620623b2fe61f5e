/* SPDX-License-Identifier: MIT */
/* Rows of `matmul`: what the matrices hold, and which wrong elements are noticed. */
#include "probes/loops/leaf.h"
#include "tests/unit/prepared.h"

static void ready(const char *text)
{
	ready_of("matmul", PROFILE_FULL, text);
}

static void expect_small_whole_numbers(const double *m, uint64_t n)
{
	unsigned seen[256] = { 0 };

	for (uint64_t i = 0; i < n; i++) {
		if (!(m[i] >= 0 && m[i] <= 255 && m[i] == (unsigned)m[i]))
			fail_msg("element %lu of %lu is %g", i, n, m[i]);
		seen[(unsigned)m[i]]++;
	}
	for (unsigned v = 0; v < 256; v++)
		assert_in_range(seen[v], 0, n / 256 * 3 + 8);
}

/* Both matrices whole, as far as they are needed; the product is not there before. */
TEST(matrices_of_small_whole_numbers)
{
	static const struct {
		const char *row;
		uint64_t n, rows;
	} rows[] = { { "ijk n=32 rows=32", 32, 32 }, { "ikj n=512 rows=16", 512, 16 } };
	const uint64_t untouched = UNTOUCHED * 0x0101010101010101ULL;

	for (unsigned i = 0; i < 2; i++) {
		ready(rows[i].row);
		const struct matmul *m = argument(2);

		assert_ptr_equal(m->b, job.arena.base);
		assert_ptr_equal(m->a, m->b + rows[i].n * rows[i].n);
		assert_ptr_equal(m->c, m->a + rows[i].rows * rows[i].n);
		assert_int_equal(rows[i].n, m->n);
		assert_int_equal(rows[i].rows, m->rows);
		expect_small_whole_numbers(m->b, m->n * m->n);
		expect_small_whole_numbers(m->a, m->rows * m->n);
		for (uint64_t k = 0; k < m->rows * m->n; k++)
			assert_memory_equal(&m->c[k], &untouched, 8);
	}
}

/* One element of each row, and every seventh of one row. */
TEST(wrong_elements_are_noticed)
{
	ready("ijk n=32 rows=32");
	expect_sample(job.row);
	struct matmul *m = argument(2);

	for (uint64_t row = 0; row < 32; row++) {
		m->c[row * 32 + row]++;
		assert_false(job.check(&planner, &job));
		m->c[row * 32 + row]--;
	}
	for (uint64_t column = 0; column < 32; column += 7) {
		for (uint64_t row = 0; row < 32; row++)
			m->c[row * 32 + column] += row != column;
		assert_false(job.check(&planner, &job));
		for (uint64_t row = 0; row < 32; row++)
			m->c[row * 32 + column] -= row != column;
	}
	m->c[31 * 32 + 30]++; /* is not looked at */
	assert_true(job.check(&planner, &job));
}
