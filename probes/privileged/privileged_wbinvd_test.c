/* SPDX-License-Identifier: MIT */
/* Rows of `privileged` that write all caches back: what is dirty before, and when there is none. */
#include "tests/unit/lines_of_rows.h"

#define SECOND_LEVEL (256 * KIB)
#define LINE_TICKS   5 /* for each line that was written */

static bool claims;         /* CPUID says how large the second level is */
static uint64_t each_ticks; /* of one, beside lines */
static uint64_t read, written;
static unsigned calls, small_arena;

static struct timed call(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS])
{
	struct timed t = { a[0], FAKE_CALL };

	if (loop == loop_read_64)
		read = a[1];
	if (loop == loop_write_64)
		written = a[1];
	if (loop != loop_wbinvd)
		return fake_call(e, loop, a);
	if (a[0]) {
		assert_int_equal(1, a[0]);
		assert_int_equal(SECOND_LEVEL, read);
		t.ticks += each_ticks + written / 64 * LINE_TICKS;
		calls++;
		read = written = 0;
	}
	fake_time += t.ticks;
	return t;
}

static int attempt(struct room *e, loop_fn *loop, const uint64_t a[LOOP_ARGS], const uint32_t *msrs,
	const char **why)
{
	assert_null(msrs);
	call(e, loop, a);
	*why = NULL;
	return 0;
}

/* Intel's leaf 4: 32 KiB and 256 KiB. */
static struct cpuid cpuid_of(struct room *e, uint32_t leaf, uint32_t subleaf)
{
	static const struct cpuid caches[] = { { 1 | 1 << 5, 7 << 22 | 63, 63, 0 },
		{ 3 | 2 << 5, 7 << 22 | 63, 511, 0 } };

	if (leaf == 0)
		return (struct cpuid){ 4, 0x756e6547, 0x6c65746e, 0x49656e69 };
	if (leaf == 4 && claims && subleaf < 2)
		return caches[subleaf];
	return (struct cpuid){ 0 };
}

static int little(struct room *e, size_t page_bytes, struct arena *out)
{
	int failed = fake_arena(e, page_bytes, out);

	out->bytes = small_arena ? small_arena : out->bytes;
	return failed;
}

static void start(void)
{
	prepare_run("privileged:wbinvd-clean,privileged:wbinvd-half,privileged:wbinvd-full", call);
	room.kind = ROOM_BARE;
	room.facts.ring0 = true;
	room.attempt = attempt;
	room.cpuid = cpuid_of;
	room.arena = little;
	claims = true;
	each_ticks = 100000;
	read = written = 0;
	calls = small_arena = 0;
}

TEST(so_much_is_dirty)
{
	static const struct {
		const char *row;
		double dirty;
	} rows[] = { { "wbinvd-clean", 0 }, { "wbinvd-half", SECOND_LEVEL / 2 },
		{ "wbinvd-full", SECOND_LEVEL } };

	start();
	assert_int_equal(0, bench_run(&room, &options));
	for (unsigned i = 0; i < 3; i++) {
		expect(rows[i].row, "median", 100000 + rows[i].dirty / 64 * LINE_TICKS);
		assert_true(number(rows[i].row, "dirty_bytes") == rows[i].dirty);
		assert_true(number(rows[i].row, "samples") <= 9);
	}
	assert_true(calls <= 3 * (1 + 13 + 9)); /* the try, the warm-up, samples */
}

TEST(one_that_takes_too_long_is_the_only_one)
{
	start();
	each_ticks = 2000000000; /* 2 s */
	bench_run(&room, &options);
	expect_skip("wbinvd-full", "one takes 2000 ms");
	expect_skip("wbinvd-clean", "one takes 2000 ms");
	assert_int_equal(1, calls);
}

TEST(no_second_level_and_little_memory)
{
	start();
	claims = false;
	bench_run(&room, &options);
	expect_skip("wbinvd-half", "nothing says how large the second level is");
	start();
	small_arena = 128 * KIB;
	bench_run(&room, &options);
	expect_skip("wbinvd-half", "needs 1 MiB, the arena has 0");
	assert_int_equal(0, calls);
}

TEST(not_in_ring_3)
{
	start();
	room.facts.ring0 = false;
	room.attempt = NULL;
	bench_run(&room, &options);
	expect_skip("wbinvd-clean", "needs ring 0");
	assert_int_equal(0, calls);
}
