/* SPDX-License-Identifier: MIT */
/* The streaming loops at sizes that no row has, against plain C, at both ends of a buffer. */
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

#define PATTERN 0x8877665544332211ULL

static unsigned char *buffer, *other;
static unsigned char pattern[GUARD_MOST], other_pattern[GUARD_MOST]; /* what they are filled with */

static void fill(unsigned char *p, size_t n)
{
	memcpy(p, pattern, n);
}

static void read_one(const struct width *w, unsigned char *at, size_t n)
{
	for (uint64_t passes = 0; passes < 4; passes++) {
		uint64_t sum = streams_sum(at, n, w->bits) * passes;
		uint64_t expect = w->bits == 32 ? (uint32_t)sum : sum;
		uint64_t got = call_kernel("read", w->read, (uintptr_t)at, n, passes, 0, 0);

		if (got != expect)
			fail_msg("read_%u of %zu bytes at ...%03lx, %lu passes: %#lx, plain C says "
				 "%#lx (probes/loops/read_loops.S, probes/streams.c)",
				w->bits, n, (uintptr_t)at & 4095, passes, got, expect);
	}
}

TEST(read_all)
{
	fill(buffer, GUARD_MOST);
	for (unsigned w = 0; w < WIDTHS; w++)
		for (unsigned i = 0; can_run(&widths[w]) && i < TEST_SIZES; i++) {
			read_one(&widths[w], buffer, test_sizes[i]);
			read_one(&widths[w], guarded_end(buffer, test_sizes[i]), test_sizes[i]);
		}
}

/* The reference itself: words by hand. */
TEST(sum_is_right)
{
	_Alignas(64) unsigned char b[256] = {
		[0] = 1, [8] = 2, [16] = 4, [32] = 8, [64] = 16, [128] = 32, [3] = 64
	};

	/* Accesses 0, 4, 8, ...: 64-bit words at 0, 32, 64, 128. */
	assert_int_equal(streams_sum(b, 256, 64), 1 + (64ULL << 24) + 8 + 16 + 32);
	assert_int_equal(streams_sum(b, 256, 128), 1 + (64ULL << 24) + 2 + 16 + 32);
	assert_int_equal(streams_sum(b, 256, 512), 1 + (64ULL << 24) + 2 + 4 + 8);
	/* Accesses 0 and, of three, the last. */
	assert_int_equal(streams_sum(b, 24, 64), 1 + (64ULL << 24) + 4);
	assert_int_equal(streams_sum(b + 3, 1, 64), 64ULL << 24);
	assert_int_equal(streams_sum(b + 8, 3, 32), 2);
}

static void check_outside(const char *what, unsigned bits, const unsigned char *b,
	const unsigned char *at, size_t n)
{
	size_t before = (size_t)(at - b), after = before + n;

	if (!memcmp(b, pattern, before) && !memcmp(at + n, pattern + after, GUARD_MOST - after))
		return;
	for (size_t i = 0; i < GUARD_MOST; i++)
		if ((i < before || i >= after) && b[i] != pattern[i])
			fail_msg("%s_%u of %zu bytes at ...%03lx wrote outside, at %+ld", what,
				bits, n, (uintptr_t)at & 4095, (long)(b + i - at));
}

static void write_one(const char *what, loop_fn *loop, unsigned bits, size_t offset, size_t n)
{
	unsigned char *at = buffer + offset;

	fill(buffer, GUARD_MOST);
	uint64_t got = call_kernel(what, loop, (uintptr_t)at, n, 3, PATTERN, 0);

	if (got != 3 * n)
		fail_msg("%s_%u of %zu bytes, 3 passes: returned %lu", what, bits, n, got);
	if (!streams_filled(at, n, bits, PATTERN))
		fail_msg("%s_%u of %zu bytes at ...%03lx: not all is the pattern "
			 "(probes/loops/write_loops.S)",
			what, bits, n, (uintptr_t)at & 4095);
	check_outside(what, bits, buffer, at, n);
	fill(buffer, GUARD_MOST);
	assert_int_equal(call_kernel(what, loop, (uintptr_t)at, n, 0, PATTERN, 0), 0);
	check_outside(what, bits, buffer, buffer, 0);
}

TEST(write_all)
{
	for (unsigned w = 0; w < WIDTHS; w++)
		for (unsigned i = 0; can_run(&widths[w]) && i < TEST_SIZES; i++) {
			size_t n = test_sizes[i], offsets[] = { 0, 1, GUARD_MOST - n };

			for (unsigned o = 0; o < 3; o++) {
				write_one("write", widths[w].write, widths[w].bits, offsets[o], n);
				write_one("write_nt", widths[w].write_nt, widths[w].bits,
					offsets[o], n);
			}
		}
}

