/* SPDX-License-Identifier: MIT */
#include "tests/kam/judge/code_sets.h"
#include "tests/kam/judge/turn_padding.h"
#include "tests/kam/loops/loop_code.h"

unsigned code_set(const struct code_sets *s, uint64_t at)
{
	return (unsigned)(at / s->unit % s->sets);
}

void code_sets_own(struct code_sets *s, uint64_t at, uint64_t bytes, unsigned each)
{
	for (uint64_t i = 0; i < bytes; i += s->unit)
		s->own[code_set(s, at + i)] += each;
}

void code_sets_other(struct code_sets *s, loop_fn *loop, uint64_t section)
{
	static struct decoded_code code;
	uint64_t unit = UINT64_MAX;
	unsigned ops = 0;

	code_decode(&code, (const uint8_t *)(uintptr_t)loop, loop_bytes(loop),
		section + (uint64_t)((uintptr_t)loop - (uintptr_t)loops_start));
	for (size_t i = 0; i < code.n; i++) {
		uint64_t at = code.insns[i].at;

		if (at / s->unit != unit)
			ops = 0;
		unit = at / s->unit;
		if (s->line_ops ? ops % s->line_ops == 0 : ops == 0)
			s->other[code_set(s, at)]++;
		ops++;
	}
}

enum code_kept code_kept(const struct code_sets *s, unsigned set)
{
	if (s->own[set] > s->ways)
		return KEPT_NEVER;
	return s->own[set] + s->other[set] > s->ways ? KEPT_AFTER_FIRST : KEPT_ALWAYS;
}
