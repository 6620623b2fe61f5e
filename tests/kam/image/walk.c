/* SPDX-License-Identifier: MIT */
#include "tests/kam/image/walk.h"

#define PRESENT    (1ull << 0)
#define WRITABLE   (1ull << 1)
#define LARGE      (1ull << 7)
#define NO_EXECUTE (1ull << 63)
#define ADDRESS    0x000ffffffffff000ull

#define HIGHEST 39 /* lowest bit of the index into the first table */
#define LARGEST 30
#define LOWEST  12

bool walk(const struct ram *r, uint64_t root, uint64_t address, struct walked_page *out)
{
	uint64_t table = root & ADDRESS, entry, inside;
	const uint64_t *at;

	*out = (struct walked_page){ .shift = HIGHEST, .writable = true, .executable = true };
	for (;; out->shift -= 9) {
		at = ram_find(r, table, 4096);
		entry = at ? at[address >> out->shift & 511] : 0;
		if (!(entry & PRESENT))
			return false;
		out->entry[out->entries++] = table + 8 * (address >> out->shift & 511);
		out->writable &= !!(entry & WRITABLE);
		out->executable &= !(entry & NO_EXECUTE);
		if (out->shift == LOWEST || (out->shift <= LARGEST && (entry & LARGE)))
			break;
		table = entry & ADDRESS;
	}
	inside = (1ull << out->shift) - 1;
	out->physical = (entry & ADDRESS & ~inside) | (address & inside);
	return true;
}
