/* SPDX-License-Identifier: MIT */
#include "kernel/smp/wake_up.h"

#include "engine/bench.h"
#include "kernel/cpu/cpu_features.h"
#include "kernel/cpu/cpu_state.h"
#include "kernel/cpu/x86.h"
#include "kernel/smp/apic.h"
#include "kernel/smp/idle.h"

#define VECTOR_WAKE 0xf2

#define PATIENCE      (1ULL << 26) /* reads of the answer before giving up: 20 ms to 200 ms */
#define READY_SECONDS 1
#define PAUSES        1000000 /* until a timer counts as absent: 10 ms or more */
#define PAUSES_LATE   4       /* enough to take an interrupt that is pending already */

#define HAS_DEADLINE (1 << 24) /* CPUID 1 ECX */

/* kernel/smp/wake_wait.S */
enum { ANSWER_STORE = 1, ANSWER_INTERRUPT, ANSWER_NMI };

void wake_wait(enum wait_in, enum wake_by, uint32_t hint, uint64_t patience);
extern const unsigned char wake_interrupt_entry[], wake_nmi_entry[];

/* The line that is watched, and the line for the answer. */
extern volatile uint32_t wake_word;
extern volatile uint64_t wake_answer;
extern volatile uint64_t wake_stamp; /* TSC when the processor took the interrupt, its own */

/* Data to and from the processor that waits. */
static struct {
	const struct waking *how;
	struct woken_chain *chains;
	volatile bool ready;
	const char *volatile why; /* why it does not wait in that way; NULL: it does */
} sleeper __attribute__((aligned(LINE_PAIR)));

/* The state of a processor before it was prepared for a wait. */
struct prepared {
	uint64_t (*gates)[2];
	uint64_t was[2][2];
	struct apic_listener listener;
};

static const struct {
	unsigned vector;
	const unsigned char *entry;
} led[] = { { VECTOR_NMI, wake_nmi_entry }, { VECTOR_WAKE, wake_interrupt_entry } };

/* Point two vectors of this processor to our entries; the stacks that their gates name stay. */
static void prepare(struct prepared *p)
{
	struct table_register idt;

	store_idt(&idt);
	p->gates = (uint64_t(*)[2])idt.base;
	for (unsigned i = 0; i < 2; i++) {
		uint64_t *gate = p->gates[led[i].vector], to = (uint64_t)led[i].entry;

		p->was[i][0] = gate[0];
		p->was[i][1] = gate[1];
		gate[0] =
			(gate[0] & 0x0000ffffffff0000) | (to & 0xffff) | (to >> 16 & 0xffff) << 48;
		gate[1] = to >> 32;
	}
	apic_listen(&p->listener);
}

/*
 * Take a late interrupt. One that came after an earlier wait was given up is kept by this
 * processor's APIC (SDM vol. 3A, 11.8.4); the next wait would mistake it for its own.
 */
static void take_late(struct prepared *p)
{
	wake_wait(WAIT_PAUSE, WAKE_BY_INTERRUPT, 0, PAUSES_LATE);
	if (wake_answer == ANSWER_INTERRUPT) {
		apic_listen_end(&p->listener, true);
		apic_listen(&p->listener);
	}
	wake_answer = 0;
}

static void put_back(const struct prepared *p)
{
	apic_listen_end(&p->listener, wake_answer == ANSWER_INTERRUPT);
	for (unsigned i = 0; i < 2; i++) {
		p->gates[led[i].vector][0] = p->was[i][0];
		p->gates[led[i].vector][1] = p->was[i][1];
	}
}

/* The reason why this processor does not wait by MWAIT; NULL: it does. */
static const char *no_mwait(uint32_t hint)
{
	struct idle any = idle_choose(&this_cpu, IDLE_MWAIT);

	if (any.way != IDLE_WAY_MWAIT || any.nmi)
		return any.why;
	return hint >> 4 ? idle_choose(&this_cpu, IDLE_DEEP).why : NULL;
}

static void compute_chains(uint64_t since)
{
	for (unsigned i = 0; i < sleeper.how->nchains; i++) {
		sleeper.chains[i].ticks = loop_add_chain(sleeper.how->chain, 0, 0, 0, 0, 0).ticks;
		sleeper.chains[i].ended = rdtsc() - since;
	}
}

/* Runs on the other processor. The pause lets a simulated machine's first processor go on. */
static void sleep_here(void *arg)
{
	const struct waking *how = sleeper.how;
	struct prepared before;

	sleeper.why = how->in == WAIT_MWAIT ? no_mwait(how->hint) : NULL;
	if (sleeper.why) {
		sleeper.ready = true;
		return;
	}
	prepare(&before);
	take_late(&before);
	sleeper.ready = true;
	wake_wait(how->in, how->by, how->hint, 0);
	uint64_t since = rdtsc();

	pause();
	compute_chains(since);
	put_back(&before);
}

/*
 * Wait this many ticks, or until the flag is set; let a simulated machine's other processors go on.
 */
static void wait_ticks(uint64_t ticks, const volatile bool *flag)
{
	uint64_t since = rdtsc();

	while (rdtsc() - since < ticks && !(flag && *flag))
		pause();
}

static int failed(const char **why, const char *what)
{
	*why = what;
	return -1;
}

