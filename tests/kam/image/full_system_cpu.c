/* SPDX-License-Identifier: MIT */
/*
 * Instructions of plain C that Unicorn does not execute, or not as the simulated machine would:
 * rdtsc, rdmsr, wrmsr, cpuid. Such an instruction is found by its bytes, anywhere in .text; a hook
 * there runs only if that is where an instruction begins.
 */
#include "engine/room.h"
#include "tests/kam/cpu/cpuid_model.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/full_system.h"
#include "tests/kam/image/full_system_others.h"

#define RDTSC_NS 100  /* of plain C, for asking and whatever it does with the answer */
#define PAUSE_NS 5000 /* far more than it takes: plain C waits, and is soon done */

/*
 * A person looks at the display: the image waits for nothing else when it has waited for so long
 * without a word. It would show its code and the pictures in turn, for ever.
 */
#define LOOKED_AT_NS 1000000000ull

#define DIRECTION 0x400 /* in the flags */

/* Unicorn does not tell the length of what its processor does not have. */
enum { GROUP = 0x01, MONITOR = 0xc8, MWAIT = 0xc9, XSETBV = 0xd1, GROUP_BYTES = 3 };
enum { WRITE_CONTROL = 0x22, WRMSR = 0x30, RDTSC = 0x31, RDMSR = 0x32, RDTSCP = 0xf9 };
enum { REP = 0xf3, REX_W = 0x48, STOS = 0xab, NOP = 0x90 };
enum {
	MSR_APIC_BASE = 0x1b,
	MSR_SMI_COUNT = 0x34,
	MSR_TSC_ADJUST = 0x3b,
	MSR_MTRR_CAP = 0xfe,
	MSR_MTRR_BASE0 = 0x200,
	MSR_PAT = 0x277,
	MSR_KERNEL_GS_BASE = 0xc0000102,
	MSR_STAR = 0xc0000081,
	MSR_LSTAR = 0xc0000082,
	MSR_SFMASK = 0xc0000084,
	MSR_MTRR_DEFAULT = 0x2ff
};
#define MSR_EFER        0xc0000080u
#define MSR_AMD_DE_CFG  0xc0011029u
#define EFER_LONG       0x500ull /* long mode, active */
#define EFER_NO_EXECUTE 0x800ull
#define UPPER           2 /* page tables of 512 GiB each */

static void set(uc_engine *uc, int id, uint64_t value)
{
	unicorn_check(uc_reg_write(uc, id, &value), "writing a register");
}

static void set_pair(uc_engine *uc, uint64_t value)
{
	set(uc, UC_X86_REG_RAX, (uint32_t)value);
	set(uc, UC_X86_REG_RDX, value >> 32);
}

/* --- model-specific registers --- */

struct msr *system_msr(struct full_system *w, uint32_t number)
{
	unsigned i;

	for (i = 0; i < w->nmsrs; i++)
		if (w->msrs[i].number == number)
			return &w->msrs[i];
	return NULL;
}

struct msr *system_add_msr(struct full_system *w, uint32_t number, uint64_t value, bool constant)
{
	struct msr *m = system_msr(w, number);

	if (!m && w->nmsrs == MSRS)
		fatal("more than %d MSRs", MSRS);
	if (!m)
		m = &w->msrs[w->nmsrs++];
	*m = (struct msr){ .number = number, .value = value, .constant = constant };
	return m;
}

/* An SMI before we came: a count of 0 would say that it is not counted. */
static uint64_t count_smis(struct full_system *w, struct msr *m)
{
	system_tsc(w); /* those of the time that plain C took, too */
	return tsc_smis(&w->model.clock) + 1;
}

/*
 * CPUID says MTRR and PAT; memory is write-back. The local APIC is on, not in its x2 mode. No
 * hypervisor needs to tell the microcode's version: that asking for it faults is part of each run.
 */
static void make_msrs(struct full_system *w)
{
	uint32_t i;

	system_add_msr(w, MSR_EFER, EFER_LONG | EFER_NO_EXECUTE, false); /* the first */
	system_add_msr(w, MSR_APIC_BASE, 0xfee00900, true);
	system_add_msr(w, MSR_KERNEL_GS_BASE, 0, false);
	system_add_msr(w, MSR_STAR, 0, false);
	system_add_msr(w, MSR_LSTAR, 0, false);
	system_add_msr(w, MSR_SFMASK, 0, false);
	system_add_msr(w, MSR_MTRR_CAP, 8, true);
	system_add_msr(w, MSR_MTRR_DEFAULT, 0xc06, false);
	system_add_msr(w, MSR_PAT, 0x0007040600070406, false);
	for (i = 0; i < 16; i++)
		system_add_msr(w, MSR_MTRR_BASE0 + i, 0, false);
	if (cpu_is_amd(w->cpu))
		system_add_msr(w, MSR_AMD_DE_CFG, 0, false);
	else
		system_add_msr(w, MSR_SMI_COUNT, 0, true)->read = count_smis;
	if (*w->cpu->skew.adjust)
		system_add_msr(w, MSR_TSC_ADJUST, (uint64_t)cpu_of_core(w->cpu->skew.adjust, 0),
			false);
	system_counters_init(w);
}

