/* SPDX-License-Identifier: MIT */
/* The pages of a mapping, according to the kernel. */
#include <sys/mman.h>
#include <sys/syscall.h>

#include "linux/mapping.c"
#include "tests/unit/test.h"

static bool old_kernel; /* without MADV_POPULATE_WRITE */

int madvise(void *base, size_t bytes, int advice)
{
	if (!old_kernel || advice != MADV_POPULATE_WRITE)
		return (int)syscall(SYS_madvise, base, bytes, advice);
	errno = EINVAL;
	return -1;
}

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

static int sum(uint64_t start, uint64_t end, struct smaps_entry *e)
{
	FILE *f = fmemopen((char *)smaps, sizeof smaps - 1, "r");
	int failed = smaps_sum(f, start, end, e);
	fclose(f);
	return failed;
}

static struct smaps_entry entry_of(uint64_t start, uint64_t bytes)
{
	struct smaps_entry e;
	assert_int_equal(sum(start, start + bytes, &e), 0);
	return e;
}

TEST(test_smaps_entry)
{
	struct smaps_entry e = entry_of(0x7f0000000000, 4 * MIB);
	assert_int_equal(e.start, 0x7f0000000000);
	assert_int_equal(e.end, 0x7f0000400000);
	assert_int_equal(e.resident, 4 * MIB);
	assert_int_equal(e.huge, 2 * MIB);
	assert_int_equal(e.locked, 4 * MIB);
	assert_int_equal(sum(0x7f0000400000, 0x7f0040000000, &e), -1);
}

/* Locked memory and what was populated after it are two mappings. */
TEST(mappings_side_by_side_are_one_range)
{
	static const char two[] = "7f0000000000-7f0000400000 rw-p 00000000 00:00 0 \n"
				  "KernelPageSize:        4 kB\nRss:                4096 kB\n"
				  "AnonHugePages:      4096 kB\nLocked:             4096 kB\n"
				  "7f0000400000-7f0000600000 rw-p 00000000 00:00 0 \n"
				  "KernelPageSize:        4 kB\nRss:                2048 kB\n"
				  "AnonHugePages:      %4d kB\nLocked:                0 kB\n"
				  "7f0000600000-7f0080000000 ---p 00000000 00:00 0 \n"
				  "KernelPageSize:        4 kB\nRss:                   0 kB\n";
	const uint64_t start = 0x7f0000000000;

	for (int huge = 0; huge <= 2048; huge += 2048) {
		char text[sizeof two + 16];
		struct smaps_entry e;
		int n = snprintf(text, sizeof text, two, huge);
		FILE *f = fmemopen(text, (size_t)n, "r");
		assert_int_equal(smaps_sum(f, start, start + 6 * MIB, &e), 0);
		assert_int_equal(e.kernel_page, PAGE_4K);
		assert_int_equal(pages_judge(&e, start, 6 * MIB), huge ? PAGE_2M : 0);
		rewind(f);
		assert_int_equal(smaps_sum(f, start, start + 8 * MIB, &e), 0);
		assert_int_equal(pages_judge(&e, start, 8 * MIB), 0); /* not all of it is there */
		fclose(f);
	}
}

TEST(test_mixed_pages_are_no_page_size)
{
	struct smaps_entry e = entry_of(0x7f0000000000, 4 * MIB);
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), 0);
	e.huge = 4 * MIB;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), PAGE_2M);
	e.huge = 0;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), PAGE_4K);
	assert_int_equal(sum(e.start, e.start + 2 * MIB, &e), -1); /* merged with a neighbour */
	e = entry_of(0x7f0000000000, 4 * MIB);
	e.huge = 0;
	e.resident -= PAGE_4K;
	assert_int_equal(pages_judge(&e, e.start, 4 * MIB), 0);
}

TEST(test_hugetlb_pages)
{
	struct smaps_entry e = entry_of(0x7f0040000000, GIB);
	assert_int_equal(pages_judge(&e, e.start, GIB), PAGE_1G);
}

/* Behind a file's end there is no memory, as in a large page that a control group refuses. */
TEST(memory_that_is_not_there_is_an_error)
{
	int file = memfd_create("short", 0);

	assert_int_equal(0, ftruncate(file, PAGE_4K));
	unsigned char *base = mmap(NULL, 2 * PAGE_4K, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
	assert_true(base != MAP_FAILED);
	for (old_kernel = false;; old_kernel = true) {
		assert_int_equal(0, populate(base, PAGE_4K));
		assert_int_equal(-1, populate(base, 2 * PAGE_4K));
		if (old_kernel)
			break;
	}
	old_kernel = false;
	assert_int_equal(-1, touch(base, 2 * PAGE_4K, PAGE_4K));
	munmap(base, 2 * PAGE_4K);
	close(file);
}

/* The smaps of QEMU's user mode says that nothing is there. */
TEST(a_file_that_knows_nothing_is_not_believed)
{
	struct slot s;
	bool known;

	assert_int_equal(0, mapping_reserve(&s, 2 * PAGE_4K, PAGE_4K));
	assert_int_equal(0, mprotect(s.arena.base, PAGE_4K, PROT_READ | PROT_WRITE));
	assert_int_equal(0, pages_verify(s.arena.base, PAGE_4K, &known));
	assert_false(known);
	assert_int_equal(0, populate(s.arena.base, PAGE_4K));
	assert_int_equal(PAGE_4K, pages_verify(s.arena.base, PAGE_4K, &known));
	assert_true(known);
	mapping_free(&s);
}

TEST(test_own_mapping)
{
	struct slot s;
	bool known;
	assert_int_equal(mapping_reserve(&s, 32 * MIB, PAGE_4K), 0);
	assert_int_equal(mprotect(s.arena.base, 8 * MIB, PROT_READ | PROT_WRITE), 0);
	assert_int_equal(populate(s.arena.base, 8 * MIB), 0);
	assert_int_equal(pages_verify(s.arena.base, 8 * MIB, &known), PAGE_4K);
	assert_true(known);
	assert_int_equal(madvise(s.arena.base, PAGE_4K, MADV_DONTNEED), 0);
	assert_int_equal(pages_verify(s.arena.base, 8 * MIB, &known), 0);
	mapping_free(&s);
	assert_null(s.map);
}
