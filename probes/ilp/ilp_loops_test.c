/* SPDX-License-Identifier: MIT */
/* The arithmetic loops and the C leaf functions against plain C, between guard pages. */
#include <x86intrin.h>

#include "probes/ilp/ilp.c"
#include "probes/loops/loops.h"
#include "probes/loops/leaf.h"
#include "lib/math.h"
#include "tests/unit/guard.h"
#include "tests/unit/test.h"

#define ADDRESS(p) ((uint64_t)(uintptr_t)(p))
#define MOST       260

static const size_t sizes[] = { 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 11, 13, 15, 16, 17, 31, 32, 33, 63,
	65, 99, 100, 101, 255, 257 };

#define SIZES (sizeof sizes / sizeof *sizes)

/* The sums of a row's proof, and what is left in memory, at sizes and laps that no row has. */
static void check_sums(const struct array_sums *s, size_t n, unsigned laps, struct random *r)
{
	double *to = (double *)guarded_side(1, n * 8, laps & 1), wanted[MOST];
	double *from = (double *)guarded_side(0, n * 8, laps & 1);

	for (size_t i = 0; i < n; i++)
		from[i] = (double)random_below(r, 1000);
	uint64_t value = s->loop(ADDRESS(to), ADDRESS(from), n, laps, 0, 0).value;

	assert_int_equal(s->in_c(wanted, from, n, laps), value);
	assert_memory_equal(to, wanted, n * 8);
}

static void check_in_place(const struct in_place *p, size_t n, unsigned laps, struct random *r)
{
	uint64_t *array = (uint64_t *)guarded_side(0, n * 8, laps & 1), twin[MOST];

	for (size_t i = 0; i < n; i++)
		twin[i] = array[i] = random_next(r);
	uint64_t value = p->loop(ADDRESS(array), n, laps, 0, 0, 0).value;

	assert_int_equal(p->in_c(twin, n, laps), value);
	assert_memory_equal(array, twin, n * 8);
}

TEST(sums)
{
	struct random r;

	random_seed(&r, 7);
	for (size_t i = 0; i < SIZES; i++)
		for (unsigned laps = 1; laps < 4; laps++) {
			check_sums(&differences, sizes[i], laps, &r);
			check_sums(&prefix_sum, sizes[i], laps, &r);
			check_in_place(&int_differences, sizes[i], laps, &r);
			check_in_place(&int_prefix_sum, sizes[i], laps, &r);
			check_in_place(&printed_prefix_sum, sizes[i], laps, &r);
		}
}

/* The functions that compute the rows' expected values agree with results worked out by hand. */
TEST(proofs_by_hand)
{
	const double from[] = { 5, 7, 4 };
	double to[3];
	uint64_t ints[] = { 5, 7, 4 }, sums[] = { 5, 7, 4 };

	ilp_differences(to, from, 3, 2);
	assert_true(to[0] == 1 && to[1] == 2 && to[2] == -3);
	ilp_differences(to, from, 3, 1);
	assert_true(to[0] == 5);
	ilp_prefix_sum(to, from, 3, 2);
	assert_true(to[0] == 21 && to[1] == 28 && to[2] == 32);
	ilp_int_differences(ints, 3, 2);
	assert_true(ints[0] == 5 && ints[1] == 2 - 5ul && ints[2] == -3 - 2ul);
	ilp_int_prefix_sum(sums, 3, 2);
	assert_true(sums[0] == 5 && sums[1] == 17 && sums[2] == 33);
}

static const struct ilp_chain *chain_of(bool multiplies, unsigned lanes)
{
	for (unsigned i = 0; i < ilp_chain_count; i++)
		if (ilp_chains[i].multiplies == multiplies && ilp_chains[i].lanes == lanes)
			return &ilp_chains[i];
	fail_msg("no chain of %u lanes", lanes);
	return NULL;
}

TEST(chains)
{
	for (unsigned i = 0; i < ilp_chain_count; i++)
		for (uint64_t n = 0; n < 25; n++)
			assert_int_equal(ilp_chain_value(&ilp_chains[i], n),
				ilp_chains[i].loop(n, 0, 0, 0, 0, 0).value);
	assert_int_equal(78 + 48, ilp_chain_value(chain_of(false, 4), 1));
	assert_int_equal(78 * 81, ilp_chain_value(chain_of(true, 12), 1));
}

static uint64_t timed(const void *fn, uint64_t laps, uint64_t a, uint64_t b, uint64_t c)
{
	return loop_timed_call(ADDRESS(fn), laps, a, b, c, 0).value;
}