bool system_no_execute(const struct full_system *w)
{
	return w->msrs[0].value & EFER_NO_EXECUTE;
}

static void next(struct full_system *w, uint64_t address)
{
	set(w->uc, UC_X86_REG_RIP, address);
}

static void read_msr(struct full_system *w, uint64_t after)
{
	struct msr *m = system_msr(w, (uint32_t)register_of(w->uc, UC_X86_REG_RCX));

	if (!m) {
		system_raise(w, GENERAL_PROTECTION, 0);
		return;
	}
	set_pair(w->uc, m->read ? m->read(w, m) : m->value);
	next(w, after);
}

static void write_msr(struct full_system *w, uint64_t after)
{
	struct msr *m = system_msr(w, (uint32_t)register_of(w->uc, UC_X86_REG_RCX));

	uint64_t value = (uint32_t)register_of(w->uc, UC_X86_REG_RAX) |
		register_of(w->uc, UC_X86_REG_RDX) << 32;

	if (!m || m->constant || (m->write && !m->write(w, m, value))) {
		system_raise(w, GENERAL_PROTECTION, 0);
		return;
	}
	if (!m->write)
		m->value = value;
	next(w, after);
}

/* --- instructions --- */

static void read_tsc(struct full_system *w, uint64_t after)
{
	system_pass_time(w, RDTSC_NS);
	set_pair(w->uc, system_tsc(w));
	next(w, after);
}

/* rep stosq, upward: the image clears megabytes with it, and Unicorn stores word by word. */
static void do_rep_stosq(struct full_system *w, uint64_t after)
{
	uint64_t n = register_of(w->uc, UC_X86_REG_RCX), at = register_of(w->uc, UC_X86_REG_RDI), i;
	uint64_t word = register_of(w->uc, UC_X86_REG_RAX), *to = ram_at(&w->ram, at, 8 * n);

	if (register_of(w->uc, UC_X86_REG_EFLAGS) & DIRECTION)
		fatal("%#lx: rep stosq downward", after);
	for (i = 0; i < n; i++)
		to[i] = word;
	set(w->uc, UC_X86_REG_RCX, 0);
	set(w->uc, UC_X86_REG_RDI, at + 8 * n);
	next(w, after);
}

static void do_pause(struct full_system *w, uint64_t after)
{
	system_pass_time(w, PAUSE_NS);
	w->waited_ns += PAUSE_NS;
	if (w->display && w->waited_ns > LOOKED_AT_NS)
		system_end(w, "halted");
	if (others_running(w) || !system_timer_due(w, after, 0))
		others_pause(w, after);
}

static void wait_for_write(struct full_system *w, uint8_t which, uint64_t after)
{
	system_pass_time(w, PAUSE_NS);
	if (which == RDTSCP)
		fatal("rdtscp in plain C, before %#lx", after);
	else if (which == MONITOR)
		others_monitor(w, after);
	else
		others_mwait(w, after);
}

static void on_special(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct full_system *w = priv;
	const uint8_t *code = ram_at(&w->ram, address, 4);

	if ((*code & 0xf0) == 0x40) /* REX */
		code++;
	switch (code[1]) {
	case REX_W:
		do_rep_stosq(w, address + bytes);
		break;
	case NOP: /* rep nop: pause */
		do_pause(w, address + bytes);
		break;
	case GROUP:
		if (code[2] == XSETBV && w->refuses_xcr0)
			system_raise(w, GENERAL_PROTECTION, 0);
		else if (code[2] == XSETBV) /* the components that there are */
			next(w, address + GROUP_BYTES);
		else
			wait_for_write(w, code[2], address + GROUP_BYTES);
		break;
	case RDTSC:
		read_tsc(w, address + bytes);
		break;
	case RDMSR:
		read_msr(w, address + bytes);
		break;
	case WRMSR:
		write_msr(w, address + bytes);
		break;
	case WRITE_CONTROL:
		w->tables_changed = true; /* and Unicorn does it */
		break;
	default:
		fatal("%#lx: an instruction that plain C does not have", address);
	}
}

static bool is_special(const uint8_t *code)
{
	if (code[0] == REP)
		return code[1] == NOP || (code[1] == REX_W && code[2] == STOS);
	if (code[0] != 0x0f)
		return false;
	return code[1] == RDTSC || code[1] == RDMSR || code[1] == WRMSR ||
		code[1] == WRITE_CONTROL ||
		(code[1] == GROUP &&
			(code[2] == RDTSCP || code[2] == MONITOR || code[2] == MWAIT ||
				code[2] == XSETBV));
}

