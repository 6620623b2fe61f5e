/* SPDX-License-Identifier: MIT */
#include <math.h>
#include <stdint.h>

#include "tests/kam/cpu/branch_predictor.h"
#include "tests/kam/judge/predictor_oracle.h"

#define LEARNED 44 /* passes, before those that count: as many as the probe makes */
#define COUNTED 4
#define COIN    0x1000 /* addresses of the two branches of the loop */
#define AGAIN   0x1020
#define CLOSE   1.02 /* factor between periods of which one is the answer */

/* A coin of the pattern, always the same. */
static bool coin(unsigned i)
{
	uint64_t x = (i + 1) * 0x9e3779b97f4a7c15ull;

	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
	return (x ^ x >> 31) >> 40 & 1;
}

static unsigned wrong(struct branch *b, uint64_t address, bool taken)
{
	const struct insn i = { .kind = INSN_BRANCH, .address = address, .bytes = 2 };

	return branch_predict(b, &i, taken ? address + 16 : address + 2) == PREDICTED_WRONG;
}

double mispredicted(const struct cpu *c, unsigned period)
{
	unsigned pass, i, missed = 0;
	struct branch b;

	branch_init(&b, c);
	for (pass = 0; pass < LEARNED + COUNTED; pass++)
		for (i = 0; i < period; i++) {
			unsigned both = wrong(&b, COIN, coin(i)) + wrong(&b, AGAIN, true);

			missed += pass < LEARNED ? 0 : both;
		}
	branch_free(&b);
	return (double)missed / COUNTED / period;
}

/* A fifth of the rise lies in the last octave, or there is no rise: probes/branch/README.md. */
static bool goes_on(const struct cpu *c, unsigned to)
{
	double rise = mispredicted(c, to) - mispredicted(c, PERIOD_FROM);

	return rise < 0.1 || mispredicted(c, to) - mispredicted(c, to / 2) > 0.2 * rise;
}

unsigned longest_period(const struct cpu *c)
{
	unsigned to = PERIOD_TO;

	while (to < PERIOD_MOST && goes_on(c, to))
		to *= 2;
	return to;
}

double period_at(const struct cpu *c, unsigned first, unsigned last, double part)
{
	double low = first, high = last, least = mispredicted(c, first);
	double want = least + part * (mispredicted(c, last) - least);

	while (high > low * CLOSE) {
		double middle = sqrt(low * high);

		if (mispredicted(c, (unsigned)middle) < want)
			low = middle;
		else
			high = middle;
	}
	return sqrt(low * high);
}