TEST(test_factorial_in_memory)
{
	for (uint64_t n = 0, wanted = 1; n <= 24; n++, wanted *= n) {
		volatile uint64_t *fact = (volatile uint64_t *)guarded_side(0, 8, n & 1);

		assert_int_equal(timed(leaf_factorial_memory, 1, ADDRESS(fact), n, 3), 3 * wanted);
		assert_int_equal(*fact, wanted);
	}
}

/* One more than n elements, and none beside them. */
TEST(test_factorial_buffer)
{
	for (size_t i = 0; i < SIZES; i++) {
		uint64_t n = sizes[i] < MOST ? sizes[i] : MOST - 1, wanted[MOST] = { 1 };
		uint64_t *to = (uint64_t *)guarded_side(0, (n + 1) * 8, i & 1);

		for (uint64_t k = 1; k <= n; k++)
			wanted[k] = k * wanted[k - 1];
		assert_int_equal(timed(leaf_factorial_buffer, 1, ADDRESS(to), n, 2), 2 * wanted[n]);
		assert_memory_equal(to, wanted, (n + 1) * 8);
	}
}

TEST(test_factorials)
{
	for (size_t i = 0; i < SIZES; i++) {
		uint64_t n = sizes[i], wanted[MOST], sum = 0;
		uint64_t *loop = (uint64_t *)guarded_side(0, n * 8, 0);
		uint64_t *calls = (uint64_t *)guarded_side(1, n * 8, 1);

		for (uint64_t k = 0; k < n; k++)
			sum += wanted[k] = (k ? wanted[k - 1] : 1) * (k + 1);
		assert_int_equal(timed(leaf_factorials_loop, 1, ADDRESS(loop), n, 0), sum);
		assert_int_equal(timed(leaf_factorials_calls, 1, ADDRESS(calls), n, 0), sum);
		assert_memory_equal(loop, wanted, n * 8);
		assert_memory_equal(calls, wanted, n * 8);
	}
}

static void check_matmul(uint64_t (*fn)(const struct matmul *), uint64_t n, uint64_t rows,
	struct random *r)
{
	size_t bytes = n * n * 8;
	double *pa = (double *)guarded_side(0, bytes, 0), *pb = (double *)guarded_side(1, bytes, 0);
	double *pc = (double *)guarded_side(2, rows * n * 8, 1);
	struct matmul m = { pa, pb, pc, n, rows };

	for (uint64_t i = 0; i < n * n; i++) {
		pa[i] = (double)random_below(r, 256);
		pb[i] = (double)random_below(r, 256);
	}
	uint64_t bits = timed(fn, 2, ADDRESS(&m), 0, 0), last;

	for (uint64_t i = 0; i < rows; i++)
		for (uint64_t j = 0; j < n; j++) {
			double sum = 0;

			for (uint64_t k = 0; k < n; k++)
				sum += pa[i * n + k] * pb[k * n + j];
			if (pc[i * n + j] != sum)
				fail_msg("n %llu: c[%llu][%llu] is %g, not %g",
					(unsigned long long)n, (unsigned long long)i,
					(unsigned long long)j, pc[i * n + j], sum);
		}
	memcpy(&last, &pc[rows * n - 1], 8);
	assert_int_equal(bits, 2 * last);
}

TEST(test_matmul)
{
	struct random r;

	random_seed(&r, 6);
	for (uint64_t n = 1; n < 28; n++) {
		check_matmul(leaf_matmul_ijk, n, (n + 1) / 2, &r);
		check_matmul(leaf_matmul_ikj, n, n, &r);
		check_matmul(leaf_matmul_ijk_vector, n, (n + 1) / 2, &r);
		check_matmul(leaf_matmul_ikj_vector, n, n, &r);
	}
}

/* A function may change every register that the calling convention gives it: r11 has the stamp. */
__attribute__((naked)) static void takes_all_registers(void)
{
	__asm__("mov $7, %edi\n\tmov %rdi, %rsi\n\tmov %rdi, %rdx\n\tmov %rdi, %rcx\n\t"
		"mov %rdi, %r8\n\tmov %rdi, %r9\n\tmov %rdi, %r10\n\tmov %rdi, %r11\n\t"
		"mov $2, %eax\n\tret");
}

TEST(test_trampoline_keeps_its_stamp)
{
	uint64_t before = __rdtsc();
	struct timed t = loop_timed_call(ADDRESS(takes_all_registers), 5, 0, 0, 0, 0);
	uint64_t all = __rdtsc() - before;

	assert_int_equal(10, t.value);
	if (!(t.ticks <= all))
		fail_msg("expected at most %llu ticks, came %llu", (unsigned long long)all,
			(unsigned long long)t.ticks);
}
