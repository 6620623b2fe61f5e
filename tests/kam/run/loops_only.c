/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "engine/probe_api.h"
#include "lib/jsonl_write.h"
#include "tests/kam/cpu/cpuid_model.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/brief_rows.h"
#include "tests/kam/run/core_set.h"
#include "tests/kam/run/loops_only.h"
#include "tests/kam/run/machine_facts.h"
#include "tests/kam/run/simulated_memory.h"
#include "tests/kam/image/image.h"

/* Fixed addresses: the results must not depend on where the system puts things. */
#define LOOPS_AT  0x200000000000ull
#define RETURN_AT 0x200010000000ull
#define STACK_AT  0x200020000000ull
#define WORK_AT   0x200100000000ull
#define CODE_AT   0x200200000000ull

#define STACK_BYTES (256 * KIB)
#define WORK_BYTES  (256 * MIB)

#define BETWEEN_CALLS 500 /* core cycles of plain C between two loops */
#define SAMPLES_QUIET 3   /* of a row, on a machine without disturbances, if one does not say all */
#define SAMPLES_MOVED 5   /* where the clock rises, or a cache replaces at random */
#define SAMPLES_MIXED 9   /* where samples differ only by whether a neighbour is there */
#define BETWEEN_TASKS 60  /* likewise of what several cores do at once, and of a look at the TSC */

struct kam {
	struct room room;
	struct tsc_source unused;
	const struct cpu *cpu;
	struct cores cores;
	FILE *out;
	bool verbose;
	bool timed;      /* between timed_begin and timed_end */
	uint64_t offset; /* of the time that cores side by side see, from the model's TSC */
	uint64_t cost_ns, spent_ns;
	unsigned char *code; /* generated code; each time at a new address */
	size_t code_bytes;
	uint64_t code_at;
};

static struct kam *state_of(struct room *room)
{
	return room->priv;
}

static struct model *model_of(struct kam *k)
{
	return &cores_current(&k->cores)->model;
}

static int kam_arena(struct room *room, size_t page_bytes, struct arena *out)
{
	struct kam *k = state_of(room);

	while (page_bytes > PAGE_4K && !(room->facts.pages & page_bytes))
		page_bytes = page_bytes == PAGE_1G ? PAGE_2M : PAGE_4K;
	simulated_arena(&k->cores, k->cpu, page_bytes, out);
	return 0;
}

static int kam_arena_on(struct room *room, uint32_t node, size_t page_bytes, struct arena *out)
{
	return simulated_arena_on(state_of(room)->cpu, node, out);
}