/* At both ends of a guarded buffer; nothing beside whole turns of 32 words is touched. */
static void words_one(const struct width *w, size_t turns, bool at_end)
{
	size_t n = turns * 32 * w->bits / 8;
	unsigned char *at = at_end ? guarded_end(buffer, n) : buffer;

	fill(buffer, GUARD_MOST);
	for (uint64_t passes = 0; passes < 3; passes++) {
		uint64_t sum = streams_sum(at, n, w->bits) * passes;
		uint64_t got = call_kernel("words_read", w->words_read, (uintptr_t)at, turns,
			passes, 0, 0);

		if (got != (w->bits == 32 ? (uint32_t)sum : sum))
			fail_msg("words_read_%u of %zu turns, %lu passes: %#lx, plain C says %#lx",
				w->bits, turns, passes, got, sum);
	}
	uint64_t got =
		call_kernel("words_write", w->words_write, (uintptr_t)at, turns, 2, PATTERN, 0);

	if (got != 2 * turns || !streams_filled(at, n, w->bits, PATTERN))
		fail_msg("words_write_%u of %zu turns: returned %lu, or not all is the pattern",
			w->bits, turns, got);
	check_outside("words_write", w->bits, buffer, at, n);
}

TEST(words_of_32_a_turn)
{
	for (unsigned w = 0; w < WIDTHS && widths[w].words_read; w++)
		for (size_t turns = 0; can_run(&widths[w]) && turns < 24; turns++)
			if (turns * 32 * widths[w].bits / 8 <= GUARD_MOST) {
				words_one(&widths[w], turns, false);
				words_one(&widths[w], turns, true);
			}
}

TEST(one_int_is_read_again_and_again)
{
	uint32_t *one = (uint32_t *)guarded_end(buffer, sizeof *one);

	for (uint32_t value = 0; value < 100; value += 33)
		for (uint64_t turns = 0; turns < 20; turns++) {
			*one = value;
			assert_int_equal(call_kernel("one_int", loop_one_int, (uintptr_t)one, turns,
						 0, 0, 0),
				8 * turns * value);
		}
}

TEST(filled_sees_a_wrong_byte)
{
	_Alignas(8) unsigned char b[40];

	for (unsigned i = 0; i < 40; i++)
		b[i] = (unsigned char)(PATTERN >> i % 8 * 8);
	assert_true(streams_filled(b + 3, 30, 64, PATTERN));
	for (unsigned i = 3; i < 33; i++) {
		b[i] ^= 1;
		assert_false(streams_filled(b + 3, 30, 64, PATTERN));
		b[i] ^= 1;
	}
}

static void copy_one(const char *what, loop_fn *loop, unsigned bits, size_t to, size_t from,
	size_t n)
{
	fill(buffer, GUARD_MOST);
	memcpy(other, other_pattern, GUARD_MOST);
	uint64_t got = call_kernel(what, loop, (uintptr_t)(buffer + to), (uintptr_t)(other + from),
		n, 2, 0);

	if (got != 2 * n)
		fail_msg("%s_%u of %zu bytes, 2 passes: returned %lu", what, bits, n, got);
	if (memcmp(buffer + to, other + from, n))
		fail_msg("%s_%u of %zu bytes to ...%03lx differs (probes/loops/copy_loops.S)", what,
			bits, n, to & 4095);
	check_outside(what, bits, buffer, buffer + to, n);
}

TEST(copy_all)
{
	for (unsigned i = 0; i < TEST_SIZES; i++) {
		size_t n = test_sizes[i], end = GUARD_MOST - n;
		const size_t places[][2] = { { 0, 0 }, { end, end }, { 0, end }, { end, 0 },
			{ 3, 1 } };

		for (unsigned p = 0; p < 5; p++) {
			for (unsigned w = 0; w < WIDTHS && can_run(&widths[w]); w++)
				copy_one("copy", widths[w].copy, widths[w].bits, places[p][0],
					places[p][1], n);
			copy_one("rep_movsb", loop_rep_movsb, 8, places[p][0], places[p][1], n);
		}
	}
}

static const char *const mix_names[MIXES] = { "mix-3-1", "mix-2-1", "mix-1-1" };