/* The command that wakes the processor, and its expected answer. */
static struct apic_command command_of(const struct waking *w, uint32_t id, uint64_t *answer)
{
	switch (w->by) {
	case WAKE_BY_INTERRUPT:
		*answer = ANSWER_INTERRUPT;
		return apic_command(id, VECTOR_WAKE);
	case WAKE_BY_NMI:
		*answer = ANSWER_NMI;
		return apic_command(id, VECTOR_NMI);
	default:
		*answer = ANSWER_STORE;
		return (struct apic_command){ loop_wake_store, (uint64_t)&wake_word, 1 };
	}
}

/*
 * Intel's processors whose TSC-deadline timer is late or early before a version of the microcode,
 * by CPUID 1 EAX without the bits of `any` (Linux, arch/x86/kernel/apic/apic.c, deadline_match).
 */
static bool deadline_is_wrong(const struct cpu_ops *cpu, uint32_t microcode)
{
	enum { ANY = 15 }; /* any stepping */
	static const struct {
		uint32_t signature, any, right_from;
	} models[] = {
		{ 0x306f2, 0, 0x3a }, /* Haswell-EP, then -EX */
		{ 0x306f4, 0, 0x0f },
		{ 0x406f0, ANY, 0x0b000020 }, /* Broadwell-E, then -DE */
		{ 0x50662, 0, 0x00000011 },
		{ 0x50663, 0, 0x0700000e },
		{ 0x50664, 0, 0x0f00000c },
		{ 0x50665, 0, 0x0e000003 },
		{ 0x50653, 0, 0x01000136 }, /* Skylake-SP */
		{ 0x50654, 0, 0x02000014 },
		{ 0x306c0, ANY, 0x22 }, /* Haswell */
		{ 0x40650, ANY, 0x20 },
		{ 0x40660, ANY, 0x17 },
		{ 0x306d0, ANY, 0x25 }, /* Broadwell */
		{ 0x40670, ANY, 0x17 },
		{ 0x406e0, ANY, 0xb2 }, /* Skylake, Kaby Lake */
		{ 0x506e0, ANY, 0xb2 },
		{ 0x806e0, ANY, 0x52 },
		{ 0x906e0, ANY, 0x52 },
	};
	struct cpuid one = cpu_leaf(cpu, 1);

	if (cpu_vendor(cpu) != VENDOR_INTEL || (one.ecx & CPUID_HYPERVISOR))
		return false;
	for (size_t i = 0; i < sizeof models / sizeof *models; i++)
		if ((one.eax & ~models[i].any) == models[i].signature)
			return microcode < models[i].right_from;
	return false;
}

/* Wake this processor by its own timer: TSC ticks from the deadline until the handler began. */
static int wake_by_timer(const struct room *room, const struct waking *w, double *ticks,
	const char **why)
{
	struct prepared before;

	if (!(cpu_leaf(&this_cpu, 1).ecx & HAS_DEADLINE))
		return failed(why, "no TSC deadline: when a timer is due cannot be known");
	if (deadline_is_wrong(&this_cpu, room->facts.microcode))
		return failed(why, "an erratum of the TSC deadline, which newer microcode mends");
	wake_word = 0;
	wake_answer = 0;
	prepare(&before);
	take_late(&before);

	uint64_t due = rdtsc() + w->dwell;

	apic_deadline_set(&before.listener, VECTOR_WAKE, due);
	wake_wait(w->in, WAKE_BY_INTERRUPT, 0, PAUSES);
	put_back(&before);
	if (wake_answer != ANSWER_INTERRUPT)
		return failed(why, wake_answer ? "something else woke it" : "no timer came");
	*ticks = (double)(int64_t)(wake_stamp - due);
	return 0;
}

int wake(struct room *room, const struct waking *w, double *ticks, struct woken_chain *chains,
	const char **why)
{
	uint32_t own, id = room->facts.topology[w->cpu].id;
	uint64_t expected;

	if (!apic_id(&own))
		return failed(why, "the APIC is off");
	if (w->by == WAKE_BY_TIMER)
		return wake_by_timer(room, w, ticks, why);
	if (!apic_reaches(id))
		return failed(why, "the APIC does not reach that CPU");
	sleeper.how = w;
	sleeper.chains = chains;
	sleeper.ready = false;
	wake_word = 0;
	wake_answer = 0;
	if (room->run_on(room, w->cpu, sleep_here, NULL))
		return failed(why, "that CPU did not answer");
	wait_ticks((uint64_t)(READY_SECONDS * room->facts.tsc_hz), &sleeper.ready);
	wait_ticks(w->dwell, NULL);

	struct apic_command c = command_of(w, id, &expected);
	bool early = wake_answer || !sleeper.ready || sleeper.why;
	struct timed t = { 0 };

	if (!early)
		t = c.loop(c.to, c.command, (uint64_t)&wake_answer, PATIENCE, 0, 0);
	wake_word = 1; /* end its wait, whichever it is in */
	if (!wake_answer && !sleeper.why)
		apic_send_nmi(id);
	if (room->run_wait(room, w->cpu))
		return failed(why, "that CPU did not come back");
	if (sleeper.why)
		return failed(why, sleeper.why);
	if (early || (t.value && t.value != expected))
		return failed(why, "something else woke it");
	if (!t.value)
		return failed(why, "it was not woken: an NMI ended its wait");
	*ticks = (double)t.ticks;
	return 0;
}
