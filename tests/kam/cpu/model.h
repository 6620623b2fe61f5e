/* SPDX-License-Identifier: MIT */
/*
 * The timing model: instructions in program order, each given the cycle at which it enters the
 * window, starts, completes and retires. All times are core cycles since the machine started.
 *
 *   enter:    width per cycle, one group per taken branch; after a wrong guess, `penalty` cycles
 *             after the branch was resolved; when the instruction
 *             `window` before it has retired, and what else [backend] limits is free; not before
 *             it is fetched and decoded ([frontend])
 *   start:    sources ready and a load, store or arithmetic port free
 *   complete: start + latency; a load when memory_system.c says that its data are there
 *   retire:   in order, width per cycle; stores then go to L1 one after the other
 */
#ifndef TESTS_KAM_CPU_MODEL_H
#define TESTS_KAM_CPU_MODEL_H

#include "tests/kam/cpu/branch_predictor.h"
#include "tests/kam/cpu/reservations.h"
#include "tests/kam/cpu/tsc_model.h"
#include "tests/kam/cpu/cpu.h"
#include "tests/kam/cpu/front_end.h"
#include "tests/kam/cpu/in_flight.h"
#include "tests/kam/cpu/insn.h"
#include "tests/kam/cpu/memory_system.h"
#include "tests/kam/cpu/stores.h"

/* The last seven are limits within or beside the others: [limits]. */
enum port {
	PORT_LOAD,
	PORT_STORE,
	PORT_ALU,
	PORT_MULTIPLY,
	PORT_DIVIDE,
	PORT_SHIFT,
	PORT_LEA,
	PORT_BRANCH,
	PORT_VECTOR,
	PORT_WIDE_LOAD,
	PORT_WIDE_STORE,
	PORT_ACCESS,
	PORTS
};

struct model {
	struct cpu cpu;
	struct memory memory;
	struct uncore uncore; /* where it is alone; else unused */
	struct branch branch;
	struct clock clock;
	struct reservations ports[PORTS];
	uint64_t ready[REGS]; /* when each register is */
	uint64_t latency[COSTS];
	unsigned on[COSTS];         /* ports that an arithmetic instruction takes */
	unsigned load[2], store[2]; /* narrow, wide: likewise of an access */
	uint64_t enter, entered;    /* cycle at which instructions now enter; how many have */
	uint64_t barrier;           /* nothing enters before */
	struct front_end front_end;
	struct in_flight in_flight;
	uint64_t *rob;               /* ring of window entries: when each retires */
	uint64_t *store_buffer;      /* ring of store buffer entries: when each is in L1 */
	uint64_t entry, store_entry; /* the next one of each */
	uint64_t *wc_buffers;        /* ring of write-combining buffers: when each is written */
	uint64_t wc_next;
	uint64_t retired, retired_now; /* last retirement, how many in that cycle */
	uint64_t completed;            /* latest completion so far */
	uint64_t wc_line;              /* line that the write-combining buffer holds, + 1 */
	struct stores stores;
	uint64_t locked;        /* no load begins before: the last locked operation is done */
	uint64_t committed_now; /* stores that went to L1 in the last cycle in which one did */
	uint64_t stamp;         /* what the last rdtsc read */
	uint64_t stamped;       /* when it had read it: reading is not pipelined */
	uint64_t mispredicts, instructions;
};

/* A processor of one core, with an uncore of its own. */
void model_init(struct model *, const struct cpu *);
/* One core of several: all that share an uncore are given the same. */
void model_init_core(struct model *, const struct cpu *, struct uncore *);
void model_free(struct model *);
/*
 * From now on the other thread of the core executes, or no longer does: cpu_divide. All that has
 * begun must be done, as after model_idle.
 */
void model_divide(struct model *, const struct cpu *whole, bool halved);
/* One more instruction. */
void model_step(struct model *, const struct insn *, const struct insn_run *);
/* Everything completes, then nothing happens for `cycles`. */
void model_idle(struct model *, uint64_t cycles);
/* Other code has used everything: caches, TLBs, prefetchers and predictors hold nothing. */
void model_forget(struct model *);
/* Nothing enters before this cycle. */
void model_wait_until(struct model *, uint64_t cycle);
/* The cycle at which the next instruction may enter. */
static inline uint64_t model_clock(const struct model *m)
{
	return m->enter > m->barrier ? m->enter : m->barrier;
}
/* The core cycle at which all that has begun is done. */
uint64_t model_cycle(const struct model *);
/* The time stamp counter then. */
uint64_t model_ticks(struct model *);

#endif