/* Generated code gets a new address each time: what was decoded before has another. */
static void *kam_code_open(struct room *room, size_t bytes)
{
	struct kam *k = state_of(room);

	if (k->code) {
		cores_unmap(&k->cores, k->code, k->code_bytes);
		munmap(k->code, k->code_bytes);
	}
	k->code_bytes = (bytes + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
	k->code = simulated_map(k->code_at, k->code_bytes, k->code_bytes, PROT_READ | PROT_WRITE);
	k->code_at += k->code_bytes + PAGE_2M;
	cores_map(&k->cores, k->code, k->code_bytes, UC_PROT_READ | UC_PROT_EXEC);
	return k->code;
}

static int kam_code_seal(struct room *room)
{
	struct kam *k = state_of(room);

	return mprotect(k->code, k->code_bytes, PROT_READ);
}

static void spend(struct kam *k, uint64_t instructions)
{
	k->spent_ns += (instructions + BETWEEN_CALLS) * k->cost_ns;
}

/* Returns true if several cores may run side by side now. */
static bool side_by_side(const struct kam *k)
{
	return k->cores.n > 1 && (k->timed || turns_others(&k->cores.turns) != UINT64_MAX);
}

static uint64_t spent_ticks(const struct kam *k)
{
	return (uint64_t)((unsigned __int128)k->spent_ns * k->cpu->tsc_hz / 1000000000);
}

/* From now on the time is the model's, and begins with what was spent so far. */
static void begin_side_by_side(struct kam *k)
{
	if (!side_by_side(k))
		k->offset = spent_ticks(k) - model_ticks(model_of(k));
}

/* An address in this program's .loops, such as an argument of loop_timed_call, in the image's. */
static uint64_t moved(uint64_t value)
{
	uint64_t offset = value - (uint64_t)(uintptr_t)loops_start;

	return offset < (uint64_t)(loops_end - loops_start) ? LOOPS_AT + offset : value;
}

static uint64_t stack_of(unsigned core)
{
	return STACK_AT + core * 2 * STACK_BYTES;
}

static struct timed kam_call(struct room *room, loop_fn *loop, const uint64_t args[LOOP_ARGS])
{
	static const int registers[LOOP_ARGS] = { UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX,
		UC_X86_REG_RCX, UC_X86_REG_R8, UC_X86_REG_R9 };
	struct kam *k = state_of(room);
	struct core *c = cores_current(&k->cores);
	uint64_t before = c->model.instructions, value;
	uint64_t rsp = stack_of(k->cores.turns.current) + STACK_BYTES - 64 - 8;
	uint64_t begin = moved((uint64_t)(uintptr_t)loop);
	struct timed t;
	unsigned i;

	if (begin == (uint64_t)(uintptr_t)loop)
		fatal("a loop that is not in section .loops was called");
	cores_pass(&k->cores, side_by_side(k) ? BETWEEN_TASKS : BETWEEN_CALLS);
	for (i = 0; i < LOOP_ARGS; i++) {
		value = moved(args[i]);
		uc_reg_write(c->emulator.uc, registers[i], &value);
	}
	*(uint64_t *)(uintptr_t)rsp = RETURN_AT;
	uc_reg_write(c->emulator.uc, UC_X86_REG_RSP, &rsp);
	emulator_run(&c->emulator, begin, RETURN_AT);
	uc_reg_read(c->emulator.uc, UC_X86_REG_RAX, &t.value);
	uc_reg_read(c->emulator.uc, UC_X86_REG_RDX, &t.ticks);
	spend(k, c->model.instructions - before);
	return t;
}

static void kam_timed_begin(struct room *room, struct event_counts *q)
{
	struct kam *k = state_of(room);

	begin_side_by_side(k);
	k->timed = true;
	q->known = EVENT_SMIS;
	if (k->cpu->smi.every)
		model_ticks(model_of(k)); /* those until now */
	q->priv[0] = tsc_smis(&model_of(k)->clock);
}

static void kam_timed_end(struct room *room, struct event_counts *q)
{
	struct kam *k = state_of(room);

	q->smis = tsc_smis(&model_of(k)->clock) - q->priv[0];
	k->timed = false;
}

static struct cpuid kam_cpuid(struct room *room, uint32_t leaf, uint32_t subleaf)
{
	return cpuid_of(state_of(room)->cpu, leaf, subleaf);
}

/*
 * The time that budgets see counts the simulated instructions and calls of this function, so that a
 * profile measures the same rows on every host. While several cores may work side by side it is the
 * model's time that goes on: plain C takes their times by it. So it is where the clock rises: how
 * long it has risen is told in its own time.
 */
static uint64_t kam_now(struct room *room)
{
	struct kam *k = state_of(room);

	if (side_by_side(k)) {
		cores_pass(&k->cores, BETWEEN_TASKS);
		return k->offset + model_ticks(model_of(k));
	}
	if (k->cpu->hz_start) {
		model_idle(model_of(k), BETWEEN_TASKS);
		return model_ticks(model_of(k));
	}
	k->spent_ns += 100;
	return spent_ticks(k);
}

static int kam_run_on(struct room *room, unsigned cpu, void (*fn)(void *), void *arg)
{
	struct kam *k = state_of(room);

	if (cpu == 0 || cpu >= k->cores.n)
		return -1;
	begin_side_by_side(k);
	cores_start(&k->cores, cpu, fn, arg);
	return 0;
}

static int kam_run_wait(struct room *room, unsigned cpu)
{
	cores_join(&state_of(room)->cores, cpu);
	return 0;
}

static void kam_write(struct room *room, const char *line, size_t n)
{
	if (fwrite(line, 1, n, state_of(room)->out) != n)
		fatal("the result cannot be written");
}

static void kam_say(struct room *room, const char *text, size_t n)
{
	if (state_of(room)->verbose)
		fwrite(text, 1, n, stderr);
}

static void kam_describe(struct room *room, struct jsonl *l)
{
	struct kam *k = state_of(room);

	jsonl_object(l, "known_answer");
	jsonl_string(l, "machine", k->cpu->name);
	jsonl_string(l, "layer", "a");
	jsonl_integer(l, "reach", k->cpu->memory_reach);
	jsonl_integer(l, "beside", simulated_beside(k->cpu));
	jsonl_object_end(l);
}

/* Samples of a row; 0: as many as the engine takes. */
static unsigned samples(const struct cpu *c)
{
	if (c->jitter_every || c->spike_every || c->smi.every || c->unseen_every)
		return (unsigned)c->noise_samples;
	if (c->period_us)
		return SAMPLES_MIXED;
	if (c->hz_start || cpu_at_random(c))
		return SAMPLES_MOVED;
	return cpu_repeats(c) ? 1 : SAMPLES_QUIET;
}

static void set_env(struct kam *k)
{
	k->room = (struct room){
		.kind = ROOM_HOSTED,
		.work = (unsigned char *)(uintptr_t)WORK_AT,
		.work_bytes = WORK_BYTES,
		.arena = kam_arena,
		.code_open = kam_code_open,
		.code_seal = kam_code_seal,
		.call = kam_call,
		.timed_begin = kam_timed_begin,
		.timed_end = kam_timed_end,
		.cpuid = kam_cpuid,
		.now = kam_now,
		.write = kam_write,
		.say = kam_say,
		.describe = kam_describe,
		.priv = k,
	};
	if (k->cores.n > 1) {
		k->room.run_on = kam_run_on;
		k->room.run_wait = kam_run_wait;
	}
	k->room.arena_on = kam_arena_on;
	machine_facts(&k->room.facts, k->cpu);
	k->room.facts.beside_bytes = simulated_beside(k->cpu);
}

/*
 * Maps the loops of the image; they must have the offsets of those that this program is linked
 * with.
 */
static void load_loops(struct kam *k, const char *path)
{
	size_t ours = (size_t)(loops_end - loops_start);
	size_t room = (ours + PAGE_4K - 1) / PAGE_4K * PAGE_4K;
	struct section s;
	const uint8_t *bytes;
	struct image image;
	void *at;

	image_read(&image, path);
	bytes = image_find(&image, ".loops", &s);
	if (s.memory_bytes < ours || s.memory_bytes > room || s.file_bytes < ours)
		fatal("%s: .loops has %u bytes, this program's has %zu: not built from the same "
		      "sources",
			path, s.memory_bytes, ours);
	at = simulated_map(LOOPS_AT, room, room, PROT_READ | PROT_WRITE);
	memcpy(at, bytes, ours);
	cores_map(&k->cores, at, room, UC_PROT_READ | UC_PROT_EXEC);
	image_free(&image);
}

int loops_only_run(const struct request *r, const struct cpu *cpu, FILE *out)
{
	static struct kam k;
	int code;

	k = (struct kam){
		.cpu = cpu,
		.out = out,
		.verbose = r->verbose,
		.cost_ns = r->cost_ns,
		.code_at = CODE_AT,
	};
	cores_open(&k.cores, cpu);
	for (unsigned i = 0; i < cpu->cpus; i++)
		simulated_share(&k.cores, stack_of(i), STACK_BYTES, STACK_BYTES,
			UC_PROT_READ | UC_PROT_WRITE);
	simulated_share(&k.cores, RETURN_AT, PAGE_4K, PAGE_4K, UC_PROT_READ | UC_PROT_EXEC);
	simulated_share(&k.cores, WORK_AT, WORK_BYTES, WORK_BYTES, UC_PROT_READ | UC_PROT_WRITE);
	simulated_memory_open(&k.cores, cpu);
	load_loops(&k, r->image);
	set_env(&k);
	brief_rows = (struct brief_rows){ r->brief, samples(cpu) };
	code = bench_run(&k.room, &r->options);
	cores_close(&k.cores);
	return code;
}
