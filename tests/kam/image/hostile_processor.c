/* SPDX-License-Identifier: MIT */
/* CPUID, model-specific registers, the local APIC, control registers. */
#include <string.h>

#include "tests/kam/image/acpi_maker.h"
#include "tests/kam/image/full_system_others.h"
#include "tests/kam/image/hostile.h"

#define BIT(n) (1u << (n))

#define MSR_APIC_BASE   0x1bu
#define MSR_EFER        0xc0000080u
#define EFER_NO_EXECUTE 0x800ull
#define MISC_ENABLE     0x1a0u
#define XD_DISABLE      (1ull << 34)

/* --- no execution --- */

static void leave_nxe_off(struct full_system *w, uint64_t n)
{
	system_msr(w, MSR_EFER)->value &= ~EFER_NO_EXECUTE;
}

static bool write_efer(struct full_system *w, struct msr *m, uint64_t value)
{
	if ((value & EFER_NO_EXECUTE) && (system_msr(w, MISC_ENABLE)->value & XD_DISABLE))
		return false;
	m->value = value;
	return true;
}

#define SKYLAKE_SP 0x50654u

static void hide_xd(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (leaf == 1)
		c->eax = SKYLAKE_SP; /* a model that has the bit */
	if (leaf == 0x80000001 && (system_msr(w, MISC_ENABLE)->value & XD_DISABLE))
		c->edx &= ~BIT(20);
}

static void disable_xd(struct full_system *w, uint64_t n)
{
	leave_nxe_off(w, n);
	system_add_msr(w, MISC_ENABLE, XD_DISABLE | 1, false);
	system_msr(w, MSR_EFER)->write = write_efer;
	system_filter_cpuid(w, hide_xd);
}

/* --- the local APIC --- */

#define APIC_X2 (1u << 10)
#define X2_BASE 0x800u
#define SMI     0x200u
#define LISTENS 0x100u /* of SPURIOUS */
enum {
	APIC_ID = 0x02,
	APIC_VERSION = 0x03,
	EOI = 0x0b,
	SPURIOUS = 0x0f,
	ICR = 0x30,
	LVT_THERMAL = 0x33
};

static void claim_x2(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (leaf == 1)
		c->ecx |= BIT(21);
}

/* In that mode its registers are MSRs; the base cannot be written without a fault. */
static void enter_x2(struct full_system *w, uint64_t n)
{
	static const uint8_t lvt[] = { EOI, SPURIOUS, 0x32, 0x33, 0x34, 0x35, 0x36, 0x37 };
	unsigned i;

	system_msr(w, MSR_APIC_BASE)->value |= APIC_X2;
	system_add_msr(w, X2_BASE + APIC_ID, 0, true);
	system_add_msr(w, X2_BASE + APIC_VERSION, w->apic[APIC_VERSION], true);
	system_add_msr(w, X2_BASE + ICR, 0, false)->write = system_apic_command;
	for (i = 0; i < sizeof(lvt); i++)
		system_add_msr(w, X2_BASE + lvt[i], w->apic[lvt[i]], false)->write =
			system_apic_write;
	system_filter_cpuid(w, claim_x2);
}

static void claim_lock(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (leaf == 7 && !subleaf)
		c->edx |= BIT(29); /* MSR 10Ah is there */
}

static void lock_x2(struct full_system *w, uint64_t n)
{
	enter_x2(w, n);
	system_add_msr(w, 0x10a, 1ull << 21, true);
	system_add_msr(w, 0xbd, 1, true);
	system_filter_cpuid(w, claim_lock);
}

static void look_at_thermal(struct full_system *w)
{
	if (w->apic[LVT_THERMAL] != SMI)
		system_wrong(w, "the SMI for thermal events is off");
}

static void thermal_at_end(struct full_system *w)
{
	look_at_thermal(w);
	others_each(w, look_at_thermal);
}

static void deliver_thermal_smi(struct full_system *w, uint64_t n)
{
	w->apic[SPURIOUS] |= LISTENS;
	w->apic[LVT_THERMAL] = SMI;
	w->at_end = thermal_at_end;
}

/* --- what is there, and what is said of it --- */

#define CR4_UNKNOWN (1ull << 28) /* LAM_SUP; FRED is bit 32, and Unicorn takes 32 bits */

static void cr4_in_loop(struct full_system *w)
{
	if (register_of(w->uc, UC_X86_REG_CR4) & CR4_UNKNOWN)
		system_wrong(w, "a bit of CR4 that is not known is kept");
}

static void set_unknown_cr4(struct full_system *w, uint64_t n)
{
	uint64_t cr4 = register_of(w->uc, UC_X86_REG_CR4) | CR4_UNKNOWN;

	unicorn_check(uc_reg_write(w->uc, UC_X86_REG_CR4, &cr4), "writing CR4");
	w->in_loop = cr4_in_loop;
}

