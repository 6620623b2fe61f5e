/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <string.h>

#include "tests/kam/cpu/fatal.h"
#include "tests/kam/run/emulator.h"

#define FAR       4096 /* bytes */
#define HOST_LINE 64   /* bytes; of the computer that simulates */

static void check(uc_err err, const char *what)
{
	if (err != UC_ERR_OK)
		fatal("Unicorn: %s: %s", what, uc_strerror(err));
}

/* Takes the events of one access: Unicorn cuts 16 bytes into 8 and 8. */
static uint64_t take(struct emulator *e, const struct insn *i, uint32_t bytes, bool write)
{
	uint64_t first = 0;
	uint32_t got = 0;

	while (got < bytes) {
		const struct event *v = &e->events[e->events_used];

		if (e->events_used == e->events_n || v->write != write ||
			(got && v->address != first + got))
			fatal("%#lx: expected a %s of %u bytes, got %s", i->address,
				write ? "store" : "load", bytes,
				e->events_used == e->events_n ? "nothing" : "another access");
		if (!got)
			first = v->address;
		got += v->bytes;
		e->waiting -= v->bytes;
		e->events_used++;
	}
	if (got != bytes)
		fatal("%#lx: %u bytes accessed, expected %u", i->address, got, bytes);
	return first;
}

/* Unicorn tells of no access of it. */
static bool names_address(const struct insn *i)
{
	return i->kind == INSN_FLUSH || i->kind == INSN_PREFETCH ||
		(i->kind == INSN_SERIAL && i->cost == COST_INVLPG);
}

static void step(struct emulator *e, const struct insn *i, uint64_t next)
{
	struct insn_run run = { 0, 0, next };

	if (i->load_bytes)
		run.load = take(e, i, i->load_bytes, false);
	if (i->store_bytes)
		run.store = take(e, i, i->store_bytes, true);
	if (names_address(i)) {
		if (!e->has_cache_op)
			fatal("%#lx: the address of a clflush, prefetch or invlpg was not seen",
				i->address);
		run.load = e->cache_op;
		e->has_cache_op = false;
	}
	if (i->kind == INSN_RDTSC || i->kind == INSN_RDTSCP) {
		if (e->rdtsc_end)
			fatal("%#lx: an rdtsc that read the host's counter", e->rdtsc_end);
		e->rdtsc_end = i->address + i->bytes;
	}
	model_step(e->model, i, &run);
}

/* Gives the model what ran before `address` in the current block. */
static void catch_up(struct emulator *e, uint64_t address)
{
	struct block *b = e->current;

	while (e->done < b->n && b->insns[e->done].insn.address < address) {
		const struct insn *i = &b->insns[e->done++].insn;

		step(e, i, i->address + i->bytes);
	}
}

/* All that the current block has run was stepped. */
static void leave(struct emulator *e)
{
	if (e->events_used != e->events_n)
		fatal("%#lx: block left %lu memory accesses unexplained", e->current->address,
			e->events_n - e->events_used);
	e->events_n = e->events_used = 0;
	e->current = NULL;
}

/* The current block is over: `next` runs now. */
static void finish(struct emulator *e, uint64_t next)
{
	struct block *b = e->current;

	if (!b)
		return;
	while (e->done < b->n) {
		const struct insn *i = &b->insns[e->done++].insn;

		step(e, i, e->done == b->n ? next : i->address + i->bytes);
	}
	leave(e);
}

static void hook(struct emulator *e, int type, void *callback, uint64_t from, uint64_t to)
{
	uc_hook h;

	check(uc_hook_add(e->uc, &h, type, callback, e, from, to), "adding a hook");
}

static void after_rdtsc(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv);
static void before_cache_op(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv);
static void before_system(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv);
static void before_wrmsr(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv);

/* Calls back before the instruction at an address; whether it did not already: blocks overlap. */
static bool hook_insn(struct emulator *e, void *callback, uint64_t address)
{
	size_t n;

	for (n = 0; n < e->hooks_n; n++)
		if (e->hooks[n] == address)
			return false;
	if (n == HOOKS)
		fatal("%#lx: more than %d instructions with a hook", address, HOOKS);
	e->hooks[e->hooks_n++] = address;
	hook(e, UC_HOOK_CODE, callback, address, address);
	return true;
}

