/* SPDX-License-Identifier: MIT */
/* The loops of `storeload` against plain C, beside pages that fault. */
#include "tests/unit/guard.h"
#include "tests/unit/loop_calls.h"

static const struct pair {
	const char *name;
	loop_fn *loop;
	unsigned store, load, bits; /* bytes; of the registers */
	bool twice;                 /* a second store lies behind the first one */
	bool by_store;              /* the load is by the store's address */
} pairs[] = {
	{ "store_load_8_8", loop_store_load_8_8, 8, 8, 64, false, false },
	{ "store_load_8_4", loop_store_load_8_4, 8, 4, 64, false, false },
	{ "store_load_8_2", loop_store_load_8_2, 8, 2, 64, false, false },
	{ "store_load_8_1", loop_store_load_8_1, 8, 1, 64, false, false },
	{ "store_load_4_4", loop_store_load_4_4, 4, 4, 64, false, false },
	{ "store_load_2_2", loop_store_load_2_2, 2, 2, 64, false, false },
	{ "store_load_1_1", loop_store_load_1_1, 1, 1, 64, false, false },
	{ "store_load_4_8", loop_store_load_4_8, 4, 8, 64, false, false },
	{ "store_load_16_16", loop_store_load_16_16, 16, 16, 128, false, false },
	{ "store_load_16_8", loop_store_load_16_8, 16, 8, 128, false, false },
	{ "store_load_8_16", loop_store_load_8_16, 8, 16, 128, false, false },
	{ "store_load_32_32", loop_store_load_32_32, 32, 32, 256, false, false },
	{ "store_load_32_16", loop_store_load_32_16, 32, 16, 256, false, false },
	{ "store_load_64_64", loop_store_load_64_64, 64, 64, 512, false, false },
	{ "store_load_64_32", loop_store_load_64_32, 64, 32, 512, false, false },
	{ "two_stores_load", loop_two_stores_load, 4, 8, 64, true, false },
	{ "store_load_same", loop_store_load_same, 8, 8, 64, false, true },
	{ "store_load_other", loop_store_load_other, 8, 8, 64, false, false },
};

#define PAIRS (sizeof pairs / sizeof *pairs)

/* Room for the store and for a load that begins up to 7 bytes behind it. */
#define AROUND(p) (((p)->twice ? 2 * (p)->store : (p)->store) + 8 + (p)->load)

static uint64_t in_c(const struct pair *p, unsigned char *to, unsigned offset, uint64_t value,
	uint64_t n)
{
	unsigned char is[64];

	for (unsigned i = 0; i < sizeof is; i += 8)
		memcpy(is + i, &value, 8);
	for (uint64_t i = 0; i < 8 * n; i++) {
		memcpy(to, is, p->store);
		if (p->twice)
			memcpy(to + p->store, is, p->store);
		memset(is, 0, sizeof is);
		memcpy(is, to + (p->by_store ? 0 : offset), p->load);
	}
	memcpy(&value, is, sizeof value);
	return value;
}

/* Turns 0 to 24, loads at every byte of an overlap, at both ends of memory. */
static void check_pair(const struct pair *p, uint64_t n, unsigned offset, bool at_start)
{
	unsigned char want[160], *to = guarded_side(0, AROUND(p), at_start);
	uint64_t value = 0x0123456789abcdefULL * (n + 3), expect, got;

	for (unsigned i = 0; i < AROUND(p); i++)
		to[i] = want[i] = test_byte(i + n);
	expect = in_c(p, want, offset, value, n);
	got = call_kernel(p->name, p->loop, n, (uintptr_t)to, (uintptr_t)to + offset, value, 0);
	if (got != expect || memcmp(to, want, AROUND(p)))
		fail_msg("%s, %lu turns, offset %u: expected %#lx, came %#lx%s", p->name, n, offset,
			expect, got, got == expect ? ", and other memory" : "");
}

TEST(what_is_stored_is_loaded)
{
	for (unsigned i = 0; i < PAIRS; i++) {
		const struct width w = { .bits = pairs[i].bits };

		for (uint64_t n = 0; n < 25 && can_run(&w); n++)
			for (unsigned offset = 0; offset <= 8; offset++)
				for (unsigned side = 0; side < 2; side++)
					check_pair(&pairs[i], n, offset, side);
	}
}

/* At each distance that a page has between its ends, before and behind the pointer. */
TEST(a_store_so_far_from_each_load)
{
	for (uint64_t n = 0; n < 25; n++)
		for (int64_t apart = -4096; apart <= 4096; apart += 512) {
			unsigned char *to = guarded_side(1, 2 * 4096 + 8, n & 1), *p = to + 4096;
			uint64_t value = 0xfedcba9876543210ULL - n, is, before = 77;

			if (!apart)
				continue;
			memcpy(p, &p, sizeof p);
			memcpy(p + apart, &before, 8);
			assert_int_equal((uintptr_t)p,
				call_kernel("store_chase", loop_store_chase, n, (uint64_t)apart,
					(uintptr_t)p, value, 0));
			memcpy(&is, p + apart, 8);
			assert_int_equal(n ? value : before, is);
		}
}

TEST(stores_at_one_place)
{
	for (uint64_t n = 0; n < 25; n++)
		for (unsigned side = 0; side < 2; side++) {
			unsigned char *to = guarded_side(2, 8, side);
			uint64_t value = 0xfedcba9876543210ULL - n, is = 77;

			memcpy(to, &is, 8);
			assert_int_equal(n,
				call_kernel("stores", loop_stores, n, (uintptr_t)to, value, 0, 0));
			memcpy(&is, to, 8);
			assert_int_equal(n ? value : 77, is);
		}
}
