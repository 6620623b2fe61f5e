/* SPDX-License-Identifier: MIT */
/* The pages of a mapping, according to the kernel. */
#include <sys/mman.h>

#include "linux/mapping.c"
#include "tests/unit/test.h"

static const char smaps[] =
	"55d0a0000000-55d0a0002000 r--p 00000000 fe:00 1 /usr/bin/cat\n"
	"Rss:                   8 kB\nKernelPageSize:        4 kB\nAnonHugePages:         0 kB\n"
	"VmFlags: rd mr mw me\n"
	"7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
	"Size:               4096 kB\nKernelPageSize:        4 kB\nMMUPageSize:           4 kB\n"
	"Rss:                4096 kB\nAnonHugePages:      2048 kB\nLocked:             4096 kB\n"
	"VmFlags: rd wr mr mw me ac lo hg\n"
	"7f0040000000-7f0080000000 rw-p 00000000 00:0f 7 /anon_hugepage (deleted)\n"
	"KernelPageSize:  1048576 kB\nRss:                   0 kB\n"
	"Private_Hugetlb: 1048576 kB\nAnonHugePages:         0 kB\n";

static struct smaps_entry entry_at(uint64_t address)
{
	struct smaps_entry e;
	FILE *f = fmemopen((char *)smaps, sizeof smaps - 1, "r");
	assert_int_equal(smaps_find(f, address, &e), 0);
	fclose(f);
	return e;
}

TEST(test_smaps_entry)
{
	struct smaps_entry e = entry_at(0x7f0000001000);
	assert_int_equal(e.start, 0x7f0000000000);
	assert_int_equal(e.end, 0x7f0000400000);
	assert_int_equal(e.resident, 4 * MIB);
	assert_int_equal(e.huge, 2 * MIB);
	assert_int_equal(e.locked, 4 * MIB);
	FILE *f = fmemopen((char *)smaps, sizeof smaps - 1, "r");
	assert_int_equal(smaps_find(f, 0x7f0000400000, &e), -1);
	fclose(f);
}

TEST(test_mixed_pages_are_no_page_size)
{
	struct smaps_entry e = entry_at(0x7f0000000000);
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), 0);
	e.huge = 4 * MIB;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), PAGE_2M);
	e.huge = 0;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), PAGE_4K);
	assert_int_equal(pages_judge(&e, e.start, 2 * MIB), 0); /* merged with a neighbour */
	e.resident -= PAGE_4K;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), 0);
}

TEST(test_hugetlb_pages)
{
	struct smaps_entry e = entry_at(0x7f0040000000);
	assert_int_equal(pages_judge(&e, e.start, GIB), PAGE_1G);
}

TEST(test_own_mapping)
{
	struct slot s;
	bool known;
	assert_int_equal(mapping_anonymous(&s, 8 * MIB, PAGE_4K, NODE_UNKNOWN), 0);
	assert_int_equal(pages_verify(s.arena.base, 8 * MIB, &known), PAGE_4K);
	assert_true(known);
	assert_int_equal(madvise(s.arena.base, PAGE_4K, MADV_DONTNEED), 0);
	assert_int_equal(pages_verify(s.arena.base, 8 * MIB, &known), 0);
	mapping_free(&s);
	assert_null(s.map);
}
