/* SPDX-License-Identifier: MIT */
/* The flushed lines are on these pages. */
#include "probes/latency/flushed.c"
#include "tests/unit/test.h"

#define FEWEST_SETS 16

/* Whatever the number of sets, and the span: no set of a TLB has more pages than another. */
TEST(few_pages_are_spread_evenly_over_the_sets_of_a_tlb)
{
	struct random r = { 0 };

	random_seed(&r, 7);
	for (uint64_t span = FEW_PAGES * PAGE_4K; span <= SPAN_MOST; span *= 2)
		for (uint64_t sets = FEWEST_SETS; sets <= FEW_PAGES; sets *= 2) {
			struct flushed_walk w = { .base = GIB, .apart = span / FEW_PAGES };
			unsigned held[FEW_PAGES] = { 0 };

			for (uint64_t i = 0; i < FEW_PAGES; i++) {
				uint64_t page = spread_page(&r, &w, i);

				assert_true(page / w.apart == w.base / w.apart + i);
				held[page / PAGE_4K % sets]++;
			}
			for (uint64_t k = 0; k < sets; k++)
				assert_int_equal(held[k], FEW_PAGES / sets);
		}
}
