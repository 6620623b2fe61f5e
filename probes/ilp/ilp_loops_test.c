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

static void differences_by_hand(double *to, const double *from, size_t n, unsigned laps)
{
	double before = 0;

	for (unsigned lap = 0; lap < laps; lap++)
		for (size_t i = 0; i < n; before = from[i++])
			to[i] = from[i] - before;
}

static void prefix_by_hand(double *to, const double *from, size_t n, unsigned laps)
{
	double sum = 0;

	for (unsigned lap = 0; lap < laps; lap++)
		for (size_t i = 0; i < n; i++)
			to[i] = sum += from[i];
}

static uint64_t digest_by_hand(const double *words, size_t n)
{
	uint64_t digest = 0;

	for (size_t i = 0; i < n; i++) {
		uint64_t word;

		memcpy(&word, &words[i], sizeof word);
		digest = (digest << 5 | digest >> 59) ^ word;
	}
	return digest;
}

static void check_sums(loop_fn *loop, void (*by_hand)(double *, const double *, size_t, unsigned),
	size_t n, unsigned laps, int at_start)
{
	unsigned char *to = guarded_side(1, n * 8, at_start);
	double *in = (double *)guarded_side(0, n * 8, at_start), wanted[MOST];
	struct random r;

	random_seed(&r, n);
	for (size_t i = 0; i < n; i++)
		in[i] = (double)random_below(&r, 1000);
	by_hand(wanted, in, n, laps);
	uint64_t value = loop(ADDRESS(to), ADDRESS(in), n, laps, 0, 0).value;

	assert_memory_equal(to, wanted, n * 8);
	assert_int_equal(value, digest_by_hand(wanted, n));
}

TEST(test_differences_and_sums)
{
	for (size_t i = 0; i < SIZES; i++)
		for (unsigned laps = 1; laps < 4; laps++) {
			check_sums(loop_ilp_differences, differences_by_hand, sizes[i], laps,
				laps == 2);
			check_sums(loop_ilp_prefix_sum, prefix_by_hand, sizes[i], laps, laps == 2);
		}
}

/* What the probe predicts must be what plain C gives, for both variants. */
TEST(test_predictions)
{
	double in[100], to[100], wanted[100];
	struct random r;

	random_seed(&r, 7);
	for (size_t i = 0; i < 100; i++)
		in[i] = (double)random_below(&r, 1000);
	differences_by_hand(wanted, in, 100, 5);
	assert_int_equal(ilp_differences(to, in, 100, 5), digest_by_hand(wanted, 100));
	prefix_by_hand(wanted, in, 100, 5);
	assert_int_equal(ilp_prefix_sum(to, in, 100, 5), digest_by_hand(wanted, 100));
}

static void int_differences_by_hand(uint64_t *a, size_t n)
{
	uint64_t before[MOST];

	memcpy(before, a, n * 8);
	for (size_t i = 1; i < n; i++)
		a[i] = before[i] - before[i - 1];
}

static void int_sums_by_hand(uint64_t *a, size_t n)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < n; i++)
		a[i] = sum += a[i];
}

static void check_in_place(loop_fn *loop, uint64_t (*in_c)(uint64_t *, uint64_t, uint64_t),
	void (*by_hand)(uint64_t *, size_t), size_t n, unsigned laps)
{
	uint64_t *array = (uint64_t *)guarded_side(0, n * 8, laps == 2), wanted[MOST], twin[MOST];
	struct random r;

	random_seed(&r, n + laps);
	for (size_t i = 0; i < n; i++)
		twin[i] = wanted[i] = array[i] = random_next(&r);
	for (unsigned lap = 0; lap < laps; lap++)
		by_hand(wanted, n);
	uint64_t digest = digest_by_hand((const double *)wanted, n);

	assert_int_equal(loop(ADDRESS(array), n, laps, 0, 0, 0).value, digest);
	assert_memory_equal(array, wanted, n * 8);
	assert_int_equal(in_c(twin, n, laps), digest);
	assert_memory_equal(twin, wanted, n * 8);
}

TEST(test_in_place)
{
	for (size_t i = 0; i < SIZES; i++)
		for (unsigned laps = 0; laps < 4; laps++) {
			check_in_place(loop_int_differences, ilp_int_differences,
				int_differences_by_hand, sizes[i], laps);
			check_in_place(loop_int_prefix_sum, ilp_int_prefix_sum, int_sums_by_hand,
				sizes[i], laps);
		}
}

static uint64_t chains_by_hand(int multiply, unsigned lanes, uint64_t n)
{
	uint64_t sum = 0;

	for (uint64_t lane = 0; lane < 12; lane++) {
		uint64_t value = lane + 1;

		for (uint64_t i = 0; lane < lanes && i < n * 48 / lanes; i++)
			value = multiply ? value * 3 : value + 1;
		sum += value;
	}
	return sum;
}

TEST(test_chains)
{
	for (unsigned i = 0; i < ilp_chain_count; i++)
		for (uint64_t n = 0; n < 25; n++) {
			const struct ilp_chain *c = &ilp_chains[i];
			uint64_t wanted = chains_by_hand(c->multiplies, c->lanes, n);

			assert_int_equal(ilp_chain_value(c, n), wanted);
			assert_int_equal(c->loop(n, 0, 0, 0, 0, 0).value, wanted);
		}
}

static uint64_t timed(const void *fn, uint64_t laps, uint64_t a, uint64_t b, uint64_t c)
{
	return loop_timed_call(ADDRESS(fn), laps, a, b, c, 0).value;
}

TEST(test_sum_odd)
{
	for (uint64_t n = 0, sum = 0; n < 40; n++, sum += n % 2 ? n : 0) {
		assert_int_equal(timed(leaf_sum_odd_calls, 3, n, 0, 0), 3 * sum);
		assert_int_equal(timed(leaf_sum_odd_inlined, 3, n, 0, 0), 3 * sum);
	}
}

TEST(test_factorial_in_memory)
{
	for (uint64_t n = 0, wanted = 1; n <= 24; n++, wanted *= n) {
		volatile uint64_t *fact = (volatile uint64_t *)guarded_side(0, 8, n & 1);

		assert_int_equal(timed(leaf_factorial_memory, 3, ADDRESS(fact), n, 0), 3 * wanted);
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
		assert_int_equal(timed(leaf_factorial_buffer, 2, ADDRESS(to), n, 0), 2 * wanted[n]);
		assert_memory_equal(to, wanted, (n + 1) * 8);
	}
}

TEST(test_factorial)
{
	uint64_t wanted = 1;

	assert_int_equal(leaf_factorial_loop(20), 2432902008176640000);
	for (uint64_t n = 0; n < 40; wanted *= ++n) {
		assert_int_equal(timed(leaf_factorial_calls, 1, n, 0, 0), wanted);
		assert_int_equal(timed(leaf_factorial_loop, 1, n, 0, 0), wanted);
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

TEST(test_add_chains)
{
	for (size_t i = 0; i < SIZES; i++) {
		assert_int_equal(loop_add_chain(sizes[i], 0, 0, 0, 0, 0).value, 64 * sizes[i]);
		assert_int_equal(loop_add_chain_double(sizes[i], 0, 0, 0, 0, 0).value,
			128 * sizes[i]);
	}
}

static struct timed bare_call(uint64_t laps)
{
	return loop_timed_call(ADDRESS(leaf_factorial_loop), laps, 0, 0, 0, 0);
}

TEST(test_trampoline_counts_laps)
{
	for (uint64_t laps = 0; laps < 30; laps++)
		assert_int_equal(bare_call(laps).value, laps);
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
