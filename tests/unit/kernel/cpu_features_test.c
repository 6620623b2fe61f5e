/* SPDX-License-Identifier: MIT */
/*
 * Processors on which pages cannot be made non-executable at once, and what they were is restored.
 */
#include "kernel/cpu/cpu_features.h"
#include "tests/unit/test.h"

#define NXE    (1ULL << 11)
#define XD_OFF (1ULL << 34)

static struct {
	uint32_t signature;
	bool intel, lacks;          /* the feature, whatever IA32_MISC_ENABLE says */
	uint64_t efer, misc_enable; /* the latter faults where there is none: see can_be_off */
	bool has_misc;
	unsigned faults;
} box;

static bool offered(void)
{
	return !box.lacks && !(box.has_misc && (box.misc_enable & XD_OFF));
}

static struct cpuid double_cpuid(uint32_t leaf, uint32_t subleaf)
{
	switch (leaf) {
	case 0:
		return box.intel ? (struct cpuid){ 0x20, 0x756e6547, 0x6c65746e, 0x49656e69 }
				 : (struct cpuid){ 0x20, 0x68747541, 0x444d4163, 0x69746e65 };
	case 1:
		return (struct cpuid){ box.signature, 0, 0, 0 };
	case 0x80000000:
		return (struct cpuid){ 0x80000008, 0, 0, 0 };
	case 0x80000001:
		return (struct cpuid){ 0, 0, 0, offered() ? 1U << 20 : 0 };
	default:
		return (struct cpuid){ 0, 0, 0, 0 };
	}
}

static int fault(void)
{
	box.faults++;
	return 13;
}

static int double_read(uint32_t msr, uint64_t *value)
{
	if (msr == 0x1a0 && !box.has_misc)
		return fault();
	assert_true(msr == 0x1a0 || msr == 0xc0000080);
	*value = msr == 0x1a0 ? box.misc_enable : box.efer;
	return 0;
}

static int double_write(uint32_t msr, uint64_t value)
{
	if ((msr == 0x1a0 && !box.has_misc) || (msr == 0xc0000080 && (value & NXE) && !offered()))
		return fault();
	*(msr == 0x1a0 ? &box.misc_enable : &box.efer) = value;
	return 0;
}

static const struct cpu_ops cpu = { double_cpuid, double_read, double_write };

static void machine(bool intel, uint32_t signature, uint64_t efer, uint64_t misc)
{
	box.signature = signature;
	box.intel = intel;
	box.efer = efer;
	box.misc_enable = misc;
	box.has_misc = intel;
	box.lacks = false;
	box.faults = 0;
}

static void expect(bool enabled)
{
	struct no_execute before;
	uint64_t efer = box.efer, misc = box.misc_enable;

	assert_int_equal(no_execute_enable(&cpu, &before), enabled);
	assert_int_equal((box.efer & NXE) != 0, enabled);
	no_execute_restore(&cpu, &before);
	assert_int_equal(box.efer, efer);
	assert_int_equal(box.misc_enable, misc);
	assert_int_equal(box.faults, 0);
}

TEST(as_most_firmware_leaves_it)
{
	machine(true, 0x906ea, 0x500 | NXE, 0x850089);
	expect(true);
	machine(false, 0xa20f12, 0x500 | NXE, 0);
	expect(true);
}

TEST(off_in_efer)
{
	machine(true, 0x906ea, 0x500, 0x850089);
	expect(true);
}

TEST(off_in_setup)
{
	machine(true, 0x906ea, 0x500, 0x850089 | XD_OFF);
	expect(true);
}

/* Without the feature nothing is written that would fault. */
TEST(not_there)
{
	machine(false, 0xa20f12, 0x500, 0);
	box.lacks = true;
	expect(false);
	machine(true, 0x6d6, 0x500, XD_OFF);
	box.lacks = true;
	expect(false);
	machine(true, 0x695, 0x500, 0); /* family 6, model 9: no such bit */
	box.has_misc = false;
	box.lacks = true;
	expect(false);
}

/* Guests with encrypted memory, and what only looks like one. */

static struct {
	bool guest, tdx, has_sev;
	uint64_t status;
	unsigned reads;
} box_encrypted_guest;

static struct cpuid double_cpuid_encrypted_guest(uint32_t leaf, uint32_t subleaf)
{
	switch (leaf) {
	case 0:
		return (struct cpuid){ 0x21, 0x756e6547, 0x6c65746e, 0x49656e69 };
	case 1:
		return (struct cpuid){ 0, 0, box_encrypted_guest.guest ? 1U << 31 : 0, 0 };
	case 0x21: /* "IntelTDX    ", EBX EDX ECX */
		return box_encrypted_guest.tdx
			? (struct cpuid){ 0, 0x65746e49, 0x20202020, 0x5844546c }
			: (struct cpuid){ 0, 0, 0, 0 };
	case 0x80000000:
		return (struct cpuid){ 0x8000001f, 0, 0, 0 };
	case 0x8000001f:
		return (struct cpuid){ box_encrypted_guest.has_sev ? 2 : 0, 0, 0, 0 };
	default:
		return (struct cpuid){ 0, 0, 0, 0 };
	}
}

static int double_read_encrypted_guest(uint32_t msr, uint64_t *value)
{
	assert_int_equal(msr, 0xc0010131);
	box_encrypted_guest.reads++;
	*value = box_encrypted_guest.status;
	return 0;
}

static const struct cpu_ops cpu_encrypted_guest = { double_cpuid_encrypted_guest,
	double_read_encrypted_guest, NULL };

TEST(table)
{
	box_encrypted_guest.tdx = box_encrypted_guest.has_sev = true; /* a machine of its own */
	box_encrypted_guest.status = 1;
	assert_null(encrypted_guest(&cpu_encrypted_guest));
	assert_int_equal(box_encrypted_guest.reads, 0);
	box_encrypted_guest.guest = true;
	assert_string_equal(encrypted_guest(&cpu_encrypted_guest),
		"a guest with encrypted memory (Intel TDX)");
	box_encrypted_guest.tdx = false;
	assert_string_equal(encrypted_guest(&cpu_encrypted_guest),
		"a guest with encrypted memory (AMD SEV)");
	box_encrypted_guest.status = 0; /* a guest of a host that could */
	assert_null(encrypted_guest(&cpu_encrypted_guest));
	box_encrypted_guest.reads = 0;
	box_encrypted_guest.has_sev = false; /* the register faults */
	assert_null(encrypted_guest(&cpu_encrypted_guest));
	assert_int_equal(box_encrypted_guest.reads, 0);
}
