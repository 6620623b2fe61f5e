/* SPDX-License-Identifier: MIT */
#include "engine/doubts.h"

#include <string.h>

#include "engine/chain.h"
#include "engine/claims.h"
#include "engine/core_clock.h"
#include "engine/probe_api.h"
#include "engine/room_cpuid.h"
#include "lib/math.h"
#include "lib/result_line.h"
#include "lib/text.h"

#define NO_MSR 0x400000ff /* of those that no processor has (SDM vol. 4, 2.1) */

#define TRIALS 64

/*
 * CPUID takes 80 to 350 core cycles on silicon and a time stamp 15 to 40; a hypervisor must execute
 * CPUID itself (SDM vol. 3C, 26.1.2), and a way there and back takes 1000 cycles and more. Both
 * follow the clock, so that their ratio does not.
 */
#define CPUID_STAMPS 30.0
#define STAMP_MOST   400.0 /* ticks, also of a core that is clocked at a fifth of the TSC's rate */

/*
 * Part of the timed rate by which leaf 15h may differ. The leaf is exact where it names the
 * crystal; else the rate may be that of 16h, which is rounded.
 */
#define LEAF_OFF 0.05
#define RATE_OFF 2.0 /* times as fast, or as slow */
/* A brand's clock is the base clock; the TSC of a processor for tablets has twice of it. */
#define BRAND_OFF 4.0

/*
 * Core cycles of a load from the nearest cache: 3 to 6 on silicon; and of a multiplication of 64
 * bits: 3 to 6, on the first Atoms 14 (uops.info; Fog, instruction tables). An interpreter takes
 * about as long for each instruction as for an add, or longer for what touches memory.
 */
#define NEAREST       "a load from the nearest cache"
#define LOAD_LEAST    2.5
#define LOAD_MOST     12.0
#define MULTIPLY_MOST 18.0
#define LINES         8   /* of the chain of loads */
#define GROUPS        256 /* of 16 loads, or of 48 multiplications */
#define TIMES         9   /* the shortest of so many calls counts */
#define MOMENTS       2   /* a sign is none, unless it is there each time */

/*
 * Words of names that only such machines have. Amazon's and Google's are not among them: their
 * machines without a hypervisor have the same. After systemd, src/basic/virt.c, dmi_vendor_table;
 * OEM ids of ACPI by the programs' own sources; QEMU's names of processors, target/i386/cpu.c.
 */
static const struct {
	const char *word;
	enum doubt kind;
} names[] = { { "QEMU TCG", DOUBT_EMULATED }, { "VirtualApple", DOUBT_EMULATED },
	{ "QEMU", DOUBT_VIRTUAL }, { "KVM", DOUBT_VIRTUAL }, { "OVMF", DOUBT_VIRTUAL },
	{ "BOCHS", DOUBT_VIRTUAL }, { "Bochs", DOUBT_VIRTUAL }, { "BXPC", DOUBT_VIRTUAL },
	{ "VMware", DOUBT_VIRTUAL }, { "VMWARE", DOUBT_VIRTUAL }, { "VirtualBox", DOUBT_VIRTUAL },
	{ "VBOX", DOUBT_VIRTUAL }, { "innotek", DOUBT_VIRTUAL }, { "Xen", DOUBT_VIRTUAL },
	{ "HVM domU", DOUBT_VIRTUAL }, { "Parallels", DOUBT_VIRTUAL }, { "PRLS", DOUBT_VIRTUAL },
	{ "BHYVE", DOUBT_VIRTUAL }, { "Hyper-V", DOUBT_VIRTUAL },
	{ "Virtual Machine", DOUBT_VIRTUAL }, { "VRTUAL", DOUBT_VIRTUAL },
	{ "MSFTVM", DOUBT_VIRTUAL }, { "KubeVirt", DOUBT_VIRTUAL },
	{ "Virtual CPU", DOUBT_VIRTUAL }, { "Intel Core Processor", DOUBT_VIRTUAL },
	{ "Intel Xeon Processor", DOUBT_VIRTUAL }, { "Apple Virtualization", DOUBT_VIRTUAL } };

