/* SPDX-License-Identifier: MIT */
#include "kernel/cpu/machine_check.h"

#include "lib/text.h"

enum { MCG_CAP = 0x179, MCG_STATUS = 0x17a, MC0_STATUS = 0x401, MC_STEP = 4 };

/* AMD's scalable banks (APM vol. 2, 9.1.3); deferred errors are in DESTAT and DEADDR. */
enum {
	SMCA_STATUS = 0xc0002001,
	SMCA_STEP = 16,
	SMCA_DEFERRED = SMCA_STATUS + 7,
};

#define CPUID_MCE  (1 << 7)  /* of leaf 1, EDX */
#define CPUID_MCA  (1 << 14) /* likewise */
#define CPUID_SMCA (1 << 3)  /* of leaf 80000007h, EBX */

#define MCG_IN_PROGRESS (1ULL << 2)
#define VALID           (1ULL << 63)
#define OVERFLOW        (1ULL << 62)
#define UNCORRECTED     (1ULL << 61)
#define HAS_MISC        (1ULL << 59)
#define HAS_ADDRESS     (1ULL << 58)
#define CONTEXT_CORRUPT (1ULL << 57)
#define DEFERRED        (1ULL << 44) /* AMD only; Intel gives the bit no meaning of its own */

static const struct cpu_ops *cpu;
static unsigned banks;
static bool scalable;
static uint64_t before[MACHINE_CHECK_BANKS]; /* status of each bank at the last look */
static struct machine_check kept[MACHINE_CHECKS_KEPT];
static volatile unsigned nkept;

static uint64_t msr(uint32_t number)
{
	uint64_t value;

	return cpu->read(number, &value) ? 0 : value;
}

/* The status register of a bank; the registers after it hold the address and the rest. */
static uint32_t status_register(unsigned bank)
{
	uint32_t at = (scalable ? SMCA_STATUS + SMCA_STEP * bank : MC0_STATUS + MC_STEP * bank);

	if (!scalable || (msr(at) & VALID))
		return at;
	return SMCA_DEFERRED + SMCA_STEP * bank;
}

static uint64_t status_of(unsigned bank)
{
	return msr(status_register(bank));
}

static bool read_bank(unsigned bank, struct machine_check *m)
{
	uint32_t at = status_register(bank);
	uint64_t s = msr(at);

	if (!(s & VALID))
		return false;
	m->bank = bank;
	m->status = s;
	m->address = s & HAS_ADDRESS ? msr(at + 1) : 0;
	m->misc = s & HAS_MISC ? msr(at + 2) : 0;
	return true;
}

/* Keep a valid bank once: processors share banks, and an exception may reach them all. */
static void keep(unsigned bank)
{
	struct machine_check m;

	if (!read_bank(bank, &m))
		return;
	for (unsigned i = 0; i < nkept && i < MACHINE_CHECKS_KEPT; i++)
		if (kept[i].bank == bank && kept[i].status == m.status)
			return;
	unsigned at = __atomic_fetch_add(&nkept, 1, __ATOMIC_SEQ_CST);
	if (at < MACHINE_CHECKS_KEPT)
		kept[at] = m;
}

static void clear_in_progress(void)
{
	uint64_t status = msr(MCG_STATUS);

	if (status & MCG_IN_PROGRESS)
		cpu->write(MCG_STATUS, status & ~MCG_IN_PROGRESS);
}

unsigned machine_checks_open(const struct cpu_ops *this)
{
	uint32_t features = this->cpuid(1, 0).edx;
	unsigned valid = 0;

	cpu = this;
	nkept = 0;
	banks = (features & CPUID_MCE) && (features & CPUID_MCA) ? msr(MCG_CAP) & 0xff : 0;
	scalable = cpu_vendor(this) == VENDOR_AMD && (cpu_leaf(this, 0x80000007).ebx & CPUID_SMCA);
	if (banks > MACHINE_CHECK_BANKS)
		banks = MACHINE_CHECK_BANKS;
	for (unsigned i = 0; i < banks; i++) {
		before[i] = status_of(i);
		valid += (before[i] & VALID) != 0;
	}
	if (banks)
		clear_in_progress();
	return valid;
}

bool machine_checks_known(void)
{
	return banks != 0;
}

unsigned machine_checks_poll(void)
{
	unsigned changed = 0;

	for (unsigned i = 0; i < banks; i++) {
		uint64_t now = status_of(i);

		if (now == before[i])
			continue;
		before[i] = now;
		if (!(now & VALID))
			continue;
		keep(i);
		changed++;
	}
	return changed;
}

void machine_checks_take(void)
{
	for (unsigned i = 0; i < banks; i++)
		keep(i);
	if (banks)
		clear_in_progress();
}

/* Kinds of error by the lowest 16 bits of a status (SDM vol. 3B 16.9; APM vol. 2 9.3.2.1). */
static const struct {
	uint16_t mask, value;
	const char *kind;
} kinds[] = {
	{ 0xffff, 0x0000, "no error code" },
	{ 0xffff, 0x0001, "unclassified" },
	{ 0xffff, 0x0002, "parity of the microcode ROM" },
	{ 0xffff, 0x0003, "from another processor" },
	{ 0xffff, 0x0005, "internal parity" },
	{ 0xffff, 0x0006, "SMM handler code" },
	{ 0xffff, 0x0400, "internal timer" },
	{ 0xffff, 0x0e0b, "I/O" },
	{ 0xeffc, 0x000c, "cache" },
	{ 0xeff0, 0x0010, "TLB" },
	{ 0xef80, 0x0080, "memory controller" },
	{ 0xef80, 0x0280, "memory used as a cache" },
	{ 0xef00, 0x0100, "cache" },
	{ 0xec00, 0x0400, "internal" },
	{ 0xe800, 0x0800, "bus or interconnect" },
};

/* The kind of error that a status reports: "cache", "memory controller" ... */
static const char *machine_check_kind(uint64_t status)
{
	for (unsigned i = 0; i < sizeof kinds / sizeof *kinds; i++)
		if ((status & kinds[i].mask) == kinds[i].value)
			return kinds[i].kind;
	return "of unknown kind";
}

/* Write two lines of at most 79 columns. Returns the length. */
static size_t machine_check_text(const struct machine_check *m, char *out, size_t bytes)
{
	uint64_t s = m->status;

	int n = text_format(out, bytes,
		"  bank %u: %s, %s%s%s\n"
		"    status %016llx, address %llx, misc %llx\n",
		m->bank,
		s & UNCORRECTED        ? "uncorrected"
			: s & DEFERRED ? "deferred"
				       : "corrected",
		machine_check_kind(s), s & CONTEXT_CORRUPT ? ", processor state lost" : "",
		s & OVERFLOW ? ", not the only one" : "", (unsigned long long)s,
		(unsigned long long)m->address, (unsigned long long)m->misc);
	return (size_t)n < bytes ? (size_t)n : bytes - 1;
}

size_t machine_checks_text(char *out, size_t bytes)
{
	unsigned n = nkept < MACHINE_CHECKS_KEPT ? nkept : MACHINE_CHECKS_KEPT;
	size_t used = 0;

	*out = 0;
	for (unsigned i = 0; i < n; i++)
		used += machine_check_text(&kept[i], out + used, bytes - used);
	return used;
}
