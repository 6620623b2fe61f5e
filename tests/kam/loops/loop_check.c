/* SPDX-License-Identifier: MIT */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "probes/loops/leaf.h"
#include "probes/loops/loops.h"
#include "tests/kam/cpu/fatal.h"
#include "tests/kam/image/image.h"
#include "tests/kam/loops/loop_check.h"
#include "tests/kam/loops/loop_code.h"
#include "tests/kam/loops/loop_count.h"

#define JUMP_BLOCK 32 /* bytes; Makefile, JUMPS */

struct rule {
	const char *name;
	const void *code; /* of this program */
	const char *text;
};

/* Every symbol of .loops: where a loop ends, another one begins. */
static const struct rule rules[] = {
#define LOOP(name, rule)      { "loop_" #name, (const void *)(uintptr_t)loop_##name, rule },
#define LEAF_LOOP(name, rule) { "leaf_" #name, (const void *)(uintptr_t)leaf_##name, rule },
#include "probes/loops/loops.inc"
#include "probes/loops/leaf_loops.inc"
#undef LOOP
#undef LEAF_LOOP
};

static const struct rule *const end_of_rules = rules + sizeof(rules) / sizeof(*rules);

/* Returns true if the loop is compiled from C. */
static bool is_leaf(const char *name)
{
	return !strncmp(name, "leaf_", 5);
}

/*
 * Returns true for loops without the usual two stamps: they measure stamps, or another loop calls
 * them.
 */
static bool own_stamps(const char *name)
{
	return !strncmp(name, "loop_div_", 9) || !strncmp(name, "loop_rem3_", 10) ||
		!strcmp(name, "loop_gaps") || is_leaf(name);
}

static size_t offset_of(const void *code)
{
	return (size_t)((uintptr_t)code - (uintptr_t)loops_start);
}

/* Returns the bytes of a loop: up to the next one, or to the int3 of the padding. */
static size_t length(const struct rule *r, const uint8_t *loops, size_t room)
{
	size_t at = offset_of(r->code), end = room;
	const struct rule *other;

	for (other = rules; other < end_of_rules; other++)
		if (offset_of(other->code) > at && offset_of(other->code) < end)
			end = offset_of(other->code);
	while (end > at && loops[end - 1] == 0xcc)
		end--;
	return end - at;
}

static bool fused(const struct code_insn *i)
{
	static const char *const with[] = { "cmp", "test", "add", "sub", "inc", "dec", "and" };
	size_t k;

	for (k = 0; k < sizeof(with) / sizeof(*with); k++)
		if (!strcmp(i->mnemonic, with[k]))
			return true;
	return false;
}

/*
 * Returns true if a jump, with the instruction that it fuses with, crosses or ends at a multiple of
 * 32 bytes.
 */
static bool badly_placed(const struct decoded_code *c, size_t i)
{
	const struct code_insn *jump = &c->insns[i];
	uint64_t from = jump->at, to = jump->at + jump->bytes;

	if (!jump->jump)
		return false;
	if (jump->conditional && i && fused(&c->insns[i - 1]))
		from = c->insns[i - 1].at;
	return from / JUMP_BLOCK != to / JUMP_BLOCK;
}

/* Returns the first badly placed jump that is executed again and again; -1: none. */
static long misplaced(const struct decoded_code *c, struct code_stretch timed)
{
	struct code_stretch s;
	size_t i, k;

	for (i = timed.first; i <= timed.last && timed.last < c->n; i++) {
		if (!code_closes(c, timed, i))
			continue;
		if (badly_placed(c, i))
			return (long)c->insns[i].at;
		s = code_repeated(c, i);
		for (k = s.first; code_innermost(c, s) && k <= s.last; k++)
			if (badly_placed(c, k))
				return (long)c->insns[k].at;
	}
	return -1;
}

/* Returns true if an instruction jumps to this address. */
static bool jumped_to(const struct decoded_code *c, uint64_t at)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->insns[i].jump && c->insns[i].direct && c->insns[i].target == at)
			return true;
	return false;
}

static bool sets_flags(const struct code_insn *i)
{
	return fused(i) || !strcmp(i->mnemonic, "bt") || !strcmp(i->mnemonic, "or") ||
		!strcmp(i->mnemonic, "lock cmpxchg");
}

/*
 * Returns the first conditional jump that does not directly follow the instruction that decides it,
 * or that another jump reaches; -1: none.
 */
static long undecided(const struct decoded_code *c)
{
	size_t i;

	for (i = 0; i < c->n; i++)
		if (c->insns[i].conditional &&
			(!i || !sets_flags(&c->insns[i - 1]) || jumped_to(c, c->insns[i].at)))
			return (long)c->insns[i].at;
	return -1;
}

/*
 * Returns true if there are two stamps of the form lfence; rdtsc; ...; lfence, one before and one
 * after the timed part.
 */
static bool fenced(const struct decoded_code *c, size_t first, size_t last)
{
	bool before = false, after = false;
	size_t i;

	for (i = 1; i < c->n; i++) {
		if (strcmp(c->insns[i].mnemonic, "rdtsc"))
			continue;
		if (i < first)
			before |= !strcmp(c->insns[i - 1].mnemonic, "lfence") &&
				!strcmp(c->insns[first - 1].mnemonic, "lfence");
		if (i > last)
			after |= !strcmp(c->insns[i - 1].mnemonic, "lfence") && i + 1 < c->n &&
				!strcmp(c->insns[i + 1].mnemonic, "lfence");
	}
	return before && after;
}

static unsigned wrong(const struct rule *r, const char *what, long came)
{
	printf("%-27s WRONG: %s, got %ld\n", r->name, what, came);
	return 1;
}

static unsigned judge(const struct rule *r, const struct decoded_code *c)
{
	struct code_stretch timed = code_timed(c), body = code_body(c, timed);
	char text[256], *token, *rest = text;
	unsigned bad = 0;
	long at = misplaced(c, timed), loose = undecided(c), came;

	if (!*r->text)
		bad += wrong(r, "no rule", 0);
	snprintf(text, sizeof(text), "%s", r->text);
	while ((token = strtok_r(rest, " ", &rest))) {
		came = count_in_loop(c, timed, body, token);
		if (came != count_wanted(token))
			bad += wrong(r, token, came);
	}
	if (!own_stamps(r->name) && !fenced(c, timed.first, timed.last))
		bad += wrong(r, "two fenced stamps", 0);
	if (at >= 0)
		bad += wrong(r, "a jump crosses or ends at a multiple of 32 bytes", at);
	if (loose >= 0 && !is_leaf(r->name))
		bad += wrong(r, "a conditional jump without its comparison before it", loose);
	if (!bad)
		printf("%-27s ok: %s\n", r->name, r->text);
	return bad;
}

int check_loops(const char *path)
{
	static struct decoded_code code;
	size_t ours = (size_t)(loops_end - loops_start);
	const struct rule *r;
	const uint8_t *loops;
	struct image image;
	struct section s;
	unsigned bad = 0;

	image_read(&image, path);
	loops = image_find(&image, ".loops", &s);
	if (s.file_bytes < ours)
		fatal("%s: not built from the same sources", path);
	for (r = rules; r < end_of_rules; r++) {
		size_t at = offset_of(r->code);

		code_decode(&code, loops + at, length(r, loops, ours), at);
		bad += judge(r, &code);
	}
	printf("%zu loops, %u faults\n", sizeof(rules) / sizeof(*rules), bad);
	image_free(&image);
	return bad ? 1 : 0;
}