/* Refuse the register, as a hypervisor does that has taken it away since the image looked at it. */
static bool refuse_apic_base(struct full_system *w, uint64_t loop)
{
	if (loop != system_loop(w, loop_rdmsr) ||
		register_of(w->uc, UC_X86_REG_RSI) != MSR_APIC_BASE)
		return false;
	system_raise(w, GENERAL_PROTECTION, 0);
	return true;
}

static void refuse_rdmsr(struct full_system *w, uint64_t n)
{
	w->refuses = refuse_apic_base;
}

static void claim_vectors(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (!leaf && c->eax < 0xd)
		c->eax = 0xd;
	if (leaf == 1)
		c->ecx |= BIT(26) | BIT(27) | BIT(28); /* XSAVE, OSXSAVE, AVX */
	if (leaf == 7 && !subleaf)
		c->ebx |= BIT(5); /* AVX2 */
	if (leaf == 0xd && !subleaf)
		*c = (struct cpuid){ .eax = 7, .ebx = 832, .ecx = 832 };
}

static void refuse_xcr0(struct full_system *w, uint64_t n)
{
	system_filter_cpuid(w, claim_vectors);
	w->refuses_xcr0 = true;
}

#define BANKS           2
#define LEFT            0xb200000000000134ull
#define MCG_IN_PROGRESS 4

static void claim_exception(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (leaf == 1)
		c->edx |= BIT(7);
}

/* The log is not ours to clear, and another exception must not shut the processor down. */
static void machine_check_at_end(struct full_system *w)
{
	if (system_msr(w, 0x405)->value != LEFT)
		system_wrong(w, "a machine check from before was cleared");
	if (system_msr(w, 0x17a)->value & MCG_IN_PROGRESS)
		system_wrong(w, "MCG_STATUS.MCIP stays set");
}

/* SDM vol. 3B, 16.3: bank 1 has an uncorrected error that was logged before the reset. */
static void leave_machine_check(struct full_system *w, uint64_t n)
{
	unsigned i;

	system_filter_cpuid(w, claim_exception);
	w->at_end = machine_check_at_end;
	system_add_msr(w, 0x179, BANKS, true);
	system_add_msr(w, 0x17a, MCG_IN_PROGRESS, false);
	for (i = 0; i < 4 * BANKS; i++)
		system_add_msr(w, 0x400 + i, 0, false);
	system_msr(w, 0x405)->value = LEFT;
}

static void claim_sev(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (leaf == 0x80000000)
		c->eax = 0x8000001f;
	if (leaf == 0x8000001f)
		c->eax = BIT(1);
}

static void be_sev_guest(struct full_system *w, uint64_t n)
{
	system_filter_cpuid(w, claim_sev);
	system_add_msr(w, 0xc0010131, 1, true);
}

static void claim_tdx(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (!leaf)
		c->eax = 0x21;
	if (leaf == 0x21) {
		memcpy(&c->ebx, "Inte", 4);
		memcpy(&c->edx, "lTDX", 4);
		memcpy(&c->ecx, "    ", 4);
	}
}

static void be_tdx_guest(struct full_system *w, uint64_t n)
{
	system_filter_cpuid(w, claim_tdx);
}

/* SDM vol. 3B, 19.7.3: the ratio without the crystal. The hypervisor does not tell the rate. */
static void claim_crystal(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (!leaf)
		c->eax = 0x16;
	if (leaf == 0x15)
		*c = (struct cpuid){ .eax = 2, .ebx = 216 };
	if (leaf == 0x40000000)
		c->eax = 0x40000001;
}

static void hide_crystal(struct full_system *w, uint64_t n)
{
	system_filter_cpuid(w, claim_crystal);
}

/* --- MWAIT --- */

static void claim_monitor(struct full_system *w, uint32_t leaf, uint32_t subleaf, struct cpuid *c)
{
	if (leaf == 1)
		c->ecx |= BIT(3);
	if (leaf == 5)
		*c = (struct cpuid){ .eax = 64, .ebx = 64, .ecx = 3, .edx = 0x20 }; /* C1 alone */
}

static void miss_writes(struct full_system *w, uint64_t n)
{
	system_filter_cpuid(w, claim_monitor);
	others_miss_writes(w, n);
}

const struct misbehaviour hostile_processor[] = {
	{ "monitor-does-not-wake", miss_writes, 0 },
	{ "interrupts-late", others_late_interrupts, 3 },
	{ "efer-nxe-off", leave_nxe_off, 0 },
	{ "xd-disabled", disable_xd, 0 },
	{ "x2apic-at-entry", enter_x2, 0 },
	{ "xapic-locked", lock_x2, 0 },
	{ "thermal-lvt-smi", deliver_thermal_smi, 0 },
	{ "rdmsr-refused", refuse_rdmsr, 0 },
	{ "xsetbv-refused", refuse_xcr0, 0 },
	{ "cr4-unknown", set_unknown_cr4, 0 },
	{ "machine-check-pending", leave_machine_check, 0 },
	{ "sev-guest", be_sev_guest, 0 },
	{ "tdx-guest", be_tdx_guest, 0 },
	{ "crystal-zero", hide_crystal, 0 },
	{ 0 },
};