static void mix_one(const struct width *w, unsigned mix, size_t to, size_t lines, int end)
{
	uint64_t read = lines * mix_reads[mix];
	unsigned char *from = end ? guarded_end(other, 64 * read) : other;

	fill(buffer, GUARD_MOST);
	memcpy(other, other_pattern, GUARD_MOST);
	uint64_t got = call_kernel(mix_names[mix], w->mix[mix], (uintptr_t)(buffer + to),
		(uintptr_t)from, lines, 3, PATTERN);
	uint64_t expect = 3 * streams_mix_sum(from, read, w->bits);

	if (got != expect)
		fail_msg("%s_%u, %zu lines: %#lx, plain C says %#lx (probes/loops/mix_loops.S)",
			mix_names[mix], w->bits, lines, got, expect);
	if (!streams_filled(buffer + to, 64 * lines, 64, PATTERN))
		fail_msg("%s_%u, %zu lines: not all is the pattern", mix_names[mix], w->bits,
			lines);
	check_outside(mix_names[mix], w->bits, buffer, buffer + to, 64 * lines);
	fill(buffer, GUARD_MOST);
	assert_int_equal(0,
		call_kernel(mix_names[mix], w->mix[mix], (uintptr_t)(buffer + to), (uintptr_t)from,
			lines, 0, PATTERN));
	check_outside(mix_names[mix], w->bits, buffer, buffer, 0);
}

TEST(mix_all)
{
	for (unsigned w = 0; w < WIDTHS && can_run(&widths[w]); w++)
		for (unsigned mix = 0; widths[w].mix[0] && mix < MIXES; mix++)
			for (size_t lines = 0; lines < 600; lines += 1 + lines / 4) {
				mix_one(&widths[w], mix, 0, lines, 1);
				mix_one(&widths[w], mix, GUARD_MOST - 64 * lines, lines, 0);
			}
}

/* The reference itself, by hand: words 0 of each line, and as many more as an access has. */
TEST(mix_sum_is_right)
{
	_Alignas(64) unsigned char b[192] = {
		[0] = 1, [8] = 2, [16] = 4, [32] = 8, [64] = 16, [80] = 32, [128] = 64
	};

	assert_int_equal(0, streams_mix_sum(b, 0, 128));
	assert_int_equal(1 + 2 + 16, streams_mix_sum(b, 2, 128));
	assert_int_equal(1 + 2 + 4 + 16 + 32, streams_mix_sum(b, 2, 256));
	assert_int_equal(1 + 2 + 4 + 8 + 16 + 32 + 64, streams_mix_sum(b, 3, 512));
}

TEST(stosb_all)
{
	for (unsigned i = 0; i < TEST_SIZES; i++) {
		size_t n = test_sizes[i], offset = GUARD_MOST - n;

		fill(buffer, GUARD_MOST);
		assert_int_equal(call_kernel("rep_stosb", loop_rep_stosb,
					 (uintptr_t)(buffer + offset), n, 2, 0x5a, 0),
			2 * n);
		assert_true(streams_filled(buffer + offset, n, 64, 0x5a5a5a5a5a5a5a5aULL));
		check_outside("rep_stosb", 8, buffer, buffer + offset, n);
	}
}

TEST(byte_per_line)
{
	fill(buffer, GUARD_MOST);
	for (uint64_t lines = 0; lines < 200; lines++) {
		/* The last line's first byte is the last byte before the forbidden page. */
		unsigned char *at = guarded_end(buffer, lines ? lines * 64 - 63 : 0);
		uint64_t sum = 0;

		for (uint64_t i = 0; i < lines; i++)
			sum += at[i * 64];
		assert_int_equal(call_kernel("read_byte_per_line", loop_read_byte_per_line,
					 (uintptr_t)at, lines, 3, 0, 0),
			3 * sum);
	}
}

/* By hand: 512 bytes of 128-bit accesses in four streams are four turns, 32 bytes of each. */
TEST(turn_sum_is_right)
{
	_Alignas(64) unsigned char b[TURN_BYTES] = { 0 };
	struct turn_walk w = streams_walk(b, b, sizeof b, 8, 4, 128, 0);

	assert_int_equal(w.near, 128);
	assert_int_equal(w.far, 256);
	assert_int_equal(w.step, 32);
	assert_int_equal(w.turns, 4);
	b[96] = 1;       /* cursor 0, first access of the last turn */
	b[512 - 8] = 16; /* cursor 3, last access */
	b[64] = 128;     /* a turn before */
	assert_int_equal(streams_turn_sum(&w, 3, 8, 128), 3 * 16 + 1);
	assert_int_equal(streams_turn_sum(&w, 0, 8, 128), 0);
	w = streams_walk(b, b, sizeof b, 2, 1, 512, 0);
	assert_int_equal(w.turns, 4);
	b[384] = 2;
	assert_int_equal(streams_turn_sum(&w, 1, 2, 512), 16 + 2);
}

BEFORE_ALL(make_buffers)
{
	for (size_t i = 0; i < GUARD_MOST; i++) {
		pattern[i] = test_byte(i);
		other_pattern[i] = (unsigned char)~test_byte(i * 3);
	}
	buffer = guarded();
	other = guarded();
}
