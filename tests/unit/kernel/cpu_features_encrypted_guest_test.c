/* SPDX-License-Identifier: MIT */
/* Guests with encrypted memory, and what only looks like one. */
#include "kernel/cpu/cpu_features.h"
#include "tests/unit/test.h"

static struct {
	bool guest, tdx, has_sev;
	uint64_t status;
	unsigned reads;
} box;

static struct cpuid double_cpuid(uint32_t leaf, uint32_t subleaf)
{
	(void)subleaf;
	switch (leaf) {
	case 0:
		return (struct cpuid){ 0x21, 0x756e6547, 0x6c65746e, 0x49656e69 };
	case 1:
		return (struct cpuid){ 0, 0, box.guest ? 1U << 31 : 0, 0 };
	case 0x21: /* "IntelTDX    ", EBX EDX ECX */
		return box.tdx ? (struct cpuid){ 0, 0x65746e49, 0x20202020, 0x5844546c }
			       : (struct cpuid){ 0, 0, 0, 0 };
	case 0x80000000:
		return (struct cpuid){ 0x8000001f, 0, 0, 0 };
	case 0x8000001f:
		return (struct cpuid){ box.has_sev ? 2 : 0, 0, 0, 0 };
	default:
		return (struct cpuid){ 0, 0, 0, 0 };
	}
}

static int double_read(uint32_t msr, uint64_t *value)
{
	assert_int_equal(msr, 0xc0010131);
	box.reads++;
	*value = box.status;
	return 0;
}

static const struct cpu_ops cpu = { double_cpuid, double_read, NULL };

TEST(table)
{
	box.tdx = box.has_sev = true; /* a machine of its own */
	box.status = 1;
	assert_null(encrypted_guest(&cpu));
	assert_int_equal(box.reads, 0);
	box.guest = true;
	assert_string_equal(encrypted_guest(&cpu), "a guest with encrypted memory (Intel TDX)");
	box.tdx = false;
	assert_string_equal(encrypted_guest(&cpu), "a guest with encrypted memory (AMD SEV)");
	box.status = 0; /* a guest of a host that could */
	assert_null(encrypted_guest(&cpu));
	box.reads = 0;
	box.has_sev = false; /* the register faults */
	assert_null(encrypted_guest(&cpu));
	assert_int_equal(box.reads, 0);
}