/* Adds the hooks that the instructions of a block need; whether there are new ones. */
static bool hook_special(struct emulator *e, const struct block *b)
{
	bool any = false;
	uint32_t n;

	for (n = 0; n < b->n; n++) {
		const struct insn *i = &b->insns[n].insn;

		if (i->kind == INSN_RDTSC || i->kind == INSN_RDTSCP)
			any |= hook_insn(e, (void *)after_rdtsc, i->address + i->bytes);
		if (names_address(i))
			any |= hook_insn(e, (void *)before_cache_op, i->address);
		if (e->wrmsr && i->kind == INSN_SERIAL && i->cost == COST_WRMSR)
			any |= hook_insn(e, (void *)before_wrmsr, i->address);
		if (is_system_insn(i))
			any |= hook_insn(e, (void *)before_system, i->address);
	}
	return any;
}

/*
 * For each instruction with a CODE hook Unicorn walks the list of all of them, so only blocks that
 * run have theirs. It looks for hooks when it translates: a block that got some is translated
 * again, with the one behind it, where the instruction after a final rdtsc is.
 */
static bool translate_again(struct emulator *e, const struct block *b)
{
	if (!hook_special(e, b))
		return false;
	check(uc_ctl_remove_cache(e->uc, b->address, b->address + b->bytes + 1), "removing code");
	check(uc_reg_write(e->uc, UC_X86_REG_RIP, &b->address), "starting a block again");
	return true;
}

static void on_block(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct emulator *e = priv;
	bool new;
	struct block *b;

	finish(e, address);
	if (e->between)
		e->between(e->between_priv);
	b = blocks_at(&e->blocks, e->uc, address, bytes, &new);
	if (new &&translate_again(e, b))
		return;
	e->current = b;
	e->done = 0;
}

/* A loop that waits loads one word and stores nothing. */
static void note_waiting(struct emulator *e, uint64_t address, bool write)
{
	e->again = write || address != e->word ? 0 : e->again + 1;
	e->word = address;
	if (write)
		e->stored = model_clock(e->model);
}

/*
 * Before an access: gives the model what ran before it, while the host fetches what both will need.
 * An instruction ran if all of its accesses came.
 */
static void step_before_access(struct emulator *e)
{
	struct block *b = e->current;

	while (e->done + 1 < b->n) {
		const struct insn *i = &b->insns[e->done].insn;

		if (e->waiting < (uint32_t)i->load_bytes + i->store_bytes)
			return;
		e->done++;
		step(e, i, i->address + i->bytes);
	}
}

/*
 * Fetches what an access to another line than the last needs, and steps meanwhile if it is a load
 * from far off, which is likely to miss in the host's caches as well. Cores side by side step
 * between two blocks only.
 */
static void warm(struct emulator *e, uint64_t address, bool write)
{
	uint64_t *last = &e->last[write], apart = address - *last;

	if (*last / HOST_LINE == address / HOST_LINE)
		return;
	*last = address;
	__builtin_prefetch((const void *)(uintptr_t)address);
	memory_warm(&e->model->memory, address);
	if (!write && !e->between && e->current && apart + FAR > 2 * FAR)
		step_before_access(e);
}

/*
 * Returns true if the load is a piece of the load before: Unicorn 2.0.1 reports a load across 4 KiB
 * and then the two aligned loads that it consists of. It reports a store once.
 */
static bool is_piece(struct emulator *e, uint64_t address, int bytes, bool write)
{
	if (e->pieces) {
		e->pieces--;
		return true;
	}
	if (!write && (address ^ (address + (uint64_t)bytes - 1)) >> 12)
		e->pieces = 2;
	return false;
}

static void on_memory(uc_engine *uc, uc_mem_type type, uint64_t address, int bytes, int64_t value,
	void *priv)
{
	struct emulator *e = priv;

	if (is_piece(e, address, bytes, type == UC_MEM_WRITE))
		return;
	if (e->events_n == EVENTS)
		fatal("%#lx: more than %d accesses in a block", address, EVENTS);
	warm(e, address, type == UC_MEM_WRITE);
	if (e->between)
		note_waiting(e, address, type == UC_MEM_WRITE);
	e->events[e->events_n++] = (struct event){ address, (uint32_t)bytes, type == UC_MEM_WRITE };
	e->waiting += (uint32_t)bytes;
}

static bool on_fault(uc_engine *uc, uc_mem_type type, uint64_t address, int bytes, int64_t value,
	void *priv)
{
	uint64_t rip;

	uc_reg_read(uc, UC_X86_REG_RIP, &rip);
	fatal("%#lx: access of %d bytes at %#lx (type %d), which is not mapped: a loop may only "
	      "touch the arena, scratch memory and generated code",
		rip, bytes, address, type);
}

