/* SPDX-License-Identifier: MIT */
/* Where `anechoic bare` puts what it loads, and what it writes for both zero pages. */
#include "linux/boot/kexec.c"
#include "tests/unit/test.h"

static struct kexec_plan plan_of(uint64_t kernel)
{
	struct kexec_plan p = { 0 };

	p.piece[INITRD] = (struct kexec_piece){ .bytes = 40 * MIB, .align = PAGE };
	p.piece[KERNEL] = (struct kexec_piece){ .bytes = kernel, .align = 2 * MIB };
	p.piece[RESULTS] = (struct kexec_piece){ .bytes = 8 * MIB, .align = PAGE };
	p.piece[IMAGE] = (struct kexec_piece){ .bytes = 2 * MIB + PAGE, .align = 2 * MIB };
	p.piece[TABLES] = (struct kexec_piece){ .bytes = TABLES_BYTES, .align = PAGE };
	return p;
}

/* All pieces are within the range, at their alignments, and none overlaps another. */
static void assert_within(const struct kexec_plan *p, uint64_t base, uint64_t end)
{
	for (int i = 0; i < KEXEC_PIECES; i++) {
		const struct kexec_piece *piece = &p->piece[i];

		assert_int_equal(0, piece->at % piece->align);
		assert_true(piece->at >= base && piece->at + piece->bytes <= end);
		end = piece->at;
	}
}

TEST(test_from_the_top_of_a_range)
{
	struct memory_range ranges[] = { { 0x1000, 0x9f000, 1 }, { MIB, 1024 * MIB - 0x20000, 1 },
		{ 4096 * MIB, 16384 * MIB, 1 } };
	struct memory_list ram = { ranges, 3 };
	struct kexec_plan p = plan_of(60 * MIB);
	char err[REASON_BYTES];

	assert_int_equal(0, choose_memory(&p, &ram, err));
	assert_within(&p, LOWEST, 1024 * MIB - 0x20000);
	assert_true(p.piece[INITRD].at > 980 * MIB);
}

/* A range that crosses 4 GiB is used up to there. */
TEST(test_below_four_gigabytes)
{
	struct memory_range range = { 2048 * MIB, 8192 * MIB, 1 };
	struct memory_list ram = { &range, 1 };
	struct kexec_plan p = plan_of(60 * MIB);
	char err[REASON_BYTES];

	assert_int_equal(0, choose_memory(&p, &ram, err));
	assert_within(&p, 2048 * MIB, 4096 * MIB);
}

TEST(test_too_little)
{
	struct memory_range range = { MIB, 200 * MIB, 1 };
	struct memory_list ram = { &range, 1 }, none = { NULL, 0 };
	struct kexec_plan p = plan_of(60 * MIB);
	char err[REASON_BYTES];

	assert_int_equal(-1, choose_memory(&p, &ram, err)); /* it fits, and leaves nothing */
	assert_non_null(strstr(err, "too little memory: "));
	range.end = 100 * MIB;
	assert_int_equal(-1, choose_memory(&p, &ram, err));
	assert_int_equal(-1, choose_memory(&p, &none, err));
	assert_non_null(strstr(err, "/proc/iomem"));
}

/* Beyond 128 entries a memory map goes on in a node, before the others in the list. */
TEST(test_a_long_memory_map)
{
	struct tables t = { .data = new_array(TABLES_BYTES, 1), .at = 64 * MIB };
	struct memory_list l = { 0 };
	uint64_t at;
	struct boot_params *zero = table_take(&t, sizeof *zero, &at);

	zero->hdr.setup_data = 12345;
	for (uint64_t i = 0; i < 200; i++)
		list_add(&l, i * MIB, i * MIB + PAGE, i % 2 + 1);
	put_map(&t, zero, &l);
	assert_int_equal(128, zero->e820_entries);
	const struct setup_node *node = (void *)(t.data + (zero->hdr.setup_data - t.at));
	assert_int_equal(SETUP_E820_EXT, node->type);
	assert_int_equal(12345, node->next);
	assert_int_equal(72 * sizeof(struct boot_e820_entry), node->bytes);
	const struct boot_e820_entry *more = (const void *)(node + 1);
	assert_int_equal(199 * MIB, more[71].addr);
	assert_int_equal(2, more[71].type);
	free(l.all);
	free(t.data);
}

TEST(test_types_of_memory)
{
	assert_int_equal(1, type_of("System RAM"));
	assert_int_equal(2, type_of("Reserved"));
	assert_int_equal(3, type_of("ACPI Tables"));
	assert_int_equal(4, type_of("ACPI Non-volatile Storage"));
	assert_int_equal(2, type_of("Soft Reserved"));
}

TEST(test_no_kernel)
{
	unsigned char data[8192] = { 0 };
	struct kexec_file f = { "file", data, sizeof data };
	struct kexec_piece piece = { 0 };
	char err[REASON_BYTES];

	assert_int_equal(-1, protected_part(&f, &piece, err));
	struct boot_params *file = (void *)data;
	file->hdr.header = HDRS;
	file->hdr.version = 0x20f;
	file->hdr.setup_sects = 3;
	assert_int_equal(-1, protected_part(&f, &piece, err)); /* of 32 bits */
	file->hdr.xloadflags = XLF_KERNEL_64;
	assert_int_equal(-1, protected_part(&(struct kexec_file){ "f", data, 2048 }, &piece, err));
	assert_int_equal(0, protected_part(&f, &piece, err));
	assert_ptr_equal(data + 2048, piece.data);
	assert_int_equal(8192 - 2048, piece.n);
}