static void hook_special(struct full_system *w, uint64_t base, uint64_t bytes)
{
	const uint8_t *code = ram_at(&w->ram, base, bytes);
	uint64_t i;

	for (i = 0; i + 2 < bytes; i++) {
		if (!is_special(code + i))
			continue;
		system_hook(w, UC_HOOK_CODE, (void *)on_special, base + i, base + i);
		if (i && (code[i - 1] & 0xf0) == 0x40)
			system_hook(w, UC_HOOK_CODE, (void *)on_special, base + i - 1,
				base + i - 1);
	}
}

void system_filter_cpuid(struct full_system *w, cpuid_filter_fn *filter)
{
	if (w->cpuid_filters == CPUID_FILTERS)
		fatal("more than %d filters of CPUID", CPUID_FILTERS);
	w->cpuid_filter[w->cpuid_filters++] = filter;
}

static int on_cpuid(uc_engine *uc, void *priv)
{
	struct full_system *w = priv;
	uint32_t leaf = (uint32_t)register_of(uc, UC_X86_REG_RAX);
	uint32_t subleaf = (uint32_t)register_of(uc, UC_X86_REG_RCX);
	struct cpuid c = cpuid_of(w->cpu, leaf, subleaf);
	unsigned i;

	for (i = 0; i < w->cpuid_filters; i++)
		w->cpuid_filter[i](w, leaf, subleaf, &c);

	set(uc, UC_X86_REG_RAX, c.eax);
	set(uc, UC_X86_REG_RBX, c.ebx);
	set(uc, UC_X86_REG_RCX, c.ecx);
	set(uc, UC_X86_REG_RDX, c.edx);
	return 1;
}

/* --- as the firmware leaves it --- */

/* 1 TiB, mapped to itself: 8 GiB in pages of 2 MiB, the rest in pages of 1 GiB. */
static void make_tables(struct full_system *w)
{
	uint64_t *root = ram_at(&w->ram, ROOT_AT, (1 + UPPER + 8) * PAGE_4K);
	uint64_t *upper = root + 512, *directories = upper + UPPER * 512, i;

	for (i = 0; i < UPPER; i++)
		root[i] = (ROOT_AT + (1 + i) * PAGE_4K) | 3;
	for (i = 0; i < UPPER * 512; i++)
		upper[i] = i * GIB | 0x83;
	for (i = 0; i < 8; i++)
		upper[i] = (ROOT_AT + (1 + UPPER + i) * PAGE_4K) | 3;
	for (i = 0; i < 8 * 512; i++)
		directories[i] = i * PAGE_2M | 0x83;
}

/*
 * EFER.NXE, without which bit 63 of a page table's entry is reserved. Unicorn 2.0.1 takes it from
 * nobody, so it is set in a saved context, where EFER is the one word with its two bits of long
 * mode.
 */
static void allow_no_execute(uc_engine *uc)
{
	uint64_t *words, *efer = NULL;
	uc_context *context;
	size_t i, n = uc_context_size(uc) / 8;

	unicorn_check(uc_context_alloc(uc, &context), "allocating a context");
	unicorn_check(uc_context_save(uc, context), "saving the context");
	words = (uint64_t *)context;
	for (i = 0; i < n; i++) {
		if (words[i] != EFER_LONG)
			continue;
		if (efer)
			fatal("Unicorn: EFER may be in two places");
		efer = &words[i];
	}
	if (!efer)
		fatal("Unicorn: EFER is not in a context");
	*efer |= EFER_NO_EXECUTE;
	unicorn_check(uc_context_restore(uc, context), "restoring the context");
	uc_context_free(context);
}

static void enter_long_mode(struct full_system *w)
{
	allow_no_execute(w->uc);
	set(w->uc, UC_X86_REG_CR4, 0x620); /* PAE, OSFXSR, OSXMMEXCPT */
	set(w->uc, UC_X86_REG_CR3, ROOT_AT);
	set(w->uc, UC_X86_REG_CR0, 0x80010033); /* PG WP NE ET MP PE */
}

static void hook_instructions(struct full_system *w)
{
	uc_hook h;

	hook_special(w, IMAGE_AT + w->text.address, w->text.memory_bytes);
	unicorn_check(uc_hook_add(w->uc, &h, UC_HOOK_INSN, (void *)on_cpuid, w, 1, 0,
			      UC_X86_INS_CPUID),
		"adding a hook");
}

void system_cpu_init(struct full_system *w)
{
	make_msrs(w);
	make_tables(w);
	enter_long_mode(w);
	hook_instructions(w);
}

void system_cpu_attach(struct full_system *w, uint64_t page)
{
	allow_no_execute(w->uc);
	hook_special(w, page, PAGE_4K);
	hook_instructions(w);
}
