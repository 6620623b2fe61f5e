/* SPDX-License-Identifier: MIT */
/*
 * Several cores in one thread of the host: each is a coroutine, and the one whose clock is behind
 * all others goes on. Nothing but the clocks decides, so every run is the same.
 */
#ifndef TESTS_KAM_RUN_TURNS_H
#define TESTS_KAM_RUN_TURNS_H

#include <stdbool.h>
#include <stdint.h>
#include <ucontext.h>

#include "tests/kam/cpu/cpu.h"

/*
 * The most cycles that a core may run ahead of the others: less than a transfer takes, so that a
 * write reaches the others in time.
 */
#define TURN_CYCLES 40

struct turns {
	unsigned current, n;
	struct core_turn {
		ucontext_t context;
		void *stack;
		bool running;
		void (*fn)(void *);
		void *arg;
	} core[CORES_MOST];
	/* The clock of a core, in cycles; it goes on whenever the core has a turn. */
	uint64_t (*clock)(void *priv, unsigned core);
	/* A turn begins. */
	void (*begins)(void *priv);
	void *priv;
	uint64_t until; /* the current core's turn is over when its clock is past this */
};

/* Core 0 runs already: it is the caller. */
void turns_init(struct turns *, unsigned n, uint64_t (*clock)(void *priv, unsigned core),
	void (*begins)(void *priv), void *priv);
void turns_free(struct turns *);
/* Another core begins with fn(arg), its clock set to no less than the caller's by now. */
void turns_start(struct turns *, unsigned core, void (*fn)(void *), void *arg);
bool turns_running(const struct turns *, unsigned core);
/* The current core's turn is over: whoever is most behind goes on. */
void turns_yield(struct turns *);
/* The clock of the running core that is most behind, but for the current one; UINT64_MAX: alone. */
uint64_t turns_others(const struct turns *);

#endif