static void doubt(struct facts *f, enum doubt kind, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
static void doubt(struct facts *f, enum doubt kind, const char *format, ...)
{
	size_t used = strlen(f->may_be_why);
	char why[DOUBT_TEXT];
	va_list args;

	if (f->hypervisor[0] && kind < DOUBT_EMULATED)
		return;
	va_start(args, format);
	text_vformat(why, sizeof why, format, args);
	va_end(args);
	f->may_be = kind > f->may_be ? kind : f->may_be;
	if (used + strlen(why) + 3 <= DOUBT_TEXT)
		text_format(f->may_be_why + used, DOUBT_TEXT - used, "%s%s", used ? "; " : "", why);
}

static bool is_letter(char c)
{
	return (c | 0x20) >= 'a' && (c | 0x20) <= 'z';
}

/* Returns the word's place in the text, with no letter before or behind it; NULL: not there. */
static const char *find_word(const char *text, const char *word)
{
	for (const char *at = text; *at; at++) {
		size_t n = 0;

		while (word[n] && at[n] == word[n])
			n++;
		if (!word[n] && !is_letter(at[n]) && (at == text || !is_letter(at[-1])))
			return at;
	}
	return NULL;
}

static void doubt_name(struct facts *f, const char *whose, const char *name)
{
	for (unsigned i = 0; i < sizeof names / sizeof *names; i++)
		if (find_word(name, names[i].word)) {
			doubt(f, names[i].kind, "%s is \"%.40s\"", whose, name);
			return;
		}
}

/* "3.50GHz", "800MHz" in a brand; 0: none. */
static double brand_hz(const char *brand)
{
	const char *end = find_word(brand, "GHz"), *at;
	double unit = end ? 1e9 : 1e6, value = 0, digit = 1;

	if (!end)
		end = find_word(brand, "MHz");
	if (!end)
		return 0;
	for (at = end; at > brand && (at[-1] == '.' || (at[-1] >= '0' && at[-1] <= '9')); at--)
		;
	for (bool behind = false; at < end; at++) {
		if (*at == '.') {
			behind = true;
			continue;
		}
		value = 10 * value + (*at - '0');
		digit *= behind ? 10 : 1;
	}
	return value / digit * unit;
}

static void doubt_rate(struct facts *f, const char *whose, double hz, double times)
{
	if (hz > 0 && (hz > times * f->tsc_hz || times * hz < f->tsc_hz))
		doubt(f, DOUBT_EMULATED, "%s claims %.0f MHz, the time stamps have %.0f", whose,
			hz / 1e6, f->tsc_hz / 1e6);
}

static bool is_timed(const struct facts *f)
{
	for (unsigned i = 0; i < f->tsc_sources; i++)
		if (!f->tsc[i].claimed && f->tsc[i].hz > 0)
			return true;
	return false;
}

static void doubt_rates(struct room *room, const char *brand)
{
	struct facts *f = &room->facts;
	double exact = identity_tsc_15h(room);

	if (!(f->tsc_hz > 0) || !is_timed(f))
		return;
	doubt_rate(f, "the brand", brand_hz(brand), BRAND_OFF);
	doubt_rate(f, "CPUID 15h", exact, RATE_OFF);
	doubt_rate(f, "CPUID 16h", identity_tsc_16h(room), RATE_OFF);
	if (exact > 0 && math_abs(exact / f->tsc_hz - 1) > LEAF_OFF && f->may_be < DOUBT_EMULATED)
		doubt(f, DOUBT_VIRTUAL, "CPUID 15h claims %.0f MHz, the time stamps have %.0f",
			exact / 1e6, f->tsc_hz / 1e6);
}

/* The fewest ticks of two stamps, with CPUID between them or nothing. */
static uint64_t fewest(struct room *room, bool with_cpuid)
{
	uint64_t least = UINT64_MAX;

	for (unsigned i = 0; i < TRIALS; i++) {
		uint64_t start = room->now(room);

		if (with_cpuid)
			room->cpuid(room, 0, 0);
		uint64_t ticks = room->now(room) - start;
		least = ticks < least ? ticks : least;
	}
	return least;
}

static void doubt_cost(struct room *room)
{
	double stamps = (double)fewest(room, false), cpuid = (double)fewest(room, true);

	if (stamps > STAMP_MOST)
		doubt(&room->facts, DOUBT_VIRTUAL, "two time stamps are %.0f ticks apart", stamps);
	else if (stamps > 0 && cpuid > CPUID_STAMPS * stamps)
		doubt(&room->facts, DOUBT_VIRTUAL, "CPUID takes %.0f ticks, a time stamp %.0f",
			cpuid, stamps);
}

void doubts_acpi_maker(struct facts *f, const void *table)
{
	enum { OEM_ID = 10, OEM_TABLE = 16 };
	const char *header = table;
	unsigned n = 0;

	for (unsigned i = OEM_ID; i < ACPI_HEADER; i++) {
		if (i == OEM_TABLE && n)
			f->acpi_maker[n++] = ' ';
		if (header[i] > ' ' && header[i] <= '~')
			f->acpi_maker[n++] = header[i];
	}
	f->acpi_maker[n] = 0;
}

void doubts_of_machine(struct room *room)
{
	struct facts *f = &room->facts;
	struct cpu_claim cpu;
	uint64_t value;

	f->may_be = DOUBT_NONE;
	*f->may_be_why = 0;
	if (f->emulated)
		return;
	claims_cpu(room, &cpu);
	doubt_name(f, "the brand", cpu.brand);
	doubt_name(f, "the firmware", f->host.firmware_vendor);
	doubt_name(f, "the system", f->host.system);
	doubt_name(f, "the board", f->host.board);
	doubt_name(f, "ACPI's maker", f->acpi_maker);
	doubt_rates(room, cpu.brand);
	doubt_cost(room);
	if (room->read_msr && room->read_msr(room, NO_MSR, &value) == 0)
		doubt(f, DOUBT_VIRTUAL, "it answers for MSRs that no processor has");
}

static bool impossible(double cycles, double most)
{
	return cycles < LOAD_LEAST || cycles > most;
}

/* Core cycles of one of the `of` dependent operations of a call, by the clock of that moment. */
static double cycles_each(struct bench *b, loop_fn *loop, const uint64_t args[LOOP_ARGS], double of)
{
	double least = 0, adds = 0;

	for (unsigned i = 0; i < TIMES; i++) {
		double clock = core_clock_ticks(b, b->clock_turns);
		double ticks = (double)call_loop(b, loop, args).ticks - b->empty_ticks;

		adds = i ? math_min(adds, clock) : clock;
		least = i ? math_min(least, ticks) : ticks;
	}
	return least / b->room->facts.tsc_hz * core_clock_of(b, (double)b->clock_turns, adds) / of;
}

/* Two of them, which share neither what is measured nor the moment's clock. */
struct signs {
	double load, multiply; /* core cycles */
};

/* A chain from line to line in the arena; without a place for it there is no sign. */
static bool take_signs(struct bench *b, struct signs *s)
{
	struct chain chain;

	if (chain_layout(&chain, &b->arena, LINES, LINE_PAIR))
		return false;
	chain_order_step(&chain, 1);
	chain_link(&chain, CHAIN_POINTER, NULL);
	const uint64_t loads[LOOP_ARGS] = { (uintptr_t)chain.base, GROUPS };
	const uint64_t multiplications[LOOP_ARGS] = { GROUPS };

	s->load = cycles_each(b, loop_chase, loads, 16 * GROUPS);
	s->multiply = cycles_each(b, loop_multiply_chain, multiplications, 64 * GROUPS);
	return true;
}

void doubts_of_pace(struct bench *b)
{
	struct facts *f = &b->room->facts;
	double cycles = b->pace.ns_per_near_load * b->core_hz / 1e9;
	struct signs s = { 0 };
	bool multiply = true;

	if (f->emulated || !(cycles > 0) || !impossible(cycles, LOAD_MOST) ||
		find_word(f->may_be_why, NEAREST))
		return;
	for (unsigned i = 0; i < MOMENTS; i++) {
		if (!take_signs(b, &s) || !impossible(s.load, LOAD_MOST))
			return;
		multiply &= impossible(s.multiply, MULTIPLY_MOST);
	}
	if (multiply)
		doubt(f, DOUBT_EMULATED, NEAREST " takes %.1f core cycles, a multiplication %.1f",
			s.load, s.multiply);
	else
		doubt(f, DOUBT_VIRTUAL, NEAREST " takes %.1f core cycles", s.load);
}

const char *facts_mark(const struct facts *f)
{
	if (f->emulated)
		return strcmp(f->hypervisor, HYPERVISOR_SIMULATED) ? "EMULATED" : "SIMULATED";
	if (f->may_be == DOUBT_EMULATED)
		return "EMULATED?";
	return f->hypervisor[0] ? "VIRTUAL" : f->may_be ? "VIRTUAL?" : "";
}
