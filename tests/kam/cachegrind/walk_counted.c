/* SPDX-License-Identifier: MIT */
/*
 * walk_counted MACHINE.ini NAME BYTES PASSES: executes a walk once on a machine of the model, from
 * caches that hold nothing, and prints, in cachegrind's words,
 *
 *   value Dr D1mr DLmr Dw D1mw DLmw
 *
 * what the loop returned, its reads, those that missed in L1 and in the last cache, and the same
 * of its writes.
 */
#include <stdio.h>

#include "tests/kam/cachegrind/cache_walks.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/emulator.h"

#define PAGE 4096

static void map_code(struct emulator *e)
{
	uintptr_t from = (uintptr_t)loops_start / PAGE * PAGE;
	uintptr_t to = ((uintptr_t)loops_end + PAGE - 1) / PAGE * PAGE;

	emulator_map(e, (void *)from, to - from, UC_PROT_READ | UC_PROT_EXEC);
}

/* Calls the loop; it returns to the first address behind the loops, which never runs. */
static uint64_t call(struct emulator *e, const struct cache_walk *w)
{
	static const int registers[LOOP_ARGS] = { UC_X86_REG_RDI, UC_X86_REG_RSI, UC_X86_REG_RDX,
		UC_X86_REG_RCX, UC_X86_REG_R8, UC_X86_REG_R9 };
	uint64_t rsp = walk_stack_top() - 8, back = (uintptr_t)loops_end, value;

	for (unsigned i = 0; i < LOOP_ARGS; i++)
		uc_reg_write(e->uc, registers[i], &w->args[i]);
	*(uint64_t *)(uintptr_t)rsp = back;
	uc_reg_write(e->uc, UC_X86_REG_RSP, &rsp);
	emulator_run(e, (uintptr_t)w->loop, back);
	uc_reg_read(e->uc, UC_X86_REG_RAX, &value);
	return value;
}

/* Prints accesses, misses of L1 and misses of the last cache. */
static void print_misses(const struct memory *m, const uint64_t *served)
{
	uint64_t missed = 0;

	for (unsigned i = 1; i <= m->levels; i++)
		missed += served[i];
	printf(" %lu %lu %lu", served[0] + missed, missed, served[m->levels]);
}

int main(int n, char **words)
{
	static struct emulator e;
	static struct model m;
	struct cpu cpu;
	struct cache_walk w;
	char line[24];

	if (n != 5)
		fatal("usage: walk_counted MACHINE.ini NAME BYTES PASSES");
	cpu_read(&cpu, words[1]);
	snprintf(line, sizeof(line), "%lu", cpu.line);
	w = walk_of((char *const[]){ words[2], words[3], line, words[4] });
	walk_map();
	walk_lay_out(&w);
	model_init(&m, &cpu);
	emulator_open(&e, &m);
	map_code(&e);
	emulator_map(&e, (void *)(uintptr_t)WALK_AT, WALK_BYTES, UC_PROT_READ | UC_PROT_WRITE);
	emulator_map(&e, (void *)(uintptr_t)WALK_STACK_AT, WALK_STACK_BYTES,
		UC_PROT_READ | UC_PROT_WRITE);
	printf("%#lx", call(&e, &w));
	print_misses(&m.memory, m.memory.served[0]);
	print_misses(&m.memory, m.memory.served[1]);
	printf("\n");
	emulator_close(&e);
	model_free(&m);
	return 0;
}