/* The instruction before this one was rdtsc or rdtscp: puts in what the model's clock says. */
static void after_rdtsc(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct emulator *e = priv;
	uint64_t high, low;

	catch_up(e, address);
	if (e->rdtsc_end != address)
		fatal("%#lx: not reached from the rdtsc before it", address);
	e->rdtsc_end = 0;
	low = (uint32_t)e->model->stamp;
	high = e->model->stamp >> 32;
	uc_reg_write(uc, UC_X86_REG_RAX, &low);
	uc_reg_write(uc, UC_X86_REG_RDX, &high);
}

static uint64_t reg(uc_engine *uc, int id)
{
	uint64_t value = 0;

	if (id)
		uc_reg_read(uc, id, &value);
	return value;
}

static uint64_t address_of(uc_engine *uc, const struct address_operand *p)
{
	return reg(uc, p->base) + reg(uc, p->index) * (uint64_t)p->scale + (uint64_t)p->offset;
}

/* A clflush, prefetch or invlpg is about to run: its address is noted, as Unicorn tells none. */
static void before_cache_op(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct emulator *e = priv;

	catch_up(e, address);
	if (e->done == e->current->n || e->current->insns[e->done].insn.address != address)
		fatal("%#lx: a clflush, prefetch or invlpg is not in the block", address);
	e->cache_op = address_of(uc, &e->current->insns[e->done].operand);
	e->has_cache_op = true;
}

/*
 * An instruction that Unicorn leaves to us: it is done, and does not run. Another block begins
 * behind it.
 */
static void before_system(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct emulator *e = priv;
	const struct decoded *d;
	uint64_t next;

	catch_up(e, address);
	d = &e->current->insns[e->done];
	next = system_insn(uc, &d->insn, address_of(uc, &d->operand), &e->system);
	step(e, &d->insn, next);
	leave(e);
	check(uc_reg_write(uc, UC_X86_REG_RIP, &next), "going on");
}

static void before_wrmsr(uc_engine *uc, uint64_t address, uint32_t bytes, void *priv)
{
	struct emulator *e = priv;

	catch_up(e, address);
	e->stored = model_clock(e->model);
	e->again = 0;
	e->wrmsr(e->between_priv, (uint32_t)reg(uc, UC_X86_REG_RCX),
		(uint32_t)reg(uc, UC_X86_REG_RAX) | reg(uc, UC_X86_REG_RDX) << 32);
}

void emulator_open(struct emulator *e, struct model *m)
{
	memset(e, 0, sizeof(*e));
	e->model = e->system.model = m;
	check(uc_open(UC_ARCH_X86, UC_MODE_64, &e->uc), "starting");
	hook(e, UC_HOOK_BLOCK, (void *)on_block, 1, 0);
	hook(e, UC_HOOK_MEM_READ | UC_HOOK_MEM_WRITE, (void *)on_memory, 1, 0);
	hook(e, UC_HOOK_MEM_INVALID, (void *)on_fault, 1, 0);
}

void emulator_close(struct emulator *e)
{
	blocks_invalidate(&e->blocks, 0, 0);
	uc_close(e->uc);
}

void emulator_map(struct emulator *e, void *base, size_t bytes, uint32_t permissions)
{
	check(uc_mem_map_ptr(e->uc, (uint64_t)(uintptr_t)base, bytes, permissions, base),
		"mapping memory");
}

void emulator_unmap(struct emulator *e, void *base, size_t bytes)
{
	check(uc_mem_unmap(e->uc, (uint64_t)(uintptr_t)base, bytes), "unmapping memory");
}

void emulator_invalidate_code(struct emulator *e, uint64_t keep, size_t keep_bytes)
{
	struct code_range gone = blocks_invalidate(&e->blocks, keep, keep_bytes);

	if (gone.end)
		check(uc_ctl_remove_cache(e->uc, gone.begin, gone.end), "forgetting code");
}

void emulator_run(struct emulator *e, uint64_t begin, uint64_t end)
{
	uc_err err = uc_emu_start(e->uc, begin, end, 0, 0);
	uint64_t rip = reg(e->uc, UC_X86_REG_RIP);

	if (err != UC_ERR_OK)
		fatal("%#lx: Unicorn stopped: %s", rip, uc_strerror(err));
	if (rip != end)
		fatal("stopped at %#lx instead of %#lx", rip, end);
	finish(e, end);
	if (e->rdtsc_end)
		fatal("%#lx: an rdtsc that read the host's counter", e->rdtsc_end);
}
